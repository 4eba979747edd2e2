"""Short ways to say what a test puts into a store."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, Protocol

from nonebot_plugin_scoped_memory.engine.models import Candidate, Evidence, IdSource, Item, MemoryEvent, NewTurn, Turn
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, ScopeRef, session_scope
from nonebot_plugin_scoped_memory.engine.store.base import MaintenanceStore, Store

NOON = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)

DOMAIN = "default"
CHAT_KEY = "qq:group:20001"
OTHER_KEY = "qq:group:20002"
CHAT = ScopeRef("chat", CHAT_KEY)
OTHER = ScopeRef("chat", OTHER_KEY)
SESSION = session_scope(CHAT_KEY)
OTHER_SESSION = session_scope(OTHER_KEY)
EVERYWHERE = (CHAT, OTHER, GLOBAL_SCOPE, SESSION, OTHER_SESSION)

MING = "qq:user:10001"
HONG = "qq:user:10002"


class OpenedStore(Store, Protocol):
    """A store as it is opened: both doors."""

    @property
    def maintenance(self) -> MaintenanceStore: ...


class OpenStore(Protocol):
    """Opens a new, empty store; the fixture closes what a test leaves open."""

    async def __call__(
        self, *, clock: HandClock | None = None, ids: IdSource | None = None, analyser: int = 1
    ) -> OpenedStore: ...


class HandClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **delta: float) -> datetime:
        self.now += timedelta(**delta)
        return self.now


def words(text: str) -> list[str]:
    return text.split()


def an_item(content: str, scope: ScopeRef = CHAT, **fields: Any) -> Item:
    """An active fact, unlike any item of other content."""
    item = Item(
        id="",
        scope=scope,
        kind="fact",
        content=content,
        subject="",
        owner=MING,
        key=None,
        tier="evidence",
        status="active",
        confidence=0.9,
        importance=0.5,
        identity=f"={content}",
        origin="api",
        source_session=CHAT_KEY,
        valid_from=NOON,
        created_at=NOON,
        updated_at=NOON,
    )
    return dataclasses.replace(item, **fields)


def a_candidate(content: str, scope: ScopeRef = CHAT, **fields: Any) -> Candidate:
    candidate = Candidate(
        id="",
        scope=scope,
        source_session=CHAT_KEY,
        kind="decision",
        content=content,
        subject="",
        key=None,
        identity=f"={content}",
        status="pending",
        reason="waits for review",
        origin="llm",
        confidence=0.8,
        importance=0.4,
        created_at=NOON,
    )
    return dataclasses.replace(candidate, **fields)


def a_turn(text: str, **fields: Any) -> NewTurn:
    return dataclasses.replace(NewTurn("user", text, NOON, account=MING, name="小明"), **fields)


def an_event(item_id: str, scope: ScopeRef = CHAT, action: str = "add", **fields: Any) -> MemoryEvent:
    return dataclasses.replace(MemoryEvent(scope, action, MING, NOON, item_id=item_id), **fields)


def evidence(turn: int, session_key: str = CHAT_KEY, quote: str = "") -> Evidence:
    return Evidence(session_key, turn, MING, quote)


async def add(store: Store, *items: Item, domain: str = DOMAIN) -> list[Item]:
    """Store items, their content split at spaces as terms."""
    async with store.write(domain, list(dict.fromkeys(item.scope for item in items))) as write:
        return [await write.add_item(item, words(item.content)) for item in items]


async def save(store: Store, item: Item, *also: ScopeRef, domain: str = DOMAIN) -> Item:
    async with store.write(domain, [item.scope, *also]) as write:
        return await write.save_item(item, words(item.content))


async def say(store: Store, *turns: NewTurn | str, session_key: str = CHAT_KEY, domain: str = DOMAIN) -> list[Turn]:
    """Record turns one after another."""
    made = [a_turn(turn) if isinstance(turn, str) else turn for turn in turns]
    return [await store.record_turn(domain, session_key, turn, words(turn.text)) for turn in made]


async def found_items(store: Store, query: str, *scopes: ScopeRef, domain: str = DOMAIN) -> list[str | int]:
    """Ids of the items that a search finds, most promising first."""
    found = await store.view(domain, scopes or (CHAT,)).item_candidates(words(query))
    return [document.ref for document in found.documents]


async def found_turns(store: Store, query: str, session_key: str = CHAT_KEY) -> list[str | int]:
    found = await store.view(DOMAIN, (session_scope(session_key),)).turn_candidates(session_key, words(query))
    return [document.ref for document in found.documents]


def ids(items: Sequence[Item]) -> list[str]:
    return [item.id for item in items]
