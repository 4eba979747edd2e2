"""What an operator decides: whether a chat's decision, procedure, warning or summary is known everywhere."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from . import text
from .changing import Actor, supersede_and_add
from .errors import NotFoundError
from .models import Candidate, Item, MemoryEvent
from .scope import GLOBAL_SCOPE, REVIEW_SCOPE
from .store.base import Store, Write

OPERATOR_SCOPES = (GLOBAL_SCOPE, REVIEW_SCOPE)
MAX_REVIEWS = 1_000
"""Waiting candidates looked at for a review."""


@dataclass(frozen=True, slots=True)
class Approval:
    """``item`` is what readers elsewhere now see; ``already_known``: it stood there before."""

    candidate: Candidate
    item: Item
    already_known: bool


async def pending_reviews(store: Store, domain_id: str, *, limit: int = 20, offset: int = 0) -> list[Candidate]:
    """What waits for the shared scope, oldest first, each text once however many chats proposed it."""
    view = store.view(domain_id, OPERATOR_SCOPES)
    waiting = {(c.scope, c.kind, c.identity): c for c in reversed(await view.list_candidates(limit=MAX_REVIEWS))}
    return list(reversed(waiting.values()))[offset : offset + limit]


async def approve(store: Store, domain_id: str, candidate_id: str, actor: Actor, now: datetime) -> Approval:
    """Make a pending candidate an item of the shared scope, with exactly the text it has.

    A candidate's text never changes, so its id stands for what the operator was shown. Raises NotFoundError if nothing
    of this id waits.
    """
    async with store.write(domain_id, OPERATOR_SCOPES) as tx:
        candidate = await _pending(tx, candidate_id)
        twin = await tx.twin(candidate.scope, candidate.kind, candidate.subject, candidate.identity)
        item = twin
        if item is None:
            item, _ = await supersede_and_add(tx, _approved_item(candidate, now), actor, now)
        status = "duplicate" if twin is not None else "applied"
        for one in await _equal_pending(tx, candidate):
            await tx.add_evidence(item.id, one.evidence)
            decision = status if one.id == candidate.id else "duplicate"
            await tx.decide_candidate(one.id, decision, reason="approved", by=actor.account, at=now, item_id=item.id)
        await tx.add_event(
            MemoryEvent(candidate.scope, "approved", actor.account, now, item_id=item.id, candidate_id=candidate.id)
        )
        decided = replace(candidate, status=status, item_id=item.id)
        return Approval(decided, item, already_known=twin is not None)


async def reject(
    store: Store, domain_id: str, candidate_id: str, actor: Actor, now: datetime, reason: str = ""
) -> Candidate:
    """Refuse a pending candidate for good; its chat keeps its own copy. Raises NotFoundError."""
    async with store.write(domain_id, OPERATOR_SCOPES) as tx:
        candidate = await _pending(tx, candidate_id)
        shown_reason = text.cut(reason, 200) or "rejected"
        for one in await _equal_pending(tx, candidate):
            await tx.decide_candidate(one.id, "rejected", reason=shown_reason, by=actor.account, at=now)
        await tx.add_event(
            MemoryEvent(candidate.scope, "rejected", actor.account, now, candidate_id=candidate.id, reason=shown_reason)
        )
        return replace(candidate, status="rejected", reason=shown_reason)


async def _pending(tx: Write, candidate_id: str) -> Candidate:
    candidate = await tx.candidate(candidate_id)
    if candidate is None or candidate.status != "pending":
        raise NotFoundError("candidate", candidate_id)
    return candidate


async def _equal_pending(tx: Write, candidate: Candidate) -> list[Candidate]:
    """The same text as it waits, from whichever chats: an operator decides on a text once."""
    same = await tx.same_candidates(candidate.scope, candidate.kind, candidate.subject, candidate.identity)
    return [one for one in same if one.status == "pending"]


def _approved_item(candidate: Candidate, now: datetime) -> Item:
    return Item(
        id="",
        scope=candidate.scope,
        kind=candidate.kind,
        content=candidate.content,
        subject=candidate.subject,
        owner=next((e.account for e in candidate.evidence if e.account), ""),
        key=candidate.key,
        tier="evidence",
        status="active",
        confidence=candidate.confidence,
        importance=candidate.importance,
        identity=candidate.identity,
        origin="approval",
        source_session=candidate.source_session,
        valid_from=now,
        valid_until=candidate.valid_until,
        created_at=now,
        updated_at=now,
        prompt_version=candidate.prompt_version,
    )
