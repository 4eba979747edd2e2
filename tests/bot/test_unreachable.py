"""While the database cannot be written, messages wait for it in their order."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from nonebot_plugin_scoped_memory.bot.turn_writer import RETRY_AFTER
from nonebot_plugin_scoped_memory.engine.errors import StoreUnreachableError
from nonebot_plugin_scoped_memory.engine.models import TurnState
from nonebot_plugin_scoped_memory.engine.store.sqlite import connection
from tests.bot.casting import MING, PRIVATE
from tests.conftest import RunningBot, wiring

Break = Callable[[str, int], list[float]]


@pytest.fixture
def broken(bot: RunningBot, monkeypatch: pytest.MonkeyPatch) -> Break:
    """``broken("record", 2)``: that method of the listener fails so often. Returns the waits, which take no time."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    def fail(method: str, times: int) -> list[float]:
        works, left = getattr(bot.engine.listener, method), iter(range(times))

        async def call(*args: Any, **options: Any) -> Any:
            if next(left, None) is not None:
                raise StoreUnreachableError("sqlite:///x", "database is locked")
            return await works(*args, **options)

        monkeypatch.setattr(bot.engine.listener, method, call)
        return waits

    monkeypatch.setattr(wiring().recorder._writer, "_sleep", sleep)
    return fail


@pytest.mark.parametrize("method", ["record", "settle"])
@pytest.mark.parametrize("times", [1, len(RETRY_AFTER)])
async def test_a_message_waits_for_the_database(bot: RunningBot, broken: Break, method: str, times: int) -> None:
    waits = broken(method, times)
    qq = await bot.connect()
    await qq.ask_private(MING, "我的猫叫豆豆", nickname="小明")
    await qq.ask_private(MING, "在吗", nickname="小明")
    await bot.settled()
    assert waits == list(RETRY_AFTER[:times])
    turns = await bot.turns(PRIVATE)
    assert [turn.text for turn in turns if turn.role == "user"] == ["我的猫叫豆豆", "在吗"]
    assert {turn.state for turn in turns} == {TurnState.ORDINARY}
    assert len(await bot.items(PRIVATE)) == 1


async def test_a_recall_waits_for_the_database(bot: RunningBot, broken: Break) -> None:
    qq = await bot.connect()
    said = await qq.private(MING, "我的猫叫豆豆", nickname="小明")
    await qq.wait_sent(1)
    waits = broken("take_back", 1)
    await qq.recall_friend(MING, said)
    await qq.ask_private(MING, "在吗")
    await bot.settled()
    assert (waits, await bot.items(PRIVATE)) == ([RETRY_AFTER[0]], [])


@pytest.mark.parametrize("method", ["record", "settle"])
async def test_in_the_end_it_is_given_up_and_said(
    bot: RunningBot, broken: Break, caplog: pytest.LogCaptureFixture, method: str
) -> None:
    """The chat goes on; a turn that could not be classified is still open, for later."""
    waits = broken(method, 1 + len(RETRY_AFTER))
    qq = await bot.connect()
    await qq.private(MING, "我的猫叫豆豆", nickname="小明")
    await qq.wait_sent(1)
    await bot.settled()
    assert waits == list(RETRY_AFTER)
    assert "database is locked" in caplog.text
    assert "豆豆" not in caplog.text
    states = [turn.state for turn in await bot.turns(PRIVATE) if turn.role == "user"]
    assert states == ([] if method == "record" else [TurnState.OPEN])
    await qq.ask_private(MING, "我的狗叫团团", nickname="小明")
    await bot.settled()
    assert [item.content for item in await bot.items(PRIVATE)] == ["小明（10001）的狗叫团团"]


@pytest.mark.timeout(30)
async def test_a_database_that_another_process_holds(bot: RunningBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A backup, a database browser: longer than a statement waits for a lock."""
    given_up, free = asyncio.Event(), asyncio.Event()

    async def sleep(_: float) -> None:
        given_up.set()
        await free.wait()

    monkeypatch.setattr(connection, "BUSY_SECONDS", 0.1)
    await bot.restart()  # with connections that wait no longer than that
    monkeypatch.setattr(wiring().recorder._writer, "_sleep", sleep)
    qq = await bot.connect()
    await qq.ask_private(MING, "在吗")
    await bot.settled()
    other = sqlite3.connect(bot.engine.store.url.removeprefix("sqlite:///"), isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        await qq.private(MING, "我的猫叫豆豆", nickname="小明")
        await asyncio.wait_for(given_up.wait(), 10)
        assert await bot.items(PRIVATE) == []
        other.execute("ROLLBACK")
    finally:
        other.close()
    free.set()
    await bot.settled()
    assert [item.content for item in await bot.items(PRIVATE)] == ["小明（10001）的猫叫豆豆"]
