"""Where a proposal goes: check, scope, audience, duplicate, supersede, then item, evidence and event.

Everything here runs inside one transaction that the caller opened. Code decides the scope; what a model says of the
audience can only narrow it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from . import text
from .extract.checks import Rejection, check
from .models import Candidate, CandidateStatus, Evidence, Item, MemoryEvent, Proposal, Turn
from .scope import GLOBAL_SCOPE, GLOBAL_SCOPED_KINDS, SCOPE_TYPE_CHAT, ScopeContext, ScopeRef, home_scope
from .settings import EngineSettings
from .store.base import Write

SOURCE_RETRACTED = "source_retracted"
SOURCE_SUPERSEDED = "source_superseded"
QUOTE_CHARS = 300
"""How much of a turn an item keeps as its evidence."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who makes a change. ``account`` may be a name of ours such as ``system``; ``operator``: a SUPERUSER."""

    account: str
    operator: bool = False


SYSTEM = Actor("system")


@dataclass(frozen=True, slots=True)
class Source:
    """What a batch of proposals comes from: a session, its turns as they stand now, and who is acting.

    ``context`` is given by callers that name their scopes themselves; it replaces the plan made from the session.
    """

    session_key: str
    turns: Mapping[int, Turn]
    actor: Actor
    now: datetime
    bots: frozenset[str] = frozenset()
    context: ScopeContext | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a proposal. ``item`` is the new or the standing item, ``pending`` the candidate that waits."""

    status: CandidateStatus
    reason: str
    item: Item | None = None
    pending: Candidate | None = None


async def write_proposals(
    tx: Write, proposals: Iterable[Proposal], source: Source, settings: EngineSettings
) -> list[Outcome]:
    """Decide on each proposal, in order. Raises only what the store raises."""
    return [await _write_one(tx, proposal, source, settings) for proposal in proposals]


async def _write_one(tx: Write, proposal: Proposal, source: Source, settings: EngineSettings) -> Outcome:
    checked = check(proposal, source.turns, bots=source.bots)
    if isinstance(checked, Rejection):
        return await _reject(tx, proposal, source, checked.reason)
    if checked.kind in GLOBAL_SCOPED_KINDS:
        checked = replace(checked, subject="")
    target, waiting_for = _route(checked, source, settings)
    if target is None and waiting_for is None:
        return await _reject(tx, checked, source, "no_write_scope")
    outcome = Outcome("pending", "waits_for_approval")
    if target is not None:
        outcome = await _apply(tx, checked, source, target)
    if waiting_for is not None and outcome.status in ("applied", "duplicate", "pending"):
        pending = await _propose_shared(tx, checked, source, waiting_for, outcome.item)
        outcome = replace(outcome, pending=pending)
    return outcome


def _route(proposal: Proposal, source: Source, settings: EngineSettings) -> tuple[ScopeRef | None, ScopeRef | None]:
    """(the scope where it becomes active, the shared scope for which it waits); either may be None."""
    if source.context is not None:
        return source.context.default_write, None
    home = home_scope(source.session_key)
    shared = proposal.kind in GLOBAL_SCOPED_KINDS and proposal.audience != "chat"
    if home == GLOBAL_SCOPE:
        # A legacy session has no chat that could hold an item of its own: it writes to all, or waits.
        return (GLOBAL_SCOPE, None) if _may_share(proposal, source, settings) else (None, GLOBAL_SCOPE)
    if not shared:
        return home, None
    return (GLOBAL_SCOPE, None) if _may_share(proposal, source, settings) else (home, GLOBAL_SCOPE)


def _may_share(proposal: Proposal, source: Source, settings: EngineSettings) -> bool:
    """Whether it may be read everywhere at once. A model's proposal never may, unless the operator lifted the gate."""
    if settings.shared_writes != "trusted":
        return settings.shared_writes == "auto"
    if proposal.origin not in ("rule", "command"):
        return False
    if source.session_key in settings.trusted_chats or home_scope(source.session_key).id in settings.trusted_chats:
        return True
    if not proposal.explicit:
        return False
    if proposal.origin == "command":
        return source.actor.operator
    return all(source.turns[n].by_operator for n in proposal.evidence)


async def _apply(tx: Write, proposal: Proposal, source: Source, scope: ScopeRef) -> Outcome:
    content = shareable(proposal.content) if scope.type != SCOPE_TYPE_CHAT else proposal.content
    identity = text.identity(content, proposal.subject)
    evidence = evidence_of(source, proposal.evidence)
    if not proposal.explicit and await _was_refused(tx, scope, proposal, identity):
        return Outcome("rejected", "rejected_before")

    twin = await tx.twin(scope, proposal.kind, proposal.subject, identity)
    if twin is not None:
        if await tx.add_evidence(twin.id, evidence):
            await tx.add_event(_event(scope, "evidence_added", source, twin.id))
        await tx.add_candidate(
            _candidate(proposal, source, scope, content, identity, "duplicate", "same_content", twin.id)
        )
        return Outcome("duplicate", "same_content", twin)

    item = Item(
        id="",
        scope=scope,
        kind=proposal.kind,
        content=content,
        subject=proposal.subject,
        owner=_owner(proposal, source),
        key=proposal.key,
        tier="evidence",
        status="active",
        confidence=proposal.confidence,
        importance=proposal.importance,
        identity=identity,
        origin=proposal.origin,
        source_session=source.session_key,
        valid_from=max((source.turns[n].said_at for n in proposal.evidence), default=source.now),
        valid_until=proposal.valid_until,
        created_at=source.now,
        updated_at=source.now,
        prompt_version=proposal.prompt_version,
    )
    item, reason = await supersede_and_add(tx, item, source.actor, source.now)
    await tx.add_evidence(item.id, evidence)
    await tx.add_candidate(_candidate(proposal, source, scope, content, identity, "applied", reason, item.id))
    return Outcome("applied", reason, item)


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
        await _drop_waiting(tx, holder, actor, now, SOURCE_SUPERSEDED)
    return stored, reason


