"""A dream's patch: changes proposed as operations, and each of them applied to what is there now.

An operation that waits is an intention: ``before`` is the item it was made for, ``after`` what is to become of it. It
is applied only if that item still is as it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from .. import text
from ..changing import Actor
from ..dream_records import DreamOperation, ItemChange, OperationAction
from ..models import Evidence, Item, MemoryEvent, TurnState
from ..store.base import Write
from .touching import why_untouchable

TAKES_AWAY = frozenset({"merge", "update", "archive"})
"""Operations that count towards the most that a run may take from a scope."""


def of_extraction(changes: Iterable[ItemChange]) -> list[DreamOperation]:
    """What an extraction did, as operations that are applied already."""
    return [
        DreamOperation(
            _action(change),
            "applied",
            change.after.id,
            before=change.before,
            after=change.after,
            evidence=change.evidence,
        )
        for change in changes
    ]


def _action(change: ItemChange) -> OperationAction:
    if change.before is None:
        return "add"
    if change.before == change.after:
        return "evidence"
    return "change" if change.after.status == "active" else "supersede"


def rejected(action: OperationAction, reason: str, item: Item | None = None) -> DreamOperation:
    """A proposal that was refused. Nothing of it is kept but the reason."""
    return DreamOperation(action, "rejected", item.id if item is not None else "", reason)


def away(
    action: OperationAction, item: Item, now: datetime, reason: str, *, turns: Iterable[int] = (), successor: str = ""
) -> DreamOperation:
    """The intention to take ``item`` out of recall."""
    after = replace(item, status="archived", valid_to=now, successor=successor, updated_at=now)
    return DreamOperation(action, "waiting", item.id, reason, tuple(turns), item, after)


async def apply(
    tx: Write, session_key: str, intended: DreamOperation, actor: Actor, now: datetime
) -> list[DreamOperation]:
    """Do what ``intended`` is, and say what was done: the operation as it turned out, ``skipped`` with a reason where
    it was overtaken, and what it did to other items."""
    before, after = intended.before, intended.after
    if before is None or after is None:
        return [replace(intended, state="skipped", reason="nothing_to_do")]
    item = next(iter(await tx.items((before.id,))), None)
    problem = await _overtaken(tx, session_key, intended, item)
    if problem or item is None:
        return [replace(intended, state="skipped", reason=problem)]
    if intended.action == "merge":
        return await _merge(tx, intended, item, after, actor, now)
    if intended.action == "update":
        return await _update(tx, intended, item, after, actor, now)
    saved = await _take_away(tx, intended, item, after, actor, now)
    return [replace(intended, state="applied", before=item, after=saved)]


async def _overtaken(tx: Write, session_key: str, intended: DreamOperation, item: Item | None) -> str:
    """Why ``intended`` cannot be done any more; empty if it can."""
    if item is None:
        return "erased"
    if intended.before is None or item.status != "active" or item.version != intended.before.version:
        return "changed_since"
    if intended.turns:
        turns = await tx.turns(session_key, intended.turns)
        if len(turns) < len(intended.turns) or not all(t.stands and t.state is TurnState.ORDINARY for t in turns):
            return "evidence_gone"
    # What has ended by its own date has ended, whoever asked for it.
    return "" if intended.action == "expire" else await why_untouchable(tx, item)


async def _merge(
    tx: Write, intended: DreamOperation, item: Item, after: Item, actor: Actor, now: datetime
) -> list[DreamOperation]:
    kept = next(iter(await tx.items((after.successor,))), None)
    if kept is None or kept.status != "active" or kept.scope != item.scope:
        return [replace(intended, state="skipped", reason="changed_since")]
    both = await tx.evidence((item.id, kept.id))
    new = _missing(both[item.id], both[kept.id])
    saved = await _take_away(tx, intended, item, after, actor, now)
    done = [replace(intended, state="applied", before=item, after=saved)]
    if await tx.add_evidence(kept.id, new):
        await tx.add_event(MemoryEvent(kept.scope, "evidence_added", actor.account, now, item_id=kept.id))
        done.append(DreamOperation("evidence", "applied", kept.id, before=kept, after=kept, evidence=tuple(new)))
    return done


def _missing(wanted: Iterable[Evidence], there: Iterable[Evidence]) -> list[Evidence]:
    known = {(e.session_key, e.turn) for e in there}
    return [e for e in wanted if (e.session_key, e.turn) not in known]


async def _update(
    tx: Write, intended: DreamOperation, item: Item, after: Item, actor: Actor, now: datetime
) -> list[DreamOperation]:
    """The item becomes the past of a new one with the new words."""
    if await tx.twin(after.scope, after.kind, after.subject, after.identity) is not None:
        return [replace(intended, state="skipped", reason="same_content")]
    past = replace(item, status="superseded", valid_to=after.valid_from, updated_at=now)
    past = await tx.save_item(past, ())
    # Where the item came from may have been hidden when the operation was made.
    new = replace(after, id="", owner=item.owner, source_session=item.source_session, version=1)
    new = await tx.add_item(replace(new, created_at=now, updated_at=now), text.document_terms(new.content))
    await tx.add_evidence(new.id, intended.evidence)
    past = await tx.save_item(replace(past, successor=new.id), ())
    await tx.add_event(MemoryEvent(new.scope, "added", actor.account, now, item_id=new.id, reason="supersedes"))
    await tx.add_event(
        MemoryEvent(past.scope, "superseded", actor.account, now, item_id=past.id, reason=f"by {new.id}")
    )
    return [
        replace(intended, state="applied", before=item, after=past, evidence=()),
        DreamOperation("add", "applied", new.id, turns=intended.turns, after=new, evidence=intended.evidence),
    ]


async def _take_away(tx: Write, intended: DreamOperation, item: Item, after: Item, actor: Actor, now: datetime) -> Item:
    gone = replace(item, status=after.status, valid_to=now, successor=after.successor, updated_at=now)
    saved = await tx.save_item(gone, ())
    action = "merged" if intended.action == "merge" else "archived"
    await tx.add_event(MemoryEvent(item.scope, action, actor.account, now, item_id=item.id, reason=intended.reason))
    return saved
