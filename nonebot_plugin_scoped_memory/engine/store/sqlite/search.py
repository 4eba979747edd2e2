"""Finding candidates in the text index. It yields rows and counts; the engine scores them.

The work is bounded whatever the query and however large a scope: so many look-ups, SEARCH_POSTINGS postings,
SEARCH_CANDIDATES rows.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from ...models import LexicalCandidates, LexicalDocument, ScopeSize
from ...scope import ScopeRef
from ..base import SEARCH_CANDIDATES, SEARCH_POSTINGS, SEARCH_TERMS
from ..terms import composites, owner_name
from .index import IndexTable
from .rows import Row, chunks, flat
from .scoped import Fetch

_LOOKUP_TERMS = 512
"""Of a longer query so many terms are counted, evenly spread over it."""
_LOOKUPS = 2_048
"""Counts of one search over all owners: about 40 ms at the very most. Never fewer than SEARCH_TERMS terms."""
_ARMS = 200
"""SELECTs joined by UNION ALL in one statement (SQLite takes 500)."""


@dataclass(frozen=True, slots=True)
class Found:
    """A row that was found. ``ref`` is its public id or number, ``tokens`` its text as it was hashed for ``owner``."""

    row: int
    ref: str | int
    owner: ScopeRef
    length: int
    tokens: str


Load = Callable[[list[int]], Awaitable[list[Found]]]
"""Reads rows by id, those within the caller's scopes that still belong in the index."""


@dataclass(frozen=True, slots=True)
class _Lookup:
    """One term of one owner, and in how many of its documents it is (counted up to SEARCH_POSTINGS)."""

    term: str
    owner: ScopeRef
    token: str
    documents: int = 0


async def search(
    fetch: Fetch,
    table: IndexTable,
    domain_id: str,
    sizes: dict[ScopeRef, ScopeSize],
    terms: Sequence[str],
    load: Load,
) -> LexicalCandidates:
    """Candidates among the documents of the owners in ``sizes``, most promising first."""
    owners = [owner for owner, size in sizes.items() if size.documents]
    asked = _spread(list(dict.fromkeys(terms)), len(owners))
    if not asked or not owners:
        return LexicalCandidates((), sizes, dict.fromkeys(asked, 0))
    lookups = await _count(fetch, table, domain_id, owners, asked)
    frequency = dict.fromkeys(asked, 0)
    for lookup in lookups:
        frequency[lookup.term] += lookup.documents
    kept = sorted((term for term in asked if frequency[term]), key=lambda term: (frequency[term], term))[:SEARCH_TERMS]
    # A term that is kept out of the search is kept out of its statistics too; one that nothing holds says so.
    known = set(kept)
    frequency = {term: documents for term, documents in frequency.items() if not documents or term in known}
    postings = await _postings(fetch, table, kept, lookups)
    total = sum(size.documents for size in sizes.values())
    rows = _rank(postings, frequency, total)
    names: dict[ScopeRef, dict[str, str]] = {owner: {} for owner in owners}
    for lookup in lookups:
        if lookup.term in frequency:
            names[lookup.owner][lookup.token] = lookup.term
    found = {hit.row: hit for part in chunks(rows) for hit in await load(part)}
    documents = (_document(found[row], names) for row in rows if row in found)
    return LexicalCandidates(tuple(doc for doc in documents if doc.counts), sizes, frequency)


def _spread(terms: list[str], owners: int) -> list[str]:
    limit = max(SEARCH_TERMS, min(_LOOKUP_TERMS, _LOOKUPS // max(owners, 1)))
    if len(terms) <= limit:
        return terms
    return [terms[place * len(terms) // limit] for place in range(limit)]


async def _count(
    fetch: Fetch, table: IndexTable, domain_id: str, owners: Sequence[ScopeRef], terms: Sequence[str]
) -> list[_Lookup]:
    lookups = [
        _Lookup(term, owner, token)
        for owner in owners
        for term, token in zip(terms, composites(owner_name(domain_id, owner), terms), strict=True)
    ]
    counted: list[_Lookup] = []
    for part in chunks(lookups):
        tokens = ", ".join(f"({place}, ?)" for place in range(len(part)))
        rows = await fetch(
            f"WITH asked (place, token) AS (VALUES {tokens}) SELECT place, (SELECT count(*) FROM (SELECT 1"
            f" FROM {table.index} WHERE {table.index} MATCH token LIMIT {SEARCH_POSTINGS})) FROM asked",
            [lookup.token for lookup in part],
        )
        counted += [
            _Lookup(part[place].term, part[place].owner, part[place].token, documents)
            for place, documents in sorted(rows)
        ]
    return counted


async def _postings(
    fetch: Fetch, table: IndexTable, kept: Sequence[str], lookups: Sequence[_Lookup]
) -> list[tuple[str, int]]:
    """(term, row) pairs of the rarest terms, SEARCH_POSTINGS at most; of the last term the newest rows."""
    rarity = {term: place for place, term in enumerate(kept)}
    # Within a term small owners go first, so that a large one cannot use up what is left.
    hits = [lookup for lookup in lookups if lookup.term in rarity and lookup.documents]
    hits.sort(key=lambda lookup: (rarity[lookup.term], lookup.documents, lookup.token))
    reads: list[tuple[str, str, int]] = []
    left = SEARCH_POSTINGS
    for lookup in hits:
        if left <= 0:
            break
        reads.append((lookup.term, lookup.token, min(left, lookup.documents)))
        left -= lookup.documents
    postings: list[tuple[str, int]] = []
    for part in chunks(reads, _ARMS):
        arms = (
            f"SELECT * FROM (SELECT {place}, rowid FROM {table.index} WHERE {table.index} MATCH ?"
            " ORDER BY rowid DESC LIMIT ?)"
            for place in range(len(part))
        )
        rows = await fetch(" UNION ALL ".join(arms), flat(read[1:] for read in part))
        postings += [(part[place][0], row) for place, row in rows]
    return postings


def _rank(postings: Sequence[tuple[str, int]], frequency: dict[str, int], total: int) -> list[int]:
    """Rows by the summed idf of the terms they were found by, the newer one first where that is equal."""
    weight = {
        term: math.log1p((max(total, documents) - documents + 0.5) / (documents + 0.5))
        for term, documents in frequency.items()
    }
    scores: dict[int, float] = {}
    for term, row in postings:
        scores[row] = scores.get(row, 0.0) + weight[term]
    ranked = sorted(((score, row) for row, score in scores.items()), reverse=True)
    return [row for _, row in ranked[:SEARCH_CANDIDATES]]


def _document(hit: Found, names: dict[ScopeRef, dict[str, str]]) -> LexicalDocument:
    known = names.get(hit.owner, {})
    counts: dict[str, int] = {}
    for token in filter(known.__contains__, hit.tokens.split()):  # the inner loop of a search: 300 rows of 70 tokens
        counts[known[token]] = counts.get(known[token], 0) + 1
    return LexicalDocument(hit.ref, hit.owner, hit.length, counts)


def scope_sizes(refs: Sequence[ScopeRef], rows: Sequence[Row]) -> dict[ScopeRef, ScopeSize]:
    """Sizes of ``refs`` in their order, from (type, id, documents, terms) rows; zero where there is no row."""
    known = {(row[0], row[1]): ScopeSize(row[2], row[3]) for row in rows}
    return {ref: known.get((ref.type, ref.id), ScopeSize(0, 0)) for ref in refs}
