"""Items: what is unique, what follows a change, and what they rest on."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
from datetime import timedelta

import pytest

from nonebot_plugin_scoped_memory.engine.errors import (
    InvalidItemError,
    InvalidScopeError,
    NotFoundError,
    SlotTakenError,
    StoreError,
)
from nonebot_plugin_scoped_memory.engine.models import ItemStatus
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, REVIEW_SCOPE
from nonebot_plugin_scoped_memory.engine.store.base import Store

from .making import (
    CHAT,
    CHAT_KEY,
    DOMAIN,
    HONG,
    MING,
    NOON,
    OTHER,
    OTHER_KEY,
    OTHER_SESSION,
    SESSION,
    HandClock,
    OpenedStore,
    OpenStore,
    a_candidate,
    add,
    an_item,
    evidence,
    found_items,
    ids,
    save,
    say,
    words,
)


class ItemContract:
    async def test_an_item_is_read_as_it_was_returned(self, store: Store) -> None:
        full = an_item(
            "小明 喜欢 露营",
            kind="preference",
            subject=MING,
            key="hobby",
            tier="shu",
            confidence=0.123,
            importance=1,
            origin="llm",
            valid_from=NOON + timedelta(microseconds=1500),
            valid_to=NOON + timedelta(days=2),
            valid_until=NOON + timedelta(days=1, microseconds=999),
            successor="abc",
            prompt_version="3",
            version=4,
        )
        [item] = await add(store, full)
        assert item.id
        assert item == dataclasses.replace(
            full,
            id=item.id,
            valid_from=NOON + timedelta(milliseconds=1),
            valid_until=NOON + timedelta(days=1),
        )
        assert await store.view(DOMAIN, [CHAT]).items([item.id]) == [item]

    async def test_new_ids_are_short_and_easy_to_type(self, store: Store) -> None:
        items = await add(store, *(an_item(str(i)) for i in range(50)))
        assert len(set(ids(items))) == 50
        assert all(len(item.id) == 6 and set(item.id) <= set("23456789abcdefghjkmnpqrstuvwxyz") for item in items)

    async def test_a_taken_id_is_asked_for_again(self, open_store: OpenStore) -> None:
        source = iter(["aa", "aa", "bb", "bb", "aa", "cc"])
        store = await open_store(ids=lambda: next(source))
        first, second = await add(store, an_item("1"), an_item("2"))
        async with store.write(DOMAIN, [CHAT]) as write:
            candidate = await write.add_candidate(a_candidate("3"))
        assert (first.id, second.id, candidate.id) == ("aa", "bb", "cc")

    async def test_an_id_source_that_has_run_dry_is_an_error(self, open_store: OpenStore) -> None:
        store = await open_store(ids=lambda: "aa")
        await add(store, an_item("1"))
        with pytest.raises(StoreError):
            await add(store, an_item("2"))

    async def test_a_given_id_is_kept_and_must_be_free(self, store: Store) -> None:
        await add(store, an_item("1", id="mine"))
        for content, scope in (("2", CHAT), ("3", OTHER)):
            with pytest.raises(InvalidItemError):
                await add(store, an_item(content, scope, id="mine"))
        assert ids(await store.view(DOMAIN, [CHAT]).items(["mine"])) == ["mine"]

    # --- one place, one active item

    async def test_equal_content_is_held_by_one_active_item(self, store: Store) -> None:
        [first] = await add(store, an_item("x", identity="same", subject=MING))
        with pytest.raises(SlotTakenError) as e:
            await add(store, an_item("X", identity="same", subject=MING))
        assert e.value.holder_id == first.id
        await add(
            store,
            an_item("x", identity="same", subject=HONG),
            an_item("x", identity="same", subject=MING, kind="task"),
            an_item("x", OTHER, identity="same", subject=MING),
            an_item("x", identity="same", subject=MING, status="archived"),
        )

    async def test_a_slot_is_held_by_one_active_item(self, store: Store) -> None:
        [first] = await add(store, an_item("zh", key="language", subject=MING))
        with pytest.raises(SlotTakenError) as e:
            await add(store, an_item("en", key="language", subject=MING))
        assert e.value.holder_id == first.id
        await add(
            store,
            an_item("en", key="language", subject=HONG),
            an_item("en", OTHER, key="language", subject=MING),
            an_item("no key", subject=MING),
            an_item("no key either", subject=MING),
        )

    async def test_a_taken_slot_leaves_the_rest_of_the_write_whole(self, store: Store) -> None:
        [holder, frozen] = await add(
            store, an_item("zh", key="language"), an_item("en", key="language", status="archived")
        )
        async with store.write(DOMAIN, [CHAT]) as write:
            other = await write.add_item(an_item("kept"), ["kept"])
            with pytest.raises(SlotTakenError):
                await write.add_item(an_item("de", key="language"), ["de"])
            with pytest.raises(SlotTakenError) as e:
                await write.save_item(dataclasses.replace(frozen, status="active"), ["en"])
            with pytest.raises(SlotTakenError):
                await write.save_item(dataclasses.replace(other, key="language"), ["kept"])
        assert (e.value.item_id, e.value.holder_id) == (frozen.id, holder.id)
        assert await found_items(store, "kept de en zh") == [other.id, holder.id]
        sizes = (await store.view(DOMAIN, [CHAT]).item_candidates(["kept"])).sizes
        assert sizes[CHAT].documents == 2

    async def test_concurrent_writers_make_no_twins(self, store: Store) -> None:
        results = await asyncio.gather(
            *(add(store, an_item(f"w{i}", identity="same")) for i in range(12)), return_exceptions=True
        )
        made = [result for result in results if isinstance(result, list)]
        taken = [result for result in results if isinstance(result, SlotTakenError)]
        assert (len(made), len(taken)) == (1, 11)
        assert {e.holder_id for e in taken} == {made[0][0].id}

    async def test_twin_and_slot_holder(self, store: Store) -> None:
        [item, _] = await add(
            store,
            an_item("zh", key="language", subject=MING),
            an_item("old", key="language", subject=HONG, status="superseded"),
        )
        async with store.write(DOMAIN, [CHAT]) as write:
            assert await write.twin(CHAT, "fact", MING, item.identity) == item
            assert await write.slot_holder(CHAT, "fact", "language", MING) == item
            assert await write.twin(CHAT, "fact", HONG, item.identity) is None
            assert await write.slot_holder(CHAT, "fact", "language", HONG) is None
            assert await write.slot_holder(CHAT, "task", "language", MING) is None
            assert await write.twin(OTHER, "fact", MING, item.identity) is None
            assert await write.slot_holder(OTHER, "fact", "language", MING) is None

    # --- changing

    async def test_save_writes_every_field_back(self, store: Store, clock: HandClock) -> None:
        [item] = await add(store, an_item("old words"))
        changed = dataclasses.replace(
            item,
            kind="warning",
            content="new words",
            subject=HONG,
            owner=HONG,
            key="k",
            tier="dao_tian",
            confidence=0.1,
            importance=0.2,
            identity="=new",
            origin="dream",
            source_session=f"{CHAT_KEY}:cron:daily",
            valid_until=NOON + timedelta(days=3),
            updated_at=clock.advance(hours=1),
            prompt_version="9",
            version=99,
        )
        saved = await save(store, changed)
        assert saved == dataclasses.replace(changed, version=2)
        assert await store.view(DOMAIN, [CHAT]).items([item.id]) == [saved]
        assert await found_items(store, "old") == []
        assert await found_items(store, "new") == [item.id]

    async def test_only_active_items_are_found(self, store: Store) -> None:
        items = await add(store, *(an_item(f"apple {i}") for i in range(5)), an_item("apple x", status="retracted"))
        for item, status in zip(items, ("superseded", "archived", "demoted", "retracted"), strict=False):
            await save(store, dataclasses.replace(item, status=status))
        assert await found_items(store, "apple") == [items[4].id]
        view = store.view(DOMAIN, [CHAT])
        sizes = (await view.item_candidates(["apple"])).sizes[CHAT]
        assert (sizes.documents, sizes.terms) == (1, 2)
        assert [item.status for item in await view.items(ids(items))] == [
            "superseded",
            "archived",
            "demoted",
            "retracted",
            "active",
            "retracted",
        ]
        await save(store, items[0])  # thawed
        assert set(await found_items(store, "apple")) == {items[0].id, items[4].id}

    async def test_a_move_takes_everything_along(self, store: Store) -> None:
        [item] = await add(store, an_item("red apple"))
        await say(store, "red apple")
        async with store.write(DOMAIN, [CHAT, GLOBAL_SCOPE]) as write:
            await write.add_evidence(item.id, [evidence(1)])
            moved = await write.save_item(dataclasses.replace(item, scope=GLOBAL_SCOPE), words("red apple"))
            assert [hit.ref for hit in (await write.item_candidates(["apple"])).documents] == [item.id]
        assert moved.scope == GLOBAL_SCOPE
        assert await found_items(store, "apple", CHAT) == []
        assert await found_items(store, "apple", GLOBAL_SCOPE) == [item.id]
        here, there = store.view(DOMAIN, [CHAT]), store.view(DOMAIN, [GLOBAL_SCOPE])
        assert await here.items([item.id]) == []
        assert await there.evidence([item.id]) == {item.id: []}  # of a chat that this view does not reach
        assert await store.view(DOMAIN, [GLOBAL_SCOPE, CHAT]).evidence([item.id]) == {item.id: [evidence(1)]}
        sizes = (await store.view(DOMAIN, [CHAT, GLOBAL_SCOPE]).item_candidates(["apple"])).sizes
        assert {ref: size.documents for ref, size in sizes.items()} == {CHAT: 0, GLOBAL_SCOPE: 1}

    async def test_a_move_needs_both_scopes(self, store: Store) -> None:
        [item] = await add(store, an_item("x"))
        moved = dataclasses.replace(item, scope=OTHER)
        with pytest.raises(InvalidScopeError):
            async with store.write(DOMAIN, [CHAT]) as write:
                await write.save_item(moved, ["x"])
        with pytest.raises(NotFoundError):
            async with store.write(DOMAIN, [OTHER]) as write:
                await write.save_item(moved, ["x"])
        assert await store.view(DOMAIN, [CHAT, OTHER]).items([item.id]) == [item]

    async def test_where_a_shared_item_came_from_is_told_to_who_reaches_that_chat(self, store: Store) -> None:
        await say(store, "said in the chat")
        [item] = await add(store, an_item("shared", GLOBAL_SCOPE, key="k", tier="dao_tian"))
        async with store.write(DOMAIN, [GLOBAL_SCOPE]) as write:
            await write.add_evidence(item.id, [evidence(1)])
            assert await write.items([item.id]) == [item]  # whole, to be written back
        hidden = dataclasses.replace(item, source_session="", owner="")
        for also, shown, proof in (
            ((), hidden, []),
            ((OTHER, OTHER_SESSION), hidden, []),
            ((CHAT,), item, [evidence(1)]),
            ((SESSION,), item, [evidence(1)]),
            ((REVIEW_SCOPE,), item, [evidence(1)]),
        ):
            view = store.view(DOMAIN, [GLOBAL_SCOPE, *also])
            assert await view.items([item.id]) == await view.list_items() == await view.pinned_items() == [shown]
            assert await view.slot_items([("fact", "k", "")]) == await view.items_on_turn(CHAT_KEY, 1) == [shown]
            assert await view.evidence([item.id]) == {item.id: proof}

    # --- lists

    async def test_items_come_in_the_order_asked(self, store: Store) -> None:
        a, b, c = await add(store, an_item("a"), an_item("b", OTHER), an_item("c", status="archived"))
        view = store.view(DOMAIN, [CHAT, OTHER])
        assert await view.items([c.id, "nope", a.id, b.id, a.id, ""]) == [c, a, b]
        assert await view.items([]) == []
        many = [f"x{i}" for i in range(1200)]
        assert await view.items([*many, b.id]) == [b]

    async def test_half_a_character_finds_nothing(self, store: Store) -> None:
        await add(store, an_item("a"))
        view = store.view(DOMAIN, [CHAT])
        assert await view.items(["\ud800"]) == []
        assert await view.candidate("\ud800") is None
        assert (await view.item_candidates(["\ud800"])).documents == ()

    async def test_lists_are_newest_first(self, store: Store) -> None:
        times = (2, 0, 1, 2)
        items = await add(
            store, *(an_item(str(i), created_at=NOON + timedelta(hours=hour)) for i, hour in enumerate(times))
        )
        view = store.view(DOMAIN, [CHAT])
        newest_first = [items[i] for i in (3, 0, 2, 1)]
        assert await view.list_items() == newest_first
        assert await view.list_items(limit=2, offset=1) == newest_first[1:3]
        assert await view.list_items(limit=0) == await view.list_items(limit=-1) == []
        assert await view.list_items(offset=-5, limit=2**80) == newest_first

    async def test_lists_filter_by_status_and_kind(self, store: Store) -> None:
        await add(store, an_item("a"), an_item("b", kind="task"), an_item("c", kind="task", status="archived"))
        view = store.view(DOMAIN, [CHAT])
        cases: list[tuple[ItemStatus | None, str | None, set[str]]] = [
            ("active", None, {"a", "b"}),
            ("active", "task", {"b"}),
            ("archived", None, {"c"}),
            (None, "task", {"b", "c"}),
            (None, None, {"a", "b", "c"}),
        ]
        for status, kind, expected in cases:
            assert {item.content for item in await view.list_items(status=status, kind=kind)} == expected
            assert await view.count_items(status=status, kind=kind) == len(expected)

    async def test_pinned_items(self, store: Store) -> None:
        pinned, *_ = await add(
            store,
            an_item("a", tier="dao_tian"),
            an_item("b", tier="dao_ren"),
            an_item("c", tier="dao_tian", status="archived"),
            an_item("d", OTHER, tier="dao_tian"),
        )
        assert await store.view(DOMAIN, [CHAT]).pinned_items() == [pinned]

    async def test_slot_items(self, store: Store) -> None:
        mine, other, hers, *_ = await add(
            store,
            an_item("a", key="language", subject=MING),
            an_item("b", OTHER, key="language", subject=MING),
            an_item("c", key="language", subject=HONG),
            an_item("d", key="language", subject=MING, kind="task"),
            an_item("e", key="language", subject=MING, status="archived"),
            an_item("f", subject=MING),
        )
        view = store.view(DOMAIN, [CHAT, OTHER])
        slot = ("fact", "language", MING)
        assert {item.id for item in await view.slot_items([slot, slot])} == {mine.id, other.id}
        assert ids(await store.view(DOMAIN, [CHAT]).slot_items([slot, ("fact", "language", HONG)])) == [
            hers.id,
            mine.id,
        ]
        assert await view.slot_items([]) == []
        many = [("fact", f"k{i}", "") for i in range(700)]
        assert {item.id for item in await view.slot_items([*many, slot])} == {mine.id, other.id}

    # --- evidence

    async def test_evidence(self, store: OpenedStore, clock: HandClock) -> None:
        await say(store, "one", "two", "three")
        a, b, bare = await add(store, an_item("a"), an_item("b", OTHER), an_item("c"))
        async with store.write(DOMAIN, [CHAT, OTHER]) as write:
            assert await write.add_evidence(a.id, [evidence(2, quote="two"), evidence(1)]) == 2
            clock.advance(seconds=1)
            assert await write.add_evidence(a.id, [evidence(1, quote="again"), evidence(3)]) == 1
            assert await write.add_evidence(a.id, []) == 0
            assert await write.add_evidence(b.id, [evidence(1)]) == 1
        view = store.view(DOMAIN, [CHAT])
        assert await view.evidence([a.id, b.id, bare.id]) == {
            a.id: [evidence(1), evidence(2, quote="two"), evidence(3)],
            bare.id: [],
        }
        assert ids(await view.items_on_turn(CHAT_KEY, 1)) == [a.id]
        assert set(ids(await store.view(DOMAIN, [CHAT, OTHER]).items_on_turn(CHAT_KEY, 1))) == {a.id, b.id}
        assert await view.items_on_turn(OTHER_KEY, 1) == []
        await save(store, dataclasses.replace(a, status="retracted"))
        assert await view.items_on_turn(CHAT_KEY, 1) == []

    async def test_evidence_of_a_turn_that_does_not_exist(self, store: Store) -> None:
        await say(store, "one")
        await say(store, "theirs", session_key=OTHER_KEY, domain="bot2")
        [item] = await add(store, an_item("a"))
        for missing in (evidence(2), evidence(1, OTHER_KEY), evidence(1, "qq:private:1"), evidence(2**70)):
            async with store.write(DOMAIN, [CHAT]) as write:
                with pytest.raises(NotFoundError) as e:
                    await write.add_evidence(item.id, [evidence(1), missing])
            assert (e.value.kind, e.value.id) == ("turn", f"{missing.session_key}#{missing.turn}")
        assert await store.view(DOMAIN, [CHAT]).evidence([item.id]) == {item.id: []}

    async def test_ids_can_be_counted(self, open_store: OpenStore) -> None:
        numbers = itertools.count(1)
        store = await open_store(ids=lambda: f"m{next(numbers)}")
        assert ids(await add(store, an_item("a"), an_item("b"))) == ["m1", "m2"]

    async def test_items_of_one_scope_are_counted(self, store: Store) -> None:
        await add(store, an_item("a"), an_item("b"), an_item("c", OTHER), an_item("d", status="archived"))
        await add(store, an_item("e"), domain="bot2")
        view = store.view(DOMAIN, [CHAT, OTHER])
        assert (await view.count_items(), await view.count_items(scope=CHAT)) == (3, 2)
        assert await view.count_items(scope=CHAT, status="archived") == 1
        assert await store.view(DOMAIN, [OTHER]).count_items(scope=CHAT) == 0
