"""What the engine asks of a store. Two doors:

- ``Store``: everything that can reach a prompt or a person. Each read goes through a ``View``, which is made for one
  domain and an explicit, non-empty list of scopes; each write through a ``Write``, which is a ``View`` over its own
  transaction. What lies outside the view's scopes is *not found*, whether it exists or not. Turns are read in the
  internal scope of their session: ``session_scope(key)`` must be among the scopes. A write that itself names a scope or
  session outside its view raises InvalidScopeError; an id outside it raises NotFoundError.
- ``MaintenanceStore``: what jobs and the command line need across scopes. Nothing it returns may feed a prompt.

Every store returns the same results in the same order: ``tests/store/contract.py`` holds it to all that is said here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from ..dream_records import DreamOperation, DreamRun, DreamStatus, ItemChange, OperationAction
from ..models import (
    Candidate,
    CandidateStatus,
    Evidence,
    Item,
    ItemStatus,
    LexicalCandidates,
    MemoryEvent,
    NewTurn,
    Quote,
    Session,
    Turn,
    TurnState,
    UsageRow,
)
from ..scope import ScopeRef
from .maintenance import Backlog as Backlog
from .maintenance import MaintenanceStore as MaintenanceStore

if TYPE_CHECKING:
    import numpy as np

SEARCH_TERMS = 64
"""At most so many query terms are looked up, rarest first."""
SEARCH_POSTINGS = 2_000
"""A term's document frequency is counted up to this, and rarest terms are read until this many postings."""
SEARCH_CANDIDATES = 200
"""At most so many documents are handed to the scorer. Of the ten best of an exact search .998 were among them in scopes
of up to 12,000 items and .990 in one of 13,861; with 300 it was .998 and .992."""


@dataclass(frozen=True, slots=True)
class ScopeVectors:
    """A scope's vectors of one model: ``data`` is (n, dimensions) int8, ``scales`` (n,) float32, rows in order of n.

    ``item_ids`` are the public ids of the rows. Row i stands for ``scales[i] * data[i]``, of length 1.
    """

    item_ids: tuple[str, ...]
    data: np.ndarray
    scales: np.ndarray


