"""Owned background tasks: each is awaited or cancelled, and none fails in silence."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from .. import texts
from .failures import told

logger = logging.getLogger(__name__)


class Background:
    """A set of running tasks. Belongs to one event loop."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()
        self._closed = False

    def spawn(self, work: Coroutine[Any, Any, object], name: str) -> asyncio.Task[object] | None:
        """Run ``work`` on its own; its failure is logged under ``name``. After ``close`` nothing new is started."""
        if self._closed:
            work.close()
            return None
        task = asyncio.create_task(work, name=f"scoped-memory {name}")
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def drain(self) -> None:
        """Wait until nothing runs, including what is started meanwhile."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    async def close(self, within: float) -> None:
        """Wait up to ``within`` seconds for what runs, then start nothing new, cancel the rest and wait for that."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + within
        try:
            while self._tasks and (left := deadline - loop.time()) > 0:
                await asyncio.wait(set(self._tasks), timeout=left)
        finally:
            self._closed = True
        late = set(self._tasks)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late)

    def _ended(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error(texts.LOG_TASK_FAILED, task.get_name(), told(error))
