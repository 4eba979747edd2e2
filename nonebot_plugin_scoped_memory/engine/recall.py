"""The cascade: what the scopes of a plan know about a question.

Order of work: candidates of every scope (text index and vectors) -> each keyed hit gives way to its slot's winner ->
floor on the raw signals -> one fusion over the union -> budget in cascade order -> shown by tier, then score.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from . import text
from .models import TIERS, Item, LexicalCandidates, ScoredItem
from .scope import CONFLICT_PRIORITY, ScopeRef
from .store.base import View

if TYPE_CHECKING:
    import numpy as np

BM25_K1 = 1.2
BM25_B = 0.75
"""Robertson's usual values; items are short, so neither matters much."""
LEXICAL_WEIGHT = 0.4
"""Share of the lexical signal in the convex fusion; 0.3 to 0.5 were equally good on Chinese memories."""
RECENCY_WEIGHT = 0.05
"""Recency breaks ties and no more: as a multiplier it did harm."""
SELF_WEIGHT = 0.15
"""Added for items about the asker when the question says 我."""
VECTOR_HITS = 50
"""Nearest items taken from each scope."""
MAX_PINNED = 5


@dataclass(frozen=True, slots=True)
class QueryVector:
    """A question's unit vector (float32, (dimensions,)), its model and the cosine under which pairs are unrelated."""

    model: str
    vector: np.ndarray
    floor: float


@dataclass(frozen=True, slots=True)
class Query:
    """``limit`` counts items, ``per_scope`` is a scope's cap before the rest is filled by score, ``tokens`` bounds the
    contents together (None: no bound). ``speaker`` is the asking account."""

    text: str
    now: datetime
    limit: int = 10
    per_scope: int | None = None
    tokens: int | None = None
    speaker: str = ""
    vector: QueryVector | None = None


@dataclass(frozen=True, slots=True)
class Shadowed:
    """An item that lost; ids and reason only."""

    item_id: str
    reason: str
    winner_id: str = ""


@dataclass(frozen=True, slots=True)
class Recall:
    """``scope_hits`` counts the items above the floor, ``dropped`` those that found no place, by reason."""

    items: tuple[ScoredItem, ...] = ()
    shadowed: tuple[Shadowed, ...] = ()
    scope_hits: Mapping[ScopeRef, int] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    tokens: int = 0
    used_vectors: bool = False


@dataclass(slots=True)
class _Signals:
    lexical: float = 0.0
    cosine: float = 0.0
    shares_term: bool = False

    def merge(self, other: _Signals) -> None:
        self.lexical = max(self.lexical, other.lexical)
        self.cosine = max(self.cosine, other.cosine)
        self.shares_term |= other.shares_term


async def recall(view: View, query: Query) -> Recall:
    """Search all scopes of ``view``, which stand in cascade order. Never raises for what the question says."""
    topic = text.topic_terms(query.text)
    signals = await _lexical(view, query, topic)
    if query.vector is not None:
        await _add_cosines(view, query.vector, signals)
    pinned = await view.pinned_items()
    items = {item.id: item for item in (*await view.items(signals), *pinned) if _current(item, query.now)}
    signals = {id: signals.get(id, _Signals()) for id in items}
    shadowed = await _let_winners_win(view, items, signals, query.now)
    pinned_ids = {item.id for item in pinned if item.id in items}
    floor = query.vector.floor if query.vector is not None else 0.0
    above = {
        id: item
        for id, item in items.items()
        if id in pinned_ids or _above_floor(item, signals[id], query, topic, floor)
    }
    scored = _fuse(above, signals, query, floor)
    scored, twins = _without_twins(scored, view.scopes)
    chosen, dropped, used = _budget(scored, pinned_ids, query, view.scopes)
    hits: dict[ScopeRef, int] = {}
    for item in above.values():
        hits[item.scope] = hits.get(item.scope, 0) + 1
    return Recall(
        tuple(sorted(chosen, key=_display_order)), (*shadowed, *twins), hits, dropped, used, query.vector is not None
    )


