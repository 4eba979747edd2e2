"""Many callers, one transaction: turns arrive one by one, and a transaction for each would be most of their cost."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import StoreError, StoreUnreachableError
from ...models import NewTurn, Turn
from .connection import Database
from .recording import BATCH, hash_entries, record
from .scoped import Context


@dataclass(frozen=True, slots=True)
class _Waiting:
    domain_id: str
    session_key: str
    turn: NewTurn
    terms: Sequence[str]
    done: asyncio.Future[Turn]


class GroupCommit:
    """Callers wait for a future; one task, alive while there is work, records what has gathered meanwhile."""

    def __init__(self, database: Database, context: Context) -> None:
        self._database = database
        self._context = context
        self._queue: deque[_Waiting] = deque()
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    async def record(self, domain_id: str, session_key: str, turn: NewTurn, terms: Sequence[str]) -> Turn:
        """The turn as it was stored. Turns of one session are numbered in the order of the calls.

        A caller that is cancelled leaves its turn in the queue: it was said. Raises StoreError after ``close``.
        """
        if self._closed:
            raise StoreError(self._database.url, "is closed")
        self._database.check_not_writing()
        done: asyncio.Future[Turn] = asyncio.get_running_loop().create_future()
        # Nothing is awaited before this line: the order of calls is the order of the queue.
        self._queue.append(_Waiting(domain_id, session_key, turn, tuple(terms), done))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._drain())
        return await done

    async def close(self) -> None:
        """Record what is queued; afterwards nothing is taken any more."""
        self._closed = True
        if self._task is not None:
            await asyncio.wait({self._task})

    async def _drain(self) -> None:
        batch: list[_Waiting] = []
        try:
            while self._queue:
                batch = [self._queue.popleft() for _ in range(min(BATCH, len(self._queue)))]
                await self._commit(batch)
        finally:
            # Only when this task itself was cancelled, with the loop going down, is anyone left here.
            for waiting in (*batch, *self._queue):
                waiting.done.cancel()

    async def _commit(self, batch: list[_Waiting]) -> None:
        try:
            turns = await self._record(batch)
        except StoreUnreachableError as e:
            # One by one, each would wait for the same lock or meet the same full disk.
            for waiting in batch:
                _fail(waiting, StoreUnreachableError(e.url, e.problem))
        except Exception as e:  # noqa: BLE001 - whatever it is, it is raised to the caller whose turn it was
            if len(batch) == 1:
                _fail(batch[0], e)
                return
            for waiting in batch:
                await self._commit([waiting])
        else:
            for waiting, turn in zip(batch, turns, strict=True):
                if not waiting.done.done():
                    waiting.done.set_result(turn)

    async def _record(self, batch: list[_Waiting]) -> list[Turn]:
        entries = await hash_entries([(w.domain_id, w.session_key, w.turn, w.terms) for w in batch])
        async with self._database.transaction() as tx:
            return await record(tx, entries, now=self._context.now(), analyser=self._context.analyser)


def _fail(waiting: _Waiting, error: Exception) -> None:
    if not waiting.done.done():
        waiting.done.set_exception(error)
