"""Extraction by the model, a batch of turns at a time, for one session at a time.

A batch's items, its usage and the new watermark commit together. Whatever goes wrong with the endpoint, the watermark
stays where it is, and the next try waits longer.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakValueDictionary

from .. import texts
from . import text
from .budget import Budget, usage_row
from .changing import SYSTEM
from .errors import ProviderAuthError, ProviderError
from .extract.llm import propose_all
from .extract.transcript import Transcript, build_transcript
from .models import Clock, Item, Turn, TurnState
from .optout import hidden, opted_out, speakers
from .scope import home_scope, session_scope, writing_scopes
from .settings import EngineSettings
from .settling import memory_is_off
from .source import Source
from .store.base import Store, View, Write
from .writing import Outcome, write_proposals

if TYPE_CHECKING:
    from .llm import ChatModel, Completion

logger = logging.getLogger(__name__)

BATCH_TURNS = 40
"""At most so many turns go into one call."""
PENDING = 10_000
"""At most so many turns are counted as pending."""
BATCH_TOKENS = 8_000
"""At most so many tokens of what was said and quoted, unless one turn alone has more."""
FIRST_RETRY = timedelta(minutes=1)
LONGEST_RETRY = timedelta(hours=6)


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What one run over a session did. ``waiting`` is empty, or why turns were left: ``off``, ``budget``,
    ``chat_budget``, ``stopped``, ``retry`` or the problem of the endpoint."""

    turns: int = 0
    outcomes: tuple[Outcome, ...] = ()
    unprocessable: tuple[int, ...] = ()
    waiting: str = ""


Recorder: TypeAlias = Callable[[Write, int], Awaitable[None]]
"""Called inside a batch's transaction, after everything else in it, with the number of its turns."""


