"""What must hold of a database file whatever happened to the processes that wrote it. Read with plain SQL, so that no
fault of the store can hide itself."""

from __future__ import annotations

import sqlite3
from collections import Counter
from datetime import tzinfo
from pathlib import Path
from typing import Any

from nonebot_plugin_scoped_memory.engine.scope import ScopeRef, session_scope
from nonebot_plugin_scoped_memory.engine.store.sqlite.rows import from_ms
from nonebot_plugin_scoped_memory.engine.store.terms import composites, owner_name
from nonebot_plugin_scoped_memory.engine.text import document_terms
from nonebot_plugin_scoped_memory.engine.turn_search import indexed_text

_INDEXES = (
    (
        "item_index",
        "SELECT item_id, terms, 1, scope_id, length FROM item_terms",
        "SELECT i.id, s.domain_id, s.scope_type, s.external_id, i.content FROM items i"
        " JOIN scopes s ON s.id = i.scope_id WHERE i.status = 'active'",
        "SELECT id, item_count, term_count FROM scopes",
    ),
    (
        "turn_index",
        "SELECT x.turn_id, x.terms, t.state IN ('open', 'ordinary'), x.session_id, x.length"
        " FROM turn_terms x JOIN turns t ON t.id = x.turn_id",
        "SELECT t.id, s.domain_id, s.session_key, t.name, t.text, t.said_at FROM turns t"
        " JOIN sessions s ON s.id = t.session_id"
        " WHERE t.recalled_at IS NULL AND t.suppressed_at IS NULL AND t.erased_at IS NULL",
        "SELECT id, turn_count, term_count FROM sessions",
    ),
)
_DREAM_EVENTS = {"merge": "merged", "archive": "archived", "expire": "archived", "update": "superseded"}


def faults(path: Path, zone: tzinfo) -> list[str]:
    """What is wrong with the file, one line a fault; ``zone`` is the engine's. Nobody may be writing it."""
    db = sqlite3.connect(path)
    try:
        found = [f"integrity: {row[0]}" for row in db.execute("PRAGMA integrity_check") if row[0] != "ok"]
        found += [f"foreign key: {row}" for row in db.execute("PRAGMA foreign_key_check")]
        found += _turn_faults(db)
        for index, kept, rows, counts in _INDEXES:
            found += [f"{index}: {fault}" for fault in _index_faults(db, index, kept, rows, counts, zone)]
        found += _dream_faults(db)
        return found
    finally:
        db.close()


def doubled_turns(path: Path) -> list[str]:
    """Texts that stand more than once in a session."""
    return _first_column(path, "SELECT text FROM turns GROUP BY session_id, text HAVING count(*) > 1")


def doubled_items(path: Path) -> list[str]:
    """Contents that stand more than once in a scope, of whatever status."""
    return _first_column(path, "SELECT content FROM items GROUP BY scope_id, content HAVING count(*) > 1")


def interrupted_dreams(path: Path) -> int:
    """Runs that ended because their process did."""
    return len(_rows(path, "SELECT 1 FROM dream_runs WHERE reason = 'interrupted'"))


def turns_told(path: Path) -> set[tuple[str, str]]:
    """(session key, text) of every turn."""
    return _pairs(path, "SELECT s.session_key, t.text FROM turns t JOIN sessions s ON s.id = t.session_id")


def passed_over(path: Path) -> set[tuple[str, int]]:
    """(session key, number) of people's turns at or before the watermark that no item rests on."""
    return _pairs(
        path,
        "SELECT s.session_key, t.n FROM turns t JOIN sessions s ON s.id = t.session_id"
        " WHERE t.n <= s.watermark AND t.role = 'user' AND t.state IN ('open', 'ordinary')"
        " AND NOT EXISTS (SELECT 1 FROM evidence e WHERE e.session_id = t.session_id AND e.n = t.n)",
    )


def _first_column(path: Path, sql: str) -> list[str]:
    return [row[0] for row in _rows(path, sql)]