class View(Protocol):
    """Reads inside one domain and the given scopes. Empty inputs give empty results.

    Where an item came from (source session, owner, evidence) is left out unless the scopes reach that chat
    (``visibility.sees_session``). Of a shared scope, waiting candidates are seen in the session that proposed them, and
    events not at all. With ``REVIEW_SCOPE`` among the scopes all of it is seen.
    """

    @property
    def domain_id(self) -> str:
        """The domain that all reads stay in."""
        ...

    @property
    def scopes(self) -> tuple[ScopeRef, ...]:
        """The scopes as they were asked for, never empty."""
        ...

    # --- sessions and turns: session_scope(session_key) must be among the scopes, else nothing is found
    async def session(self, session_key: str) -> Session | None:
        """The session's counters, watermark and summary; None before anything was written to it."""
        ...

    async def recent_turns(self, session_key: str, *, limit: int, after: int = 0) -> list[Turn]:
        """The last ``limit`` ORDINARY standing turns with n > ``after``, in reading order, oldest first."""
        ...

    async def turns_after(self, session_key: str, n: int, *, limit: int) -> list[Turn]:
        """All turns with a number over ``n``, whatever their state and marks, by number."""
        ...

    async def turns(self, session_key: str, numbers: Iterable[int]) -> list[Turn]:
        """The turns with these numbers, by number; numbers that do not exist are left out."""
        ...

    async def turn_number(self, session_key: str, self_id: str, message_id: str) -> int | None:
        """The turn that this platform message became."""
        ...

    async def turns_quoting(self, session_key: str, n: int) -> list[int]:
        """The turns that quote this one, by number."""
        ...

    async def recalled_items(self, session_key: str, n: int) -> list[tuple[str, float]]:
        """(item id, score) of what this answer was made with, best first."""
        ...

    async def turn_candidates(self, session_key: str, terms: Sequence[str]) -> LexicalCandidates:
        """As ``item_candidates``: the session's standing OPEN and ORDINARY turns that hold some of the terms."""
        ...

    # --- items
    async def items(self, ids: Iterable[str]) -> list[Item]:
        """The items with these ids that lie in the scopes, of any status, in the order asked."""
        ...

    async def list_items(
        self,
        *,
        status: ItemStatus | None = "active",
        kind: str | None = None,
        limit: int = 1000,
        offset: int = 0,
    ) -> list[Item]:
        """Newest first (created_at, then id)."""
        ...

    async def count_items(
        self, *, status: ItemStatus | None = "active", kind: str | None = None, scope: ScopeRef | None = None
    ) -> int:
        """How many ``list_items`` would give without a limit, in all of the scopes or in this one of them."""
        ...

    async def pinned_items(self) -> list[Item]:
        """Active ``dao_tian`` items."""
        ...

    async def slot_items(self, slots: Iterable[tuple[str, str, str]]) -> list[Item]:
        """Active items that hold one of these (kind, key, subject) in any of the scopes."""
        ...

    async def item_candidates(self, terms: Sequence[str]) -> LexicalCandidates:
        """Active items that hold some of the terms, at most SEARCH_CANDIDATES, most promising first.

        ``terms`` are plain (``text.query_terms``), without repetitions; the store hashes each with its scope.
        """
        ...

    async def vectors(self, model: str) -> Mapping[ScopeRef, ScopeVectors]:
        """Vectors of active items, by scope; scopes without any are absent. Cached."""
        ...

    async def evidence(self, item_ids: Iterable[str]) -> dict[str, list[Evidence]]:
        """Evidence by item id, oldest first, for the items that lie in the scopes (an empty list where there is none).

        Only from chats that the scopes reach; inside a write, all of it.
        """
        ...

    async def items_on_turn(self, session_key: str, n: int) -> list[Item]:
        """Active items in the scopes that have this turn as evidence; the session itself need not be among them."""
        ...

    # --- candidates, events
    async def candidate(self, id: str) -> Candidate | None:
        """A candidate of one of the scopes, whatever became of it; None also where it is not to be seen."""
        ...

    async def list_candidates(
        self, *, status: CandidateStatus | None = "pending", limit: int = 100, offset: int = 0
    ) -> list[Candidate]:
        """Oldest first."""
        ...

    async def events(self, item_id: str) -> list[MemoryEvent]:
        """Of an item in the scopes, oldest first; only events that happened in one of the scopes."""
        ...

    # --- settings, usage
    async def chat_settings(self, scope: ScopeRef) -> dict[str, str]:
        """Settings of a scope by name; those never set, and all of a scope outside the view's, are absent."""
        ...

    async def account_settings(self, account: str) -> dict[ScopeRef, dict[str, str]]:
        """The account's settings that hold in one of the scopes."""
        ...

    async def usage(self, day: str) -> list[UsageRow]:
        """Of that day (``YYYY-MM-DD``, local), one row for each scope and purpose, ordered by them."""
        ...

    async def commit_result(self, session_key: str, commit_id: str) -> str | None:
        """What ``Write.save_commit`` kept, None if this commit was never made."""
        ...

    # --- dreams: of sessions whose scope is among the scopes
    async def dream_run(self, id: str) -> DreamRun | None: ...

    async def dream_runs(self, session_key: str, *, limit: int) -> list[DreamRun]:
        """Newest first."""
        ...

    async def dream_operations(
        self, session_key: str, actions: Sequence[OperationAction], *, runs: int
    ) -> dict[str, list[DreamOperation]]:
        """By run, what the session's latest ``runs`` did of these ``actions``: of a long run, a small part."""
        ...


