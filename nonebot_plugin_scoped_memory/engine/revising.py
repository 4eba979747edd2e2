"""Changes that people make to what is already there: forget, edit, archive, a message taken back."""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from . import text
from .changing import FORGOTTEN, SOURCE_CHANGED, SOURCE_RETRACTED, SYSTEM, Actor, drop_waiting, retract
from .errors import InvalidItemError, NotAllowedError, NotFoundError
from .extract.secrets import find_secret
from .models import MAX_ITEM_CHARS, Candidate, Evidence, Item, MemoryEvent, Turn, TurnState
from .scope import GLOBAL_SCOPE, REVIEW_SCOPE, ScopeRef, session_scope, writing_scopes
from .store.base import Store, Write

PAGE = 500
"""Waiting candidates read at once."""


@dataclass(frozen=True, slots=True)
class Rights:
    """What the acting person may change: always their own; ``chat_admin`` adds all of ``chat``, an operator all."""

    actor: Actor
    chat: ScopeRef | None = None
    chat_admin: bool = False

    def owns(self, item: Item) -> bool:
        """Whether they may say what it says: only its owner, whom it is about, or an operator."""
        if self.actor.operator:
            return True
        return item.scope != GLOBAL_SCOPE and self.actor.account in {item.owner, item.subject} - {""}

    def covers(self, item: Item) -> bool:
        if self.actor.operator:
            return True
        if item.scope == GLOBAL_SCOPE or not self.actor.account:
            return False
        return self.owns(item) or (self.chat_admin and item.scope == self.chat)


async def find(tx: Write, item_id: str, scopes: Sequence[ScopeRef]) -> Item:
    """The active item with this id in ``scopes``. Raises NotFoundError."""
    found = await tx.items((item_id,))
    if not found or found[0].scope not in scopes or found[0].status != "active":
        raise NotFoundError("item", item_id)
    return found[0]


@asynccontextmanager
async def _with_evidence(
    store: Store, domain_id: str, scopes: Sequence[ScopeRef], item_ids: Iterable[str], *, everywhere: bool
) -> AsyncIterator[Write]:
    """A write over ``scopes``, the sessions that these items rest on (those in reach, or ``everywhere``), and the
    shared scope, where candidates wait."""
    seen = (*scopes, REVIEW_SCOPE) if everywhere else scopes
    evidence = await store.view(domain_id, seen).evidence(item_ids)
    sessions = dict.fromkeys(session_scope(e.session_key) for found in evidence.values() for e in found)
    async with store.write(domain_id, (*scopes, *sessions, GLOBAL_SCOPE)) as tx:
        yield tx


async def forget(
    store: Store,
    domain_id: str,
    scopes: Sequence[ScopeRef],
    item_id: str,
    rights: Rights,
    now: datetime,
    reason: str = "forget",
) -> Item:
    """Retract an item and suppress the turns it rests on, so that no later extraction brings it back.

    Raises NotFoundError for what lies outside ``scopes``, NotAllowedError for what is seen but not theirs.
    """
    async with _with_evidence(store, domain_id, scopes, (item_id,), everywhere=rights.actor.operator) as tx:
        item = await find(tx, item_id, scopes)
        if not rights.covers(item):
            raise NotAllowedError(rights.actor.account, "forget", item_id, shared=item.scope == GLOBAL_SCOPE)
        return await forget_item(tx, item, rights.actor, now, reason)


async def forget_item(tx: Write, item: Item, actor: Actor, now: datetime, reason: str) -> Item:
    """Retract an item, suppress the turns it rests on, and refuse to learn the same from what was said before now."""
    by_session = _by_session((await tx.evidence((item.id,)))[item.id])
    for key, numbers in by_session.items():
        if session_scope(key) in tx.scopes:
            await tx.mark_suppressed(key, numbers)
    await tx.add_candidate(_refusal(item, actor, now))
    retracted = await retract(tx, item, actor, now, reason)
    for key, numbers in by_session.items():
        quoting = [q for n in numbers for q in await tx.turns_quoting(key, n)]
        if quoting:
            await let_fall(tx, key, quoting, actor, now, reason, quoting=quoting)
    return retracted


