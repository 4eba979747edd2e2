"""One dream over one session, step by step. Each step commits as a whole, with its part of the patch; no step waits for
the network inside a transaction, so that a dream that is killed anywhere leaves nothing half done."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..batches import BatchExtractor, as_read, chunk, closed_prefix, wait_after
from ..budget import Budget, usage_row
from ..dream_records import DreamOperation, DreamRun
from ..errors import BadOutputError, NotFoundError, ProviderAuthError, ProviderError, ProviderRefusedError
from ..models import Clock, Session, Turn, TurnState
from ..optout import hidden, opted_out, speakers
from ..scope import GLOBAL_SCOPE, home_scope, writing_scopes
from ..settings import EngineSettings
from ..settling import memory_is_off
from ..store.base import Store, View, Write
from . import reviewing, summarising
from .answer import PURPOSE
from .expiring import ended
from .limits import apply_within_limits
from .merging import near_duplicates
from .patch import of_extraction, rejected
from .pieces import Pieces

if TYPE_CHECKING:
    from ..llm import ChatModel, Completion

logger = logging.getLogger(__name__)

CHUNK_TURNS = 200
CHUNK_TOKENS = 6_000
"""At most so much of a conversation goes into one call."""
LATEST = 20
"""Decisions and finished tasks that are looked at to see whether a summary is due."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What dreams have in common. Without a model they merge and expire only."""

    store: Store
    budget: Budget
    batches: BatchExtractor | None
    model: ChatModel | None
    clock: Clock
    settings: EngineSettings


@dataclass(frozen=True, slots=True)
class DreamReport:
    """``run`` is None where there was none. ``waiting`` is empty or why nothing, or not all, was done: ``nothing``,
    ``off``, ``running``, ``retry``, ``budget``, ``chat_budget``, ``stopped``, ``interrupted`` or a problem."""

    run: DreamRun | None = None
    waiting: str = ""


class _HeldBackError(Exception):
    """A dream cannot go on now. ``waiting`` as in DreamReport."""

    def __init__(self, waiting: str) -> None:
        self.waiting = waiting
        super().__init__(waiting)


async def dream(
    tools: Tools, domain_id: str, session_key: str, *, force: bool = False, bots: frozenset[str] = frozenset()
) -> DreamReport:
    """Dream of one session, now. ``force`` does not wait for the retry time of an extraction that failed.

    A provider's failure ends the run as failed, and its session waits. Raises StoreError, after the run was marked as
    failed where that is possible.
    """
    home, scopes = home_scope(session_key), writing_scopes(session_key)
    view = tools.store.view(domain_id, scopes)
    session = await view.session(session_key)
    if session is None:
        return DreamReport(waiting="nothing")
    if await memory_is_off(view, session_key):
        return DreamReport(waiting="off")
    if tools.model is not None and (spent_up := await tools.budget.reached(view, home)):
        return DreamReport(waiting=spent_up)
    if not force and session.retry_at is not None and session.retry_at > tools.clock():
        return DreamReport(waiting="retry")
    async with tools.store.write(domain_id, scopes) as tx:
        run = await tx.start_dream(session_key, at=tools.clock())
    if run is None:
        return DreamReport(waiting="running")
    return await _Dream(tools, run, view, bots).go(force)