async def _propose_shared(
    tx: Write, proposal: Proposal, source: Source, scope: ScopeRef, chat_item: Item | None
) -> Candidate | None:
    """A pending candidate for ``scope``, linked to its copy in the chat; None if it waits, stands or was refused."""
    content = shareable(proposal.content)
    identity = text.identity(content)
    if await tx.twin(scope, proposal.kind, "", identity) is not None:
        return None
    same = await tx.same_candidates(scope, proposal.kind, "", identity)
    if any(c.status == "pending" or _refused_by_person(c) for c in same):
        return None
    candidate = _candidate(
        replace(proposal, subject=""),
        source,
        scope,
        content,
        identity,
        "pending",
        "waits_for_approval",
        chat_item.id if chat_item else "",
    )
    return await tx.add_candidate(candidate)


async def _was_refused(tx: Write, scope: ScopeRef, proposal: Proposal, identity: str) -> bool:
    same = await tx.same_candidates(scope, proposal.kind, proposal.subject, identity)
    return any(_refused_by_person(candidate) for candidate in same)


def _refused_by_person(candidate: Candidate) -> bool:
    """A refusal that binds: checks of ours look at the evidence anew, and what lost its source may find another."""
    return (
        candidate.status == "rejected"
        and candidate.decided_by != SYSTEM.account
        and candidate.reason not in (SOURCE_RETRACTED, SOURCE_SUPERSEDED)
    )


async def _reject(tx: Write, proposal: Proposal, source: Source, reason: str) -> Outcome:
    """Keep the reason. The text is kept only where it is harmless: a secret must not survive in a list of refusals."""
    scope = source.context.read[0] if source.context is not None else home_scope(source.session_key)
    private = reason in ("secret", "private_contact")
    content = "" if private else text.cut(proposal.content, 200)
    identity = "" if private else text.identity(proposal.content, proposal.subject)
    standing = () if private else tuple(n for n in proposal.evidence if n in source.turns)
    candidate = _candidate(
        replace(proposal, evidence=standing), source, scope, content, identity, "rejected", reason, ""
    )
    await tx.add_candidate(candidate)
    return Outcome("rejected", reason)


def evidence_of(source: Source, numbers: Sequence[int]) -> list[Evidence]:
    """The turns as evidence, each with the words it rests on."""
    return [
        Evidence(source.session_key, n, source.turns[n].account, text.cut(source.turns[n].text, QUOTE_CHARS))
        for n in numbers
        if n in source.turns
    ]


_ACCOUNT_NUMBER = re.compile(r"（\d{5,}）")


def shareable(content: str) -> str:
    """``content`` without the account numbers that name people: what a reader elsewhere may see."""
    return _ACCOUNT_NUMBER.sub("", content)


def _owner(proposal: Proposal, source: Source) -> str:
    for n in proposal.evidence:
        if source.turns[n].account:
            return source.turns[n].account
    return source.actor.account if proposal.origin in ("command", "api") else ""


def _candidate(
    proposal: Proposal,
    source: Source,
    scope: ScopeRef,
    content: str,
    identity: str,
    status: CandidateStatus,
    reason: str,
    item_id: str,
) -> Candidate:
    decided = status != "pending"
    return Candidate(
        id="",
        scope=scope,
        source_session=source.session_key,
        kind=proposal.kind,
        content=content,
        subject=proposal.subject,
        key=proposal.key,
        identity=identity,
        status=status,
        reason=reason,
        origin=proposal.origin,
        confidence=proposal.confidence,
        importance=proposal.importance,
        created_at=source.now,
        item_id=item_id,
        valid_until=proposal.valid_until,
        decided_at=source.now if decided else None,
        decided_by=SYSTEM.account if decided else "",
        evidence=tuple(evidence_of(source, proposal.evidence)) if not decided else (),
        prompt_version=proposal.prompt_version,
    )


def _event(scope: ScopeRef, action: str, source: Source, item_id: str) -> MemoryEvent:
    return MemoryEvent(scope, action, source.actor.account, source.now, item_id=item_id)


async def retract(tx: Write, item: Item, actor: Actor, now: datetime, reason: str) -> Item:
    """Take an item out of use, with the candidates that were waiting on it. Its row and history stay."""
    stored = await tx.save_item(replace(item, status="retracted", valid_to=now, updated_at=now), ())
    await tx.add_event(
        MemoryEvent(item.scope, "retracted", actor.account, now, item_id=item.id, reason=reason, before=item.content)
    )
    await _drop_waiting(tx, item, actor, now, SOURCE_RETRACTED)
    return stored


async def _drop_waiting(tx: Write, item: Item, actor: Actor, now: datetime, reason: str) -> None:
    """What waited for approval because of ``item`` waits no longer."""
    for candidate in await tx.candidates_of_item(item.id):
        await tx.decide_candidate(candidate.id, "rejected", reason=reason, by=actor.account, at=now, item_id=item.id)
