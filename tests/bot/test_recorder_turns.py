"""What is said becomes turns: who said it, in which chat, and what the bot answered."""

from __future__ import annotations

import time
from datetime import datetime, timezone

import nonebot
import nonebot.message
import pytest
from nonebot import on_message
from nonebot.adapters import Bot, Event
from nonebot.matcher import Matcher
from nonebot.rule import Rule

from nonebot_plugin_scoped_memory.engine.models import Turn, TurnState
from tests.bot.casting import BOT, GANG, GROUP, GROUP_KEY, HONG, MING, OTHER_BOT, PRIVATE, everything
from tests.conftest import OPERATOR, RunningBot, wiring
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
    assert (f"qq:user:{HONG}", "小红") in asked.mentions


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
