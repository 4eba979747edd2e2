"""Where a proposal goes: check, scope, audience, duplicate, supersede, then item, evidence and event.

Everything here runs inside one transaction that the caller opened. Code decides the scope; what a model says of the
audience can only narrow it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from . import text
from .changing import FORGOTTEN, SYSTEM, supersede_and_add
from .extract.checks import Rejection, check
from .extract.secrets import find_secret
from .models import Candidate, CandidateStatus, Item, MemoryEvent, Proposal
from .scope import GLOBAL_SCOPE, GLOBAL_SCOPED_KINDS, SCOPE_TYPE_CHAT, ScopeRef, home_scope, session_scope
from .settings import EngineSettings
from .source import Source
from .store.base import Write
from .visibility import without_hidden_source

MAX_WAITING = 50
"""Proposals of one session that may wait for an operator at a time."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a proposal. ``item`` is the new or the standing item, ``pending`` the candidate that waits."""

    status: CandidateStatus
    reason: str
    item: Item | None = None
    pending: Candidate | None = None


def shown(outcome: Outcome, scopes: Sequence[ScopeRef]) -> Outcome:
    """``outcome`` as who made the proposal may have it: a standing item may be another chat's."""
    if outcome.item is None:
        return outcome
    return replace(outcome, item=without_hidden_source(outcome.item, scopes))


async def write_proposals(
    tx: Write, proposals: Iterable[Proposal], source: Source, settings: EngineSettings
) -> list[Outcome]:
    """Decide on each proposal, in order. ``tx`` reaches the scopes of ``writing_scopes``, or of the source's context.

    Raises only what the store raises.
    """
    return [await _write_one(tx, proposal, source, settings) for proposal in proposals]


async def _write_one(tx: Write, proposal: Proposal, source: Source, settings: EngineSettings) -> Outcome:
    checked = check(proposal, source.turns, bots=source.bots, opted_out=source.opted_out)
    if isinstance(checked, Rejection):
        return await _reject(tx, proposal, source, checked.reason)
    if checked.kind in GLOBAL_SCOPED_KINDS:
        # A key that a model chose must not push out what an operator approved.
        checked = replace(checked, subject="", key=checked.key if checked.origin in ("command", "api") else None)
    target, waits_for = _route(checked, source, settings)
    if target is None:
        if waits_for is None:
            return await _reject(tx, checked, source, "no_write_scope")
        return await _propose_shared(tx, checked, source, waits_for, None)
    outcome = await _apply(tx, checked, source, target)
    if waits_for is not None and outcome.item is not None and outcome.item.status == "active":
        shared = await _propose_shared(tx, checked, source, waits_for, outcome.item)
        outcome = replace(outcome, pending=shared.pending)
    return outcome


def _route(proposal: Proposal, source: Source, settings: EngineSettings) -> tuple[ScopeRef | None, ScopeRef | None]:
    """(the scope where it becomes active, the shared scope for which it waits); either may be None."""
    if source.context is not None:
        target = source.context.default_write
        named = proposal.origin == "api" or target != GLOBAL_SCOPE or _may_share(proposal, source, settings)
        return (target, None) if named else (None, GLOBAL_SCOPE)
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
    if proposal.kind == "warning":
        # 记住千万别告诉小红… is said to the bot, not to everybody: only a command makes it known everywhere.
        return False
    return all(source.turns[n].by_operator for n in proposal.evidence)


async def _apply(tx: Write, proposal: Proposal, source: Source, scope: ScopeRef) -> Outcome:
    if scope == GLOBAL_SCOPE:
        proposal = replace(proposal, subject="", key=proposal.key if not proposal.subject else None)
    content = proposal.content if scope.type == SCOPE_TYPE_CHAT else source.shareable(proposal.content)
    identity = _identity(proposal, source, scope)
    if not proposal.explicit and await _was_refused(tx, scope, proposal, source, identity):
        return await _reject(tx, proposal, source, "rejected_before")
    said_at = max((source.turns[n].said_at for n in proposal.evidence), default=source.now)
    twin = await tx.twin(scope, proposal.kind, proposal.subject, identity)
    if twin is not None:
        return await _confirm(tx, twin, proposal, source, said_at)
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
        valid_from=said_at,
        valid_until=proposal.valid_until,
        created_at=source.now,
        updated_at=source.now,
        prompt_version=proposal.prompt_version,
    )
    item, reason = await supersede_and_add(tx, item, source.actor, source.now)
    await tx.add_evidence(item.id, source.evidence(proposal.evidence))
    await tx.add_candidate(_candidate(proposal, source, scope, content, identity, "applied", reason, item.id))
    return Outcome("applied", reason, item)


