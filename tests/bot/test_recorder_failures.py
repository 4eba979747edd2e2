"""Where the store, a hook or another plugin fails or drops an event, the chat goes on and nothing wrong is learnt."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import nonebot
import nonebot.message
import pytest
from nonebot import on_command, on_message
from nonebot.adapters import Bot, Event
from nonebot.adapters.onebot.v11 import MessageEvent
from nonebot.exception import IgnoredException
from nonebot.message import event_preprocessor

from nonebot_plugin_scoped_memory.bot import recorder
from nonebot_plugin_scoped_memory.engine.errors import StoreError
from nonebot_plugin_scoped_memory.engine.models import Turn, TurnState
from tests.bot.casting import BOT, GROUP, GROUP_KEY, MING, OTHER_BOT, PRIVATE, everything
from tests.conftest import RunningBot
from tests.fakes.onebot import OneBotClient

pytestmark = pytest.mark.usefixtures("rivals")


@pytest.mark.parametrize("error", [StoreError("sqlite://", "the disk is full"), RuntimeError("a bug")])
async def test_a_failing_store_drops_no_event(
    bot: RunningBot, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    async def fail(*_: Any) -> Turn:
        raise error

    qq = await bot.connect()
    with monkeypatch.context() as patch:
        patch.setattr(bot.engine.store, "record_turn", fail)
        assert await qq.ask_private(MING, "在吗")
        await bot.settled()
    assert await bot.turns(PRIVATE) == []
    await qq.ask_private(MING, "还在吗")
    await bot.settled()
    assert [turn.role for turn in await bot.turns(PRIVATE)] == ["user", "bot"]


@pytest.mark.parametrize("broken", ["read_message", "is_command", "read_api_send", "read_recall"])
async def test_a_failing_hook_drops_no_event(bot: RunningBot, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("a bug")

    echo = on_message(priority=1, block=True)

    @echo.handle()
    async def _(bot: Bot, event: Event) -> None:
        await bot.send(event, "回声")

    monkeypatch.setattr(recorder, broken, fail)
    qq = await bot.connect()
    assert await qq.ask_private(MING, "在吗") == "回声"
    await qq.recall_friend(MING, qq.sent[-1].message_id)
    assert await qq.ask_private(MING, "还在吗") == "回声"


async def test_a_command_is_stored_as_one_at_once(bot: RunningBot) -> None:
    """Whatever happens to its handlers: a process that dies leaves no command that looks like a remark."""
    slow = on_command("等", priority=1)
    begun, go_on = asyncio.Event(), asyncio.Event()

    @slow.handle()
    async def _() -> None:
        begun.set()
        await go_on.wait()

    qq = await bot.connect()
    await qq.private(MING, "/等 我喜欢猫")
    await begun.wait()
    await qq.ask_private(MING, "/memory list")
    assert (await bot.turns(PRIVATE))[0].state is TurnState.COMMAND
    go_on.set()


@everything
async def test_an_event_that_another_plugin_drops(bot: RunningBot) -> None:
    """Its handlers never run, so it is learnt no more than a command is; what is said later goes on as ever."""
    qq = await bot.connect()
    with ignoring(lambda event: "讨厌" in event.get_plaintext()):
        await qq.group(GROUP, MING, "我讨厌香菜", card="小明")
        await qq.ask_group(GROUP, MING, "我的猫叫豆豆", card="小明", at_bot=True)
    gc.collect()
    await bot.settled()
    dropped = [turn.state for turn in await bot.turns(GROUP_KEY) if "讨厌" in turn.text]
    assert dropped in ([], [TurnState.COMMAND])  # whose preprocessor is faster decides whether it is heard at all
    assert ["豆豆" in item.content for item in await bot.items(GROUP_KEY)] == [True]
    await qq.ask_group(GROUP, MING, "说到哪了", card="小明", at_bot=True)
    assert "讨厌" not in "".join(request.text for request in bot.llm.chat_requests)


@everything
async def test_an_event_that_only_one_bot_handles(bot: RunningBot) -> None:
    """Plugins keep all bots but one from a group; the message is still what it is."""
    both = [await bot.connect(str(BOT)), await bot.connect(str(OTHER_BOT))]
    with ignoring(lambda event: event.self_id == OTHER_BOT):
        await OneBotClient.broadcast_group(both, GROUP, MING, "我的猫叫豆豆", card="小明")
        await both[0].ask_group(GROUP, MING, "在吗", card="小明", at_bot=True)
    gc.collect()
    await bot.settled()
    assert {turn.state for turn in await bot.turns(GROUP_KEY)} == {TurnState.ORDINARY}
    assert len(await bot.items(GROUP_KEY)) == 1


@contextmanager
def ignoring(unwanted: Callable[[MessageEvent], bool]) -> Iterator[None]:
    """Another plugin's preprocessor, which thinks before it drops what is unwanted."""

    async def preprocessor(event: MessageEvent) -> None:
        await asyncio.sleep(0.01)
        if unwanted(event):
            raise IgnoredException("banned")

    before = set(nonebot.message._event_preprocessors)
    event_preprocessor(preprocessor)
    try:
        yield
    finally:
        nonebot.message._event_preprocessors.intersection_update(before)