class _Dream:
    """A run under way."""

    def __init__(self, tools: Tools, run: DreamRun, view: View, bots: frozenset[str]) -> None:
        self.tools = tools
        self.run = run
        self.key = run.session_key
        self.home = home_scope(run.session_key)
        self.view = view
        self.of_home = tools.store.view(run.domain_id, (self.home,))
        self.bots = bots
        self.spent: list[Completion] = []

    async def go(self, force: bool) -> DreamReport:
        waiting = ""
        try:
            await self._extract(force)
            await self._apply(await near_duplicates(self.of_home, self.home, self.tools.clock()))
            await self._review()
            if self.home != GLOBAL_SCOPE:  # there the expiry sweep alone does it
                await self._apply(await ended(self.of_home, self.home, self.tools.clock()))
            await self._summarise()
        except ProviderError as e:
            waiting = "stopped" if isinstance(e, ProviderAuthError) else e.problem
        except _HeldBackError as e:
            waiting = e.waiting
        except NotFoundError as e:
            if e.kind != "dream":
                await self._end(type(e).__name__)
                raise
            waiting = "interrupted"  # another process took this run for dead: what it did stands
            return DreamReport(await self.view.dream_run(self.run.id), waiting)
        except Exception as e:
            await self._end(type(e).__name__)
            raise
        await self._end(waiting)
        return DreamReport(await self.view.dream_run(self.run.id), waiting)

    def _write(self):
        return self.tools.store.write(self.run.domain_id, writing_scopes(self.key))

    async def _session(self) -> Session:
        session = await self.view.session(self.key)
        if session is None:
            raise NotFoundError("dream", self.run.id)  # erased meanwhile, and the run with it
        return session

    # --- the steps

    async def _extract(self, force: bool) -> None:
        if self.tools.batches is None:
            return
        report = await self.tools.batches.run(
            self.run.domain_id, self.key, force=force, bots=self.bots, record=self._record
        )
        if report.waiting:
            raise _HeldBackError(report.waiting)

    async def _record(self, tx: Write, _turns: int) -> None:
        await tx.add_dream_operations(self.run.id, of_extraction(tx.changes()))

    async def _apply(self, intended: Sequence[DreamOperation]) -> None:
        if not intended:
            return
        async with self._write() as tx:
            await self._go_on(tx)
            await self._apply_in(tx, intended)

    async def _apply_in(self, tx: Write, intended: Sequence[DreamOperation]) -> None:
        await apply_within_limits(tx, self.run, intended, self.tools.settings.dream, self.tools.clock())

    async def _review(self) -> None:
        """What the new part of the conversation made obsolete, chunk by chunk; each moves the session's mark on."""
        pieces = Pieces()
        while True:
            session = await self._session()
            turns = pieces.next(await self._next(session.dreamed))
            if self.tools.batches is not None:
                turns = [turn for turn in turns if turn.n <= session.watermark]
            if not turns:
                return
            try:
                proposed = await self._obsolete(turns, retry=pieces.whole)
            except (BadOutputError, ProviderRefusedError) as e:
                if pieces.halve(len(turns)):
                    continue
                refused = isinstance(e, ProviderRefusedError)
                proposed = [rejected("archive", "refused" if refused else "unusable_answer")]
            async with self._write() as tx:
                await self._go_on(tx)
                await self._count(tx)
                await self._apply_in(tx, proposed)
                await tx.add_dream_operations(self.run.id, (), turns=len(turns))
                await tx.set_dreamed(self.key, turns[-1].n)
            pieces.passed()
            self.spent = []

    async def _obsolete(self, turns: Sequence[Turn], *, retry: bool) -> list[DreamOperation]:
        if self.tools.model is None:
            return []
        review = await reviewing.prepare(
            self.of_home, self.home, turns, bots=self._bots(turns), zone=self.tools.settings.timezone
        )
        if review is None:
            return []
        await self._may_call()
        return await reviewing.ask(self.tools.model, review, self.tools.clock(), self.spent, retry=retry)

    async def _summarise(self) -> None:
        pieces = Pieces()
        while self.tools.model is not None:
            session = await self._session()
            turns = await self._next(max(session.summarised, session.history_start))
            if not turns:
                return
            piece = pieces.next(turns)
            if all(turn.state is not TurnState.ORDINARY for turn in piece):
                if not await self._pass_over(session, piece):
                    return
                pieces.passed()
                continue
            if pieces.whole and not await self._summary_is_due(turns):
                return
            turns = piece
            await self._may_call()
            summary, problem = session.summary, ""
            try:
                summary = await summarising.write(
                    self.tools.model,
                    session.summary,
                    turns,
                    bots=self._bots(turns),
                    zone=self.tools.settings.timezone,
                    spent=self.spent,
                )
            except (BadOutputError, ProviderRefusedError):
                if pieces.halve(len(turns)):
                    continue
                problem = "unusable_answer"
            kept = await self._keep_summary(session, turns, summary, problem)
            pieces.passed()
            self.spent = []
            if not kept:
                return

    async def _pass_over(self, session: Session, turns: Sequence[Turn]) -> bool:
        """Leave turns out of the summary for good, unless the conversation began anew meanwhile."""
        async with self._write() as tx:
            current = await tx.session(self.key)
            same = current is not None and current.history_start == session.history_start
            if same:
                await tx.set_summary(self.key, session.summary, until=turns[-1].n)
            return same

    async def _keep_summary(self, session: Session, turns: Sequence[Turn], summary: str, problem: str) -> bool:
        """Store a new summary, unless the conversation began anew meanwhile or a turn of it was taken back. Where the
        model gave none, the old one stands for these turns too: they are not shown again and again."""
        async with self._write() as tx:
            await self._go_on(tx)
            await self._count(tx)
            current = await tx.session(self.key)
            marks = (session.summarised, session.history_start)
            if current is None or (current.summarised, current.history_start) != marks:
                return False
            fresh = as_read(turns, await tx.turns(self.key, [turn.n for turn in turns]))
            if any(turn.stands and not fresh[turn.n].stands for turn in turns):
                return False
            await tx.set_summary(self.key, summary, until=turns[-1].n)
            operation = DreamOperation(
                "summary", "applied", turns=(turns[-1].n,), before_text=session.summary, after_text=summary
            )
            await tx.add_dream_operations(self.run.id, [rejected("summary", problem) if problem else operation])
            return True

    async def _summary_is_due(self, turns: Sequence[Turn]) -> bool:
        settled = await self._settled_since(turns[0])
        return summarising.is_due(turns, self.tools.settings.history_tokens, settled=settled)

    async def _settled_since(self, turn: Turn) -> bool:
        """Whether something was decided, or a task was finished, since ``turn``."""
        decided = await self.of_home.list_items(kind="decision", limit=LATEST)
        done = await self.of_home.list_items(status="archived", kind="task", limit=LATEST)
        return any(item.valid_from >= turn.said_at for item in decided) or any(
            item.updated_at >= turn.recorded_at for item in done
        )

    # --- what the steps share

    async def _next(self, after: int) -> list[Turn]:
        turns = chunk(closed_prefix(await self.view.turns_after(self.key, after, limit=CHUNK_TURNS)), CHUNK_TOKENS)
        return hidden(turns, await opted_out(self.view, self.key, speakers(turns), self.tools.clock()))

    def _bots(self, turns: Sequence[Turn]) -> frozenset[str]:
        return self.bots | {turn.account for turn in turns if turn.role == "bot" and turn.account}

    async def _may_call(self) -> None:
        if spent_up := await self.tools.budget.reached(self.view, self.home):
            raise _HeldBackError(spent_up)

    async def _go_on(self, tx: Write) -> None:
        """Raises if the run was ended by somebody else, or the memory switched off, while a call was waited for."""
        await tx.add_dream_operations(self.run.id, ())
        if await memory_is_off(tx, self.key):
            raise _HeldBackError("off")

    async def _count(self, tx: Write) -> None:
        """The caller empties ``spent`` once this is committed."""
        if self.spent:
            await tx.add_usage(usage_row(self.home, self.tools.budget.day(), PURPOSE, self.spent))

    async def _end(self, waiting: str) -> None:
        """Close the run. One that failed keeps its session waiting, longer each time; not where the fault is nobody's:
        a budget, a switch, or a key that the client itself waits for."""
        now = self.tools.clock()
        async with self._write() as tx:
            await self._count(tx)
            await tx.end_dream(self.run.id, "failed" if waiting else "done", reason=waiting, at=now)
            if waiting and waiting not in ("stopped", "budget", "chat_budget", "off", "retry"):
                session = await tx.session(self.key)
                failures = (session.dream_failures if session is not None else 0) + 1
                await tx.set_dream_failure(self.key, failures, now + wait_after(failures))
        if waiting:
            logger.warning("dream %s of %s/%s failed: %s", self.run.id, self.run.domain_id, self.key, waiting)
