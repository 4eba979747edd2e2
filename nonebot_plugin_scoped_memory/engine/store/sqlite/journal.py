"""Events, settings, usage and commits: what is kept beside items and turns."""

from __future__ import annotations

from datetime import datetime

from ...models import MemoryEvent, UsageRow
from ...scope import REVIEW_SCOPE, ScopeRef
from . import rows
from .rows import scope_ref, to_ms
from .scoped import Scoped, Writing


class JournalReads(Scoped):
    async def events(self, item_id: str) -> list[MemoryEvent]:
        # An event stays in the scope where it happened, also when its item moves: both must lie in the view.
        # What was done to a shared item names who did it: for operators only.
        own = "1" if REVIEW_SCOPE in self._scopes else f"s.scope_type NOT IN {rows.SHARED_TYPES}"
        found = await self.fetch(
            f"SELECT {rows.EVENT_COLUMNS} FROM events e JOIN scopes s ON s.id = e.scope_id"
            f" WHERE e.item_id = ? AND e.item_id <> '' AND e.scope_id IN {self.within} AND {own} AND EXISTS"
            f" (SELECT 1 FROM items i WHERE i.public_id = e.item_id AND i.scope_id IN {self.within}) ORDER BY e.id",
            (item_id, *self.within_args, *self.within_args),
        )
        return [rows.event(row) for row in found]

    async def chat_settings(self, scope: ScopeRef) -> dict[str, str]:
        return dict(
            await self.fetch(
                "SELECT c.name, c.value FROM chat_settings c JOIN scopes s ON s.id = c.scope_id"
                f" WHERE c.scope_id IN {self.within} AND s.scope_type = ? AND s.external_id = ? ORDER BY c.name",
                (*self.within_args, scope.type, scope.id),
            )
        )

    async def account_settings(self, account: str) -> dict[ScopeRef, dict[str, str]]:
        found = await self.fetch(
            "SELECT s.scope_type, s.external_id, a.name, a.value FROM account_settings a"
            " JOIN scopes s ON s.id = a.scope_id"
            f" WHERE a.account = ? AND a.scope_id IN {self.within} ORDER BY s.scope_type, s.external_id, a.name",
            (account, *self.within_args),
        )
        settings: dict[ScopeRef, dict[str, str]] = {}
        for scope_type, external_id, name, value in found:
            settings.setdefault(scope_ref(scope_type, external_id), {})[name] = value
        return settings

    async def usage(self, day: str) -> list[UsageRow]:
        found = await self.fetch(
            "SELECT u.day, s.scope_type, s.external_id, u.purpose, u.calls, u.tokens_in, u.tokens_out, u.estimated"
            f" FROM usage u JOIN scopes s ON s.id = u.scope_id WHERE u.day = ? AND u.scope_id IN {self.within}"
            " ORDER BY s.scope_type, s.external_id, u.purpose",
            (day, *self.within_args),
        )
        return [rows.usage(row) for row in found]

    async def commit_result(self, session_key: str, commit_id: str) -> str | None:
        if not self.reads_session(session_key):
            return None
        found = await self.fetch(
            "SELECT c.result FROM commits c JOIN sessions s ON s.id = c.session_id"
            " WHERE s.domain_id = ? AND s.session_key = ? AND c.commit_id = ?",
            (self._domain_id, session_key, commit_id),
        )
        return found[0][0] if found else None


class JournalWrites(Writing, JournalReads):
    async def add_event(self, event: MemoryEvent) -> None:
        await self.tx.fetch(
            "INSERT INTO events (scope_id, item_id, candidate_id, action, actor, reason, before, at)"
            f" VALUES {rows.marks(8)}",
            (
                await self.scope_id(event.scope),
                event.item_id,
                event.candidate_id,
                event.action,
                event.actor,
                event.reason,
                event.before,
                to_ms(event.at),
            ),
        )

    async def set_chat_setting(self, scope: ScopeRef, name: str, value: str, *, by: str, at: datetime) -> None:
        await self.tx.fetch(
            "INSERT INTO chat_settings (scope_id, name, value, changed_by, changed_at) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (scope_id, name) DO UPDATE SET"
            " value = excluded.value, changed_by = excluded.changed_by, changed_at = excluded.changed_at",
            (await self.scope_id(scope), name, value, by, to_ms(at)),
        )

    async def set_account_setting(self, scope: ScopeRef, account: str, name: str, value: str, *, at: datetime) -> None:
        await self.tx.fetch(
            "INSERT INTO account_settings (scope_id, account, name, value, changed_at) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (account, name, scope_id) DO UPDATE SET"
            " value = excluded.value, changed_at = excluded.changed_at",
            (await self.scope_id(scope), account, name, value, to_ms(at)),
        )

    async def add_usage(self, row: UsageRow) -> None:
        await self.tx.fetch(
            "INSERT INTO usage (scope_id, day, purpose, calls, tokens_in, tokens_out, estimated)"
            " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (scope_id, day, purpose) DO UPDATE SET"
            " calls = calls + excluded.calls, tokens_in = tokens_in + excluded.tokens_in,"
            " tokens_out = tokens_out + excluded.tokens_out, estimated = max(estimated, excluded.estimated)",
            (
                await self.scope_id(row.scope),
                row.day,
                row.purpose,
                row.calls,
                row.tokens_in,
                row.tokens_out,
                row.estimated,
            ),
        )

    async def save_commit(self, session_key: str, commit_id: str, result: str, *, at: datetime) -> bool:
        made = await self.tx.fetch(
            "INSERT INTO commits (session_id, commit_id, result, created_at) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING RETURNING 1",
            (await self.session_id(session_key), commit_id, result, to_ms(at)),
        )
        return bool(made)
