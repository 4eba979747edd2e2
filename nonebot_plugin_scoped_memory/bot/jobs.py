"""What runs on the clock, through nonebot-plugin-apscheduler."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta

from apscheduler.schedulers.base import BaseScheduler

from .. import api, texts
from ..engine.engine import MemoryEngine
from ..engine.errors import ScopedMemoryError
from ..engine.failures import told

logger = logging.getLogger(__name__)

PREFIX = "nonebot_plugin_scoped_memory"
QUIET_FOR = timedelta(minutes=3)
"""A chat that was silent so long is extracted, though no batch is full."""


async def extract_quiet_chats() -> None:
    """Extract from chats that fell silent with something left; what a crash left open is among it."""
    await _guarded("extract", _extract_quiet_chats)


async def _extract_quiet_chats(engine: MemoryEngine) -> None:
    await engine.listener.adopt_left_open()
    await engine.listener.extract_quiet(quiet_before=engine.clock() - QUIET_FOR)


async def refresh_embeddings() -> None:
    """Embed what is missing: after a change of model, or after an endpoint was down."""
    await _guarded("embed", lambda engine: engine.refresh_embeddings())


async def _guarded(name: str, work: Callable[[MemoryEngine], Awaitable[object]]) -> None:
    engine = api.engine()
    if engine is None:
        return
    try:
        await work(engine)
    except ScopedMemoryError as e:
        logger.error("%s: %s", texts.LOG_JOB_FAILED.format(job=name), e)
    except Exception as e:  # noqa: BLE001 - told in the log
        logger.error("%s: %s", texts.LOG_JOB_FAILED.format(job=name), told(e))


def schedule(scheduler: BaseScheduler) -> None:
    """Register the jobs; a job of the same id, also one kept in a job store, is replaced."""
    options = {"replace_existing": True, "max_instances": 1, "coalesce": True, "misfire_grace_time": None}
    scheduler.add_job(extract_quiet_chats, "interval", minutes=1, id=f"{PREFIX}.extract", **options)
    scheduler.add_job(refresh_embeddings, "interval", minutes=10, id=f"{PREFIX}.embed", **options)
