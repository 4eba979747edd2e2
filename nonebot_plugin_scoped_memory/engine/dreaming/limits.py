"""How much one run may take from a scope by itself; the rest waits for an operator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from ..changing import Actor
from ..dream_records import DreamOperation, DreamRun, OperationAction
from ..scope import GLOBAL_SCOPE, ScopeRef, home_scope
from ..settings import DreamSettings
from ..store.base import Write
from .patch import TAKES_AWAY, apply
from .touching import DREAM

SHARE = 5
"""At most one in so many of a scope's active items."""
_OWN_ACTIONS: tuple[OperationAction, ...] = ("merge", "update", "archive", "expire")
"""What is proposed here; the many things that an extraction added need not be read again."""
RUNS = 100
"""Earlier runs of the session in which the same may wait, or have been undone, already."""


async def apply_within_limits(
    tx: Write, run: DreamRun, intended: Sequence[DreamOperation], settings: DreamSettings, now: datetime
) -> None:
    """Apply what the run may do by itself, and record everything: the rest waits for approval.

    What waits already since an earlier run is not put down once more, and what an operator undid is not done again.
    """
    if not intended:
        return
    home = home_scope(run.session_key)
    # What everybody reads is changed by approval only.
    nothing = settings.preview or home == GLOBAL_SCOPE
    by_run = await tx.dream_operations(run.session_key, _OWN_ACTIONS, runs=RUNS)
    left = await _allowance(tx, home, by_run.get(run.id, ()), settings)
    earlier = [one for operations in by_run.values() for one in operations]
    waits_already = {_key(one) for one in earlier if one.state == "waiting"}
    undone = {(one.action, one.item_id) for one in earlier if one.state == "undone"}
    done: list[DreamOperation] = []
    for operation in intended:
        if operation.state != "waiting":
            done.append(operation)
        elif (operation.action, operation.item_id) in undone:
            continue
        elif nothing or (operation.action in TAKES_AWAY and left <= 0):
            if _key(operation) not in waits_already:
                done.append(operation)
        else:
            applied = await apply(tx, run.session_key, operation, Actor(DREAM), now)
            left -= operation.action in TAKES_AWAY and applied[0].state == "applied"
            # A near-duplicate that must be left alone would be found again in every run.
            done += [one for one in applied if (one.action, one.state) != ("merge", "skipped")]
    await tx.add_dream_operations(run.id, done)


async def _allowance(tx: Write, home: ScopeRef, done: Iterable[DreamOperation], settings: DreamSettings) -> int:
    taken = sum(one.action in TAKES_AWAY and one.state == "applied" for one in done)
    items = await tx.count_items(scope=home) + taken
    return min(items // SHARE, items - settings.keep_at_least) - taken


def _key(operation: DreamOperation) -> tuple[str, str, int]:
    return operation.action, operation.item_id, operation.before.version if operation.before is not None else 0