def _pairs(path: Path, sql: str) -> set[Any]:
    return {(row[0], row[1]) for row in _rows(path, sql)}


def _rows(path: Path, sql: str) -> list[Any]:
    db = sqlite3.connect(path)
    try:
        return db.execute(sql).fetchall()
    finally:
        db.close()


def _turn_faults(db: sqlite3.Connection) -> list[str]:
    """Numbers are those from 1 to the last one, and no mark stands beyond it."""
    return [
        f"session {key}: {count} turns, numbers {first} to {highest}, last {last}, marks {marks}"
        for key, last, count, first, highest, *marks in db.execute(
            "SELECT s.session_key, s.last_turn, count(t.id), coalesce(min(t.n), 1), coalesce(max(t.n), 0), s.watermark,"
            " s.dreamed, s.summarised FROM sessions s LEFT JOIN turns t ON t.session_id = s.id GROUP BY s.id"
        )
        if (first, highest, count) != (1, last, last) or max(marks) > last
    ]


def _index_faults(db: sqlite3.Connection, index: str, kept: str, rows: str, counts: str, zone: tzinfo) -> list[str]:
    found: list[str] = []
    tokens: dict[int, str] = {}
    entered: dict[int, str] = {}
    documents: Counter[int] = Counter()
    lengths: Counter[int] = Counter()
    for row, terms, is_in, owner, length in db.execute(kept):
        tokens[row] = terms
        if is_in:
            entered[row] = terms
            documents[owner] += 1
            lengths[owner] += length
    if (expected := {row: _tokens(*rest, zone=zone) for row, *rest in db.execute(rows)}) != tokens:
        wrong = [row for row in expected.keys() | tokens.keys() if expected.get(row) != tokens.get(row)]
        found.append(f"the kept tokens of {len(wrong)} rows are not those of their text")
    db.execute(f"CREATE VIRTUAL TABLE temp.{index}_words USING fts5vocab(main, {index}, instance)")
    held = {(row, term) for row, term in db.execute(f"SELECT doc, term FROM temp.{index}_words")}
    db.execute(f"DROP TABLE temp.{index}_words")
    should = {(row, term) for row, terms in entered.items() for term in terms.split()}
    if held != should:
        found.append(f"{len(should - held)} entries are missing, {len(held - should)} have no row")
    for owner, documents_there, length_there in db.execute(counts):
        if (documents[owner], lengths[owner]) != (documents_there, length_there):
            found.append(f"the size of owner {owner} is not that of its rows")
    return found


def _tokens(domain: str, *rest: Any, zone: tzinfo) -> str:
    """The tokens of an item (scope type, scope id, content) or a turn (session key, name, text, time)."""
    if len(rest) == 3:
        owner, words = ScopeRef(rest[0], rest[1]), rest[2]
    else:
        owner, words = session_scope(rest[0]), indexed_text(rest[1], rest[2], from_ms(rest[3]), zone)
    return " ".join(composites(owner_name(domain, owner), document_terms(words)))


def _dream_faults(db: sqlite3.Connection) -> list[str]:
    """What dreams did to items is what their records say."""
    events = _counted(
        db,
        "SELECT action, item_id FROM events WHERE actor = 'dream' AND action IN ('merged', 'archived', 'superseded')",
    )
    recorded = "SELECT action, item_id FROM dream_operations WHERE action IN ('merge', 'archive', 'expire', 'update')"
    applied = _counted(db, f"{recorded} AND state = 'applied'")
    ever = _counted(db, f"{recorded} AND state IN ('applied', 'undone')")
    found: list[str] = []
    if unrecorded := events - ever:
        found.append(f"dreams did {unrecorded} without a record of it")
    if undone := applied - events:
        found.append(f"dreams recorded {undone} and did not do it")
    return found


def _counted(db: sqlite3.Connection, sql: str) -> Counter[tuple[str, str]]:
    rows: list[tuple[str, str]] = db.execute(sql).fetchall()
    return Counter((_DREAM_EVENTS.get(action, action), item) for action, item in rows)
