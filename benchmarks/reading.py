"""How long questions take: finding and scoring, vectors, and the whole cascade of one prompt."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from filling import NOW, Plan, open_engine
from measure import Figure, Timing, latency, timed

from nonebot_plugin_scoped_memory.engine import text
from nonebot_plugin_scoped_memory.engine.engine import MemoryEngine
from nonebot_plugin_scoped_memory.engine.recall import Query, QueryVector, _add_cosines, recall
from nonebot_plugin_scoped_memory.engine.scope import SCOPE_TYPE_CHAT, ScopeRef
from nonebot_plugin_scoped_memory.engine.scoring import bm25

if TYPE_CHECKING:
    from nonebot_plugin_scoped_memory.engine.embedding import Embedder

LARGEST_JUDGED = 12_000
"""Targets are about scopes of up to so many items."""
SEARCH_TARGET, VECTOR_TARGET, CASCADE_TARGET = 20.0, 5.0, 40.0
"""Milliseconds, p99."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to one scope."""

    question: str
    scope: ScopeRef
    vector: QueryVector | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """One run's questions: scopes drawn evenly, scopes drawn by their number of items, and the largest scope alone."""

    evenly: list[Asked]
    by_items: list[Asked]
    largest: list[Asked]


def sample(plan: Plan, count: int, run: int, seed: int) -> Sample:
    """Another draw for each run; the sentences are asked of scopes at random, as in a chat that wanders."""
    draw = random.Random(f"{seed}:{run}")
    judged = [(ref, size) for ref, size in zip(plan.refs, plan.sizes, strict=True) if size <= LARGEST_JUDGED]
    refs, sizes = [ref for ref, _ in judged], [size for _, size in judged]

    def asked(chosen: Sequence[ScopeRef]) -> list[Asked]:
        return [Asked(draw.choice(plan.words.questions), ref) for ref in chosen]

    return Sample(
        asked(draw.choices(refs, k=count)),
        asked(draw.choices(refs, sizes, k=count)),
        asked([plan.refs[0]] * count),
    )


async def lexical(url: str, plan: Plan, samples: Sequence[Sample]) -> list[Figure]:
    """Candidates and their scores, and the whole of ``search_memory``, without vectors."""
    async with open_engine(url) as engine:

        async def score(asked: Asked) -> None:
            view = engine.store.view(engine.domain_id, [asked.scope])
            bm25(await view.item_candidates(text.query_terms(asked.question)))

        async def search(asked: Asked) -> None:
            await engine.search_memory(asked.question, read=[asked.scope])

        await timed(search, samples[0].by_items[:20])  # what a running bot has in its caches anyway
        figures: list[Figure] = []
        for name, work in (("candidates + score", score), ("search_memory, lexical", search)):
            runs = [[await timed(work, part) for part in (s.evenly, s.by_items, s.largest)] for s in samples]
            evenly, by_items, largest = zip(*runs, strict=True)
            figures += [
                latency(f"{name}, scopes drawn evenly", evenly, target=SEARCH_TARGET),
                latency(f"{name}, scopes drawn by items", by_items, target=SEARCH_TARGET),
                latency(f"{name}, largest scope ({plan.sizes[0]:,} items)", largest),
            ]
        many = " ".join(plan.words.sentence(n) for n in range(400))
        flood = await timed(search, [Asked(many, plan.refs[0])] * 5)
        different = len(text.query_terms(many))
        figures.append(latency(f"a question of {different:,} different terms, largest scope", [flood]))
        return figures


