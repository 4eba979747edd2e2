"""One use of a command: who asks, where, and how to answer."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from nonebot.adapters import Bot
from nonebot.adapters.onebot.v11 import ActionFailed, Message, MessageEvent, MessageSegment, NetworkError

from ... import texts
from ...config import ScopedMemoryConfig
from ...engine.changing import Actor
from ...engine.engine import MemoryEngine
from ...engine.llm import OpenAIChat
from ...engine.models import KINDS, Kind
from ...engine.revising import Rights
from ...engine.scope import home_scope
from ...engine.text import clean, cut, person
from ..recorder import Heard
from ..segments import render

logger = logging.getLogger(__name__)

PAGE = 10
"""Lines on one page of an answer."""
SHOWN_CHARS = 80
"""How much of an item a line of a list shows."""


@dataclass(frozen=True, slots=True)
class Services:
    """What commands need beside the engine: the settings, and the models that ``retry`` wakes."""

    config: ScopedMemoryConfig
    models: Callable[[], tuple[OpenAIChat, ...]]
    command_prefix: str


class Request:
    """A command that a person sent to this bot."""

    def __init__(self, bot: Bot, event: MessageEvent, heard: Heard, services: Services) -> None:
        self._bot = bot
        self._event = event
        self.heard = heard
        self.services = services
        self.prefix = services.command_prefix
        self.domain_id = heard.domain_id
        self.session_key = heard.incoming.session_key
        self.account = heard.incoming.account
        self.name = heard.incoming.turn.name
        self.operator = heard.incoming.turn.by_operator
        self.anonymous = heard.incoming.anonymous
        self.in_group = bool(heard.incoming.role)
        self.group_admin = heard.incoming.role in ("admin", "owner")

    @property
    def actor(self) -> Actor:
        return Actor(self.account, self.operator)

    @property
    def rights(self) -> Rights:
        return Rights(self.actor, home_scope(self.session_key), chat_admin=self.group_admin or not self.in_group)

    @property
    def may_run_chat(self) -> bool:
        """In private the user, in a group its admins, everywhere an operator."""
        return not self.in_group or self.group_admin or self.operator

    async def reply(self, text: str) -> None:
        """Answer where the command was given. As a text segment, so that no CQ code in it takes effect."""
        await self._bot.send(self._event, MessageSegment.text(text))

    async def reply_privately(self, text: str) -> None:
        """Answer the person alone; a group reads only that it was sent."""
        if not self.in_group:
            await self.reply(text)
            return
        try:
            await self._bot.call_api(
                "send_private_msg", user_id=self._event.user_id, message=[MessageSegment.text(text)]
            )
        except (ActionFailed, NetworkError) as e:
            logger.warning(texts.LOG_NOT_PRIVATE, self.domain_id, self.session_key, type(e).__name__)
            await self.reply(texts.SEND_PRIVATELY_FAILED)
        else:
            await self.reply(texts.SENT_PRIVATELY)

    @staticmethod
    def quoted(text: str, limit: int = SHOWN_CHARS) -> str:
        """Someone's words inside an answer: one line, cut."""
        return cut(clean(text), limit)


Handler: TypeAlias = Callable[[MemoryEngine, Request, str], Awaitable[None]]


def words_of(argument: Message) -> str:
    """What a command was given, as text: words and mentioned people; pictures and the like are left out."""
    rendered = render([segment for segment in argument if segment.type in ("text", "at")])
    words = rendered.text
    for account, name in sorted(rendered.mentions, key=lambda mention: len(mention[1]), reverse=True):
        words = words.replace(f"@{name}", person(name, account))
    return words


_KINDS: Mapping[str, Kind] = {name: kind for kind in KINDS for name in (kind, texts.KIND_NAMES[kind])}


def kind_in(argument: str) -> tuple[Kind | None, str]:
    """The kind that ``argument`` begins with, by its Chinese or English name, and what follows it."""
    first, *others = argument.split(maxsplit=1) or ("",)
    kind = _KINDS.get(first.lower())
    return (kind, "".join(others)) if kind is not None else (None, argument)


def moment(engine: MemoryEngine, at: datetime) -> str:
    """A time as a chat reads it, in the bot's zone."""
    return f"{at.astimezone(engine.settings.timezone):%Y-%m-%d %H:%M}"


def page_of(argument: str) -> int | None:
    """The page asked for, 1 if none was, None if it is no number."""
    if not argument:
        return 1
    if not argument.isdecimal():
        return None
    return int(argument) if len(argument) < 10 else 10**9  # no list is as long as that


def id_of(argument: str) -> str | None:
    """An id as it may be typed or copied from a list: ``K3F9AB``, ``[k3f9ab]``. None unless it is one word."""
    word = argument.strip("[]【】").lower()
    return word if word and not any(map(str.isspace, word)) else None


async def is_off(engine: MemoryEngine, request: Request) -> bool:
    """Whether the memory of this chat is switched off."""
    return await engine.chat_setting(request.session_key, "memory", domain_id=request.domain_id) == "off"
