"""An operator looks at a patch afterwards: takes a run back, or lets through what waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from .. import text
from ..changing import SOURCE_RETRACTED, Actor, drop_waiting
from ..dream_records import DreamOperation, DreamRun
from ..errors import NotFoundError, SlotTakenError, UndoRefusedError
from ..models import Item, MemoryEvent, TurnState
from ..scope import REVIEW_SCOPE, ScopeRef, session_scope, writing_scopes
from ..store.base import Store, Write
from .patch import apply


@dataclass(frozen=True, slots=True)
class Decided:
    """A run after an operator's decision: what took effect, and what was overtaken (``skipped``, with reasons)."""

    run: DreamRun
    done: tuple[DreamOperation, ...]
    skipped: tuple[DreamOperation, ...]


def _scopes(session_key: str) -> tuple[ScopeRef, ...]:
    return (*writing_scopes(session_key), REVIEW_SCOPE)


async def undo(store: Store, domain_id: str, session_key: str, run_id: str, actor: Actor, now: datetime) -> Decided:
    """Put every item back as it was before the run, and let go what waits of it; all or nothing.

    What was erased since, or rests only on messages that were taken back since, is skipped. Raises NotFoundError for a
    run that is unknown, still going on or undone already; UndoRefusedError, naming the item, where it was changed since
    or another one has its place.
    """
    async with store.write(domain_id, _scopes(session_key)) as tx:
        run = await tx.dream_run(run_id)
        if run is None or run.status not in ("done", "failed"):
            raise NotFoundError("dream", run_id)
        done: list[DreamOperation] = []
        skipped: list[DreamOperation] = []
        applied = [operation for operation in run.operations if operation.state == "applied"]
        for operations in _in_order(applied):
            reason = await _take_back(tx, run, operations, actor, now)
            for operation in operations:
                decided = replace(operation, state="skipped" if reason else "undone", reason=reason or operation.reason)
                await tx.set_dream_operation(run_id, decided)
                (skipped if reason else done).append(decided)
        for operation in run.operations:
            if operation.state == "waiting":
                await tx.set_dream_operation(run_id, replace(operation, state="undone"))
        await tx.end_dream(run_id, "undone", reason=run.reason, at=run.ended_at or now)
        return Decided(replace(run, status="undone"), tuple(done), tuple(skipped))


def _in_order(applied: Sequence[DreamOperation]) -> list[list[DreamOperation]]:
    """The operations by item, in such an order that what the run added leaves before what it took away comes back."""
    groups: dict[str, list[DreamOperation]] = {}
    for operation in applied:
        groups.setdefault(operation.item_id, []).append(operation)
    return sorted(groups.values(), key=lambda group: group[0].before is not None)


async def _take_back(
    tx: Write, run: DreamRun, operations: Sequence[DreamOperation], actor: Actor, now: datetime
) -> str:
    """Undo what a run did to one item, or to the summary. Why it was skipped; empty if it was not."""
    if operations[0].action == "summary":
        return await _take_back_summary(tx, run, operations)
    item_id, before = operations[0].item_id, operations[0].before
    item = next(iter(await tx.items((item_id,))), None)
    if item is None:
        return "erased"
    changes = [operation for operation in operations if operation.before != operation.after]
    if changes:
        last = changes[-1].after
        if last is None or item.version != last.version:
            raise UndoRefusedError(run.id, item_id, "changed")
        if before is None:
            await _withdraw(tx, item, actor, now)
        elif not await _rests_on_something(tx, before):
            return "evidence_gone"
        else:
            await _restore(tx, run, item, before, actor, now)
    if before is not None:
        for operation in operations:
            await tx.remove_evidence(item_id, operation.evidence)
    return ""


async def _restore(tx: Write, run: DreamRun, item: Item, before: Item, actor: Actor, now: datetime) -> None:
    try:
        await tx.save_item(replace(before, version=item.version), text.document_terms(before.content))
    except SlotTakenError as e:
        raise UndoRefusedError(run.id, item.id, "taken", e.holder_id) from e
    reason = f"undo {run.id}"
    await tx.add_event(MemoryEvent(item.scope, "restored", actor.account, now, item_id=item.id, reason=reason))


async def _withdraw(tx: Write, item: Item, actor: Actor, now: datetime) -> None:
    """What the run added goes. Without its text in the event: nobody said that it was wrong."""
    await tx.save_item(replace(item, status="retracted", valid_to=now, updated_at=now), ())
    await tx.add_event(MemoryEvent(item.scope, "retracted", actor.account, now, item_id=item.id, reason="undone"))
    await drop_waiting(tx, item, now, SOURCE_RETRACTED)


async def _rests_on_something(tx: Write, item: Item) -> bool:
    """Whether any of the item's evidence stands: what was taken back meanwhile must not come back by an undo."""
    evidence = (await tx.evidence((item.id,))).get(item.id, [])
    for one in evidence:
        if session_scope(one.session_key) not in tx.scopes:
            return True
        turns = await tx.turns(one.session_key, (one.turn,))
        if any(turn.stands and turn.state is not TurnState.COMMAND for turn in turns):
            return True
    return not evidence


async def _take_back_summary(tx: Write, run: DreamRun, operations: Sequence[DreamOperation]) -> str:
    session = await tx.session(run.session_key)
    if session is None or session.summary != operations[-1].after_text:
        return "changed_since"
    # Covers what it covered before: the next dream sums up the rest anew, if it is called for.
    await tx.set_summary(run.session_key, operations[0].before_text, until=session.summarised)
    return ""


async def approve(store: Store, domain_id: str, session_key: str, run_id: str, actor: Actor, now: datetime) -> Decided:
    """Let through what waits of a run, as far as it was not overtaken. Raises NotFoundError where nothing waits."""
    async with store.write(domain_id, _scopes(session_key)) as tx:
        run = await tx.dream_run(run_id)
        waiting = [operation for operation in run.operations if operation.state == "waiting"] if run is not None else []
        if run is None or run.status not in ("done", "failed") or not waiting:
            raise NotFoundError("dream", run_id)
        done: list[DreamOperation] = []
        skipped: list[DreamOperation] = []
        for operation in waiting:
            (first, *others) = await apply(tx, session_key, operation, actor, now)
            await tx.set_dream_operation(run_id, first)
            await tx.add_dream_operations(run_id, others, running=False)
            (skipped if first.state == "skipped" else done).append(first)
        return Decided(run, tuple(done), tuple(skipped))