class Write(View, Protocol):
    """A transaction, for one task at a time. Its reads see its own writes.

    Scopes and sessions that do not exist yet are made on first use.

    Text that a write indexes is given as terms: ``text.document_terms`` of it, repetitions included.
    """

    async def add_turns(self, session_key: str, turns: Sequence[tuple[NewTurn, Sequence[str]]]) -> list[Turn]:
        """Number and store turns (each with its index terms).

        A message that came before (a message id seen before, with the same account, second and text) changes nothing
        and returns its turn; an id that comes again with another message names that one from then on. A message that
        another bot connection already brought (same account, second and text, not yet seen by this self id) only adds
        its message id to the first such turn, which is returned in its place. Only turns with role ``user`` are paired
        so; an empty message id counts as none.
        """
        ...

    async def set_turn_state(self, session_key: str, numbers: Iterable[int], state: TurnState) -> None:
        """Standing turns are in the text index while they are OPEN or ORDINARY. Unknown numbers are left out."""
        ...

    async def add_to_turn(self, session_key: str, n: int, quotes: Sequence[Quote], names: Mapping[str, str]) -> None:
        """Add quotes, and the names of mentioned accounts. Raises NotFoundError."""
        ...

    async def mark_recalled(self, session_key: str, n: int) -> None:
        """Also takes it out of the text index, for good, and out of the turns that quote it. Raises NotFoundError."""
        ...

    async def mark_quotes_recalled(self, session_key: str, self_id: str, message_id: str) -> list[int]:
        """A message that is no turn was taken back: turns that quote it are read without the quote. Their numbers."""
        ...

    async def mark_suppressed(self, session_key: str, numbers: Iterable[int]) -> None:
        """Also takes them out of the text index, for good, and out of the turns that quote them. Unknown numbers are
        left out."""
        ...

    async def set_watermark(self, session_key: str, n: int) -> None:
        """Never moves back, nor past the last turn; also clears the session's failures."""
        ...

    async def set_failure(self, session_key: str, failures: int, retry_at: datetime) -> None:
        """Extraction failed ``failures`` times in a row; ``backlog`` leaves the session out until ``retry_at``."""
        ...

    async def start_history(self, session_key: str) -> None:
        """History begins after the last turn."""
        ...

    async def set_summary(self, session_key: str, summary: str, *, until: int = 0) -> None:
        """Replace what is kept of the conversation beyond its recent turns; empty for nothing. ``until`` is the last
        turn that it covers: when one of them is taken back, the summary goes with it."""
        ...

    async def twin(self, scope: ScopeRef, kind: str, subject: str, identity: str) -> Item | None:
        """The active item with the same content."""
        ...

    async def slot_holder(self, scope: ScopeRef, kind: str, key: str, subject: str) -> Item | None:
        """The active item in this slot."""
        ...

    async def add_item(self, item: Item, terms: Sequence[str]) -> Item:
        """Store an item of a scope of this view, with its index row. An empty ``item.id`` gets an id.

        Raises SlotTakenError if an active item has its slot or its content, InvalidItemError if its id is taken.
        """
        ...

    async def save_item(self, item: Item, terms: Sequence[str]) -> Item:
        """Write back a changed item (found by id in the view's scopes), with version + 1.

        Its index row and vectors follow: gone unless it is active, vectors gone too if its identity changed. Another
        scope of this view moves it there. Raises NotFoundError, SlotTakenError.
        """
        ...

    async def add_evidence(self, item_id: str, evidence: Iterable[Evidence]) -> int:
        """Returns how many were new. Raises NotFoundError for the item, or for a turn that the domain does not have."""
        ...

    async def remove_evidence(self, item_id: str, evidence: Iterable[Evidence]) -> int:
        """Returns how many there were. Raises NotFoundError for the item."""
        ...

    def changes(self) -> list[ItemChange]:
        """What this transaction did to items so far, one change an item, in the order of the first."""
        ...

    async def add_candidate(self, candidate: Candidate) -> Candidate:
        """An empty id gets an id."""
        ...

    async def same_candidates(self, scope: ScopeRef, kind: str, subject: str, identity: str) -> list[Candidate]:
        """Candidates for this scope with the same content, whatever became of them, oldest first."""
        ...

    async def candidates_of_item(self, item_id: str) -> list[Candidate]:
        """Pending candidates in the scopes that are linked to this item, if it lies in the scopes too."""
        ...

    async def decide_candidate(
        self, id: str, status: CandidateStatus, *, reason: str, by: str, at: datetime, item_id: str = ""
    ) -> None:
        """An empty ``item_id`` leaves the linked item as it is. Raises NotFoundError."""
        ...

    async def add_event(self, event: MemoryEvent) -> None:
        """Append to the audit log of the event's scope."""
        ...

    async def set_chat_setting(self, scope: ScopeRef, name: str, value: str, *, by: str, at: datetime) -> None:
        """Set or replace a setting of the scope; ``by`` is the account that wanted it."""
        ...

    async def set_account_setting(self, scope: ScopeRef, account: str, name: str, value: str, *, at: datetime) -> None:
        """Set or replace a setting of the account that holds in the scope."""
        ...

    async def add_usage(self, row: UsageRow) -> None:
        """Adds to the row of the same day, scope and purpose."""
        ...

    async def save_commit(self, session_key: str, commit_id: str, result: str, *, at: datetime) -> bool:
        """False if this commit id is there already."""
        ...

    async def start_dream(self, session_key: str, *, at: datetime) -> DreamRun | None:
        """A new run, None while another one of this session is running."""
        ...

    async def add_dream_operations(
        self, run_id: str, operations: Sequence[DreamOperation], *, turns: int = 0, running: bool = True
    ) -> None:
        """Append to a run, which has read ``turns`` more. Raises NotFoundError, also if it is not ``running`` though it
        should be."""
        ...

    async def set_dream_operation(self, run_id: str, operation: DreamOperation) -> None:
        """Write back the operation of that place. Raises NotFoundError."""
        ...

    async def end_dream(self, run_id: str, status: DreamStatus, *, reason: str = "", at: datetime) -> None:
        """Raises NotFoundError."""
        ...

    async def set_dreamed(self, session_key: str, n: int) -> None:
        """Never moves back, nor past the last turn; also clears the failures of the session's dreams."""
        ...

    async def set_dream_failure(self, session_key: str, failures: int, retry_at: datetime) -> None: ...