def _refusal(item: Item, actor: Actor, now: datetime) -> Candidate:
    """Keeps what was said before now from being learnt again from another line. Without the text."""
    return Candidate(
        id="",
        scope=item.scope,
        source_session=item.source_session,
        kind=item.kind,
        content="",
        subject=item.subject,
        key=None,
        identity=item.identity,
        status="rejected",
        reason=FORGOTTEN,
        origin=item.origin,
        confidence=0.0,
        importance=0.0,
        created_at=now,
        decided_at=now,
        decided_by=actor.account or "person",
    )


async def edit(
    store: Store,
    domain_id: str,
    scopes: Sequence[ScopeRef],
    item_id: str,
    actor: Actor,
    now: datetime,
    *,
    content: str | None = None,
    importance: float | None = None,
    key: str | None = None,
    valid_until: datetime | None = None,
) -> Item:
    """Change parts of an active item; what is None stays, and an empty ``key`` gives up the slot.

    Raises NotFoundError, InvalidItemError, SlotTakenError.
    """
    valid_until = None if valid_until is None else checked_time(valid_until, "valid_until")
    async with store.write(domain_id, (*scopes, GLOBAL_SCOPE)) as tx:
        item = await find(tx, item_id, scopes)
        new_content = item.content if content is None else storable_content(content)
        changed = replace(
            item,
            content=new_content,
            identity=item.identity if content is None else text.identity(new_content, item.subject),
            importance=item.importance if importance is None else checked_share(importance, "importance"),
            key=item.key if key is None else checked_key(key),
            valid_until=item.valid_until if valid_until is None else valid_until,
            updated_at=now,
        )
        saved = await tx.save_item(changed, text.document_terms(new_content))
        before = item.content if content is not None else ""
        await tx.add_event(MemoryEvent(item.scope, "edited", actor.account, now, item_id=item.id, before=before))
        if saved.identity != item.identity:
            await drop_waiting(tx, item, now, SOURCE_CHANGED)
        return saved


async def archive(
    store: Store, domain_id: str, scopes: Sequence[ScopeRef], item_id: str, actor: Actor, now: datetime, reason: str
) -> Item:
    """Take an active item out of recall without saying that it was wrong. Raises NotFoundError."""
    async with store.write(domain_id, (*scopes, GLOBAL_SCOPE)) as tx:
        item = await find(tx, item_id, scopes)
        saved = await tx.save_item(replace(item, status="archived", valid_to=now, updated_at=now), ())
        await tx.add_event(MemoryEvent(item.scope, "archived", actor.account, now, item_id=item.id, reason=reason))
        await drop_waiting(tx, item, now, SOURCE_RETRACTED)
        return saved


async def take_back_message(
    store: Store, domain_id: str, session_key: str, self_id: str, message_id: str, actor: Actor, now: datetime
) -> bool:
    """A message was recalled: mark its turn, and retract items that rest on nothing else. False if it is unknown."""
    scopes = writing_scopes(session_key)
    view = store.view(domain_id, scopes)
    n = await view.turn_number(session_key, self_id, message_id)
    if n is None:
        async with store.write(domain_id, scopes) as tx:
            quoting = await tx.mark_quotes_recalled(session_key, self_id, message_id)
    else:
        quoting = await view.turns_quoting(session_key, n)
    touched = ([] if n is None else [n]) + quoting
    if not touched:
        return False
    resting = [item.id for number in touched for item in await view.items_on_turn(session_key, number)]
    async with _with_evidence(store, domain_id, scopes, resting, everywhere=True) as tx:
        if n is not None:
            await tx.mark_recalled(session_key, n)
        await let_fall(tx, session_key, touched, actor, now, "message_recalled", quoting=quoting)
        return n is not None


