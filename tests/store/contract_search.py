"""The text index as a source of candidates: complete counts, bounded work, no foreign row."""

from __future__ import annotations

import dataclasses

from nonebot_plugin_scoped_memory.engine.models import ScopeSize
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE
from nonebot_plugin_scoped_memory.engine.store.base import SEARCH_CANDIDATES, SEARCH_TERMS, Store

from .making import CHAT, DOMAIN, OTHER, SESSION, add, an_item, found_items, save


class SearchContract:
    async def test_what_a_candidate_says(self, store: Store) -> None:
        one, two, three = await add(
            store, an_item("red apple red"), an_item("green apple", OTHER), an_item("blue sky", GLOBAL_SCOPE)
        )
        view = store.view(DOMAIN, [CHAT, OTHER, GLOBAL_SCOPE, SESSION])
        found = await view.item_candidates(["apple", "red", "none"])
        assert {d.ref: (d.owner, d.length, dict(d.counts)) for d in found.documents} == {
            one.id: (CHAT, 3, {"red": 2, "apple": 1}),
            two.id: (OTHER, 2, {"apple": 1}),
        }
        assert dict(found.frequency) == {"apple": 2, "red": 1, "none": 0}
        assert dict(found.sizes) == {
            CHAT: ScopeSize(1, 3),
            OTHER: ScopeSize(1, 2),
            GLOBAL_SCOPE: ScopeSize(1, 2),
            SESSION: ScopeSize(0, 0),
        }
        assert await found_items(store, "sky", GLOBAL_SCOPE) == [three.id]

    async def test_nothing_asked_nothing_found(self, store: Store) -> None:
        view = store.view(DOMAIN, [CHAT])
        empty = await view.item_candidates(["apple"])
        assert (empty.documents, dict(empty.sizes), dict(empty.frequency)) == (
            (),
            {CHAT: ScopeSize(0, 0)},
            {"apple": 0},
        )
        await add(store, an_item("apple"), an_item("", identity="no words"))
        nothing = await view.item_candidates([])
        assert (nothing.documents, dict(nothing.sizes)) == ((), {CHAT: ScopeSize(2, 1)})

    async def test_the_most_promising_come_first(self, store: Store) -> None:
        items = await add(
            store,
            an_item("common"),
            an_item("common rare"),
            an_item("rare also"),
            an_item("common filler"),
            an_item("common other"),
        )
        found = await found_items(store, "common rare")
        assert found[:2] == [items[1].id, items[2].id]
        # equally promising: the newer one first
        assert found[2:] == [items[4].id, items[3].id, items[0].id]

    async def test_words_that_look_like_query_syntax(self, store: Store) -> None:
        odd = ["and", "OR", "NOT", "NEAR", '"', "*", "a:b", "(x", "terms:", "-y", "^", "", " ", "'; --", "你", "🙂"]
        [item] = await add(store, an_item("odd"))
        async with store.write(DOMAIN, [CHAT]) as write:
            await write.save_item(item, odd)
        for term in odd:
            found = await store.view(DOMAIN, [CHAT]).item_candidates([term])
            assert [dict(document.counts) for document in found.documents] == [{term: 1}]

    async def test_at_most_so_many_candidates(self, store: Store) -> None:
        items = await add(store, *(an_item(f"apple n{i}") for i in range(SEARCH_CANDIDATES + 20)))
        found = await found_items(store, "apple n5 n3")
        assert len(found) == SEARCH_CANDIDATES
        assert set(found[:2]) == {items[5].id, items[3].id}
        assert found[2] == items[-1].id

    async def test_a_long_query_keeps_its_rarest_terms(self, store: Store) -> None:
        common = [f"c{i}" for i in range(SEARCH_TERMS)]
        rare = [f"r{i}" for i in range(SEARCH_TERMS)]
        one, two = await add(store, an_item(" ".join([*common, *rare])), an_item(" ".join(common)))
        found = await store.view(DOMAIN, [CHAT]).item_candidates([*common, *rare])
        assert [document.ref for document in found.documents] == [one.id]
        assert set(found.frequency) == set(found.documents[0].counts) == set(rare)
        assert await found_items(store, " ".join(common)) == [two.id, one.id]

    async def test_a_query_of_thousands_of_terms(self, store: Store) -> None:
        query = [f"q{i}" for i in range(3000)]
        [item] = await add(store, an_item(" ".join(query)))
        found = await store.view(DOMAIN, [CHAT, GLOBAL_SCOPE]).item_candidates(query)
        assert [document.ref for document in found.documents] == [item.id]
        asked = sorted(int(term[1:]) for term in found.frequency)
        assert len(asked) == SEARCH_TERMS

    async def test_a_common_term_of_one_scope_does_not_hide_another(self, store: Store) -> None:
        await add(store, *(an_item(f"apple {i}", GLOBAL_SCOPE) for i in range(SEARCH_CANDIDATES + 50)))
        [mine] = await add(store, an_item("apple pie"))
        assert mine.id in await found_items(store, "apple pie", GLOBAL_SCOPE, CHAT)

    async def test_sizes_stay_exact(self, store: Store) -> None:
        items = await add(store, *(an_item(" ".join(["w"] * i), identity=str(i)) for i in range(1, 6)))
        await save(store, dataclasses.replace(items[0], status="archived"))
        await save(store, dataclasses.replace(items[1], content="w w w w w w"))
        await save(store, dataclasses.replace(items[2], scope=OTHER), CHAT)
        sizes = (await store.view(DOMAIN, [CHAT, OTHER]).item_candidates(["w"])).sizes
        assert dict(sizes) == {CHAT: ScopeSize(3, 15), OTHER: ScopeSize(1, 3)}

    async def test_other_domains_do_not_count(self, store: Store) -> None:
        await add(store, an_item("apple"), domain="bot2")
        assert await found_items(store, "apple") == []
        [mine] = await add(store, an_item("apple"))
        found = await store.view(DOMAIN, [CHAT]).item_candidates(["apple"])
        assert [document.ref for document in found.documents] == [mine.id]
        assert (dict(found.frequency), found.sizes[CHAT]) == ({"apple": 1}, ScopeSize(1, 1))
