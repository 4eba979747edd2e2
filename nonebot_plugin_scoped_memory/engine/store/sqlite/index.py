"""The text index: which rows are in it, and the size of each owner's part. The same code for items and turns.

An entry of a contentless FTS5 table can only be deleted by naming its terms again (below SQLite 3.43), so the *terms
table* beside the index keeps them. ``enter`` and ``leave`` change the index alone; a row of the terms table stays.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...scope import ScopeRef
from ..terms import composites, owner_name
from .connection import Transaction
from .rows import chunks, marks

_LOOP_TERMS = 1_000
"""More terms than this (1 ms of hashing) are hashed in a thread."""


@dataclass(frozen=True, slots=True)
class IndexTable:
    """Names of one text index: its tables and columns, and where its owners keep their sizes."""

    index: str
    terms: str
    row: str
    owner: str
    owners: str
    documents: str


ITEMS = IndexTable("item_index", "item_terms", "item_id", "scope_id", "scopes", "item_count")
TURNS = IndexTable("turn_index", "turn_terms", "turn_id", "session_id", "sessions", "turn_count")


@dataclass(frozen=True, slots=True)
class Tokens:
    """Hashed terms of one text, ready to be stored."""

    text: str
    length: int


def hash_terms(domain_id: str, owner: ScopeRef, terms: Sequence[str]) -> Tokens:
    return Tokens(" ".join(composites(owner_name(domain_id, owner), terms)), len(terms))


async def hash_many(texts: Sequence[tuple[str, ScopeRef, Sequence[str]]]) -> list[Tokens]:
    """``hash_terms`` of each (domain, owner, terms); in a thread if it would hold up the loop."""

    def work() -> list[Tokens]:
        return [hash_terms(*text) for text in texts]

    if sum(len(terms) for _, _, terms in texts) > _LOOP_TERMS:
        return await asyncio.to_thread(work)
    return work()


async def add(tx: Transaction, table: IndexTable, rows: Sequence[tuple[int, int, Tokens]], analyser: int) -> None:
    """Keep the tokens of new (row id, owner id, tokens); they are not in the index before ``enter``."""
    await tx.many(
        f"INSERT INTO {table.terms} ({table.row}, {table.owner}, length, analyser, terms) VALUES (?, ?, ?, ?, ?)",
        [(row, owner, tokens.length, analyser, tokens.text) for row, owner, tokens in rows],
    )


async def enter(tx: Transaction, table: IndexTable, rows: Iterable[int]) -> None:
    """Put rows whose tokens are kept into the index."""
    for part in chunks(rows):
        await tx.fetch(
            f"INSERT INTO {table.index} (rowid, terms)"
            f" SELECT {table.row}, terms FROM {table.terms} WHERE {table.row} IN {marks(len(part))}",
            part,
        )
        await _count(tx, table, part, "+")


async def leave(tx: Transaction, table: IndexTable, rows: Iterable[int]) -> None:
    """Take rows that are in the index out of it; rows without tokens are skipped."""
    for part in chunks(rows):
        await tx.fetch(
            f"INSERT INTO {table.index} ({table.index}, rowid, terms)"
            f" SELECT 'delete', {table.row}, terms FROM {table.terms} WHERE {table.row} IN {marks(len(part))}",
            part,
        )
        await _count(tx, table, part, "-")


async def forget(tx: Transaction, table: IndexTable, rows: Iterable[int]) -> None:
    """Drop the tokens of rows that have left the index."""
    for part in chunks(rows):
        await tx.fetch(f"DELETE FROM {table.terms} WHERE {table.row} IN {marks(len(part))}", part)


async def _count(tx: Transaction, table: IndexTable, rows: Sequence[int], sign: str) -> None:
    await tx.fetch(
        f"UPDATE {table.owners} SET {table.documents} = {table.documents} {sign} part.documents,"
        f" term_count = term_count {sign} part.length"
        f" FROM (SELECT {table.owner} AS owner, count(*) AS documents, sum(length) AS length FROM {table.terms}"
        f" WHERE {table.row} IN {marks(len(rows))} GROUP BY {table.owner}) AS part"
        f" WHERE {table.owners}.id = part.owner",
        rows,
    )
