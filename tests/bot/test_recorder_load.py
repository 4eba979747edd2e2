"""Turns are kept in their order, whatever the bot is doing meanwhile and however monstrous they are."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from nonebot import on_message
from nonebot.adapters import Bot, Event
from nonebot.rule import Rule

from nonebot_plugin_scoped_memory import api, texts
from nonebot_plugin_scoped_memory.bot import chat as chat_module
from nonebot_plugin_scoped_memory.engine.models import MAX_TURN_CHARS, Turn, TurnState
from tests.bot.casting import GROUP, HONG, MING, PRIVATE, Countdown, everything
from tests.conftest import RunningBot, until

pytestmark = pytest.mark.usefixtures("rivals")


# ---------------------------------------------------------------------- order and load


@pytest.mark.timeout(60)
@pytest.mark.settings(record__groups="all", extract__every_turns=100_000)
async def test_a_thousand_messages_at_once(bot: RunningBot) -> None:
    """20 chats at once; what quotes something waits 2 s for its quotation and arrives after what was said later."""
    everyone, all_heard = on_message(priority=1, block=True), Countdown(1_010)  # and no answers

    @everyone.handle()
    async def _() -> None:
        all_heard.tick()

    qq = await bot.connect()
    qq.delay["get_msg"] = 2.0
    privates, groups = range(10_101, 10_111), range(20_101, 20_111)
    now = int(time.time()) - 10
    quotable = {group: await qq.group(group, HONG, "第一句", time=now - 1) for group in groups}

    async def talk(chat: int) -> None:
        for number in range(50):
            when = now + number // 7  # several in one second: the platform's sequence orders these
            if chat in groups:
                reply_to = quotable[chat] if number % 10 == 3 else None
                await qq.group(chat, MING + number % 3, f"第{number}条", time=when, reply_to=reply_to)
            else:
                await qq.private(chat, f"第{number}条", time=when)

    await asyncio.gather(*(talk(chat) for chat in (*privates, *groups)))
    await asyncio.wait_for(all_heard.wait(), 30)
    await bot.settled()
    for chat in groups:
        first, *turns = await bot.turns(f"qq:group:{chat}")
        assert first.text == "第一句"
        assert [turn.text for turn in turns] == [f"第{number}条" for number in range(50)]
        assert {turn.state for turn in turns} == {TurnState.ORDINARY}
        assert [turn.quotes[0].text for turn in turns if turn.quotes] == ["第一句"] * 5
    for chat in privates:
        assert [turn.text for turn in await bot.turns(f"qq:private:{chat}")] == [f"第{n}条" for n in range(50)]


async def test_handlers_may_take_their_time(bot: RunningBot) -> None:
    """However much is said meanwhile, every message is classified when its own handlers are done."""
    people = range(10_101, 10_111)
    slow, all_here = on_message(priority=1, block=False), Countdown(len(people))

    @slow.handle()
    async def _() -> None:
        all_here.tick()
        await all_here.wait()

    qq = await bot.connect()
    for person in people:
        await qq.private(person, "我的猫叫豆豆")
    await qq.wait_sent(len(people))
    await bot.settled()
    for person in people:
        [item] = await bot.items(f"qq:private:{person}")
        assert "豆豆" in item.content


async def test_handlers_wait_for_nothing_and_answers_for_their_question(
    bot: RunningBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_module, "RECORDED_WITHIN", 60)
    record, stored = bot.engine.store.record_turn, asyncio.Event()

    async def slow(domain_id: str, session_key: str, *args: Any) -> Turn:
        if session_key == PRIVATE:
            await stored.wait()
        return await record(domain_id, session_key, *args)

    monkeypatch.setattr(bot.engine.store, "record_turn", slow)
    echo = on_message(priority=1, rule=Rule(lambda event: event.get_plaintext() == "回声"), block=True)

    @echo.handle()
    async def _(bot: Bot, event: Event) -> None:
        await bot.send(event, "回声")

    qq = await bot.connect()
    await qq.private(MING, "我的猫叫豆豆")
    assert await qq.ask_private(MING, "回声") == "回声"
    await qq.ask_private(HONG, "在吗")
    assert [request.messages[-1]["content"] for request in bot.llm.chat_requests] == ["在吗"]
    stored.set()
    await qq.wait_sent(1, user_id=MING)
    await bot.settled()
    assert {turn.text for turn in await bot.turns(PRIVATE)} >= {"我的猫叫豆豆", "回声"}
    assert len(await bot.turns(PRIVATE)) == 4


async def test_stopping_waits_for_what_was_heard(bot: RunningBot) -> None:
    """A handler may outlive the bot by far; what was said is in the history all the same."""
    endless = on_message(priority=1, rule=Rule(lambda event: "豆豆" in event.get_plaintext()))
    begun, ended = asyncio.Event(), asyncio.Event()

    @endless.handle()
    async def _() -> None:
        begun.set()
        await ended.wait()

    qq = await bot.connect()
    await qq.private(MING, "我的猫叫豆豆")
    await begun.wait()
    stopping = asyncio.create_task(bot.stop())
    await until(lambda: api.engine() is None)
    ended.set()
    await stopping
    await bot.start()
    await (await bot.connect()).ask_private(MING, "我家的猫叫什么")
    assert "我的猫叫豆豆" in bot.llm.chat_requests[-1].text
    turn = (await bot.turns(PRIVATE))[0]
    assert turn.state is TurnState.ORDINARY


# ---------------------------------------------------------------------- monstrous texts


@everything
async def test_monstrous_messages(bot: RunningBot) -> None:
    qq = await bot.connect()
    monsters = {
        "long": "长" * 700_000,
        "lines": "\n".join(f"第{number}行" for number in range(5_000)),
        "words": " ".join(f"w{number:04}" for number in range(3_000)),
        "surrogate": "半个\ud83d表情",
        "nul": "零\x00字",
        "syntax": 'a,b" * NEAR( -x:y OR "',
    }
    for number, monster in enumerate(monsters.values()):
        await qq.group(GROUP + number, MING, monster, card="半\ud83d个\x00名")
        await qq.ask_group(GROUP + number, MING, "在吗", at_bot=True)
    await bot.settled()
    said = {name: (await bot.turns(f"qq:group:{GROUP + n}"))[0] for n, name in enumerate(monsters)}
    assert said["long"].text.startswith("长长")
    assert said["long"].text.endswith(texts.TURN_CUT)
    assert len(said["long"].text) == MAX_TURN_CHARS
    assert said["lines"].text.startswith("第0行\n第1行")
    assert said["words"].text.endswith("w2999")
    assert said["surrogate"].text == "半个\ufffd表情"
    assert "\x00" not in said["nul"].text
    assert said["syntax"].text == monsters["syntax"]
    assert all(turn.name.isprintable() and turn.name.startswith("半") for turn in said.values())


@pytest.mark.parametrize("monster", ["长" * 700_000, "半个\ud83d表情", 'a,b" * NEAR( -x:y', "一\n" * 5_000])
async def test_monstrous_questions_are_answered(bot: RunningBot, monster: str) -> None:
    qq = await bot.connect()
    assert await qq.ask_private(MING, monster)
    await bot.settled()
    assert [turn.role for turn in await bot.turns(PRIVATE)] == ["user", "bot"]