def bm25(found: LexicalCandidates) -> dict[str | int, float]:
    """Okapi BM25 of each document, with N, document frequency and mean length of just the owners asked.

    Source: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), with the +1 that keeps idf positive.
    """
    total = max(1, sum(size.documents for size in found.sizes.values()))
    mean = max(1.0, sum(size.terms for size in found.sizes.values()) / total)
    idf = {
        term: math.log(1 + (total - min(df, total) + 0.5) / (min(df, total) + 0.5))
        for term, df in found.frequency.items()
    }
    scores: dict[str | int, float] = {}
    for document in found.documents:
        norm = BM25_K1 * (1 - BM25_B + BM25_B * document.length / mean)
        scores[document.ref] = sum(
            idf.get(term, 0.0) * count * (BM25_K1 + 1) / (count + norm) for term, count in document.counts.items()
        )
    return scores


async def _lexical(view: View, query: Query, topic: frozenset[str]) -> dict[str, _Signals]:
    terms = text.query_terms(query.text)
    # Without a topic (你好, 他喜欢什么) a single stop character in common means nothing.
    wanted = topic or frozenset(term for term in terms if len(term) > 1)
    if _asks_about_self(query):
        # Items name their subject by number, which finds those about the asker; it does not lift any over the floor.
        terms = [*terms, query.speaker.rsplit(":", 1)[-1]]
    if not terms:
        return {}
    found = await view.item_candidates(terms)
    scores = bm25(found)
    return {
        str(document.ref): _Signals(
            lexical=scores[document.ref], shares_term=any(term in wanted for term in document.counts)
        )
        for document in found.documents
    }


async def _add_cosines(view: View, query: QueryVector, signals: dict[str, _Signals]) -> None:
    import numpy as np

    for vectors in (await view.vectors(query.model)).values():
        if vectors.data.shape[1] != query.vector.shape[0]:
            continue  # another version of the model wrote these; the refresh will replace them
        cosines = (vectors.data.astype(np.float32) @ query.vector) * vectors.scales
        nearest = np.argpartition(-cosines, VECTOR_HITS)[:VECTOR_HITS] if len(cosines) > VECTOR_HITS else None
        rows = range(len(cosines)) if nearest is None else nearest.tolist()
        near = {vectors.item_ids[row] for row in rows if cosines[row] > query.floor}
        for row, id in enumerate(vectors.item_ids):
            if id in signals:
                signals[id].cosine = float(cosines[row])
            elif id in near:
                signals[id] = _Signals(cosine=float(cosines[row]))


def _current(item: Item, now: datetime) -> bool:
    return item.status == "active" and (item.valid_until is None or item.valid_until > now)


def _slot(item: Item) -> tuple[str, str, str]:
    return item.kind, item.key or "", item.subject


def winner_order(item: Item) -> tuple[bool, int, float, str]:
    """Sorts the holders of one slot, the winner first: a pinned principle, then the more specific scope, then the
    later ``valid_from``, then the smaller id. Of two principles the more specific scope wins, then the older."""
    pinned = item.tier == TIERS[0]
    age = item.valid_from.timestamp()
    return not pinned, CONFLICT_PRIORITY.index(item.scope.type), age if pinned else -age, item.id


async def _let_winners_win(
    view: View, items: dict[str, Item], signals: dict[str, _Signals], now: datetime
) -> list[Shadowed]:
    """Replace keyed hits by their slot's winner among all active items of the plan, which inherits their signals."""
    slots = {_slot(item) for item in items.values() if item.key}
    if not slots:
        return []
    holders: dict[tuple[str, str, str], list[Item]] = {}
    for item in await view.slot_items(sorted(slots)):
        if _current(item, now):
            holders.setdefault(_slot(item), []).append(item)
    shadowed: list[Shadowed] = []
    for slot in sorted(holders):
        winner, *losers = sorted(holders[slot], key=winner_order)
        items[winner.id] = winner
        signal = signals.setdefault(winner.id, _Signals())
        for loser in losers:
            shadowed.append(Shadowed(loser.id, f"{winner.scope.type}_over_{loser.scope.type}", winner.id))
            items.pop(loser.id, None)
            if (lost := signals.pop(loser.id, None)) is not None:
                signal.merge(lost)
    return shadowed


def _above_floor(item: Item, signal: _Signals, query: Query, topic: frozenset[str], floor: float) -> bool:
    if signal.shares_term or (query.vector is not None and signal.cosine > floor):
        return True
    # 我是谁, 你还记得我吗: no topic, but the asker means what is known of them.
    return not topic and _asks_about_self(query) and item.subject == query.speaker


