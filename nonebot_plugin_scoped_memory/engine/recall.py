"""The cascade: what the scopes of a plan know about a question.

Order of work: candidates of every scope (text index and vectors) -> each keyed hit gives way to its slot's winner ->
floor on the raw signals -> one fusion over the union -> budget in cascade order -> shown by tier, then score.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from . import text
from .models import TIERS, Item, ScoredItem
from .scope import CONFLICT_PRIORITY, GLOBAL_SCOPED_KINDS, ScopeRef
from .scoring import Signals, bm25, cosines, fuse
from .store.base import ScopeVectors, View
from .together import together

if TYPE_CHECKING:
    import numpy as np

SCOPE_HITS = 6
"""Of each scope so many times ``limit``, best first by words and nearest by meaning, are read and compared with the
other scopes', by both signals. With half as many the benchmark's MADial questions lost 4 points of recall@10."""
MAX_PINNED = 5
"""Principles that are there whatever the question; more of them have to answer it like everything else."""

# 你还记得我吗, 你知道我是谁吗: words about remembering are no topic.
_REMEMBERING = re.compile("还?(?:记得|知道|认识|了解)")


@dataclass(frozen=True, slots=True)
class QueryVector:
    """A question's unit vector (float32, (dimensions,)), its model and the cosine under which pairs are unrelated."""

    model: str
    vector: np.ndarray
    floor: float


@dataclass(frozen=True, slots=True)
class Query:
    """``limit`` counts items, ``per_scope`` is a scope's cap before the rest is filled by score, ``tokens`` bounds the
    contents together (None: no bound). ``speaker`` is the asking account. ``vector`` is what the text means, where it
    is known already."""

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


Embed = Callable[[str], Awaitable[QueryVector | None]]
"""What a text means; None while that cannot be said."""


async def recall(view: View, query: Query, embed: Embed | None = None) -> Recall:
    """Search all scopes of ``view``, which stand in cascade order. Never raises for what the question says.

    While ``embed`` works on the question, its words are looked up. Raises StoreError, and whatever ``embed`` raises.
    """
    query = replace(query, text=query.text[: text.MAX_INDEXED_CHARS])
    topic = text.topic_terms(_REMEMBERING.sub(" ", query.text))
    (signals, found), (query, near) = await together(_lexical(view, query, topic), _vectors(view, query, embed))
    if query.vector is not None:
        _add_cosines(near, query.vector, signals, found, SCOPE_HITS * query.limit)
    pinned = await view.pinned_items()
    items = {item.id: item for item in (*await view.items(sorted(found)), *pinned) if _current(item, query.now)}
    signals = {id: signals.get(id, Signals()) for id in items}
    shadowed = await _let_winners_win(view, items, signals, query.now)
    principles = sorted((item for item in pinned if item.id in items), key=winner_order)
    always = {item.id for item in principles[:MAX_PINNED]}
    above = {id: item for id, item in items.items() if id in always or _above_floor(item, signals[id], query, topic)}
    floor = query.vector.floor if query.vector is not None else None
    scored = fuse(above, signals, floor=floor, own=query.speaker if _asks_about_self(query) else "")
    scored, twins = _without_twins(scored, view.scopes)
    chosen, dropped, used = _budget(scored, always, query, view.scopes)
    hits: dict[ScopeRef, int] = {}
    for item in above.values():
        hits[item.scope] = hits.get(item.scope, 0) + 1
    return Recall(
        tuple(sorted(chosen, key=_display_order)), (*shadowed, *twins), hits, dropped, used, query.vector is not None
    )


async def _lexical(view: View, query: Query, topic: frozenset[str]) -> tuple[dict[str, Signals], set[str]]:
    """What the words say of each candidate, and the best of each scope."""
    terms = text.query_terms(query.text)
    # Without a topic (你好, 他喜欢什么) a single stop character in common means nothing.
    wanted = topic or frozenset(term for term in terms if len(term) > 1)
    if _asks_about_self(query):
        # Items name their subject by number, which finds those about the asker; it does not lift any over the floor.
        terms = list(dict.fromkeys((*terms, query.speaker.rsplit(":", 1)[-1])))
    if not terms:
        return {}, set()
    found = await view.item_candidates(terms)
    scores = bm25(found)
    best: dict[ScopeRef, list[str]] = {}
    for document in sorted(found.documents, key=lambda document: (-scores[document.ref], str(document.ref))):
        best.setdefault(document.owner, []).append(str(document.ref))
    signals = {
        str(document.ref): Signals(scores[document.ref], shares_term=not wanted.isdisjoint(document.counts))
        for document in found.documents
    }
    return signals, {id for ids in best.values() for id in ids[: SCOPE_HITS * query.limit]}


async def _vectors(view: View, query: Query, embed: Embed | None) -> tuple[Query, Mapping[ScopeRef, ScopeVectors]]:
    """The question with its vector, and the items' vectors that can be compared with it."""
    if embed is not None:
        query = replace(query, vector=await embed(query.text))
    return query, await view.vectors(query.vector.model) if query.vector is not None else {}


