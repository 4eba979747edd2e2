"""An engine on a database of its own, a clock that a test moves, scripted models, and short ways to talk to it all."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta, timezone
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

import numpy as np

from nonebot_plugin_scoped_memory.engine.changing import Actor
from nonebot_plugin_scoped_memory.engine.engine import MemoryEngine
from nonebot_plugin_scoped_memory.engine.llm import Completion
from nonebot_plugin_scoped_memory.engine.models import (
    Candidate,
    Evidence,
    Item,
    MemoryEvent,
    NewItem,
    NewTurn,
    Session,
    Turn,
    TurnState,
)
from nonebot_plugin_scoped_memory.engine.scope import (
    GLOBAL_SCOPE,
    REVIEW_SCOPE,
    ScopeRef,
    home_scope,
    plan_for_session,
    session_scope,
    writing_scopes,
)
from nonebot_plugin_scoped_memory.engine.settings import EngineSettings
from nonebot_plugin_scoped_memory.engine.writing import Outcome

NOON = datetime(2026, 11, 30, 4, 0, tzinfo=timezone.utc)  # a Monday, 12:00 in Shanghai
SHANGHAI = ZoneInfo("Asia/Shanghai")

MING, HONG, GANG, BOSS, BOT = (f"qq:user:{n}" for n in (10001, 10002, 10003, 10000, 30001))
NAMES = {MING: "小明", HONG: "小红", GANG: "小刚", BOSS: "老板", BOT: "小忆"}
PRIVATE, OTHER_PRIVATE = "qq:private:10001", "qq:private:10002"
GROUP, OTHER_GROUP = "qq:group:20001", "qq:group:20002"
LEGACY = "milky:10001"
OPERATOR = Actor(BOSS, operator=True)

Reply: TypeAlias = "str | Exception | Awaitable[str]"


class HandClock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def move(self, **by: float) -> datetime:
        self.now += timedelta(**by)
        return self.now


class FakeChat:
    """A chat model: answers in order, or a function of the user message; nothing left to say means no items."""

    name = "fake"

    def __init__(self, *script: Reply, reply: Callable[[str], Reply] | None = None) -> None:
        self.script = list(script)
        self.reply = reply
        self.prompts: list[str] = []
        self.instructions: list[str] = []

    async def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        purpose: str,  # noqa: ARG002
        schema: Mapping[str, object] | None = None,  # noqa: ARG002
        max_tokens: int | None = None,  # noqa: ARG002
    ) -> Completion:
        self.instructions.append(messages[0]["content"])
        self.prompts.append(messages[1]["content"])
        if self.reply is not None:
            result = self.reply(messages[1]["content"])
        else:
            result = self.script.pop(0) if self.script else said()
        if isinstance(result, Exception):
            raise result
        text = result if isinstance(result, str) else await result
        return Completion(text, 100, 10, estimated=False)

    async def close(self) -> None:
        """Nothing is open."""


class Held:
    """An answer that comes when the test lets it: ``await held.asked.wait()``, then ``held.go.set()``."""

    def __init__(self, text: str) -> None:
        self.asked, self.go = asyncio.Event(), asyncio.Event()
        self._text = text

    def __await__(self):
        return self._wait().__await__()

    async def _wait(self) -> str:
        self.asked.set()
        await self.go.wait()
        return self._text


class BigramEmbedder:
    """Hashed character bigrams as unit vectors: texts that share words are near, all else is far.

    ``synonyms`` are read as what they mean: no text index can find a text by them.
    """

    def __init__(
        self, model: str = "bigrams", dimensions: int = 2048, synonyms: Mapping[str, str] | None = None
    ) -> None:
        self.model = model
        self.dimensions = dimensions
        self.synonyms = dict(synonyms or {})
        self.texts: list[str] = []
        self.error: Exception | None = None

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:  # noqa: ARG002
        if self.error is not None:
            raise self.error
        self.texts += texts
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word, meaning in self.synonyms.items():
                text = text.replace(word, meaning)
            for a, b in zip(f" {text}", f"{text} ", strict=True):
                row[zlib.crc32(f"{a}{b}".encode()) % self.dimensions] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    async def close(self) -> None:
        """Nothing is open."""


def said(*items: Mapping[str, Any]) -> str:
    """A model's answer with these items."""
    return json.dumps({"items": items}, ensure_ascii=False)


def found(content: str, *evidence: str, **fields: Any) -> dict[str, Any]:
    """An item as a well-behaved model writes it, by default of ``u1`` and resting on ``t1``."""
    return {
        "kind": "fact",
        "content": content,
        "subject": "u1",
        "evidence": evidence or ("t1",),
        "confidence": 0.9,
        "importance": 0.5,
        "key": None,
        "audience": None,
        "valid_until": None,
        **fields,
    }


def chat(session: str) -> ScopeRef:
    return home_scope(session)