def _asks_about_self(query: Query) -> bool:
    return bool(query.speaker) and "我" in text.fold(query.text)


def _fuse(items: Mapping[str, Item], signals: Mapping[str, _Signals], query: Query, floor: float) -> list[ScoredItem]:
    """Min-max convex combination of both signals over the union, best first."""
    if not items:
        return []
    best = max((signals[id].lexical for id in items), default=0.0) or 1.0
    near = max((signals[id].cosine for id in items), default=0.0)
    lexical_weight = LEXICAL_WEIGHT if query.vector is not None else 1.0
    newest = max(item.valid_from.timestamp() for item in items.values())
    oldest = min(item.valid_from.timestamp() for item in items.values())
    about_self = _asks_about_self(query)
    scored: list[ScoredItem] = []
    for id, item in items.items():
        lexical = signals[id].lexical / best
        vector = max(0.0, signals[id].cosine - floor) / (near - floor) if near > floor else 0.0
        recency = (item.valid_from.timestamp() - oldest) / (newest - oldest) if newest > oldest else 0.0
        own = 1.0 if about_self and item.subject == query.speaker else 0.0
        relevance = lexical_weight * lexical + (1 - lexical_weight) * vector
        score = ((1 - RECENCY_WEIGHT) * relevance + RECENCY_WEIGHT * recency + SELF_WEIGHT * own) / (1 + SELF_WEIGHT)
        why = {"lexical": round(lexical, 4), "vector": round(vector, 4), "recency": round(recency, 4)}
        scored.append(ScoredItem(item, score, why))
    return sorted(scored, key=_rank)


def _rank(scored: ScoredItem) -> tuple[float, str]:
    return -scored.score, scored.item.id


def _display_order(scored: ScoredItem) -> tuple[int, float, str]:
    return TIERS.index(scored.item.tier), -scored.score, scored.item.id


def _without_twins(scored: Sequence[ScoredItem], scopes: Sequence[ScopeRef]) -> tuple[list[ScoredItem], list[Shadowed]]:
    """Equal content in two scopes is shown once: the copy of the earlier scope, with the better score."""
    place = {scope: i for i, scope in enumerate(scopes)}
    kept: dict[tuple[str, str], ScoredItem] = {}
    shadowed: list[Shadowed] = []
    for one in scored:
        key = (one.item.kind, text.identity(one.item.content, one.item.subject))
        other = kept.get(key)
        if other is None:
            kept[key] = one
            continue
        first, second = sorted((other, one), key=lambda s: (place[s.item.scope], s.item.id))
        kept[key] = replace(first, score=max(first.score, second.score))
        shadowed.append(Shadowed(second.item.id, "same_content", first.item.id))
    return sorted(kept.values(), key=_rank), shadowed


def _budget(
    scored: Sequence[ScoredItem], pinned_ids: set[str], query: Query, scopes: Sequence[ScopeRef]
) -> tuple[list[ScoredItem], dict[str, int], int]:
    """Pinned principles, then each scope in cascade order up to its cap, then what is left by score."""
    chosen: list[ScoredItem] = []
    used = 0
    dropped: dict[str, int] = {}

    def take(one: ScoredItem) -> bool:
        nonlocal used
        cost = text.count_tokens(one.item.content)
        if len(chosen) >= query.limit:
            return False
        if query.tokens is not None and used + cost > query.tokens:
            dropped["tokens"] = dropped.get("tokens", 0) + 1
            return False
        used += cost
        chosen.append(one)
        return True

    pinned = sorted((one for one in scored if one.item.id in pinned_ids), key=lambda s: winner_order(s.item))
    for one in pinned[:MAX_PINNED]:
        take(one)
    rest = [one for one in scored if one.item.id not in pinned_ids]
    left = rest
    if query.per_scope is not None:
        left = []
        for scope in scopes:
            here = [one for one in rest if one.item.scope == scope]
            for one in here[: query.per_scope]:
                take(one)
            left.extend(here[query.per_scope :])
    for one in sorted(left, key=_rank):
        take(one)
    over = len(rest) + len(pinned) - len(chosen) - dropped.get("tokens", 0)
    if over > 0:
        dropped["limit"] = over
    return chosen, dropped, used