def _add_cosines(
    near: Mapping[ScopeRef, ScopeVectors],
    query: QueryVector,
    signals: dict[str, Signals],
    hits: set[str],
    count: int,
) -> None:
    """Add the ``count`` nearest items of each scope to ``hits``, and give all hits their cosine."""
    import numpy as np

    for vectors in near.values():
        if vectors.data.shape[1] != query.vector.shape[0]:
            continue  # another version of the model wrote these; the refresh will replace them
        found = cosines(vectors, query.vector)
        nearest = np.argpartition(-found, count)[:count] if len(found) > count else None
        rows = range(len(found)) if nearest is None else nearest.tolist()
        hits |= {vectors.item_ids[row] for row in rows if found[row] > query.floor}
        for row, id in enumerate(vectors.item_ids):
            if id in hits:
                signals.setdefault(id, Signals()).cosine = float(found[row])


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
    view: View, items: dict[str, Item], signals: dict[str, Signals], now: datetime
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
        signal = signals.setdefault(winner.id, Signals())
        for loser in losers:
            shadowed.append(Shadowed(loser.id, f"{winner.scope.type}_over_{loser.scope.type}", winner.id))
            items.pop(loser.id, None)
            if (lost := signals.pop(loser.id, None)) is not None:
                signal.merge(lost)
    return shadowed


def _above_floor(item: Item, signal: Signals, query: Query, topic: frozenset[str]) -> bool:
    if signal.shares_term or (query.vector is not None and signal.cosine > query.vector.floor):
        return True
    # 我是谁, 你还记得我吗: no topic, but the asker means what is known of them.
    return not topic and _asks_about_self(query) and item.subject == query.speaker


def _asks_about_self(query: Query) -> bool:
    return bool(query.speaker) and "我" in text.fold(query.text)


def _rank(scored: ScoredItem) -> tuple[float, str]:
    return -scored.score, scored.item.id


def _display_order(scored: ScoredItem) -> tuple[int, float, str]:
    return TIERS.index(scored.item.tier), -scored.score, scored.item.id


def _without_twins(scored: Sequence[ScoredItem], scopes: Sequence[ScopeRef]) -> tuple[list[ScoredItem], list[Shadowed]]:
    """Equal content in two scopes is shown once, with the better score: as the principle it is in one of them, else as
    the copy of the earlier scope. Sorted by score."""
    if len({one.item.scope for one in scored}) < 2:
        return sorted(scored, key=_rank), []
    place = {scope: i for i, scope in enumerate(scopes)}
    kept: dict[str, ScoredItem] = {}
    standing: dict[tuple[str, str], str] = {}
    shadowed: list[Shadowed] = []
    for one in sorted(scored, key=lambda s: (s.item.tier != TIERS[0], place[s.item.scope], s.item.id)):
        forms = _forms(one.item)
        twins = (kept[standing[form]] for form in forms if form in standing)
        first = next((twin for twin in twins if twin.item.scope != one.item.scope), None)
        if first is None:
            kept[one.item.id] = one
            standing.update((form, one.item.id) for form in forms if form not in standing)
        else:
            kept[first.item.id] = replace(first, score=max(first.score, one.score))
            shadowed.append(Shadowed(one.item.id, "same_content", first.item.id))
    return sorted(kept.values(), key=_rank), shadowed


def _forms(item: Item) -> set[tuple[str, str]]:
    """The identities under which an item may stand in another scope: a chat's decision is shared without numbers."""
    forms = {(item.kind, item.identity)}
    if item.kind in GLOBAL_SCOPED_KINDS:
        shared = text.without_numbers(item.content)
        if item.subject or shared != item.content:  # else it is the same identity
            forms.add((item.kind, text.identity(shared)))
    return forms


def _budget(
    scored: Sequence[ScoredItem], always: set[str], query: Query, scopes: Sequence[ScopeRef]
) -> tuple[list[ScoredItem], dict[str, int], int]:
    """Principles, then each scope in cascade order up to its cap, then what is left by score. ``scored`` is sorted."""
    chosen: list[ScoredItem] = []
    used = 0
    dropped: dict[str, int] = {}

    def take(one: ScoredItem) -> bool:
        nonlocal used
        if len(chosen) >= query.limit:
            return False
        cost = text.count_tokens(one.item.content)
        if query.tokens is not None and used + cost > query.tokens:
            dropped["tokens"] = dropped.get("tokens", 0) + 1
            return False
        used += cost
        chosen.append(one)
        return True

    for one in sorted((one for one in scored if one.item.id in always), key=lambda s: winner_order(s.item)):
        take(one)
    rest = [one for one in scored if one.item.id not in always]
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
    over = len(scored) - len(chosen) - dropped.get("tokens", 0)
    if over > 0:
        dropped["limit"] = over
    return chosen, dropped, used
