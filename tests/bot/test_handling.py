"""What is said and asked while an event is being handled belongs to its chat; what goes on afterwards does not."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import nonebot
import nonebot.message
import pytest
from nonebot import on_message
from nonebot.adapters import Bot, Event
from nonebot.exception import IgnoredException
from nonebot.message import event_preprocessor
from nonebot.rule import Rule

from nonebot_plugin_scoped_memory import api, recall, remember
from nonebot_plugin_scoped_memory.engine.errors import NoChatError
from nonebot_plugin_scoped_memory.engine.models import TurnState
from tests.bot.casting import BOT, GROUP, GROUP_KEY, HONG, MING, OTHER_BOT, PRIVATE, everything
from tests.conftest import RunningBot, until, wiring

pytestmark = pytest.mark.usefixtures("rivals")

Handler = Callable[[Bot, Event], Awaitable[Any]]


def another_plugin(handler: Handler, word: str = "") -> None:
    """It answers whatever has ``word`` in it."""
    matcher = on_message(rule=Rule(lambda event: word in event.get_plaintext()), priority=1, block=True)

    @matcher.handle()
    async def _(bot: Bot, event: Event) -> None:
        await handler(bot, event)


async def outcome(call: Awaitable[Any]) -> Any:
    try:
        return await call
    except NoChatError as e:
        return type(e)


# ---------------------------------------------------------------------- what is asked


async def test_a_timer_that_a_handler_set_is_in_no_chat(bot: RunningBot) -> None:
    """Its context is a copy of the handler's, for ever."""
    over, results = asyncio.Event(), asyncio.Queue[Any]()

    async def later() -> None:
        results.put_nowait(await outcome(recall("咖啡")))
        await over.wait()
        results.put_nowait(await outcome(recall("咖啡")))
        results.put_nowait(await outcome(remember("我讨厌咖啡")))
        results.put_nowait([found.item.content for found in await recall("咖啡", session=PRIVATE)])

    async def handle(bot: Bot, event: Event) -> None:
        asyncio.get_running_loop().call_soon(lambda: tasks.append(asyncio.create_task(later())))
        assert await results.get() == []  # while it is handled, it is
        await bot.send(event, "好的")

    tasks: list[asyncio.Task[None]] = []
    another_plugin(handle, "提醒我")
    qq = await bot.connect()
    await qq.ask_private(MING, "提醒我喝水")
    await qq.ask_private(MING, "记住我喜欢咖啡", nickname="小明")
    await bot.settled()
    over.set()
    assert [await results.get() for _ in range(3)] == [NoChatError, NoChatError, ["小明（10001）喜欢咖啡"]]
    assert len(await bot.items(PRIVATE)) == 1


async def test_a_worker_that_one_chat_started_does_not_work_for_it(bot: RunningBot) -> None:
    queue, results = asyncio.Queue[Event](), asyncio.Queue[Any]()
    workers: list[asyncio.Task[None]] = []
    started = asyncio.Event()

    async def work() -> None:
        started.set()
        while True:
            event = await queue.get()
            results.put_nowait(await outcome(remember(event.get_plaintext())))

    async def handle(_: Bot, event: Event) -> None:
        if not workers:
            workers.append(asyncio.create_task(work()))
            return
        queue.put_nowait(event)

    another_plugin(handle)
    qq = await bot.connect()
    await qq.private(MING, "在吗")
    await started.wait()
    await bot.settled()
    await qq.private(HONG, "我要离婚了")
    assert await results.get() is NoChatError
    assert await bot.items(PRIVATE) == []
    workers[0].cancel()


@pytest.mark.settings(domain="per_bot")
async def test_a_context_that_is_over_names_no_bot_either(bot: RunningBot) -> None:
    over, results = asyncio.Event(), asyncio.Queue[list[str]]()

    async def found(**where: Any) -> list[str]:
        return [one.item.content for one in await recall("咖啡", session=PRIVATE, **where)]

    async def later() -> None:
        results.put_nowait(await found())
        await over.wait()
        results.put_nowait(await found())
        results.put_nowait(await found(domain_id=f"bot:{BOT}"))

    async def handle(bot: Bot, event: Event) -> None:
        await remember("我喜欢咖啡")
        tasks.append(asyncio.create_task(later()))
        assert len(await results.get()) == 1
        await bot.send(event, "好的")

    tasks: list[asyncio.Task[None]] = []
    another_plugin(handle)
    qq = await bot.connect()
    await qq.ask_private(MING, "提醒我喝水")
    await bot.settled()
    over.set()
    assert [len(await results.get()) for _ in range(2)] == [0, 1]


# ---------------------------------------------------------------------- what is said