class Memory:
    """An engine, and what a test does with it. ``speak`` is a message from its arrival to its classification."""

    def __init__(self, engine: MemoryEngine, clock: HandClock) -> None:
        self.engine = engine
        self.clock = clock

    async def speak(
        self, text: str, account: str = MING, session: str = GROUP, *, operator: bool = False, **fields: Any
    ) -> Turn:
        return (await self.heard(text, account, session, operator=operator, **fields))[0]

    async def heard(
        self, text: str, account: str = MING, session: str = GROUP, *, operator: bool = False, **fields: Any
    ) -> tuple[Turn, list[Outcome]]:
        """The turn, and what the rules made of it. One second passes."""
        state = fields.pop("state", TurnState.ORDINARY)
        domain = fields.pop("domain", self.engine.domain_id)
        turn = NewTurn(
            role=fields.pop("role", "bot" if account == BOT else "user"),
            text=text,
            said_at=fields.pop("said_at", self.clock.move(seconds=1)),
            account=account,
            name=fields.pop("name", NAMES.get(account, "")),
            state=TurnState.OPEN,
            by_operator=operator,
            **fields,
        )
        recorded = await self.engine.listener.record(domain, session, turn)
        if state is TurnState.OPEN:
            return recorded, []
        return recorded, await self.engine.listener.settle(domain, session, recorded.n, state)

    async def remember(self, content: str, account: str = MING, session: str = GROUP, **options: Any) -> Outcome:
        """``/memory add``"""
        actor = Actor(account, options.pop("operator", False))
        name = options.pop("name", NAMES.get(account, ""))
        domain = options.pop("domain", self.engine.domain_id)
        return await self.engine.listener.remember(domain, session, content, actor=actor, name=name, **options)

    async def extract(self, session: str = GROUP, *, force: bool = True):
        return await self.engine.listener.extract(self.engine.domain_id, session, force=force)

    async def add(self, content: str, scope: ScopeRef | str = GROUP, **fields: Any) -> Item:
        """``add_items`` of one."""
        where = scope if isinstance(scope, ScopeRef) else chat(scope)
        return (await self.engine.add_items([NewItem(where, fields.pop("kind", "fact"), content, **fields)]))[0]

    async def items(self, scope: ScopeRef | str = GROUP, **filters: Any) -> list[Item]:
        """The items of one scope, oldest first."""
        where = scope if isinstance(scope, ScopeRef) else chat(scope)
        return (await self.engine.list_items(read=[where], **filters))[::-1]

    async def contents(self, scope: ScopeRef | str = GROUP, **filters: Any) -> list[str]:
        return [item.content for item in await self.items(scope, **filters)]

    async def candidates(self, scope: ScopeRef | str = GLOBAL_SCOPE, status: Any = "pending") -> list[Candidate]:
        where = scope if isinstance(scope, ScopeRef) else chat(scope)
        return await self.view(where, REVIEW_SCOPE).list_candidates(status=status)

    async def evidence(self, item: Item) -> list[Evidence]:
        return (await self.view(item.scope, REVIEW_SCOPE).evidence((item.id,)))[item.id]

    async def events(self, item: Item) -> list[MemoryEvent]:
        return await self.view(item.scope, REVIEW_SCOPE).events(item.id)

    async def session(self, key: str = GROUP) -> Session:
        session = await self.view(session_scope(key)).session(key)
        assert session is not None
        return session

    async def turns(self, key: str = GROUP) -> list[Turn]:
        """By number."""
        return await self.view(session_scope(key)).turns_after(key, 0, limit=1000)

    async def recalled(self, question: str, session: str = GROUP, **options: Any) -> list[str]:
        """Contents in the order in which a prompt would show them."""
        return [one.content for one in (await self.engine.compose_context(session, question, **options)).items]

    async def found(self, question: str, session: str = GROUP, **options: Any) -> list[str]:
        """What a search over the session's plan finds, best first."""
        scored = await self.engine.search_memory(question, plan_for_session(session), **options)
        return [one.item.content for one in scored]

    def view_of(self, session: str):
        return self.view(*writing_scopes(session))

    def view(self, *scopes: ScopeRef, domain: str | None = None):
        return self.engine.store.view(domain or self.engine.domain_id, scopes)

    def write(self, session: str = GROUP):
        return self.engine.store.write(self.engine.domain_id, writing_scopes(session))


@asynccontextmanager
async def memory(url: str = "sqlite://", *, clock: HandClock | None = None, **options: Any) -> AsyncIterator[Memory]:
    """An engine; ``llm``, ``embedder``, ``domain_id`` and ``ids`` go to it, everything else is a setting."""
    clock = clock or HandClock()
    engine_options = {name: options.pop(name) for name in ("llm", "embedder", "domain_id", "ids") if name in options}
    settings = EngineSettings(**{"timezone": SHANGHAI, **options})
    async with MemoryEngine.open(url, clock=clock, settings=settings, **engine_options) as engine:
        yield Memory(engine, clock)
