"""How an item changes: it takes its slot, gives way to a successor, or is retracted.

Everything here runs inside one transaction that the caller opened, which must reach the shared scope too: that is where
candidates wait that are linked to the item.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from . import text
from .models import Item, MemoryEvent
from .store.base import Write

SOURCE_RETRACTED = "source_retracted"
SOURCE_SUPERSEDED = "source_superseded"
SOURCE_CHANGED = "source_changed"
FORGOTTEN = "forgotten"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who makes a change. ``account`` may be a name of ours such as ``system``; ``operator``: a SUPERUSER."""

    account: str
    operator: bool = False


SYSTEM = Actor("system")


async def supersede_and_add(tx: Write, item: Item, actor: Actor, now: datetime) -> tuple[Item, str]:
    """Store ``item``; the holder of its slot, if any, becomes its past. Returns the stored item and the reason.

    What was said earlier than the holder but is learnt later is stored as the holder's past instead.
    """
    holder = await tx.slot_holder(item.scope, item.kind, item.key, item.subject) if item.key else None
    reason = "new"
    if holder is not None and holder.valid_from > item.valid_from:
        item = replace(item, status="superseded", valid_to=holder.valid_from, successor=holder.id)
        reason = "older_than_current"
    elif holder is not None:
        # The old one leaves the slot first; it learns its successor's id below, in the same transaction.
        holder = await tx.save_item(
            replace(holder, status="superseded", valid_to=item.valid_from, updated_at=now),
            text.document_terms(holder.content),
        )
        reason = "supersedes"
    stored = await tx.add_item(item, text.document_terms(item.content))
    await tx.add_event(MemoryEvent(stored.scope, "added", actor.account, now, item_id=stored.id, reason=reason))
    if holder is not None and reason == "supersedes":
        await tx.save_item(replace(holder, successor=stored.id), text.document_terms(holder.content))
        await tx.add_event(
            MemoryEvent(holder.scope, "superseded", actor.account, now, item_id=holder.id, reason=f"by {stored.id}")
        )
        await drop_waiting(tx, holder, now, SOURCE_SUPERSEDED)
    return stored, reason


async def retract(tx: Write, item: Item, actor: Actor, now: datetime, reason: str) -> Item:
    """Take an item out of use, with the candidates that were waiting on it. Its row and history stay."""
    stored = await tx.save_item(replace(item, status="retracted", valid_to=now, updated_at=now), ())
    await tx.add_event(
        MemoryEvent(item.scope, "retracted", actor.account, now, item_id=item.id, reason=reason, before=item.content)
    )
    await drop_waiting(tx, item, now, SOURCE_RETRACTED)
    return stored


async def drop_waiting(tx: Write, item: Item, now: datetime, reason: str) -> None:
    """What waited for approval because of ``item`` waits no longer. By the system: it is no judgement of the text."""
    for candidate in await tx.candidates_of_item(item.id):
        await tx.decide_candidate(candidate.id, "rejected", reason=reason, by=SYSTEM.account, at=now, item_id=item.id)