async def vectors(url: str, plan: Plan, samples: Sequence[Sample], model: Embedder) -> list[Figure]:
    """Cosines of a question with every item of a scope: the matrix from the cache, and read from the database."""
    async with open_engine(url, model) as engine:
        asked = [await _embedded(engine, model, s) for s in samples]

        async def score(one: Asked) -> None:
            assert one.vector is not None
            view = engine.store.view(engine.domain_id, [one.scope])
            _add_cosines(await view.vectors(one.vector.model), one.vector, {}, set(), 60)

        async def search(one: Asked) -> None:
            view = engine.store.view(engine.domain_id, [one.scope])
            await recall(view, Query("", NOW, vector=one.vector))

        everything = [one for s in asked for one in (*s.evenly, *s.by_items, *s.largest)]
        cold = await _first_reads(score, everything, plan)
        figures: list[Figure] = []
        for name, work in (("cached vectors", score), ("recall by cached vectors alone", search)):
            runs = [[await timed(work, part) for part in (s.evenly, s.by_items, s.largest)] for s in asked]
            evenly, by_items, largest = zip(*runs, strict=True)
            target = VECTOR_TARGET if work is score else None
            figures += [
                latency(f"{name}, scopes drawn evenly", evenly, target=target),
                latency(f"{name}, scopes drawn by items", by_items, target=target),
                latency(f"{name}, largest scope ({plan.sizes[0]:,} items)", largest),
            ]
        return figures + cold


async def _embedded(engine: MemoryEngine, model: Embedder, one: Sample) -> Sample:
    known = await engine.store.embedding_floor(model.model)
    assert known is not None, "the corpus was filled without this model"

    async def part(asked: list[Asked]) -> list[Asked]:
        rows = await model.embed([a.question for a in asked], query=True)
        return [replace(a, vector=QueryVector(model.model, row, known[1])) for a, row in zip(asked, rows, strict=True)]

    return Sample(await part(one.evenly), await part(one.by_items), await part(one.largest))


async def _first_reads(score: Callable[[Asked], Awaitable[None]], everything: list[Asked], plan: Plan) -> list[Figure]:
    """The first look into each scope, its vectors not in the cache yet (the file is in the system's cache)."""
    size = dict(zip(plan.refs, plan.sizes, strict=True))
    first = {one.scope: one for one in everything}
    figures: list[Figure] = []
    groups = (("under 1,000 items", 0, 1_000), (f"up to {LARGEST_JUDGED:,}", 1_000, LARGEST_JUDGED + 1))
    for name, low, high in groups:
        asked = [one for ref, one in first.items() if low <= size[ref] < high]
        if asked:
            figures.append(latency(f"cold cache, {len(asked)} scopes {name}", [await timed(score, asked)]))
    largest = await timed(score, [first[plan.refs[0]]])
    figures.append(latency(f"cold cache, largest scope ({plan.sizes[0]:,} items)", [largest]))
    return figures


async def cascade(url: str, plan: Plan, samples: Sequence[Sample], model: Embedder) -> list[Figure]:
    """``compose_context`` of chat and shared scope with text index and vectors, the question's embedding and the
    history of the chat included."""
    async with open_engine(url, model) as engine:
        await model.embed(["一"], query=True)  # a local model loads at its first call

        async def compose(asked: Asked) -> None:
            assert engine.embedder is not None
            engine.embedder._cache.clear()  # every question is a new one
            await engine.compose_context(asked.scope.id, asked.question)

        async def embed(asked: Asked) -> None:
            assert engine.embedder is not None
            engine.embedder._cache.clear()
            await engine.embedder.query(asked.question)

        runs: list[list[Timing]] = []
        chats = [_chats(s) for s in samples]
        for one in chats:
            await timed(compose, [*one.evenly, *one.by_items, *one.largest])  # warms the vector cache
        for one in chats:
            runs.append([await timed(compose, part) for part in (one.evenly, one.by_items, one.largest)])
        evenly, by_items, largest = zip(*runs, strict=True)
        embedding = [await timed(embed, one.evenly) for one in chats]
        return [
            latency("compose_context, chats drawn evenly", evenly, target=CASCADE_TARGET),
            latency("compose_context, chats drawn by items", by_items, target=CASCADE_TARGET),
            latency(f"compose_context, largest chat ({plan.sizes[0]:,} items)", largest),
            latency(f"of which the question's embedding ({model.model})", embedding),
        ]


def _chats(one: Sample) -> Sample:
    def part(asked: list[Asked]) -> list[Asked]:
        return [a for a in asked if a.scope.type == SCOPE_TYPE_CHAT]

    return Sample(part(one.evenly), part(one.by_items), part(one.largest))
