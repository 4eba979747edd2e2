"""Who talks in the tests of commands, and short ways to seed, to say and to read things."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from nonebot_plugin_scoped_memory.engine.models import NewItem
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, home_scope
from tests.conftest import OPERATOR as OPERATOR
from tests.conftest import RunningBot
from tests.fakes.openai_server import ChatRequest

MING, HONG, GANG = 10001, 10002, 10003
GROUP, OTHER_GROUP = 20001, 20002


def private(user: int) -> str:
    """The session key of a private chat."""
    return f"qq:private:{user}"


def group(number: int = GROUP) -> str:
    """The session key of a group."""
    return f"qq:group:{number}"


def account(user: int) -> str:
    return f"qq:user:{user}"


def ids(answer: str) -> list[str]:
    """The ids that the lines of a list begin with."""
    return re.findall(r"^\[(\w+)\]", answer, re.MULTILINE)


async def seed(bot: RunningBot, session: str | None, content: str, kind: Any = "fact", **fields: Any) -> str:
    """Put an item into a chat's scope, or into the shared one, as it stands. Returns its id."""
    scope = GLOBAL_SCOPE if session is None else home_scope(session)
    (item,) = await bot.engine.add_items([NewItem(scope=scope, kind=kind, content=content, **fields)])
    return item.id


async def contents(bot: RunningBot, session: str | None) -> list[str]:
    """What is active in a chat's own scope, or in the shared one."""
    scope = GLOBAL_SCOPE if session is None else home_scope(session)
    return [item.content for item in await bot.engine.list_items(read=[scope])]


def proposing(words: str, content: str, kind: str = "fact") -> Callable[[ChatRequest], str]:
    """A model that finds one thing in a transcript: wherever a line has ``words``, an item about its speaker.

    ``{who}`` in ``content`` is the speaker. Shared kinds have no subject.
    """

    def extraction(request: ChatRequest) -> str:
        lines = re.findall(rf"\[(t\d+) [^\]]*?(u\d+)[^\]]*\][^\n]*{words}", request.text)
        found = [
            {
                "kind": kind,
                "content": content.format(who=who),
                "subject": who if kind in ("fact", "preference", "task") else None,
                "evidence": [turn],
                "confidence": 0.9,
                "importance": 0.6,
                "key": None,
                "audience": None,
                "valid_until": None,
            }
            for turn, who in lines
        ]
        return json.dumps({"items": found}, ensure_ascii=False)

    return extraction


def transcripts(bot: RunningBot) -> list[ChatRequest]:
    """The calls for extraction so far."""
    return [request for request in bot.llm.chat_requests if request.wants_json]


def prompts(bot: RunningBot) -> list[ChatRequest]:
    """The calls for an answer so far."""
    return [request for request in bot.llm.chat_requests if not request.wants_json]
