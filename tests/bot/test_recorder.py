"""What a chat says becomes turns: who said it, in which chat, in which order, whatever the bot is doing meanwhile."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from typing import Any

import nonebot
import nonebot.message
import pytest
from nonebot import on_command, on_message
from nonebot.adapters import Bot, Event
from nonebot.adapters.onebot.v11 import MessageEvent
from nonebot.exception import IgnoredException
from nonebot.matcher import Matcher
from nonebot.message import event_preprocessor
from nonebot.rule import Rule

from nonebot_plugin_scoped_memory import api, texts
from nonebot_plugin_scoped_memory.bot import chat as chat_module
from nonebot_plugin_scoped_memory.bot import recorder
from nonebot_plugin_scoped_memory.engine.errors import StoreError
from nonebot_plugin_scoped_memory.engine.models import MAX_TURN_CHARS, Turn, TurnState
from tests.bot.casting import (
    BOT,
    GANG,
    GROUP,
    GROUP_KEY,
    HONG,
    MING,
    OTHER_BOT,
    PRIVATE,
    Countdown,
    everything,
)
from tests.conftest import OPERATOR, RunningBot, until, wiring
from tests.fakes.onebot import OneBotClient
from tests.fakes.segments import at, image, text

pytestmark = pytest.mark.usefixtures("rivals")


def who_said_what(turns: list[Turn]) -> list[tuple[str, str]]:
    return [(turn.account.removeprefix("qq:user:"), turn.text) for turn in turns]


# ---------------------------------------------------------------------- who and where


async def test_private_message_and_its_answer_are_turns(bot: RunningBot) -> None:
    qq = await bot.connect()
    bot.llm.reply = lambda _: "你好呀"
    await qq.ask_private(MING, "在吗", nickname="小明", time=1_790_000_000)
    await bot.settled()
    asked, answered = await bot.turns(PRIVATE)
    assert (asked.role, asked.account, asked.name, asked.text) == ("user", f"qq:user:{MING}", "小明", "在吗")
    assert (asked.state, asked.said_at.timestamp(), asked.by_operator) == (TurnState.ORDINARY, 1_790_000_000, False)
    assert (answered.role, answered.account, answered.text) == ("bot", f"qq:user:{BOT}", "你好呀")
    assert answered.state is TurnState.ORDINARY


async def test_operator_is_known_as_one(bot: RunningBot) -> None:
    qq = await bot.connect()
    await qq.ask_private(OPERATOR, "在吗")
    await bot.settled()
    assert [turn.by_operator for turn in await bot.turns(f"qq:private:{OPERATOR}")] == [True, False]


async def test_card_stands_before_nickname(bot: RunningBot) -> None:
    qq = await bot.connect()
    await qq.ask_group(GROUP, MING, "在吗", card="产品-小明", nickname="明", at_bot=True)
    await bot.settled()
    asked, _ = await bot.turns(GROUP_KEY)
    assert (asked.name, asked.account) == ("产品-小明", f"qq:user:{MING}")


async def test_private_chat_opened_from_a_group_is_private(bot: RunningBot) -> None:
    qq = await bot.connect()
    await qq.private(MING, "我喜欢手冲咖啡", sub_type="group", nickname="小明")
    [answer] = await qq.wait_sent()
    await bot.settled()
    assert (answer.user_id, answer.group_id) == (MING, None)
    assert [turn.role for turn in await bot.turns(PRIVATE)] == ["user", "bot"]
    assert [item.subject for item in await bot.items(PRIVATE)] == [f"qq:user:{MING}"]


@everything
async def test_anonymous_members_are_nobody_in_particular(bot: RunningBot) -> None:
    qq = await bot.connect()
    await qq.group(GROUP, MING, "我喜欢手冲咖啡", anonymous="火影")
    await qq.group(GROUP, HONG, "记住我喜欢红茶", anonymous={"id": 7, "name": "海贼", "flag": ""})
    answer = await qq.ask_group(GROUP, GANG, "我是谁？", anonymous="死神", at_bot=True)
    await bot.settled()
    turns = [turn for turn in await bot.turns(GROUP_KEY) if turn.role == "user"]
    assert [(turn.account, turn.name) for turn in turns] == [("", "火影"), ("", "海贼"), ("", "死神")]
    assert all(not item.subject and not item.owner for item in await bot.items(GROUP_KEY))
    assert "咖啡" not in answer


@everything
async def test_accounts_of_all_connected_bots_are_bots(bot: RunningBot) -> None:
    first, second = await bot.connect(str(BOT)), await bot.connect(str(OTHER_BOT))
    await OneBotClient.broadcast_group([first, second], GROUP, OTHER_BOT, "我喜欢手冲咖啡", at_bot=True)
    await first.group(GROUP, MING, "我喜欢红茶", nickname="小明")
    await first.ask_group(GROUP, MING, "在吗", nickname="小明", at_bot=True)
    await bot.settled()
    # What a bot says is a turn when it says it, not when another of ours hears it; and no bot answers a bot.
    assert who_said_what(await bot.turns(GROUP_KEY))[:2] == [("10001", "我喜欢红茶"), ("10001", "@30001 在吗")]
    assert [item.subject for item in await bot.items(GROUP_KEY)] == [f"qq:user:{MING}"]
    assert len(first.sent) == 1
    assert not second.sent


async def test_segments_are_readable_and_hold_no_data(bot: RunningBot) -> None:
    qq = await bot.connect()
    await qq.group(GROUP, HONG, "我也在", card="小红")
    await qq.ask_group(GROUP, MING, [image("base64://" + "A" * 2_000_000), text(" 看 "), at(HONG)], at_bot=True)
    await bot.settled()
    asked = (await bot.turns(GROUP_KEY))[0]
    assert "[图片]" in asked.text
    assert "AAAA" not in asked.text
    assert (f"qq:user:{HONG}", str(HONG)) in asked.mentions


# ---------------------------------------------------------------------- what the bot says


async def test_replies_are_turns_however_they_are_sent(bot: RunningBot) -> None:
    matcher = on_message(rule=Rule(lambda event: event.get_plaintext() == "测试"), priority=1)

    @matcher.handle()
    async def _(bot: Bot, event: Event, matcher: Matcher) -> None:
        await bot.send(event, "一")
        await bot.call_api("send_group_msg", group_id=GROUP, message="二")
        await matcher.send("三")
        await matcher.finish("四")

    qq = await bot.connect()
    await qq.group(GROUP, MING, "测试", at_bot=True)
    await qq.wait_sent(4, group_id=GROUP)
    await bot.settled()
    turns = await bot.turns(GROUP_KEY)
    assert who_said_what(turns) == [
        (str(MING), "@30001 测试"),
        *((str(BOT), word) for word in "一二三四"),
    ]
    assert {turn.state for turn in turns} == {TurnState.ORDINARY}


async def test_pushes_and_words_to_other_chats_are_no_turns(bot: RunningBot) -> None:
    matcher = on_message(rule=Rule(lambda event: event.get_plaintext() == "通知大家"), priority=1, block=True)

    @matcher.handle()
    async def _(bot: Bot, event: Event) -> None:
        await bot.call_api("send_group_msg", group_id=GROUP, message="开会了")
        await bot.call_api("send_private_msg", user_id=HONG, message="开会了")
        await bot.send(event, "通知好了")

    qq = await bot.connect()
    await nonebot.get_bot(str(BOT)).call_api("send_private_msg", user_id=MING, message="早安")
    await qq.private(MING, "通知大家")
    await qq.wait_sent(1, contains="通知好了")
    await bot.settled()
    assert who_said_what(await bot.turns(PRIVATE)) == [(str(MING), "通知大家"), (str(BOT), "通知好了")]
    assert await bot.turns(GROUP_KEY) == []
    assert await bot.turns(f"qq:private:{HONG}") == []


async def test_own_words_that_the_platform_reports_are_no_second_turn(bot: RunningBot) -> None:
    qq = await bot.connect(report_self=True)
    await qq.ask_private(MING, "在吗")
    await qq.message_sent("主人在手机上说的", user_id=MING)
    await qq.ask_private(MING, "还在吗")
    await bot.settled()
    assert [turn.role for turn in await bot.turns(PRIVATE)] == ["user", "bot", "user", "bot"]


async def test_an_answer_comes_after_its_question_and_before_the_next(
    bot: RunningBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    # QQ counts whole seconds: a quick exchange happens within one of them.
    now = int(time.time())
    monkeypatch.setattr(wiring().recorder, "_clock", lambda: datetime.fromtimestamp(now + 0.5, timezone.utc))
    qq = await bot.connect()
    bot.llm.reply = lambda request: f"答{request.messages[-1]['content'][-1]}"
    for number in "123":
        await qq.ask_private(MING, f"问{number}", time=now)
    await bot.settled()
    assert [turn.text for turn in await bot.turns(PRIVATE)] == ["问1", "答1", "问2", "答2", "问3", "答3"]


# ---------------------------------------------------------------------- one message, two connections


@everything
async def test_one_group_message_over_two_connections_is_one_turn(bot: RunningBot) -> None:
    both = [await bot.connect(str(BOT)), await bot.connect(str(OTHER_BOT), napcat_seq=True)]
    ids = await OneBotClient.broadcast_group(both, GROUP, MING, "我喜欢手冲咖啡", nickname="小明")
    assert ids[0] != ids[1]
    await OneBotClient.broadcast_group(both, GROUP, MING, "我对花生过敏", nickname="小明")
    await both[0].ask_group(GROUP, HONG, "在吗", at_bot=True)
    await bot.settled()
    said = [turn.text for turn in await bot.turns(GROUP_KEY) if turn.account == f"qq:user:{MING}"]
    assert said == ["我喜欢手冲咖啡", "我对花生过敏"]
    assert len(await bot.items(GROUP_KEY)) == 2


@everything
async def test_the_same_word_twice_within_a_second_is_two_turns(bot: RunningBot) -> None:
    both = [await bot.connect(str(BOT)), await bot.connect(str(OTHER_BOT))]
    now = int(time.time())
    await both[0].group(GROUP, MING, "哈哈", time=now)
    await both[0].group(GROUP, MING, "哈哈", time=now)
    await bot.settled()
    await OneBotClient.broadcast_group(both, GROUP, HONG, "哈哈", time=now)
    await OneBotClient.broadcast_group(both, GROUP, HONG, "哈哈", time=now)
    await both[1].ask_group(GROUP, GANG, "在吗", at_bot=True)
    await bot.settled()
    laughed = [turn.account for turn in await bot.turns(GROUP_KEY) if turn.text == "哈哈"]
    assert laughed == [f"qq:user:{MING}"] * 2 + [f"qq:user:{HONG}"] * 2


async def test_a_name_that_both_bots_answer_to_gets_one_answer(bot: RunningBot) -> None:
    both = [await bot.connect(str(BOT)), await bot.connect(str(OTHER_BOT))]
    await OneBotClient.broadcast_group(both, GROUP, MING, "小忆，在吗", nickname="小明")
    await bot.llm.wait_chats(1)
    for client in both:
        await client.ask_group(GROUP, MING, "再问一次", at_bot=True)
    await bot.settled()
    assert len(both[0].sent) + len(both[1].sent) == 3
    assert [turn.role for turn in await bot.turns(GROUP_KEY)] == ["user", "bot"] * 3


# ---------------------------------------------------------------------- what of a group is kept


async def test_groups_are_recorded_when_the_bot_is_addressed(bot: RunningBot) -> None:
    both = [await bot.connect(str(BOT)), await bot.connect(str(OTHER_BOT))]
    first = both[0]
    await first.group(GROUP, MING, "没对机器人说")
    quoted = await first.group(GROUP, HONG, "我下周请假", card="小红")
    await first.ask_group(GROUP, MING, "小忆 你好")
    answer = first.sent[-1].message_id
    await first.ask_group(GROUP, MING, "听到了吗", reply_to=quoted, at_bot=True)
    await first.ask_group(GROUP, MING, "然后呢", reply_to=answer)
    await first.group(GROUP, GANG, [text("问问 "), at(OTHER_BOT)])  # to another of our bots, heard by this one
    await first.ask_group(GROUP, GANG, "在吗", at_bot=True)
    await bot.settled()
    turns = await bot.turns(GROUP_KEY)
    assert [turn.text for turn in turns if turn.role == "user"] == [
        "小忆 你好",
        "@30001 听到了吗",
        "然后呢",
        "问问 @30002",
        "@30001 在吗",
    ]
    assert [turn.role for turn in turns].count("bot") == 4
    [quote] = next(turn for turn in turns if "听到" in turn.text).quotes
    assert (quote.account, quote.name, quote.text) == (f"qq:user:{HONG}", "小红", "我下周请假")


@everything
async def test_groups_can_be_recorded_whole(bot: RunningBot) -> None:
    qq = await bot.connect()
    await qq.group(GROUP, MING, "没对机器人说")
    await qq.ask_group(GROUP, HONG, "在吗", at_bot=True)
    await bot.settled()
    assert [turn.text for turn in await bot.turns(GROUP_KEY)][:2] == ["没对机器人说", "@30001 在吗"]


@pytest.mark.settings(record__groups="off")
async def test_groups_can_be_left_out(bot: RunningBot) -> None:
    qq = await bot.connect()
    assert await qq.ask_group(GROUP, MING, "在吗", at_bot=True)
    await qq.ask_private(MING, "在吗")
    await bot.settled()
    assert await bot.turns(GROUP_KEY) == []
    assert len(await bot.turns(PRIVATE)) == 2


async def test_switched_off_in_a_chat(bot: RunningBot) -> None:
    """Nothing of that chat is kept or recalled; it is answered all the same, and others go on as before."""
    qq = await bot.connect()
    await qq.ask_private(MING, "我的猫叫豆豆", nickname="小明")
    await qq.ask_private(MING, "/memory off")
    await bot.settled()
    before = await bot.turns(PRIVATE)
    assert await qq.ask_private(MING, "我喜欢手冲咖啡", nickname="小明")
    assert await qq.ask_private(MING, "我的猫叫什么", nickname="小明") == "这个我还不知道。"
    await qq.ask_private(HONG, "我喜欢红茶", nickname="小红")
    await bot.settled()
    assert await bot.turns(PRIVATE) == before
    assert len(await bot.items(f"qq:private:{HONG}")) == 1
    assert "豆豆" not in "".join(request.text for request in bot.llm.chat_requests[1:])
    await qq.ask_private(MING, "/memory on")
    assert "豆豆" in await qq.ask_private(MING, "我的猫叫什么", nickname="小明")
    assert "咖啡" not in await qq.ask_private(MING, "/memory list")


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


# ---------------------------------------------------------------------- failures


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
