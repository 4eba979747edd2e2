"""Changes that people make to what is already there: forget, edit, archive, a message taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from . import text
from .errors import InvalidItemError, NotAllowedError, NotFoundError
from .models import MAX_ITEM_CHARS, Evidence, Item, MemoryEvent
from .scope import GLOBAL_SCOPE, ScopeRef, session_scope, writing_scopes
from .store.base import Store, Write
from .writing import Actor, retract


@dataclass(frozen=True, slots=True)
class Rights:
    """What the acting person may change: always their own; ``chat_admin`` adds all of ``chat``, an operator all."""

    actor: Actor
    chat: ScopeRef | None = None
    chat_admin: bool = False

    def covers(self, item: Item) -> bool:
        if self.actor.operator:
            return True
        if item.scope == GLOBAL_SCOPE or not self.actor.account:
            return False
        if self.actor.account in (item.owner, item.subject):
            return True
        return self.chat_admin and item.scope == self.chat


async def find(tx: Write, item_id: str, *, active: bool = True) -> Item:
    """The item with this id inside the transaction's scopes. Raises NotFoundError."""
    found = await tx.items((item_id,))
    if not found or (active and found[0].status != "active"):
        raise NotFoundError("item", item_id)
    return found[0]


async def forget(
    store: Store, domain_id: str, scopes: Sequence[ScopeRef], item_id: str, rights: Rights, now: datetime
) -> Item:
    """Retract an item and suppress the turns it rests on, so that no later extraction brings it back.

    Raises NotFoundError for what lies outside ``scopes``, NotAllowedError for what is seen but not theirs.
    """
    evidence = (await store.view(domain_id, scopes).evidence((item_id,))).get(item_id, [])
    sessions = {e.session_key for e in evidence}
    async with store.write(domain_id, (*scopes, *(session_scope(key) for key in sorted(sessions)))) as tx:
        item = await find(tx, item_id)
        if item.scope not in scopes:
            raise NotFoundError("item", item_id)
        if not rights.covers(item):
            raise NotAllowedError(rights.actor.account, "forget", item_id, shared=item.scope == GLOBAL_SCOPE)
        for key in sorted(sessions):
            await tx.mark_suppressed(key, [e.turn for e in evidence if e.session_key == key])
        return await retract(tx, item, rights.actor, now, "forget")


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
    """Change parts of an active item; what is None stays. Raises NotFoundError, InvalidItemError, SlotTakenError."""
    async with store.write(domain_id, scopes) as tx:
        item = await find(tx, item_id)
        new_content = item.content if content is None else checked_content(content)
        changed = replace(
            item,
            content=new_content,
            identity=text.identity(new_content, item.subject),
            importance=item.importance if importance is None else importance,
            key=item.key if key is None else key,
            valid_until=item.valid_until if valid_until is None else valid_until,
            updated_at=now,
        )
        saved = await tx.save_item(changed, text.document_terms(new_content))
        before = item.content if content is not None else ""
        await tx.add_event(MemoryEvent(item.scope, "edited", actor.account, now, item_id=item.id, before=before))
        return saved


async def archive(
    store: Store, domain_id: str, scopes: Sequence[ScopeRef], item_id: str, actor: Actor, now: datetime, reason: str
) -> Item:
    """Take an active item out of recall without saying that it was wrong. Raises NotFoundError."""
    async with store.write(domain_id, scopes) as tx:
        item = await find(tx, item_id)
        saved = await tx.save_item(replace(item, status="archived", valid_to=now, updated_at=now), ())
        await tx.add_event(MemoryEvent(item.scope, "archived", actor.account, now, item_id=item.id, reason=reason))
        return saved


async def take_back_message(
    store: Store, domain_id: str, session_key: str, self_id: str, message_id: str, actor: Actor, now: datetime
) -> bool:
    """A message was recalled: mark its turn, and retract items that rest on nothing else. False if it is unknown."""
    async with store.write(domain_id, writing_scopes(session_key)) as tx:
        n = await tx.turn_number(session_key, self_id, message_id)
        if n is None:
            return False
        items = await tx.items_on_turn(session_key, n)
        await tx.mark_recalled(session_key, n)
        evidence = await tx.evidence(item.id for item in items)
        for item in items:
            if not await _rests_on_others(tx, evidence.get(item.id, []), session_key):
                await retract(tx, item, actor, now, "message_recalled")
        for candidate in await tx.list_candidates(limit=1000):
            mentions = any(e.session_key == session_key and e.turn == n for e in candidate.evidence)
            if mentions and not await _rests_on_others(tx, candidate.evidence, session_key):
                await tx.decide_candidate(candidate.id, "rejected", reason="message_recalled", by="system", at=now)
        return True


async def _rests_on_others(tx: Write, evidence: Sequence[Evidence], session_key: str) -> bool:
    here = await tx.turns(session_key, [e.turn for e in evidence if e.session_key == session_key])
    return any(turn.stands for turn in here) or any(e.session_key != session_key for e in evidence)


def checked_content(content: str) -> str:
    """``content`` cleaned. Raises InvalidItemError if it is empty or too long."""
    cleaned = text.clean(content).strip()
    if not cleaned:
        raise InvalidItemError("content", "empty")
    if len(cleaned) > MAX_ITEM_CHARS:
        raise InvalidItemError("content", f"over {MAX_ITEM_CHARS} characters")
    return cleaned
