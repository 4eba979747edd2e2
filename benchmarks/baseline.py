"""What the text index is compared with: one FTS5 table over everything, its own bm25(), and a filter by scope.

The same terms and questions, Python's own sqlite3 without a loop in between, everything in memory.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence

from filling import Plan
from measure import Figure, Timing, latency
from reading import Asked, Sample

from nonebot_plugin_scoped_memory.engine import text
from nonebot_plugin_scoped_memory.engine.scope import ScopeRef

QUERY = (
    "SELECT item.id FROM found JOIN item ON item.id = found.rowid"
    " WHERE found MATCH ? AND item.scope = ? ORDER BY bm25(found) LIMIT 10"
)


def shared_table(plan: Plan, samples: Sequence[Sample], count: int) -> list[Figure]:
    """At most ``count`` questions a run: each takes as long as the whole table makes it."""
    ranks = {ref: rank for rank, ref in enumerate(plan.refs)}
    with sqlite3.connect(":memory:") as db:
        db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, scope INTEGER NOT NULL)")
        db.execute("CREATE INDEX item_scope ON item (scope)")
        db.execute("CREATE VIRTUAL TABLE found USING fts5 (terms, content = '')")
        for id, (rank, sentence) in enumerate(_items(plan), 1):
            db.execute("INSERT INTO item VALUES (?, ?)", (id, rank))
            db.execute("INSERT INTO found (rowid, terms) VALUES (?, ?)", (id, _spelt(text.document_terms(sentence))))
        evenly = [_timed(db, one.evenly[:count], ranks) for one in samples]
        by_items = [_timed(db, one.by_items[:count], ranks) for one in samples]
    db.close()
    return [
        latency("FTS5 bm25() over all + scope filter, drawn evenly", evenly),
        latency("FTS5 bm25() over all + scope filter, drawn by items", by_items),
    ]


def _items(plan: Plan) -> Iterator[tuple[int, str]]:
    for rank, size in enumerate(plan.sizes):
        for n in range(size):
            yield rank, plan.sentence(rank, n)


def _spelt(terms: Sequence[str]) -> str:
    # Hexadecimal, so that FTS5's tokenizer takes each term as it is.
    return " ".join(term.encode().hex() for term in terms)


def _timed(db: sqlite3.Connection, asked: Sequence[Asked], ranks: dict[ScopeRef, int]) -> Timing:
    wall, cpu = [], []
    for one in asked:
        began, began_cpu = time.perf_counter(), time.process_time()
        terms = text.query_terms(one.question)[:64]
        db.execute(QUERY, (" OR ".join(_spelt([term]) for term in terms), ranks[one.scope])).fetchall()
        wall.append((time.perf_counter() - began) * 1000)
        cpu.append((time.process_time() - began_cpu) * 1000)
    return Timing(tuple(wall), tuple(cpu))