async def test_what_is_pushed_after_the_handlers_is_no_reply(bot: RunningBot) -> None:
    over = asyncio.Event()

    async def push(bot: Bot, event: Event) -> None:
        await over.wait()
        await bot.send(event, "该喝水了")

    async def handle(bot: Bot, event: Event) -> None:
        tasks.append(asyncio.create_task(push(bot, event)))
        await bot.send(event, "好的")

    tasks: list[asyncio.Task[None]] = []
    another_plugin(handle)
    qq = await bot.connect()
    await qq.ask_private(MING, "提醒我喝水")
    await bot.settled()
    over.set()
    await qq.wait_sent(1, contains="该喝水了")
    await asyncio.gather(*tasks)
    await bot.settled()
    assert [turn.text for turn in await bot.turns(PRIVATE)] == ["提醒我喝水", "好的"]


async def test_a_reply_counts_if_it_was_begun_in_time(bot: RunningBot) -> None:
    """However long the platform takes to send it, and though no handler waits for that."""

    async def handle(bot: Bot, event: Event) -> None:
        tasks.append(asyncio.create_task(bot.send(event, "来了")))
        await qq.wait_calls("send_msg")

    tasks: list[asyncio.Task[Any]] = []
    another_plugin(handle)
    qq = await bot.connect()
    qq.delay["send_msg"] = 0.3
    await qq.private(MING, "在吗")
    await qq.wait_calls("send_msg")
    await bot.settled()
    assert not qq.sent
    await qq.wait_sent(1)
    await asyncio.gather(*tasks)
    await bot.settled()
    assert [(turn.role, turn.text, turn.state) for turn in await bot.turns(PRIVATE)] == [
        ("user", "在吗", TurnState.ORDINARY),
        ("bot", "来了", TurnState.ORDINARY),
    ]


# ---------------------------------------------------------------------- what never gets to a handler


class Dropping:
    """Another plugin's preprocessor: it drops what one bot hears, once it is told to."""

    def __init__(self, self_id: int) -> None:
        self._self_id = self_id
        self.go_on = asyncio.Event()
        self.dropped = 0

    async def __call__(self, event: Event) -> None:
        if event.get_type() == "message" and getattr(event, "self_id", 0) == self._self_id:
            await self.go_on.wait()
            self.dropped += 1
            raise IgnoredException("banned")


@pytest.fixture
def dropping() -> Iterator[Dropping]:
    before = set(nonebot.message._event_preprocessors)
    dropping = Dropping(BOT)
    event_preprocessor(dropping)
    yield dropping
    nonebot.message._event_preprocessors.intersection_update(before)


async def test_what_another_plugin_drops_is_learnt_no_more_than_a_command(bot: RunningBot, dropping: Dropping) -> None:
    """Settled at once: nothing of it is kept in memory, and neither time nor the end of the bot makes it ordinary."""
    qq = await bot.connect()
    await qq.private(MING, "我喜欢滑雪", nickname="小明")
    await until(lambda: wiring().recorder._heard)
    dropping.go_on.set()
    await until(lambda: dropping.dropped)
    await bot.settled()
    assert not wiring().recorder._heard
    await bot.restart()
    assert [(turn.text, turn.state) for turn in await bot.turns(PRIVATE)] == [("我喜欢滑雪", TurnState.COMMAND)]
    assert await bot.items(PRIVATE) == []


async def test_what_no_handler_has_seen_when_the_bot_stops_is_not_learnt_either(
    bot: RunningBot, dropping: Dropping
) -> None:
    """Nobody can say any more whether it would have been dropped."""
    qq = await bot.connect()
    await qq.private(MING, "我喜欢滑雪", nickname="小明")
    await until(lambda: wiring().recorder._heard)
    stopping = asyncio.create_task(bot.stop())
    await until(lambda: api.engine() is None)
    dropping.go_on.set()
    await stopping
    await bot.start()
    assert [(turn.text, turn.state) for turn in await bot.turns(PRIVATE)] == [("我喜欢滑雪", TurnState.COMMAND)]


@everything
async def test_what_only_one_bot_drops_is_what_the_other_makes_of_it(bot: RunningBot, dropping: Dropping) -> None:
    one, other = await bot.connect(str(BOT)), await bot.connect(str(OTHER_BOT))
    now = int(time.time())
    dropping.go_on.set()
    await one.group(GROUP, MING, "我喜欢滑雪", card="小明", time=now)
    await until(lambda: dropping.dropped)
    await bot.settled()
    await other.group(GROUP, MING, "我喜欢滑雪", card="小明", time=now)
    await other.ask_group(GROUP, HONG, "在吗", at_bot=True)
    await bot.settled()
    turn = (await bot.turns(GROUP_KEY))[0]
    assert (turn.text, turn.state) == ("我喜欢滑雪", TurnState.ORDINARY)
    assert len(await bot.items(GROUP_KEY)) == 1
