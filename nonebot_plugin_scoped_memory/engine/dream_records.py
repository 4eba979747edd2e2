"""What a dream leaves behind: the record of a run, and the operations of its patch."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from .models import Evidence, Item

DreamStatus = Literal["running", "done", "failed", "undone"]
OperationState = Literal["applied", "waiting", "rejected", "skipped", "undone"]
"""``waiting``: for an operator's approval. ``skipped``: approval or undo found it overtaken by what happened since."""
OperationAction = Literal["add", "change", "evidence", "supersede", "merge", "update", "archive", "expire", "summary"]
"""``add`` to ``supersede`` come from extraction, ``merge`` to ``summary`` from the dream itself. ``change``: an item
that was said again was extended."""


@dataclass(frozen=True, slots=True)
class ItemChange:
    """What one transaction did to an item: ``before`` is None for a new one, equal to ``after`` if only ``evidence``
    was added (the pieces that were new)."""

    before: Item | None
    after: Item
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class DreamOperation:
    """One step of a patch. ``place`` is its number in the run.

    ``before`` is the item as it was, ``after`` as the run left it, or as it would become if the step waits.
    ``evidence`` are the pieces that the step gave the item, ``turns`` the messages that it rests on. A summary has
    texts instead.
    """

    action: OperationAction
    state: OperationState
    item_id: str = ""
    reason: str = ""
    turns: tuple[int, ...] = ()
    before: Item | None = None
    after: Item | None = None
    evidence: tuple[Evidence, ...] = ()
    before_text: str = ""
    after_text: str = ""
    place: int = 0


@dataclass(frozen=True, slots=True)
class DreamRun:
    """One dream over one session. ``turns`` is how many messages it read, ``reason`` why it failed."""

    id: str
    domain_id: str
    session_key: str
    status: DreamStatus
    started_at: datetime
    reason: str = ""
    turns: int = 0
    ended_at: datetime | None = None
    operations: tuple[DreamOperation, ...] = ()

    def count(self, *states: OperationState) -> int:
        """How many operations stand so."""
        return sum(operation.state in states for operation in self.operations)
