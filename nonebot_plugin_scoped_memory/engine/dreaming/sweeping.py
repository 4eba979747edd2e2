"""Which sessions are dreamt of, and in which order."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from datetime import timedelta

from ..errors import StoreUnreachableError
from ..store.base import MaintenanceStore
from .dream import DreamReport, Tools, dream

logger = logging.getLogger(__name__)

OLD = timedelta(days=1)
"""Messages of this age are dreamt of, however few they are."""
IDLE = timedelta(hours=1)
"""A run that did nothing for so long is dead, whichever process it belonged to."""
BACKLOG = 1_000
"""Sessions looked at in one sweep; those whose memory is off are among them."""


@dataclass(frozen=True, slots=True)
class SweepReport:
    """``dreams`` are the reports of the sessions that had their turn; ``failed`` counts those that raised."""

    dreams: tuple[DreamReport, ...] = ()
    failed: int = 0


class Dreamer:
    """Sweeps over the sessions, the longest waiting first."""

    def __init__(self, tools: Tools, maintenance: MaintenanceStore) -> None:
        self._tools = tools
        self._maintenance = maintenance
        self._recovered = False
        self._sweeping = asyncio.Lock()
        self._recovering = asyncio.Lock()

    async def dream(
        self, domain_id: str, session_key: str, *, force: bool = False, bots: frozenset[str] = frozenset()
    ) -> DreamReport:
        """See ``dream.dream``."""
        await self._recover()
        return await dream(self._tools, domain_id, session_key, force=force, bots=bots)

    async def sweep(self, *, bots: frozenset[str] = frozenset()) -> SweepReport:
        """Dream of those sessions that are due. What fails keeps nobody else waiting. Raises StoreUnreachableError."""
        async with self._sweeping:
            await self._recover()
            return await self._sweep(bots)

    async def _sweep(self, bots: frozenset[str]) -> SweepReport:
        settings, now = self._tools.settings.dream, self._tools.clock()
        due = await self._maintenance.dream_backlog(
            now=now,
            quiet_before=now - settings.quiet,
            older_than=now - OLD,
            min_turns=settings.min_turns,
            limit=BACKLOG,
        )
        dreams: list[DreamReport] = []
        failed = 0
        for one in due:
            if len(dreams) + failed >= settings.sessions_per_run:
                break
            try:
                report = await dream(self._tools, one.domain_id, one.session_key, bots=bots)
            except StoreUnreachableError:
                raise
            except Exception as e:  # noqa: BLE001 - whatever it is, it is this session's
                logger.error("%s/%s: a dream failed: %s", one.domain_id, one.session_key, type(e).__name__)
                failed += 1
                continue
            if report.run is not None:
                dreams.append(report)
            if report.waiting in ("stopped", "budget"):
                break  # so would all others
        return SweepReport(tuple(dreams), failed)

    async def _recover(self) -> None:
        """Runs that a killed process left have failed. The first time all of them; if one is alive in another process
        after all, it finds that out at its next step and ends there."""
        async with self._recovering:  # two that come first at once must not take each other's runs for dead
            now = self._tools.clock()
            idle_since = now - IDLE if self._recovered else now
            if left := await self._maintenance.interrupt_dreams(idle_since=idle_since, at=now):
                logger.info("%d dreams were interrupted", left)
            self._recovered = True