class BatchExtractor:
    """Runs the model over what sessions have past their watermark. One run a session at a time."""

    def __init__(self, store: Store, budget: Budget, model: ChatModel, clock: Clock, settings: EngineSettings) -> None:
        self._store = store
        self._budget = budget
        self._model = model
        self._clock = clock
        self._settings = settings
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def due(self, domain_id: str, session_key: str) -> bool:
        """Whether enough was said since the last batch."""
        view = self._store.view(domain_id, (session_scope(session_key),))
        session = await view.session(session_key)
        every = self._settings.extract_every_turns
        if session is None or session.last_turn - session.watermark < every:
            return False
        turns = closed_prefix(await view.turns_after(session_key, session.watermark, limit=every * 4))
        return len(turns) == every * 4 or sum(_is_news(turn) for turn in turns) >= every

    async def pending(self, domain_id: str, session_key: str) -> int:
        """Messages of people past the watermark."""
        view = self._store.view(domain_id, (session_scope(session_key),))
        session = await view.session(session_key)
        if session is None:
            return 0
        return sum(map(_is_news, await view.turns_after(session_key, session.watermark, limit=PENDING)))

    async def run(
        self,
        domain_id: str,
        session_key: str,
        *,
        force: bool = False,
        if_due: bool = False,
        bots: frozenset[str] = frozenset(),
        record: Recorder | None = None,
    ) -> BatchReport:
        """Process everything past the watermark. ``force`` does not wait for a retry time; ``if_due`` does nothing
        unless a batch is due once the runs before this one have ended. ``bots`` are accounts known to be bots. Raises
        only StoreError, and what ``record`` raises: its batch is rolled back then."""
        lock = self._locks.setdefault((domain_id, session_key), asyncio.Lock())
        async with lock:
            report = BatchReport()
            while not if_due or await self.due(domain_id, session_key):
                step = await self._step(domain_id, session_key, force, bots, record)
                report = BatchReport(
                    report.turns + step.turns,
                    report.outcomes + step.outcomes,
                    report.unprocessable + step.unprocessable,
                    step.waiting,
                )
                if not step.turns or step.waiting:
                    break
            return report

    async def _step(
        self, domain_id: str, session_key: str, force: bool, bots: frozenset[str], record: Recorder | None
    ) -> BatchReport:
        home, scopes, now = home_scope(session_key), writing_scopes(session_key), self._clock()
        view = self._store.view(domain_id, scopes)
        session = await view.session(session_key)
        if session is None:
            return BatchReport()
        batch = chunk(closed_prefix(await view.turns_after(session_key, session.watermark, limit=BATCH_TURNS)))
        if not batch:
            return BatchReport()
        if not any(_is_news(turn) for turn in batch):
            async with self._store.write(domain_id, scopes) as tx:
                await tx.set_watermark(session_key, batch[-1].n)
            return BatchReport(turns=len(batch))
        if await memory_is_off(view, session_key):
            return BatchReport(waiting="off")
        if not force and session.retry_at is not None and session.retry_at > now:
            return BatchReport(waiting="retry")
        if spent_up := await self._budget.reached(view, home):
            return BatchReport(waiting=spent_up)
        silent = await opted_out(view, session_key, speakers(batch), now)
        batch = hidden(batch, silent)
        known = await self._known(view, session_key, batch)
        bots |= {turn.account for turn in batch if turn.role == "bot" and turn.account}

        def transcript(turns: Sequence[Turn]) -> Transcript:
            return build_transcript(turns, timezone=self._settings.timezone, bots=bots, opted_out=silent, known=known)

        spent: list[Completion] = []
        try:
            result = await propose_all(
                self._model, batch, transcript, now=now, spent=spent, instructions=self._settings.instructions
            )
        except ProviderError as e:
            await self._failed(domain_id, session_key, e, spent)
            waiting = "stopped" if isinstance(e, ProviderAuthError) else e.problem
            return BatchReport(waiting=waiting)
        async with self._store.write(domain_id, scopes) as tx:
            await tx.add_usage(usage_row(home, self._budget.day(), "extract", spent))
            # The call took its time: another process may have done this batch, or the chat have switched off.
            current = await tx.session(session_key)
            if current is None or current.watermark != session.watermark:
                return BatchReport()
            if await memory_is_off(tx, session_key):
                return BatchReport(waiting="off")
            fresh = as_read(batch, await tx.turns(session_key, [turn.n for turn in batch]))
            concerned = speakers(batch) | {proposal.subject for proposal in result.proposals}
            silent = await opted_out(tx, session_key, concerned, self._clock())
            fresh = {turn.n: turn for turn in hidden(list(fresh.values()), silent)}
            source = Source(session_key, fresh, SYSTEM, self._clock(), bots=bots, opted_out=silent)
            outcomes = await write_proposals(tx, result.proposals, source, self._settings)
            await tx.set_turn_state(session_key, result.unprocessable, TurnState.UNPROCESSABLE)
            await tx.set_watermark(session_key, batch[-1].n)
            if record is not None:
                await record(tx, len(batch))
        return BatchReport(len(batch), tuple(outcomes), result.unprocessable)

    async def _known(self, view: View, session_key: str, batch: Sequence[Turn]) -> list[Item]:
        known: dict[str, Item] = {}
        for turn in batch:
            for item in await view.items_on_turn(session_key, turn.n):
                known[item.id] = item
        return list(known.values())

    async def _failed(
        self, domain_id: str, session_key: str, error: ProviderError, spent: Sequence[Completion]
    ) -> None:
        logger.warning(texts.LOG_EXTRACTION_FAILED, domain_id, session_key, error)
        stopped = isinstance(error, ProviderAuthError)
        if stopped and not spent:
            return
        home = home_scope(session_key)
        async with self._store.write(domain_id, (session_scope(session_key), home)) as tx:
            if spent:
                await tx.add_usage(usage_row(home, self._budget.day(), "extract", spent))
            if stopped:
                return  # the client itself stops calling and probes; sessions need not wait for each other
            session = await tx.session(session_key)
            failures = (session.failures if session else 0) + 1
            await tx.set_failure(session_key, failures, self._clock() + wait_after(failures))


def _is_news(turn: Turn) -> bool:
    """A person's words that nobody has looked at."""
    return turn.role == "user" and turn.stands and turn.state in (TurnState.OPEN, TurnState.ORDINARY)


def as_read(read: Sequence[Turn], now: Sequence[Turn]) -> dict[int, Turn]:
    """The turns ``now``, by number. One that has lost a quote since it was ``read`` counts as taken back: what was made
    of it may be made of the quote."""
    quotes = {turn.n: turn.quotes for turn in read}
    return {turn.n: turn if set(quotes[turn.n]) <= set(turn.quotes) else replace(turn, suppressed=True) for turn in now}


def wait_after(failures: int) -> timedelta:
    """How long the next try waits after so many failures in a row."""
    return min(LONGEST_RETRY, FIRST_RETRY * 2 ** min(failures - 1, 12))


def chunk(turns: Sequence[Turn], tokens: int = BATCH_TOKENS) -> list[Turn]:
    """As many of the first turns as ``tokens`` allow, at least one."""
    taken: list[Turn] = []
    for turn in turns:
        tokens -= text.count_tokens(turn.text) + sum(text.count_tokens(quote.text) for quote in turn.quotes)
        if taken and tokens < 0:
            break
        taken.append(turn)
    return taken


def closed_prefix(turns: Sequence[Turn]) -> list[Turn]:
    """The turns before the first one that is still being handled: no watermark may pass it."""
    closed: list[Turn] = []
    for turn in turns:
        if turn.state is TurnState.OPEN:
            break
        closed.append(turn)
    return closed
