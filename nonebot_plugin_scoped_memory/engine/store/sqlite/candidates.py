"""Candidates: proposed items and what was decided about them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ...errors import InvalidItemError, NotFoundError
from ...models import Candidate, CandidateStatus
from ...scope import REVIEW_SCOPE, ScopeRef
from . import ids, rows
from .rows import count, from_ms, marks, to_ms
from .scoped import Scoped, Writing

_OLDEST_FIRST = "ORDER BY c.created_at, c.id"


class CandidateReads(Scoped):
    async def candidate(self, id: str) -> Candidate | None:
        found = await self._candidates("c.public_id = ?", (id,))
        return found[0] if found else None

    async def list_candidates(
        self, *, status: CandidateStatus | None = "pending", limit: int = 100, offset: int = 0
    ) -> list[Candidate]:
        where, args = ("1", ()) if status is None else ("c.status = ?", (status,))
        return await self._candidates(f"{where} {_OLDEST_FIRST} LIMIT ? OFFSET ?", (*args, count(limit), count(offset)))

    async def _candidates(self, where: str, args: Sequence[Any]) -> list[Candidate]:
        """What waits for a shared scope is seen where it came from, and by operators."""
        own: str = "1"
        sessions: list[str] = []
        if REVIEW_SCOPE not in self._scopes:
            sessions = sorted(self._sessions)
            own = f"(s.scope_type NOT IN {rows.SHARED_TYPES} OR c.source_session IN {marks(len(sessions))})"
        found = await self.fetch(
            f"SELECT {rows.CANDIDATE_COLUMNS} FROM candidates c JOIN scopes s ON s.id = c.scope_id"
            f" WHERE c.scope_id IN {self.within} AND {own} AND {where}",
            (*self.within_args, *sessions, *args),
        )
        return [rows.candidate(row) for row in found]


class CandidateWrites(Writing, CandidateReads):
    async def add_candidate(self, candidate: Candidate) -> Candidate:
        scope_id = await self.scope_id(candidate.scope)
        if not candidate.id:
            candidate = dataclasses.replace(candidate, id=await ids.new_id(self.tx, self.context.ids))
        elif await ids.taken(self.tx, candidate.id):
            raise InvalidItemError("id", f"{candidate.id!r} is taken")
        columns = rows.CANDIDATE_FIELDS
        await self.tx.fetch(
            f"INSERT INTO candidates ({columns}) VALUES {marks(len(columns.split(', ')))}",
            rows.candidate_values(candidate, scope_id),
        )
        return dataclasses.replace(
            candidate,
            created_at=from_ms(to_ms(candidate.created_at)),
            valid_until=rows.from_ms_or_none(rows.to_ms_or_none(candidate.valid_until)),
            decided_at=rows.from_ms_or_none(rows.to_ms_or_none(candidate.decided_at)),
        )

    async def same_candidates(self, scope: ScopeRef, kind: str, subject: str, identity: str) -> list[Candidate]:
        return await self._candidates(
            "s.scope_type = ? AND s.external_id = ? AND c.kind = ? AND c.subject = ? AND c.identity = ?"
            f" {_OLDEST_FIRST}",
            (scope.type, scope.id, kind, subject, identity),
        )

    async def candidates_of_item(self, item_id: str) -> list[Candidate]:
        # Who reaches the item may know what became of it, whichever session of its chat proposed it.
        found = await self.fetch(
            f"SELECT {rows.CANDIDATE_COLUMNS} FROM candidates c JOIN scopes s ON s.id = c.scope_id"
            f" WHERE c.scope_id IN {self.within} AND c.status = 'pending' AND c.item_id = ? AND EXISTS"
            f" (SELECT 1 FROM items i WHERE i.public_id = c.item_id AND i.scope_id IN {self.within}) {_OLDEST_FIRST}",
            (*self.within_args, item_id, *self.within_args),
        )
        return [rows.candidate(row) for row in found]

    async def decide_candidate(
        self, id: str, status: CandidateStatus, *, reason: str, by: str, at: datetime, item_id: str = ""
    ) -> None:
        found = await self.fetch(
            "UPDATE candidates SET status = ?, reason = ?, decided_by = ?, decided_at = ?,"
            " item_id = coalesce(nullif(?, ''), item_id)"
            f" WHERE public_id = ? AND scope_id IN {self.within} RETURNING 1",
            (status, reason, by, to_ms(at), item_id, id, *self.within_args),
        )
        if not found:
            raise NotFoundError("candidate", id)
