"""Two waits at once: both results, or none of them left running."""

from __future__ import annotations

import asyncio

import pytest

from nonebot_plugin_scoped_memory.engine.together import AT_ONCE, in_turns, together


async def _value(value: str) -> str:
    return value


async def test_gives_both_results_in_order() -> None:
    assert await together(_value("a"), _value("b")) == ("a", "b")


async def test_they_run_at_once() -> None:
    met = asyncio.Event()

    async def first() -> str:
        await met.wait()
        return "first"

    async def second() -> str:
        met.set()
        return "second"

    assert await asyncio.wait_for(together(first(), second()), 5) == ("first", "second")


async def test_a_failure_ends_the_other_first() -> None:
    ended: list[str] = []

    async def slow() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("slow")

    async def failing() -> None:
        await asyncio.sleep(0)
        raise KeyError("no")

    with pytest.raises(KeyError):
        await together(failing(), slow())
    assert ended == ["slow"]


async def test_cancelling_it_ends_both() -> None:
    ended: list[int] = []

    async def slow(n: int) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(n)

    task = asyncio.create_task(together(slow(1), slow(2)))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(ended) == [1, 2]


async def test_long_work_lets_others_have_their_turn_and_leaves_nothing_out() -> None:
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    assert [n async for n in in_turns(range(10 * AT_ONCE + 1))] == list(range(10 * AT_ONCE + 1))
    assert turns >= 10
    task.cancel()
    await asyncio.wait({task})
