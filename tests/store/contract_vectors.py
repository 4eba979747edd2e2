"""Vectors: kept with their item, quantised closely, never stale."""

from __future__ import annotations

import asyncio
import dataclasses
from typing import Any

import numpy as np
import pytest

from nonebot_plugin_scoped_memory.engine.errors import StoreError
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, ScopeRef
from nonebot_plugin_scoped_memory.engine.store.base import ScopeVectors, Store

from .making import CHAT, DOMAIN, OTHER, OpenedStore, add, an_item, ids, save

MODEL = "m"


def unit(*values: float) -> np.ndarray:
    vector = np.array(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


async def by_id(store: Store, *scopes: ScopeRef, model: str = MODEL) -> dict[str, list[float]]:
    """Each item's vector in float, rounded."""
    found = await store.view(DOMAIN, scopes or (CHAT,)).vectors(model)
    return {
        id: [round(float(value), 2) for value in scale * row]
        for vectors in found.values()
        for id, scale, row in zip(vectors.item_ids, vectors.scales, vectors.data, strict=True)
    }


class VectorContract:
    async def test_vectors_are_close_to_what_was_stored(self, store: Store) -> None:
        items = await add(store, *(an_item(str(i)) for i in range(20)))
        given = np.random.default_rng(7).normal(size=(20, 64)).astype(np.float32)
        given /= np.linalg.norm(given, axis=1, keepdims=True)
        assert await store.put_vectors(DOMAIN, MODEL, dict(zip(ids(items), given, strict=True))) == 20
        found = (await store.view(DOMAIN, [CHAT]).vectors(MODEL))[CHAT]
        assert (found.data.dtype, found.data.shape) == (np.int8, (20, 64))
        assert (found.scales.dtype, found.scales.shape) == (np.float32, (20,))
        assert set(found.item_ids) == set(ids(items))
        kept = dict(zip(found.item_ids, found.scales[:, None] * found.data, strict=True))
        for item, vector in zip(items, given, strict=True):
            assert float(kept[item.id] @ vector) == pytest.approx(1, abs=0.002)

    async def test_only_active_items_of_the_domain(self, store: Store) -> None:
        a, archived = await add(store, an_item("a"), an_item("b", status="archived"))
        [foreign] = await add(store, an_item("c"), domain="bot2")
        vectors = {id: unit(1, 0) for id in (a.id, archived.id, foreign.id, "nope")}
        assert await store.put_vectors(DOMAIN, MODEL, vectors) == 1
        assert await store.put_vectors(DOMAIN, MODEL, {}) == 0
        assert await by_id(store) == {a.id: [1.0, 0.0]}
        assert await store.view("bot2", [CHAT]).vectors(MODEL) == {}

    async def test_views_see_their_scopes_and_model(self, store: Store) -> None:
        a, b, c = await add(store, an_item("a"), an_item("b", OTHER), an_item("c", GLOBAL_SCOPE))
        await store.put_vectors(DOMAIN, MODEL, {a.id: unit(1, 0), b.id: unit(0, 1)})
        await store.put_vectors(DOMAIN, "other", {c.id: unit(1, 1, 1)})
        assert set(await by_id(store, CHAT)) == {a.id}
        assert set(await by_id(store, CHAT, OTHER, GLOBAL_SCOPE)) == {a.id, b.id}
        assert set(await by_id(store, CHAT, GLOBAL_SCOPE, model="other")) == {c.id}
        assert await by_id(store, CHAT, model="none") == {}

    async def test_a_newer_vector_replaces_the_older(self, store: Store) -> None:
        a, b = await add(store, an_item("a"), an_item("b"))
        await store.put_vectors(DOMAIN, MODEL, {a.id: unit(1, 0), b.id: unit(0, 1)})
        await by_id(store)
        await store.put_vectors(DOMAIN, MODEL, {a.id: unit(0, -1)})
        assert await by_id(store) == {a.id: [0.0, -1.0], b.id: [0.0, 1.0]}

    async def test_a_vector_of_older_content_is_left_out(self, store: OpenedStore) -> None:
        [a] = await add(store, an_item("a"))
        await save(store, dataclasses.replace(a, content="changed", identity="=changed"))
        given = {a.id: unit(1, 0)}
        assert await store.put_vectors(DOMAIN, MODEL, given, identities={a.id: a.identity}) == 0
        assert [item.id for _, item in await store.maintenance.list_items_all_scopes(MODEL, limit=9)] == [a.id]
        assert await store.put_vectors(DOMAIN, MODEL, given, identities={a.id: "=changed"}) == 1

    async def test_vectors_go_when_their_item_changes(self, store: Store) -> None:
        retired, changed, moved, touched = await add(store, *(an_item(name) for name in "abcd"))
        await store.put_vectors(DOMAIN, MODEL, {id: unit(1, 1) for id in ids([retired, changed, moved, touched])})
        await store.put_vectors(DOMAIN, "other", {moved.id: unit(1, 0, 0)})
        await by_id(store)
        await save(store, dataclasses.replace(retired, status="archived"))
        await save(store, dataclasses.replace(changed, content="x", identity="=x"))
        await save(store, dataclasses.replace(moved, scope=OTHER), CHAT)
        await save(store, dataclasses.replace(touched, importance=1.0))
        assert set(await by_id(store, CHAT)) == {touched.id}
        assert await by_id(store, OTHER) == {moved.id: [0.71, 0.71]}
        assert await by_id(store, OTHER, model="other") == {moved.id: [1.0, 0.0, 0.0]}
        await save(store, retired)
        assert set(await by_id(store, CHAT)) == {touched.id}

    @pytest.mark.parametrize(
        "change", [{"status": "archived"}, {"identity": "=other"}, {"scope": OTHER}], ids=["status", "content", "move"]
    )
    async def test_one_change_alone_is_seen_at_once(self, store: Store, change: dict[str, Any]) -> None:
        here, there = await add(store, an_item("a"), an_item("b", OTHER))
        await store.put_vectors(DOMAIN, MODEL, {here.id: unit(1, 0), there.id: unit(0, 1)})
        assert (set(await by_id(store, CHAT)), set(await by_id(store, OTHER))) == ({here.id}, {there.id})
        await save(store, dataclasses.replace(here, **change), CHAT)
        moved = {here.id} if "scope" in change else set()
        assert (set(await by_id(store, CHAT)), set(await by_id(store, OTHER))) == (set(), {there.id} | moved)

    async def test_a_write_sees_its_own_and_leaves_nothing_when_rolled_back(self, store: Store) -> None:
        a, b = await add(store, an_item("a"), an_item("b"))
        await store.put_vectors(DOMAIN, MODEL, {a.id: unit(1, 0), b.id: unit(0, 1)})

        async def retire(id: str, *, fail: bool) -> None:
            async with store.write(DOMAIN, [CHAT]) as write:
                [item] = await write.items([id])
                await write.save_item(dataclasses.replace(item, status="archived"), [])
                assert id not in (await write.vectors(MODEL))[CHAT].item_ids
                if fail:
                    raise RuntimeError("on purpose")

        with pytest.raises(RuntimeError, match="on purpose"):
            await retire(a.id, fail=True)
        assert set(await by_id(store)) == {a.id, b.id}
        await retire(b.id, fail=False)
        assert set(await by_id(store)) == {a.id}

    async def test_reads_that_race_with_writes_leave_nothing_stale(self, store: Store) -> None:
        items = await add(store, *(an_item(str(i)) for i in range(30)))
        view = store.view(DOMAIN, [CHAT])

        async def write() -> None:
            for item in items:
                await store.put_vectors(DOMAIN, MODEL, {item.id: unit(1, 2)})

        async def read() -> None:
            before = 0
            while before < len(items):
                found = await view.vectors(MODEL)
                now = len(found[CHAT].item_ids) if found else 0
                assert now >= before
                before = now

        await asyncio.gather(write(), read(), read())
        assert set(await by_id(store)) == set(ids(items))

    async def test_the_same_matrix_is_not_read_twice(self, store: Store) -> None:
        [a] = await add(store, an_item("a"))
        await store.put_vectors(DOMAIN, MODEL, {a.id: unit(1, 0)})

        async def read() -> ScopeVectors:
            return (await store.view(DOMAIN, [CHAT]).vectors(MODEL))[CHAT]

        first = await read()
        assert await read() is first
        await add(store, an_item("without a vector"))
        assert await read() is first

    async def test_dimensions_belong_to_the_model(self, store: Store) -> None:
        a, b = await add(store, an_item("a"), an_item("b"))
        assert await store.embedding_floor(MODEL) is None
        await store.put_vectors(DOMAIN, MODEL, {a.id: unit(1, 0)})
        with pytest.raises(StoreError):
            await store.put_vectors(DOMAIN, MODEL, {b.id: unit(1, 0, 0)})
        with pytest.raises(StoreError):
            await store.put_vectors(DOMAIN, "new", {a.id: unit(1, 0), b.id: unit(1, 0, 0)})
        await store.set_embedding_floor(MODEL, 2, 0.5)
        assert await store.embedding_floor(MODEL) == (2, 0.5)
        assert set(await by_id(store)) == {a.id}
        await store.set_embedding_floor(MODEL, 3, 0.25)
        assert await store.embedding_floor(MODEL) == (3, 0.25)
        assert await by_id(store) == {}
        await store.put_vectors(DOMAIN, MODEL, {b.id: unit(1, 0, 0)})
        assert set(await by_id(store)) == {b.id}

    async def test_vectors_that_are_none(self, store: Store) -> None:
        [a] = await add(store, an_item("a"))
        for bad in (np.array([np.nan, 1]), np.array([np.inf, 1]), np.zeros((2, 2)), np.array([])):
            with pytest.raises(ValueError, match="finite"):
                await store.put_vectors(DOMAIN, MODEL, {a.id: bad})
        assert await store.put_vectors(DOMAIN, MODEL, {a.id: np.zeros(2)}) == 1
        assert await by_id(store) == {a.id: [0.0, 0.0]}
