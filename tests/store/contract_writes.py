"""Transactions: whole or not at all, one at a time, and an orderly end."""

from __future__ import annotations

import asyncio
from datetime import datetime

import pytest

from nonebot_plugin_scoped_memory.engine.errors import StoreError
from nonebot_plugin_scoped_memory.engine.store.base import Store, Write

from .making import CHAT, CHAT_KEY, DOMAIN, NOON, SESSION, a_turn, add, an_event, an_item, found_items, say, words


async def write_everything(write: Write, content: str) -> str:
    """Something in many tables; the new item's id."""
    await write.add_turns(CHAT_KEY, [(a_turn(content), words(content))])
    item = await write.add_item(an_item(content), words(content))
    await write.add_event(an_event(item.id))
    await write.set_chat_setting(CHAT, "x", content, by="", at=NOON)
    return item.id


class WriteContract:
    async def test_a_failing_block_leaves_nothing(self, store: Store) -> None:
        async def fail() -> None:
            async with store.write(DOMAIN, [CHAT, SESSION]) as write:
                id = await write_everything(write, "gone")
                assert [item.id for item in await write.list_items()] == [id]
                raise RuntimeError("on purpose")

        with pytest.raises(RuntimeError, match="on purpose"):
            await fail()
        view = store.view(DOMAIN, [CHAT, SESSION])
        assert await view.list_items() == []
        assert await view.session(CHAT_KEY) is None
        assert await view.chat_settings(CHAT) == {}
        assert await found_items(store, "gone") == []
        [turn] = await say(store, "first")
        assert turn.n == 1

    async def test_a_cancelled_block_leaves_nothing_and_frees_the_writer(self, store: Store) -> None:
        inside = asyncio.Event()

        async def write_and_wait() -> None:
            async with store.write(DOMAIN, [CHAT, SESSION]) as write:
                await write_everything(write, "gone")
                inside.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(write_and_wait())
        await inside.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await store.view(DOMAIN, [CHAT]).list_items() == []
        [item] = await add(store, an_item("kept"))
        assert await store.view(DOMAIN, [CHAT]).list_items() == [item]

    @pytest.mark.parametrize("steps", range(12))
    async def test_cancelled_at_any_moment_it_is_whole_or_not_at_all(self, store: Store, steps: int) -> None:
        async def write() -> None:
            async with store.write(DOMAIN, [CHAT, SESSION]) as write:
                await write_everything(write, "maybe")

        task = asyncio.create_task(write())
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        view = store.view(DOMAIN, [CHAT, SESSION])
        items = len(await view.list_items())
        assert items == len(await view.turns_after(CHAT_KEY, 0, limit=9)) == len(await view.chat_settings(CHAT))
        assert items == len(await found_items(store, "maybe"))
        await add(store, an_item("works again"))

    async def test_readers_do_not_wait_and_do_not_see_what_is_not_committed(self, store: Store) -> None:
        async with store.write(DOMAIN, [CHAT]) as write:
            item = await write.add_item(an_item("new"), ["new"])
            assert await store.view(DOMAIN, [CHAT]).list_items() == []
            assert await write.list_items() == [item]
        assert await store.view(DOMAIN, [CHAT]).list_items() == [item]

    async def test_what_still_runs_when_a_block_fails_writes_nothing(self, store: Store) -> None:
        late: list[asyncio.Task[str]] = []

        async def fail() -> None:
            async with store.write(DOMAIN, [CHAT, SESSION]) as write:
                late.append(asyncio.create_task(write_everything(write, "late")))
                await write.list_items()
                raise RuntimeError("on purpose")

        with pytest.raises(RuntimeError, match="on purpose"):
            await fail()
        [result] = await asyncio.gather(*late, return_exceptions=True)
        assert isinstance(result, StoreError)
        view = store.view(DOMAIN, [CHAT, SESSION])
        assert await view.list_items() == await view.turns_after(CHAT_KEY, 0, limit=9) == []
        assert await view.chat_settings(CHAT) == {}

    async def test_a_write_inside_a_write_is_refused(self, store: Store) -> None:
        async with store.write(DOMAIN, [CHAT, SESSION]) as write:
            with pytest.raises(StoreError):
                await say(store, "x")
            with pytest.raises(StoreError):
                async with store.write(DOMAIN, [CHAT]):
                    pytest.fail("two transactions in one task")
            with pytest.raises(StoreError):
                await store.close()
            await write.add_item(an_item("fine"), ["fine"])
        assert await found_items(store, "fine")

    async def test_an_ended_write_is_of_no_use(self, store: Store) -> None:
        async with store.write(DOMAIN, [CHAT]) as write:
            pass
        with pytest.raises(StoreError):
            await write.list_items()
        with pytest.raises(StoreError):
            await write.add_item(an_item("x"), [])

    async def test_writers_take_turns(self, store: Store) -> None:
        async def bump() -> None:
            async with store.write(DOMAIN, [CHAT]) as write:
                value = int((await write.chat_settings(CHAT)).get("n", "0"))
                await write.set_chat_setting(CHAT, "n", str(value + 1), by="", at=NOON)

        await asyncio.gather(*(bump() for _ in range(20)))
        assert await store.view(DOMAIN, [CHAT]).chat_settings(CHAT) == {"n": "20"}

    async def test_a_time_without_a_zone_is_refused(self, store: Store) -> None:
        with pytest.raises(ValueError, match="time zone"):
            await add(store, an_item("x", created_at=datetime(2026, 1, 1)))  # noqa: DTZ001 - that is the point

    async def test_closing_finishes_what_is_queued(self, store: Store) -> None:
        turns = [asyncio.create_task(say(store, str(i))) for i in range(20)]
        await asyncio.sleep(0)
        await asyncio.gather(store.close(), store.close())
        assert [turn.n for (turn,) in await asyncio.gather(*turns)] == list(range(1, 21))
        await store.close()

    async def test_a_closed_store_says_so(self, store: Store) -> None:
        view = store.view(DOMAIN, [CHAT])
        await store.close()
        for call in (
            lambda: say(store, "x"),
            lambda: view.list_items(),
            lambda: add(store, an_item("x")),
            lambda: store.embedding_floor("m"),
        ):
            with pytest.raises(StoreError, match="closed"):
                await call()