async def let_fall(
    tx: Write,
    session_key: str,
    numbers: Sequence[int],
    actor: Actor,
    now: datetime,
    reason: str,
    *,
    quoting: Sequence[int] = (),
) -> None:
    """Retract what rests on these turns of a session and on nothing that stands, and reject what waits because of them.

    ``quoting`` are those of them that only quote what was taken back.
    """
    items = {item.id: item for n in numbers for item in await tx.items_on_turn(session_key, n)}
    for item in items.values():
        evidence = _without_quotes((await tx.evidence((item.id,)))[item.id], session_key, quoting, item)
        if not await _stands(tx, evidence):
            await retract(tx, item, actor, now, reason)
    for candidate in await _pending(tx):
        mentioned = any(e.session_key == session_key and e.turn in numbers for e in candidate.evidence)
        evidence = _without_quotes(candidate.evidence, session_key, quoting, candidate)
        # With a standing copy in its chat it waits on; its evidence is only that of the first who said it.
        if mentioned and not await _is_active(tx, candidate.item_id) and not await _stands(tx, evidence):
            await tx.decide_candidate(candidate.id, "rejected", reason=reason, by=SYSTEM.account, at=now)


def _without_quotes(
    evidence: Iterable[Evidence], session_key: str, quoting: Sequence[int], made: Item | Candidate
) -> list[Evidence]:
    """``evidence`` without turns that only quote what was taken back. Only a model reads quotes, and what somebody says
    of themselves they say on their own, whatever they quote with it."""
    if made.origin not in ("llm", "dream"):
        return list(evidence)
    return [
        e for e in evidence if e.session_key != session_key or e.turn not in quoting or e.account == made.subject != ""
    ]


async def _stands(tx: Write, evidence: Sequence[Evidence]) -> bool:
    """Whether any of these turns stands. A session that the transaction does not reach counts as standing."""
    for key, numbers in _by_session(evidence).items():
        if session_scope(key) not in tx.scopes or any(map(_is_evidence, await tx.turns(key, numbers))):
            return True
    return False


def _is_evidence(turn: Turn) -> bool:
    return turn.stands and turn.state is not TurnState.COMMAND


async def _is_active(tx: Write, item_id: str) -> bool:
    return any(item.status == "active" for item in await tx.items((item_id,)))


async def _pending(tx: Write) -> list[Candidate]:
    pending: list[Candidate] = []
    while page := await tx.list_candidates(limit=PAGE, offset=len(pending)):
        pending += page
    return pending


def _by_session(evidence: Iterable[Evidence]) -> dict[str, list[int]]:
    """Turn numbers by session key."""
    numbers: dict[str, list[int]] = {}
    for one in evidence:
        numbers.setdefault(one.session_key, []).append(one.turn)
    return numbers


def checked_content(content: str) -> str:
    """``content`` cleaned. Raises InvalidItemError if it is empty or too long."""
    cleaned = text.clean(content).strip()
    if not any(unicodedata.category(ch)[0] in "LNPS" for ch in cleaned):
        raise InvalidItemError("content", "empty")
    if len(cleaned) > MAX_ITEM_CHARS:
        raise InvalidItemError("content", f"over {MAX_ITEM_CHARS} characters")
    return cleaned


def storable_content(content: str) -> str:
    """``checked_content``; a secret raises InvalidItemError too."""
    cleaned = checked_content(content)
    if find_secret(cleaned) is not None:
        raise InvalidItemError("content", "holds a secret")
    return cleaned


def checked_key(key: str | None) -> str | None:
    """``key`` cleaned, None where nothing is left: an empty name would be one slot for everything."""
    return text.clean(key or "").strip() or None


def checked_time(at: datetime, field: str) -> datetime:
    """``at`` if it says its zone, else InvalidItemError."""
    if at.tzinfo is None:
        raise InvalidItemError(field, "without a time zone")
    return at


def checked_share(value: float, field: str) -> float:
    """``value`` if it is from 0 to 1, else InvalidItemError."""
    if not 0 <= value <= 1:
        raise InvalidItemError(field, "not a number from 0 to 1")
    return value
