"""Every table leads to a domain and to a scope or session, so that nothing can be stored outside the walls."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from nonebot_plugin_scoped_memory.engine.store.sqlite import maintenance, migrations

ROOTS = {"domains": "a domain itself"}
OWNERS = {"scopes", "sessions"}
WITHOUT_OWNER = {
    "embedding_models": "says of a model how large its vectors are, nothing about anyone",
    "erasures": "a keyed hash of an account that asked to be erased from a whole domain; reaches the domain only",
}
TEXT_INDEXES = {
    "item_index": "contentless: hashed tokens, which hold their owner; the row is that of item_terms",
    "turn_index": "the same with turn_terms",
}


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(":memory:")
    for migration in migrations.load():
        for statement in migration.statements:
            db.execute(statement)
    yield db
    db.close()


def tables(db: sqlite3.Connection) -> set[str]:
    """Without SQLite's own and the shadow tables of the text indexes."""
    names = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    shadows = {name for name in names for index in TEXT_INDEXES if name.startswith(f"{index}_")}
    return {name for name in names - shadows if not name.startswith("sqlite_")}


def parents(db: sqlite3.Connection, table: str) -> set[str]:
    """Tables that each row of ``table`` must belong to: foreign keys all of whose columns are NOT NULL."""
    columns_of = db.execute(f"PRAGMA table_info({table})").fetchall()
    # A primary key of one INTEGER column is never NULL, though table_info does not say so.
    required = {name for _, name, kind, notnull, _, pk in columns_of if notnull or (pk and kind == "INTEGER")}
    keys: dict[int, tuple[str, set[str]]] = {}
    for id, _, parent, column, *_ in db.execute(f"PRAGMA foreign_key_list({table})"):
        keys.setdefault(id, (parent, set()))[1].add(column)
    return {parent for parent, columns in keys.values() if columns <= required}


def ancestors(db: sqlite3.Connection, table: str) -> set[str]:
    reached: set[str] = set()
    waiting = {table}
    while waiting:
        reached |= waiting
        waiting = {parent for name in waiting for parent in parents(db, name)} - reached
    return reached


def test_every_table_leads_to_an_owner(db: sqlite3.Connection) -> None:
    for table in tables(db) - set(TEXT_INDEXES) - set(ROOTS) - set(WITHOUT_OWNER):
        reached = ancestors(db, table)
        assert "domains" in reached, table
        assert reached & OWNERS, table


def test_the_exceptions_are_needed(db: sqlite3.Connection) -> None:
    assert set(TEXT_INDEXES) | set(ROOTS) | set(WITHOUT_OWNER) <= tables(db)
    for table in WITHOUT_OWNER:
        assert not ancestors(db, table) & OWNERS
    assert "domains" in ancestors(db, "erasures")


def test_text_indexes_keep_no_text(db: sqlite3.Connection) -> None:
    for name in TEXT_INDEXES:
        sql = db.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0]
        assert "content = ''" in sql
        assert db.execute(f"SELECT count(*) FROM sqlite_master WHERE name = '{name}_content'").fetchone()[0] == 0


def test_counts_name_every_table(db: sqlite3.Connection) -> None:
    assert set(maintenance.TABLES) == tables(db) - set(TEXT_INDEXES)
