"""``base.MaintenanceStore``: across scopes, for jobs, privacy, migration and the command line."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ...dream_records import DreamRun
from ...models import Item
from ...scope import SCOPE_TYPE_SESSION, ScopeRef, session_scope
from ..base import Backlog
from . import dreamrows, index, rows
from .connection import Database, Transaction
from .dreams import with_operations
from .index import ITEMS, TURNS, IndexTable, Tokens
from .rows import count, from_ms, scope_ref, to_ms
from .scoped import Context

TABLES = (
    "domains",
    "scopes",
    "sessions",
    "turns",
    "turn_messages",
    "turn_quotes",
    "turn_recalls",
    "turn_terms",
    "items",
    "item_terms",
    "evidence",
    "candidates",
    "events",
    "vectors",
    "embedding_models",
    "commits",
    "dream_runs",
    "dream_operations",
    "usage",
    "chat_settings",
    "account_settings",
    "erasures",
)

_MERGE_PAGES = 200
_MERGE_STEPS = 100


class SqliteMaintenance:
    def __init__(self, database: Database, context: Context) -> None:
        self._database = database
        self._context = context

    async def backlog(self, *, now: datetime, quiet_before: datetime, limit: int) -> list[Backlog]:
        return await self._backlog("watermark", "retry_at", now, quiet_before, 1, now, limit)

    async def dream_backlog(
        self, *, now: datetime, quiet_before: datetime, older_than: datetime, min_turns: int, limit: int
    ) -> list[Backlog]:
        return await self._backlog("dreamed", "dream_retry_at", now, quiet_before, min_turns, older_than, limit)

    async def _backlog(
        self,
        mark: str,
        retry_at: str,
        now: datetime,
        quiet_before: datetime,
        min_turns: int,
        older_than: datetime,
        limit: int,
    ) -> list[Backlog]:
        found = await self._database.read(
            "WITH late AS (SELECT s.id, s.domain_id, s.session_key, t.recorded_at, t.role = 'user'"
            " AND t.state = 'ordinary' AND t.recalled_at IS NULL AND t.suppressed_at IS NULL AS counts"
            f" FROM sessions s JOIN turns t ON t.session_id = s.id AND t.n > s.{mark}"
            f" WHERE s.last_turn > s.{mark} AND s.{retry_at} <= ?)"
            " SELECT domain_id, session_key, sum(counts), max(recorded_at) FROM late GROUP BY id"
            " HAVING sum(counts) > 0 AND max(recorded_at) <= ?"
            " AND (sum(counts) >= ? OR min(CASE WHEN counts THEN recorded_at END) < ?)"
            " ORDER BY min(CASE WHEN counts THEN recorded_at END), id LIMIT ?",
            (to_ms(now), to_ms(quiet_before), min_turns, to_ms(older_than), count(limit)),
        )
        return [Backlog(domain, key, turns, from_ms(quiet_since)) for domain, key, turns, quiet_since in found]

    async def dream_runs(self, domain_id: str, *, limit: int, offset: int = 0) -> list[DreamRun]:
        found = await self._database.read(
            f"SELECT {dreamrows.RUN_COLUMNS} FROM dream_runs r JOIN sessions s ON s.id = r.session_id"
            " WHERE s.domain_id = ? ORDER BY r.id DESC LIMIT ? OFFSET ?",
            (domain_id, count(limit), count(offset)),
        )
        return await with_operations(self._database.read, found)

    async def dream_session(self, domain_id: str, run_id: str) -> str | None:
        found = await self._database.read(
            "SELECT s.session_key FROM dream_runs r JOIN sessions s ON s.id = r.session_id"
            " WHERE s.domain_id = ? AND r.public_id = ?",
            (domain_id, run_id),
        )
        return found[0][0] if found else None

    async def interrupt_dreams(self, *, idle_since: datetime, at: datetime) -> int:
        async with self._database.transaction() as tx:
            found = await tx.fetch(
                "UPDATE dream_runs SET status = 'failed', reason = 'interrupted', ended_at = ?"
                " WHERE status = 'running' AND active_at <= ? RETURNING 1",
                (to_ms(at), to_ms(idle_since)),
            )
        return len(found)

    async def ended_items(self, *, now: datetime, limit: int) -> list[tuple[str, Item]]:
        found = await self._database.read(
            f"SELECT s.domain_id, {rows.ITEM_COLUMNS} FROM items i JOIN scopes s ON s.id = i.scope_id"
            " WHERE i.status = 'active' AND i.valid_until IS NOT NULL AND i.valid_until <= ?"
            " ORDER BY i.valid_until, i.id LIMIT ?",
            (to_ms(now), count(limit)),
        )
        return [(row[0], rows.item(row[1:])) for row in found]

    async def left_open(self, *, before: datetime, limit: int) -> list[tuple[str, str, int]]:
        found = await self._database.read(
            "SELECT s.domain_id, s.session_key, t.n FROM turns t JOIN sessions s ON s.id = t.session_id"
            " WHERE t.state = 'open' AND t.recorded_at < ? ORDER BY t.recorded_at, t.id LIMIT ?",
            (to_ms(before), count(limit)),
        )
        return [(domain, key, n) for domain, key, n in found]

    async def sessions_of_own_message(self, domain_id: str, self_id: str, message_id: str) -> list[str]:
        found = await self._database.read(
            "SELECT s.session_key FROM sessions s CROSS JOIN turn_messages m ON m.session_id = s.id AND m.self_id = ?"
            " AND m.message_id = ? JOIN turns t ON t.session_id = s.id AND t.n = m.n AND t.role = 'bot'"
            " WHERE s.domain_id = ? ORDER BY s.id",
            (self_id, message_id, domain_id),
        )
        return [key for (key,) in found]

    async def list_items_all_scopes(self, model: str, *, limit: int) -> list[tuple[str, Item]]:
        found = await self._database.read(
            f"SELECT s.domain_id, {rows.ITEM_COLUMNS} FROM items i JOIN scopes s ON s.id = i.scope_id"
            " LEFT JOIN vectors v ON v.item_id = i.id AND v.model = ?"
            " WHERE i.status = 'active' AND (v.identity IS NULL OR v.identity <> i.identity) ORDER BY i.id LIMIT ?",
            (model, count(limit)),
        )
        return [(row[0], rows.item(row[1:])) for row in found]

    async def outdated_terms(self, analyser: int, *, limit: int) -> list[tuple[str, ScopeRef, str | int, str]]:
        limit = count(limit)
        items = await self._database.read(
            "SELECT s.domain_id, s.scope_type, s.external_id, i.public_id, i.content FROM item_terms x"
            " JOIN items i ON i.id = x.item_id JOIN scopes s ON s.id = i.scope_id"
            f" WHERE x.item_id IN ({_outdated(ITEMS)}) ORDER BY x.item_id",
            (analyser, analyser, limit),
        )
        turns = await self._database.read(
            "SELECT s.domain_id, s.session_key, t.n, t.name, t.text FROM turn_terms x"
            " JOIN turns t ON t.id = x.turn_id JOIN sessions s ON s.id = t.session_id"
            f" WHERE x.turn_id IN ({_outdated(TURNS)}) ORDER BY x.turn_id",
            (analyser, analyser, limit - len(items)),
        )
        outdated: list[tuple[str, ScopeRef, str | int, str]] = []
        for domain, scope_type, external_id, id, content in items:
            outdated.append((domain, scope_ref(scope_type, external_id), id, content))
        for domain, session_key, n, name, text in turns:
            outdated.append((domain, session_scope(session_key), n, f"{name}\n{text}" if name else text))
        return outdated

    async def reindex(self, analyser: int, rows: Sequence[tuple[str, ScopeRef, str | int, Sequence[str]]]) -> None:
        tokens = await index.hash_many([(domain, owner, terms) for domain, owner, _, terms in rows])
        async with self._database.transaction() as tx:
            for (domain, owner, ref, _), hashed in zip(rows, tokens, strict=True):
                if isinstance(ref, int) and owner.type == SCOPE_TYPE_SESSION:
                    found = await tx.fetch(
                        "SELECT x.turn_id, x.session_id, t.state IN ('open', 'ordinary', 'unlearnt') FROM turn_terms x"
                        " JOIN turns t ON t.id = x.turn_id JOIN sessions s ON s.id = x.session_id"
                        " WHERE s.domain_id = ? AND s.session_key = ? AND t.n = ? AND x.analyser <> ?",
                        (domain, owner.id, ref, analyser),
                    )
                    await _replace(tx, TURNS, found, hashed, analyser)
                else:
                    found = await tx.fetch(
                        "SELECT x.item_id, x.scope_id, 1 FROM item_terms x"
                        " JOIN items i ON i.id = x.item_id JOIN scopes s ON s.id = x.scope_id"
                        " WHERE s.domain_id = ? AND s.scope_type = ? AND s.external_id = ? AND i.public_id = ?"
                        " AND x.analyser <> ?",
                        (domain, owner.type, owner.id, ref, analyser),
                    )
                    await _replace(tx, ITEMS, found, hashed, analyser)

    async def usage_total(self, day: str) -> tuple[int, int]:
        found = await self._database.read(
            "SELECT coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0) FROM usage WHERE day = ?", (day,)
        )
        return found[0][0], found[0][1]

    async def counts(self) -> dict[str, int]:
        found = await self._database.read(" UNION ALL ".join(f"SELECT '{t}', count(*) FROM {t}" for t in TABLES))
        return dict(found)

    async def tidy(self) -> None:
        for table in (ITEMS, TURNS):
            await self._merge(table)
        await self._database.checkpoint()

    async def _merge(self, table: IndexTable) -> None:
        """Merge the index's segments, a few pages a transaction: each look-up reads every segment."""
        pages = -_MERGE_PAGES  # a negative number marks everything for merging, a positive one goes on with it
        for _ in range(_MERGE_STEPS):
            async with self._database.transaction() as tx:
                before = await tx.fetch("SELECT total_changes()")
                await tx.fetch(f"INSERT INTO {table.index} ({table.index}, rank) VALUES ('merge', ?)", (pages,))
                after = await tx.fetch("SELECT total_changes()")
            if after[0][0] - before[0][0] < 2:
                return
            pages = _MERGE_PAGES


def _outdated(table: IndexTable) -> str:
    # Two ranges instead of <>, so that the index on analyser finds that there is nothing to do.
    return (
        f"SELECT {table.row} FROM {table.terms} WHERE analyser < ?"
        f" UNION ALL SELECT {table.row} FROM {table.terms} WHERE analyser > ? LIMIT ?"
    )


async def _replace(
    tx: Transaction, table: IndexTable, found: Sequence[rows.Row], tokens: Tokens, analyser: int
) -> None:
    """New tokens for one (row id, owner id, whether it is in the index), if it is still there and outdated."""
    for row, owner, indexed in found:
        await index.leave(tx, table, [row] if indexed else [])
        await index.forget(tx, table, [row])
        await index.add(tx, table, [(row, owner, tokens)], analyser)
        await index.enter(tx, table, [row] if indexed else [])
