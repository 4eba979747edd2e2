"""Calls at once, over all models of a bot: an answer that somebody waits for goes before work in the background."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Places:
    """``count`` places. Where there are several, background work leaves one free for what is urgent."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._spared = 1 if count > 1 else 0
        self._urgent: deque[asyncio.Future[None]] = deque()
        self._others: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def take(self, *, urgent: bool) -> AsyncIterator[None]:
        """Wait for a place and hold it. Those alike have their turn in order."""
        await self._wait(urgent)
        try:
            yield
        finally:
            self._free += 1
            self._wake()

    async def _wait(self, urgent: bool) -> None:
        queue = self._urgent if urgent else self._others
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(turn)
        self._wake()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it was given a place in the same moment
                self._free += 1
            else:
                queue.remove(turn)
            self._wake()
            raise

    def _wake(self) -> None:
        for queue, needed in ((self._urgent, 1), (self._others, 1 + self._spared)):
            while queue and self._free >= needed:
                turn = queue.popleft()
                if not turn.cancelled():
                    self._free -= 1
                    turn.set_result(None)
