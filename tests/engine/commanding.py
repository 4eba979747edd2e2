"""Commands of chats without NoneBot around them: the real functions behind ``/memory``, and what they answer where."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from nonebot_plugin_scoped_memory.bot.commands import SUBCOMMANDS
from nonebot_plugin_scoped_memory.bot.commands.request import Request, Services
from nonebot_plugin_scoped_memory.config import ScopedMemoryConfig
from nonebot_plugin_scoped_memory.engine.engine import MemoryEngine
from nonebot_plugin_scoped_memory.engine.models import NewTurn


@dataclass
class Answers:
    """Stands for the bot: keeps what is sent to the chat, and what to the person alone."""

    here: list[str] = field(default_factory=list)
    privately: list[str] = field(default_factory=list)

    async def send(self, _event: Any, message: Any) -> None:
        self.here.append(str(message))

    async def call_api(self, _api: str, **data: Any) -> None:
        self.privately.append(str(data["message"]))


async def command(
    engine: MemoryEngine, text: str, account: str, session_key: str, *, domain: str, operator: bool = False
) -> Answers:
    """What ``/memory <text>`` answers to this account, who is an admin of its groups."""
    number = account.rsplit(":", 1)[-1]
    said = NewTurn("user", f"/memory {text}", engine.clock(), account=account, name=number, by_operator=operator)
    group = "group" in session_key
    incoming = SimpleNamespace(
        session_key=session_key, turn=said, account=account, anonymous=False, role="admin" if group else ""
    )
    services = Services(ScopedMemoryConfig(), lambda: (), "/")
    answers = Answers()
    heard: Any = SimpleNamespace(domain_id=domain, incoming=incoming)
    bot: Any = answers
    event: Any = SimpleNamespace(user_id=number)
    word, _, rest = text.partition(" ")
    await SUBCOMMANDS[word](engine, Request(bot, event, heard, services), rest)
    return answers