class Store(Protocol):
    """The first door, and the life of the database behind it. Anything may raise StoreError."""

    @property
    def url(self) -> str:
        """Without credentials."""
        ...

    def view(self, domain_id: str, scopes: Sequence[ScopeRef]) -> View:
        """Raises InvalidScopeError if ``scopes`` is empty: empty never means everything."""
        ...

    def write(self, domain_id: str, scopes: Sequence[ScopeRef]) -> AbstractAsyncContextManager[Write]:
        """One transaction; rolled back if the block raises. Never wait for the network inside.

        Raises InvalidScopeError as ``view`` does, when called. A write (or record_turn) inside another one of the same
        task would wait for itself and raises StoreError.
        """
        ...

    async def record_turn(self, domain_id: str, session_key: str, turn: NewTurn, terms: Sequence[str]) -> Turn:
        """``Write.add_turns`` of one turn, through the group commit: many callers share one transaction.

        Turns of one session are numbered in the order of the calls. A bad turn fails alone; a cancelled caller's turn
        is recorded all the same. Raises InvalidScopeError for an empty domain or session key.
        """
        ...

    async def put_vectors(
        self,
        domain_id: str,
        model: str,
        vectors: Mapping[str, np.ndarray],
        *,
        identities: Mapping[str, str] | None = None,
    ) -> int:
        """Store unit vectors (float32) by item id, for items that are active; returns how many. Replaces older ones.

        ``identities`` is each item's identity at the time its content was embedded: an item that changed since is left
        out, and ``list_items_all_scopes`` names it again. Raises StoreError if the dimensions are not the model's,
        ValueError for a vector that is not finite.
        """
        ...

    async def embedding_floor(self, model: str) -> tuple[int, float] | None:
        """(dimensions, floor) of a model that was calibrated before."""
        ...

    async def set_embedding_floor(self, model: str, dimensions: int, floor: float) -> None:
        """A model whose dimensions changed loses its vectors."""
        ...

    async def close(self) -> None:
        """Finish what is queued, then close every connection. Can be called twice."""
        ...
