"""What runs on the clock, through nonebot-plugin-apscheduler."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta, timezone

from apscheduler.schedulers.base import BaseScheduler

from .. import api, texts
from ..engine.engine import MemoryEngine
from ..engine.errors import ScopedMemoryError
from ..engine.failures import told
from . import digest

logger = logging.getLogger(__name__)

PREFIX = "nonebot_plugin_scoped_memory"
QUIET_FOR = timedelta(minutes=3)
"""A chat that was silent so long is extracted, though no batch is full."""
FIRST_DREAM = timedelta(minutes=5)
"""After the start."""


async def extract_quiet_chats() -> None:
    """Extract from chats that fell silent with something left; what a crash left open is among it."""
    await _guarded("extract", _extract_quiet_chats)


async def _extract_quiet_chats(engine: MemoryEngine) -> None:
    await engine.listener.adopt_left_open()
    await engine.listener.extract_quiet(quiet_before=engine.clock() - QUIET_FOR)


async def refresh_embeddings() -> None:
    """Embed what is missing: after a change of model, or after an endpoint was down."""
    await _guarded("embed", lambda engine: engine.embed_items_all_scopes())


async def sweep_dreams() -> None:
    """Dream of the chats that are due; tell operators of it, where they want that."""
    await _guarded("dream", _sweep_dreams)


async def _sweep_dreams(engine: MemoryEngine) -> None:
    report = await engine.sweep_dreams()
    await digest.send(engine, report)


async def expire_items() -> None:
    """Archive tasks and passing states that have ended."""
    await _guarded("expire", lambda engine: engine.expire_items())


async def tidy_database() -> None:
    """Merge indexes and empty the log, at night."""
    await _guarded("tidy", lambda engine: engine.tidy())


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


def schedule(scheduler: BaseScheduler, *, dream_every: float = 60.0) -> None:
    """Register the jobs; a job of the same id, also one kept in a job store, is replaced. ``dream_every``: minutes."""
    options = {"replace_existing": True, "max_instances": 1, "coalesce": True, "misfire_grace_time": None}
    scheduler.add_job(extract_quiet_chats, "interval", minutes=1, id=f"{PREFIX}.extract", **options)
    scheduler.add_job(refresh_embeddings, "interval", minutes=10, id=f"{PREFIX}.embed", **options)
    scheduler.add_job(expire_items, "interval", minutes=60, id=f"{PREFIX}.expire", **options)
    scheduler.add_job(tidy_database, "cron", hour=4, minute=17, id=f"{PREFIX}.tidy", **options)
    first = datetime.now(timezone.utc) + FIRST_DREAM
    scheduler.add_job(
        sweep_dreams, "interval", seconds=60 * dream_every, next_run_time=first, id=f"{PREFIX}.dream", **options
    )
