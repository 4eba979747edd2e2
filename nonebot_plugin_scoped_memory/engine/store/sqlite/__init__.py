"""The SQLite store: one file, text index and vectors included, nothing but Python's own sqlite3 behind aiosqlite."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from ...models import Clock, IdSource, NewTurn, Turn
from ...scope import ScopeRef, session_scope
from . import vectors as vector_rows
from .connection import Database, finish
from .groupcommit import GroupCommit
from .ids import random_id
from .location import Location
from .maintenance import SqliteMaintenance
from .scoped import Context, check_domain, check_scopes
from .vectorcache import VectorCache
from .view import SqliteView, SqliteWrite

if TYPE_CHECKING:
    import numpy as np

__all__ = ["SqliteStore", "open_sqlite"]


async def open_sqlite(url: str, *, clock: Clock, ids: IdSource | None = None, analyser: int = 1) -> SqliteStore:
    """Open the database at ``url`` (see ``Location.parse``), making folder, file and tables as needed.

    ``ids`` yields public ids, at random by default; ``analyser`` is the version of the terms that will be passed.
    Raises StoreError for a URL that names no file, StoreUnreachableError, StoreTooNewError.
    """
    database = await Database.open(Location.parse(url))
    return SqliteStore(database, Context(clock, ids or random_id, analyser, VectorCache()))


class SqliteStore:
    """``base.Store`` in one SQLite file, with ``maintenance`` as its other door. Made by ``open_sqlite``."""

    def __init__(self, database: Database, context: Context) -> None:
        self._database = database
        self._context = context
        self._turns = GroupCommit(database, context)
        self._closing: asyncio.Task[None] | None = None
        self.maintenance = SqliteMaintenance(database, context)

    @property
    def url(self) -> str:
        return self._database.url

    def view(self, domain_id: str, scopes: Sequence[ScopeRef]) -> SqliteView:
        return SqliteView(self._context, domain_id, scopes, self._database.read)

    def write(self, domain_id: str, scopes: Sequence[ScopeRef]) -> AbstractAsyncContextManager[SqliteWrite]:
        check_domain(domain_id)
        return self._write(domain_id, check_scopes(scopes))

    @asynccontextmanager
    async def _write(self, domain_id: str, scopes: Sequence[ScopeRef]) -> AsyncIterator[SqliteWrite]:
        async with self._database.transaction() as tx:
            yield SqliteWrite(self._context, domain_id, scopes, tx)

    async def record_turn(self, domain_id: str, session_key: str, turn: NewTurn, terms: Sequence[str]) -> Turn:
        check_domain(domain_id)
        session_scope(session_key)  # raises InvalidScopeError for a key that can own nothing
        return await self._turns.record(domain_id, session_key, turn, terms)

    async def put_vectors(
        self,
        domain_id: str,
        model: str,
        vectors: Mapping[str, np.ndarray],
        *,
        identities: Mapping[str, str] | None = None,
    ) -> int:
        check_domain(domain_id)
        if not vectors:
            return 0
        quantised = await asyncio.to_thread(vector_rows.quantise, vectors)
        async with self._database.transaction() as tx:
            return await vector_rows.put(tx, domain_id, model, quantised, identities or {})

    async def embedding_floor(self, model: str) -> tuple[int, float] | None:
        found = await self._database.read("SELECT dimensions, floor FROM embedding_models WHERE model = ?", (model,))
        return (found[0][0], found[0][1]) if found else None

    async def set_embedding_floor(self, model: str, dimensions: int, floor: float) -> None:
        async with self._database.transaction() as tx:
            if await vector_rows.dimensions_of(tx, model) not in (None, dimensions):
                await vector_rows.drop_model(tx, model)
            await tx.fetch(
                "INSERT INTO embedding_models (model, dimensions, floor) VALUES (?, ?, ?)"
                " ON CONFLICT (model) DO UPDATE SET dimensions = excluded.dimensions, floor = excluded.floor",
                (model, dimensions, floor),
            )

    async def close(self) -> None:
        self._database.check_not_writing()
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        await finish(self._closing)

    async def _close(self) -> None:
        await self._turns.close()
        await self._database.close()
