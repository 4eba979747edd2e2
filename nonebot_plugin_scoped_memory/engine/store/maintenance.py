"""The store's second door, open across scopes. A test lists who may import it, and nothing of it feeds a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ..dream_records import DreamRun
from ..models import Item
from ..scope import ScopeRef


@dataclass(frozen=True, slots=True)
class Backlog:
    """A session with ``turns`` past its watermark; the newest was recorded at ``quiet_since``."""

    domain_id: str
    session_key: str
    turns: int
    quiet_since: datetime


class MaintenanceStore(Protocol):
    """Across scopes; only for jobs, privacy, migration and the command line."""

    async def backlog(self, *, now: datetime, quiet_before: datetime, limit: int) -> list[Backlog]:
        """Sessions with ordinary user turns past their watermark, silent since ``quiet_before`` and not waiting for
        a retry; the oldest unprocessed turn first."""
        ...

    async def dream_backlog(
        self, *, now: datetime, quiet_before: datetime, older_than: datetime, min_turns: int, limit: int
    ) -> list[Backlog]:
        """Sessions that have at least ``min_turns`` ordinary user turns that no dream has looked at, or any from before
        ``older_than``; silent since ``quiet_before``, not waiting for a retry. The oldest such turn first."""
        ...

    async def dream_runs(self, domain_id: str, *, limit: int, offset: int = 0) -> list[DreamRun]:
        """Of all sessions of a domain, newest first."""
        ...

    async def dream_session(self, domain_id: str, run_id: str) -> str | None:
        """The session that a run belongs to."""
        ...

    async def interrupt_dreams(self, *, idle_since: datetime, at: datetime) -> int:
        """Runs that did nothing since then, because their process died, have failed. Returns how many."""
        ...

    async def ended_items(self, *, now: datetime, limit: int) -> list[tuple[str, Item]]:
        """(domain, active item) pairs whose ``valid_until`` has passed, the longest ago first."""
        ...

    async def left_open(self, *, before: datetime, limit: int) -> list[tuple[str, str, int]]:
        """(domain, session key, number) of turns that were recorded before then and are still open, oldest first."""
        ...

    async def sessions_of_own_message(self, domain_id: str, self_id: str, message_id: str) -> list[str]:
        """The sessions in which a bot's own message has this id."""
        ...

    async def list_items_all_scopes(self, model: str, *, limit: int) -> list[tuple[str, Item]]:
        """(domain, active item) pairs whose vector of this model is missing or of another content."""
        ...

    async def outdated_terms(self, analyser: int, *, limit: int) -> list[tuple[str, ScopeRef, str | int, str]]:
        """Index rows of another analyser version: (domain, owner scope, item id or turn number, text).

        The text is an item's content, or a turn's name and text on two lines (the text alone without a name).
        """
        ...

    async def reindex(self, analyser: int, rows: Sequence[tuple[str, ScopeRef, str | int, Sequence[str]]]) -> None:
        """Replace (domain, owner scope, item id or turn number, terms).

        Rows that left the index meanwhile, or have this version already, stay as they are.
        """
        ...

    async def usage_total(self, day: str) -> tuple[int, int]:
        """(tokens in, tokens out) of that day over everything."""
        ...

    async def counts(self) -> dict[str, int]:
        """Rows by table name."""
        ...

    async def tidy(self) -> None:
        """Merge the text index and empty the write-ahead log, for times when little happens.

        Nothing erased is left in the file afterwards, unless another process is reading it just then.
        """
        ...
