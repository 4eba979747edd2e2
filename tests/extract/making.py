"""Short ways to say turns, transcripts and scripted models."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

from nonebot_plugin_scoped_memory.engine.extract.transcript import Transcript, build_transcript
from nonebot_plugin_scoped_memory.engine.llm import Completion
from nonebot_plugin_scoped_memory.engine.models import Item, Turn
from nonebot_plugin_scoped_memory.engine.scope import ScopeRef

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOON = datetime(2026, 11, 30, 4, 0, tzinfo=timezone.utc)  # a Monday, 12:00 in Shanghai
BOT = "qq:user:99999"
BOTS = frozenset({BOT})
MING, HONG, GANG = "qq:user:10001", "qq:user:10002", "qq:user:10003"
NAMES = {MING: "小明", HONG: "小红", GANG: "小刚", BOT: "小忆", "": "匿名"}


def turn(n: int, text: str, account: str = MING, **fields: Any) -> Turn:
    """Turn ``n``, said n minutes past noon."""
    said_at = fields.pop("said_at", NOON + timedelta(minutes=n))
    role = fields.pop("role", "bot" if account == BOT else "user")
    name = fields.pop("name", NAMES.get(account, "某人"))
    return Turn("qq:group:20001", n, role, text, said_at, said_at, account=account, name=name, **fields)


def transcript(*turns: Turn, **options: Any) -> Transcript:
    return build_transcript(turns, **{"timezone": SHANGHAI, "bots": BOTS, **options})


def item(content: str) -> Item:
    chat = ScopeRef("chat", "qq:group:20001")
    return Item(
        id="m1",
        scope=chat,
        kind="fact",
        content=content,
        subject=MING,
        owner=MING,
        key=None,
        tier="evidence",
        status="active",
        confidence=1.0,
        importance=0.5,
        identity="",
        origin="rule",
        source_session="qq:group:20001",
        valid_from=NOON,
        created_at=NOON,
        updated_at=NOON,
    )


def raw(content: str, **fields: Any) -> dict[str, Any]:
    """An item as a well-behaved model writes it."""
    return {
        "kind": "fact",
        "content": content,
        "subject": "u1",
        "evidence": ["t1"],
        "confidence": 0.9,
        "importance": 0.5,
        "key": None,
        "audience": None,
        "valid_until": None,
        **fields,
    }


def answer(*items: Mapping[str, Any]) -> str:
    return json.dumps({"items": items}, ensure_ascii=False)


class ScriptedModel:
    """A model whose answers are scripted: texts and errors in order, or a function of the user message."""

    name = "scripted"

    def __init__(self, *script: str | Exception, reply: Callable[[str], str | Exception] | None = None) -> None:
        self.script = list(script)
        self.reply = reply
        self.calls: list[list[Mapping[str, str]]] = []
        self.schemas: list[Mapping[str, object] | None] = []

    async def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        purpose: str,  # noqa: ARG002
        schema: Mapping[str, object] | None = None,
        max_tokens: int | None = None,  # noqa: ARG002
    ) -> Completion:
        self.calls.append(list(messages))
        self.schemas.append(schema)
        result = self.reply(messages[1]["content"]) if self.reply else self.script.pop(0)
        if isinstance(result, Exception):
            raise result
        return Completion(result, 100, 10, estimated=False)

    async def close(self) -> None:
        """Nothing is open."""
