"""Finding candidates in the text index. It yields rows and counts; the engine scores them.

The work is bounded whatever the query and however large a scope: so many look-ups, SEARCH_POSTINGS postings,
SEARCH_CANDIDATES rows.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import NamedTuple

from ...models import LexicalCandidates, LexicalDocument, ScopeSize
from ...scope import ScopeRef
from ..base import SEARCH_CANDIDATES, SEARCH_POSTINGS, SEARCH_TERMS
from ..terms import composites, owner_name
from .index import IndexTable
from .rows import Row, chunks, flat
from .scoped import Fetch

_LOOKUP_TERMS = 256
"""Of a longer query so many terms are counted, evenly spread over it."""
_LOOKUPS = 512
"""Counts of one search over all owners (25 µs each), unless SEARCH_TERMS of each need more."""
_ARMS = 200
"""SELECTs joined by UNION ALL in one statement (SQLite takes 500)."""


class Owner(NamedTuple):
    """A scope or session that has rows in the index; ``row`` is its row id."""

    row: int
    ref: ScopeRef
    size: ScopeSize


Load = Callable[[list[int]], Awaitable[list[Row]]]
"""(row id, public id or number, owner's row id, length, tokens) of the rows with these ids that lie within the caller's
scopes and still belong in the index."""


class _Lookup(NamedTuple):
    """One term of one owner, and in how many of its documents it is (counted up to SEARCH_POSTINGS)."""

    term: str
    owner: int
    token: str
    documents: int


async def search(
    fetch: Fetch, table: IndexTable, domain_id: str, owners: Iterable[Owner], terms: Iterable[str], load: Load
) -> tuple[tuple[LexicalDocument, ...], dict[str, int]]:
    """Candidates of the owners, most promising first, and the document frequencies of the terms that were used."""
    owners = [owner for owner in owners if owner.size.documents]
    asked = _spread(list(dict.fromkeys(terms)), len(owners))
    if not asked or not owners:
        return (), dict.fromkeys(asked, 0)
    lookups = await _count(fetch, table, domain_id, owners, asked)
    frequency = dict.fromkeys(asked, 0)
    for lookup in lookups:
        frequency[lookup.term] += lookup.documents
    found_terms = (term for term in asked if frequency[term])
    kept = sorted(found_terms, key=lambda term: (frequency[term], term))[:SEARCH_TERMS]
    # A term that is kept out of the search is kept out of its statistics too; one that nothing holds says so.
    used = set(kept)
    frequency = {term: documents for term, documents in frequency.items() if not documents or term in used}
    postings = await _postings(fetch, table, kept, lookups)
    rows = _rank(postings, frequency, sum(owner.size.documents for owner in owners))
    names: dict[int, dict[str, str]] = {owner.row: {} for owner in owners}
    for lookup in lookups:
        if lookup.term in used:
            names[lookup.owner][lookup.token] = lookup.term
    refs = {owner.row: owner.ref for owner in owners}
    found = {line[0]: line for part in chunks(rows) for line in await load(part)}
    documents: list[LexicalDocument] = []
    for row in rows:
        if row in found and found[row][2] in refs:
            _, ref, owner, length, tokens = found[row]
            counts = _term_counts(tokens, names[owner])
            if counts:
                documents.append(LexicalDocument(ref, refs[owner], length, counts))
    return tuple(documents), frequency


def candidates(
    found: tuple[tuple[LexicalDocument, ...], dict[str, int]], refs: Sequence[ScopeRef], owners: Iterable[Owner]
) -> LexicalCandidates:
    """What ``search`` found, with the sizes of all ``refs`` that were asked: zero for those that own nothing."""
    sizes = {ref: ScopeSize(0, 0) for ref in refs} | {owner.ref: owner.size for owner in owners}
    return LexicalCandidates(found[0], sizes, found[1])


def _spread(terms: list[str], owners: int) -> list[str]:
    limit = max(SEARCH_TERMS, min(_LOOKUP_TERMS, _LOOKUPS // max(owners, 1)))
    if len(terms) <= limit:
        return terms
    return [terms[place * len(terms) // limit] for place in range(limit)]


async def _count(
    fetch: Fetch, table: IndexTable, domain_id: str, owners: Sequence[Owner], terms: Sequence[str]
) -> list[_Lookup]:
    asked = [
        (term, owner.row, token)
        for owner in owners
        for term, token in zip(terms, composites(owner_name(domain_id, owner.ref), terms), strict=True)
    ]
    counted: list[_Lookup] = []
    for part in chunks(asked):
        tokens = ", ".join(f"({place}, ?)" for place in range(len(part)))
        found = await fetch(
            f"WITH asked (place, token) AS (VALUES {tokens}) SELECT place, (SELECT count(*) FROM (SELECT 1"
            f" FROM {table.index} WHERE {table.index} MATCH token LIMIT {SEARCH_POSTINGS})) FROM asked",
            [token for _, _, token in part],
        )
        for (term, owner, token), (_, documents) in zip(part, sorted(found), strict=True):
            counted.append(_Lookup(term, owner, token, documents))
    return counted


async def _postings(fetch: Fetch, table: IndexTable, kept: Sequence[str], lookups: Sequence[_Lookup]) -> list[Row]:
    """(term, row id) pairs of the rarest terms, SEARCH_POSTINGS at most; of the last term the newest rows."""
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
    postings: list[Row] = []
    for part in chunks(reads, _ARMS):
        arms = (
            f"SELECT * FROM (SELECT {place}, rowid FROM {table.index} WHERE {table.index} MATCH ?"
            " ORDER BY rowid DESC LIMIT ?)"
            for place in range(len(part))
        )
        found = await fetch(" UNION ALL ".join(arms), flat(read[1:] for read in part))
        postings += [(part[place][0], row) for place, row in found]
    return postings


def _rank(postings: Sequence[Row], frequency: dict[str, int], total: int) -> list[int]:
    """Row ids by the summed idf of the terms they were found by, the newer one first where that is equal."""
    weight = {
        term: math.log1p((max(total, documents) - documents + 0.5) / (documents + 0.5))
        for term, documents in frequency.items()
    }
    scores: dict[int, float] = {}
    for term, row in postings:
        scores[row] = scores.get(row, 0.0) + weight[term]
    ranked = sorted(((score, row) for row, score in scores.items()), reverse=True)
    return [row for _, row in ranked[:SEARCH_CANDIDATES]]


def _term_counts(tokens: str, names: dict[str, str]) -> dict[str, int]:
    """How often each term occurs in a document; ``names`` says which token is which term."""
    counts: dict[str, int] = {}
    for token in filter(names.__contains__, tokens.split()):  # the inner loop of a search: 300 rows of 70 tokens
        counts[names[token]] = counts.get(names[token], 0) + 1
    return counts