async def _confirm(tx: Write, twin: Item, proposal: Proposal, source: Source, said_at: datetime) -> Outcome:
    """The same was said again: more evidence for ``twin``, and a new term if its own had ended by then."""
    if twin.valid_until is not None and twin.valid_until < said_at:
        extended = replace(twin, valid_until=proposal.valid_until, updated_at=source.now)
        twin = await tx.save_item(extended, text.document_terms(twin.content))
        await tx.add_event(_event(twin.scope, "extended", source, twin.id))
    if await tx.add_evidence(twin.id, source.evidence(proposal.evidence)):
        await tx.add_event(_event(twin.scope, "evidence_added", source, twin.id))
    reason = "same_content"
    await tx.add_candidate(
        _candidate(proposal, source, twin.scope, twin.content, twin.identity, "duplicate", reason, twin.id)
    )
    return Outcome("duplicate", reason, twin)


async def _propose_shared(
    tx: Write, proposal: Proposal, source: Source, scope: ScopeRef, chat_item: Item | None
) -> Outcome:
    """Let it wait for ``scope``, linked to its copy in the chat, unless it waits or stands already or was refused."""
    proposal = replace(proposal, subject="")
    content = source.shareable(proposal.content)
    identity = _identity(proposal, source, scope)
    twin = await tx.twin(scope, proposal.kind, "", identity)
    if twin is not None:
        if chat_item is not None:
            return Outcome("duplicate", "same_content", twin)
        return await _confirm(tx, twin, proposal, source, source.now)
    # Only what this chat proposed itself is seen here: its answer must not depend on what waits elsewhere.
    same = await tx.same_candidates(scope, proposal.kind, "", identity)
    if waiting := next((candidate for candidate in same if candidate.status == "pending"), None):
        return Outcome("pending", "waits_already", pending=waiting)
    if any(_binds(candidate, proposal, source) for candidate in same):
        return await _reject(tx, proposal, source, "rejected_before")
    if len(await tx.list_candidates(limit=MAX_WAITING)) >= MAX_WAITING:
        return await _reject(tx, proposal, source, "too_many_waiting")
    reason = "waits_for_approval"
    link = chat_item.id if chat_item is not None else ""
    candidate = _candidate(proposal, source, scope, content, identity, "pending", reason, link)
    return Outcome("pending", reason, pending=await tx.add_candidate(candidate))


async def _was_refused(tx: Write, scope: ScopeRef, proposal: Proposal, source: Source, identity: str) -> bool:
    same = await tx.same_candidates(scope, proposal.kind, proposal.subject, identity)
    return any(_binds(candidate, proposal, source) for candidate in same)


def _binds(candidate: Candidate, proposal: Proposal, source: Source) -> bool:
    """Whether an earlier refusal holds: one by a person does, but what was forgotten may be said again later. Checks of
    ours look at the evidence anew."""
    if candidate.status != "rejected" or candidate.decided_by == SYSTEM.account:
        return False
    if candidate.reason != FORGOTTEN or candidate.decided_at is None:
        return True
    # By arrival: the platform's own times are whole seconds of another clock.
    heard_at = max((source.turns[n].recorded_at for n in proposal.evidence), default=source.now)
    return heard_at <= candidate.decided_at


async def _reject(tx: Write, proposal: Proposal, source: Source, reason: str) -> Outcome:
    """Keep the reason. The text is kept only where it is harmless: a secret must not survive in a list of refusals."""
    private = reason in ("secret", "private_contact") or find_secret(proposal.content) is not None
    home = GLOBAL_SCOPE if source.context is not None else home_scope(source.session_key)
    # Refusals of those who have no chat of their own must not stand in a scope that others read.
    scope = session_scope(source.session_key) if home == GLOBAL_SCOPE else home
    candidate = _candidate(
        replace(proposal, evidence=()),
        source,
        scope,
        "" if private else text.cut(proposal.content, 200),
        "" if private else _identity(proposal, source, scope),
        "rejected",
        reason,
        "",
    )
    await tx.add_candidate(candidate)
    return Outcome("rejected", reason)


def _identity(proposal: Proposal, source: Source, scope: ScopeRef) -> str:
    if scope.type == SCOPE_TYPE_CHAT or proposal.subject:
        return text.identity(proposal.content, proposal.subject, source.names_of(proposal.subject))
    return text.identity(source.shareable(proposal.content))


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
        evidence=tuple(source.evidence(proposal.evidence)) if not decided else (),
        prompt_version=proposal.prompt_version,
    )


def _event(scope: ScopeRef, action: str, source: Source, item_id: str) -> MemoryEvent:
    return MemoryEvent(scope, action, source.actor.account, source.now, item_id=item_id)
