"""Background tasks: awaited or cancelled, and none fails in silence."""

from __future__ import annotations

import asyncio

import pytest

from nonebot_plugin_scoped_memory.engine.background import Background


async def test_draining_waits_also_for_what_is_started_meanwhile() -> None:
    background, done = Background(), []

    async def second() -> None:
        await asyncio.sleep(0)
        done.append(2)

    async def first() -> None:
        await asyncio.sleep(0)
        background.spawn(second(), "second")
        done.append(1)

    background.spawn(first(), "first")
    await background.drain()
    assert done == [1, 2]


async def test_closing_cancels_what_takes_too_long_and_waits_for_it() -> None:
    background, ended = Background(), []

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    task = background.spawn(endless(), "endless")
    await background.close(0.01)
    assert task is not None
    assert task.cancelled()
    assert ended == [True]


async def test_nothing_is_started_while_late_tasks_are_cancelled() -> None:
    background, started = Background(), []

    async def other() -> None:
        started.append(True)

    async def stubborn() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            assert background.spawn(other(), "other") is None

    background.spawn(stubborn(), "stubborn")
    await background.close(0.01)
    await asyncio.sleep(0)
    assert started == []


async def test_after_closing_nothing_is_started() -> None:
    background, started = Background(), []

    async def work() -> None:
        started.append(True)

    await background.close(1)
    assert background.spawn(work(), "late") is None
    await asyncio.sleep(0)
    assert started == []
    await background.close(1)


async def test_work_that_ends_just_as_time_runs_out_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    background = Background()

    async def times_out(awaitable, _timeout) -> None:
        await awaitable
        raise asyncio.TimeoutError

    monkeypatch.setattr(asyncio, "wait_for", times_out)
    background.spawn(asyncio.sleep(0), "quick")
    await background.close(1)


async def test_a_cancelled_close_is_closed_all_the_same() -> None:
    background = Background()
    blocked = asyncio.Event()
    task = background.spawn(blocked.wait(), "blocked")
    closing = asyncio.create_task(background.close(60))
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert background.spawn(asyncio.sleep(0), "late") is None
    assert task is not None
    blocked.set()
    await task


async def test_a_stop_with_nothing_to_wait_for_is_silent_and_at_once(caplog: pytest.LogCaptureFixture) -> None:
    background = Background()
    await background.close(0)
    waiting = Background()
    task = waiting.spawn(asyncio.Event().wait(), "forever")
    await waiting.close(0)
    assert task is not None
    assert task.cancelled()
    assert caplog.records == []


async def test_a_failure_is_told_without_what_it_says(caplog: pytest.LogCaptureFixture) -> None:
    async def fails() -> None:
        raise RuntimeError("我的秘密") from ValueError("另一个秘密")

    background = Background()
    background.spawn(fails(), "work of qq:group:1")
    await background.drain()
    [record] = caplog.records
    told = record.getMessage()
    assert "qq:group:1" in told
    assert "RuntimeError" in told
    assert "ValueError" in told
    assert "秘密" not in told
    assert record.exc_info is None
