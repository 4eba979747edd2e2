"""The part of the engine's door that dreams: sweeps, one session at once, and what operators do with a patch."""

from __future__ import annotations

from .changing import Actor
from .door import Door
from .dream_records import DreamRun
from .dreaming import expiring, undoing
from .dreaming.dream import DreamReport
from .dreaming.sweeping import Dreamer, SweepReport
from .dreaming.undoing import Decided
from .errors import NotFoundError
from .listening import Listener
from .scope import session_scope

RECENT = 100
"""Runs that a list shows."""


class DreamDoor(Door):
    dreamer: Dreamer
    listener: Listener

    async def dream_now(self, session_key: str, *, domain_id: str | None = None) -> DreamReport:
        """Dream of one session, however little was said in it."""
        domain = self._domain(domain_id)
        report = await self.dreamer.dream(domain, session_key, force=True, bots=self.listener.bots)
        self._refresh_later()
        return report

    async def sweep_dreams(self) -> SweepReport:
        """Dream of the sessions that are due, in every domain, then embed what is missing in every scope."""
        report = await self.dreamer.sweep(bots=self.listener.bots)
        if self._vectoriser is not None:
            await self._vectoriser.refresh()
        return report

    async def expire_items(self) -> int:
        """Archive what has ended by its own date, in every scope. Returns how many."""
        return await expiring.sweep(self.store, self.maintenance, self.clock)

    async def dream_runs(self, *, limit: int = RECENT, domain_id: str | None = None) -> list[DreamRun]:
        """For operators: the runs of all sessions, newest first."""
        return await self.maintenance.dream_runs(self._domain(domain_id), limit=limit)

    async def dream_run(self, run_id: str, *, domain_id: str | None = None) -> DreamRun:
        """For operators. Raises NotFoundError."""
        domain = self._domain(domain_id)
        session_key = await self._session_of(domain, run_id)
        run = await self.store.view(domain, (session_scope(session_key),)).dream_run(run_id)
        if run is None:
            raise NotFoundError("dream", run_id)
        return run

    async def undo_dream(self, run_id: str, actor: Actor, *, domain_id: str | None = None) -> Decided:
        """See ``undoing.undo``. Raises NotFoundError, UndoRefusedError."""
        domain = self._domain(domain_id)
        session_key = await self._session_of(domain, run_id)
        decided = await undoing.undo(self.store, domain, session_key, run_id, actor, self.clock())
        self._refresh_later()
        return decided

    async def approve_dream(self, run_id: str, actor: Actor, *, domain_id: str | None = None) -> Decided:
        """See ``undoing.approve``. Raises NotFoundError."""
        domain = self._domain(domain_id)
        session_key = await self._session_of(domain, run_id)
        decided = await undoing.approve(self.store, domain, session_key, run_id, actor, self.clock())
        self._refresh_later()
        return decided

    async def _session_of(self, domain_id: str, run_id: str) -> str:
        session_key = await self.maintenance.dream_session(domain_id, run_id)
        if session_key is None:
            raise NotFoundError("dream", run_id)
        return session_key

    def _refresh_later(self) -> None:
        if self._vectoriser is not None:
            self._background.spawn(self._vectoriser.refresh(), "embed after a dream")
