"""Who takes part in the tests' chats, and where; short ways to seed, to read, and to script the model."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from nonebot_plugin_scoped_memory.engine.models import Kind, NewItem
from nonebot_plugin_scoped_memory.engine.prompt import BLOCK_CLOSE
from nonebot_plugin_scoped_memory.engine.scope import CHAT_SCOPED_KINDS, GLOBAL_SCOPE, home_scope
from tests.conftest import OPERATOR as OPERATOR
from tests.conftest import RunningBot
from tests.fakes.openai_replies import ChatRequest

MING, HONG, GANG = 10001, 10002, 10003
GROUP, OTHER_GROUP = 20001, 20002
BOT, OTHER_BOT = 30001, 30002

everything = pytest.mark.settings(record__groups="all")
"""Groups are recorded whether or not the bot is spoken to; the chat answers only those who address it."""


def private(user: int) -> str:
    """The session key of a private chat."""
    return f"qq:private:{user}"


def group(number: int = GROUP) -> str:
    """The session key of a group."""
    return f"qq:group:{number}"


PRIVATE, GROUP_KEY = private(MING), group()


def account(user: int) -> str:
    return f"qq:user:{user}"


class Countdown(asyncio.Event):
    """Set after so many ticks."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._left = count

    def tick(self) -> None:
        self._left -= 1
        if self._left == 0:
            self.set()


# ---------------------------------------------------------------- what is stored


async def seed(bot: RunningBot, session: str | None, content: str, kind: Any = "fact", **fields: Any) -> str:
    """Put an item into a chat's scope, or into the shared one, as it stands. Returns its id."""
    scope = GLOBAL_SCOPE if session is None else home_scope(session)
    (item,) = await bot.engine.add_items([NewItem(scope=scope, kind=kind, content=content, **fields)])
    return item.id


async def contents(bot: RunningBot, session: str | None, domain_id: str = "default") -> list[str]:
    """What is active in a chat's own scope, or in the shared one, oldest first."""
    scope = GLOBAL_SCOPE if session is None else home_scope(session)
    return [item.content for item in await bot.engine.list_items(read=[scope], domain_id=domain_id)][::-1]


def ids(answer: str) -> list[str]:
    """The ids that the lines of a list begin with."""
    return re.findall(r"^\[(\w+)\]", answer, re.MULTILINE)


# ---------------------------------------------------------------- what the model was sent


def transcripts(bot: RunningBot) -> list[ChatRequest]:
    """The calls for extraction so far."""
    return [request for request in bot.llm.chat_requests if request.wants_json]


def prompts(bot: RunningBot) -> list[ChatRequest]:
    """The calls for an answer so far."""
    return [request for request in bot.llm.chat_requests if not request.wants_json]


def conversations(bot: RunningBot) -> list[list[dict[str, Any]]]:
    """The messages of each call for an answer."""
    return [request.messages for request in prompts(bot)]


def last_words(messages: list[dict[str, Any]]) -> str:
    """The current message of a prompt, without the memory above it."""
    return messages[-1]["content"].rpartition(f"{BLOCK_CLOSE}\n\n")[2]


def transcript_lines(request: ChatRequest) -> list[tuple[str, str, str]]:
    """(turn, who, words) of each line of the transcript in a request for extraction, such as ``("t3", "u1", "…")``."""
    lines = re.findall(r"^\[(t\d+) \S+ \S+ ((?:u\d+|bot|匿名))[^\]\n]*\] (.*)$", request.text, re.MULTILINE)
    return [(turn, who, words) for turn, who, words in lines]


# ---------------------------------------------------------------- what the model finds


def found(content: str, evidence: str, subject: str | None, **fields: Any) -> dict[str, Any]:
    """An item as a model writes it."""
    return {
        "kind": "fact",
        "content": content,
        "subject": subject,
        "evidence": [evidence],
        "confidence": 0.9,
        "importance": 0.5,
        "key": None,
        "audience": None,
        "valid_until": None,
        **fields,
    }


def answer(*items: dict[str, Any]) -> str:
    return json.dumps({"items": items}, ensure_ascii=False)


def finds(pattern: str, content: str = "{who} {words}", kind: Kind = "fact") -> Callable[[ChatRequest], str]:
    """A model that takes each line that holds ``pattern`` for something its speaker said of themselves, worded as
    ``content`` says. Shared kinds have no subject."""

    def extraction(request: ChatRequest) -> str:
        lines = [line for line in transcript_lines(request) if re.search(pattern, line[2])]
        return answer(
            *(
                found(content.format(who=who, words=words), turn, who if kind in CHAT_SCOPED_KINDS else None, kind=kind)
                for turn, who, words in lines
            )
        )

    return extraction
