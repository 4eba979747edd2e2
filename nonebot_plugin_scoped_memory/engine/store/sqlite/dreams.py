"""Dreams: what a run did, through the gate of the session that it ran over."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ...dream_records import DreamOperation, DreamRun, DreamStatus, OperationAction
from ...errors import NotFoundError
from ...together import in_turns
from . import dreamrows, ids
from .rows import Row, chunks, count, marks, to_ms
from .scoped import Fetch, Scoped, Writing


async def with_operations(fetch: Fetch, found: Sequence[Row]) -> list[DreamRun]:
    """The runs of these rows (``dreamrows.RUN_COLUMNS``), each with its operations."""
    by_run: dict[int, list[DreamOperation]] = {}
    for part in chunks(row[-1] for row in found):
        lines = await fetch(
            f"SELECT {dreamrows.OPERATION_COLUMNS} FROM dream_operations WHERE run_id IN {marks(len(part))}"
            " ORDER BY run_id, place",
            part,
        )
        async for line in in_turns(lines):
            by_run.setdefault(line[-1], []).append(dreamrows.operation(line))
    return [dreamrows.run(row, tuple(by_run.get(row[-1], ()))) for row in found]


class DreamReads(Scoped):
    async def dream_run(self, id: str) -> DreamRun | None:
        sessions = sorted(self._sessions)
        found = await self._runs(f"r.public_id = ? AND s.session_key IN {marks(len(sessions))}", (id, *sessions))
        return found[0] if found else None

    async def dream_runs(self, session_key: str, *, limit: int) -> list[DreamRun]:
        if not self.reads_session(session_key):
            return []
        return await self._runs("s.session_key = ? ORDER BY r.id DESC LIMIT ?", (session_key, count(limit)))

    async def dream_operations(
        self, session_key: str, actions: Sequence[OperationAction], *, runs: int
    ) -> dict[str, list[DreamOperation]]:
        if not self.reads_session(session_key):
            return {}
        found = await self.fetch(
            "SELECT r.id, r.public_id FROM dream_runs r JOIN sessions s ON s.id = r.session_id"
            " WHERE s.domain_id = ? AND s.session_key = ? ORDER BY r.id DESC LIMIT ?",
            (self._domain_id, session_key, count(runs)),
        )
        names: dict[int, str] = dict(found)
        operations: dict[str, list[DreamOperation]] = {name: [] for name in names.values()}
        for part in chunks(names):
            lines = await self.fetch(
                f"SELECT {dreamrows.OPERATION_COLUMNS} FROM dream_operations WHERE run_id IN {marks(len(part))}"
                f" AND action IN {marks(len(actions))} ORDER BY run_id, place",
                (*part, *actions),
            )
            async for line in in_turns(lines):
                operations[names[line[-1]]].append(dreamrows.operation(line))
        return operations

    async def _runs(self, where: str, args: Sequence[object]) -> list[DreamRun]:
        found = await self.fetch(
            f"SELECT {dreamrows.RUN_COLUMNS} FROM dream_runs r JOIN sessions s ON s.id = r.session_id"
            f" WHERE s.domain_id = ? AND {where}",
            (self._domain_id, *args),
        )
        return await with_operations(self.fetch, found)


class DreamWrites(Writing, DreamReads):
    async def start_dream(self, session_key: str, *, at: datetime) -> DreamRun | None:
        session_id = await self.session_id(session_key)
        if await self.fetch("SELECT 1 FROM dream_runs WHERE session_id = ? AND status = 'running'", (session_id,)):
            return None
        id = await ids.new_id(self.tx, self.context.ids)
        await self.tx.fetch(
            "INSERT INTO dream_runs (public_id, session_id, status, started_at, active_at)"
            " VALUES (?, ?, 'running', ?, ?)",
            (id, session_id, to_ms(at), self.context.now()),
        )
        return await self.dream_run(id)

    async def add_dream_operations(
        self, run_id: str, operations: Sequence[DreamOperation], *, turns: int = 0, running: bool = True
    ) -> None:
        row = await self._row(run_id, "running" if running else None)
        last = await self.fetch("SELECT coalesce(max(place), 0) FROM dream_operations WHERE run_id = ?", (row,))
        first = last[0][0] + 1
        await self.tx.many(
            f"INSERT INTO dream_operations ({dreamrows.OPERATION_COLUMNS}) VALUES {marks(12)}",
            [dreamrows.operation_values(one, first + i, row) for i, one in enumerate(operations)],
        )
        await self.tx.fetch(
            "UPDATE dream_runs SET turns = turns + ?, active_at = ? WHERE id = ?", (turns, self.context.now(), row)
        )

    async def set_dream_operation(self, run_id: str, operation: DreamOperation) -> None:
        row = await self._row(run_id)
        changed = await self.tx.fetch(
            f"UPDATE dream_operations SET ({dreamrows.OPERATION_COLUMNS}) = {marks(12)}"
            " WHERE run_id = ? AND place = ? RETURNING 1",
            (*dreamrows.operation_values(operation, operation.place, row), row, operation.place),
        )
        if not changed:
            raise NotFoundError("dream operation", f"{run_id}#{operation.place}")

    async def end_dream(self, run_id: str, status: DreamStatus, *, reason: str = "", at: datetime) -> None:
        row = await self._row(run_id)
        await self.tx.fetch(
            "UPDATE dream_runs SET status = ?, reason = ?, ended_at = ? WHERE id = ?", (status, reason, to_ms(at), row)
        )

    async def set_dreamed(self, session_key: str, n: int) -> None:
        await self._set(
            session_key, "dreamed = max(dreamed, min(?, last_turn)), dream_failures = 0, dream_retry_at = 0", n
        )

    async def set_dream_failure(self, session_key: str, failures: int, retry_at: datetime) -> None:
        await self._set(session_key, "dream_failures = ?, dream_retry_at = ?", failures, to_ms(retry_at))

    async def _set(self, session_key: str, change: str, *args: object) -> None:
        session_id = await self.session_id(session_key)
        await self.tx.fetch(f"UPDATE sessions SET {change} WHERE id = ?", (*args, session_id))

    async def _row(self, run_id: str, status: DreamStatus | None = None) -> int:
        sessions = sorted(self._sessions)
        found = await self.fetch(
            "SELECT r.id FROM dream_runs r JOIN sessions s ON s.id = r.session_id WHERE r.public_id = ?"
            f" AND s.domain_id = ? AND s.session_key IN {marks(len(sessions))} AND r.status = coalesce(?, r.status)",
            (run_id, self._domain_id, *sessions, status),
        )
        if not found:
            raise NotFoundError("dream", run_id)
        return found[0][0]
