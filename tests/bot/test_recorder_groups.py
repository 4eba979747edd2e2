"""What of a group is kept, and that a message is one turn however many bots hear it."""

from __future__ import annotations

import time

import pytest

from tests.bot.casting import BOT, GANG, GROUP, GROUP_KEY, HONG, MING, OTHER_BOT, PRIVATE, everything
from tests.conftest import RunningBot
from tests.fakes.onebot import OneBotClient
from tests.fakes.segments import at, text

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


@everything
async def test_what_is_said_to_another_member_is_theirs(bot: RunningBot) -> None:
    qq = await bot.connect()
    await qq.group(GROUP, MING, [at(HONG), text("记住明天带伞")], card="小明")
    await qq.ask_group(GROUP, MING, [at(BOT), text("坐标杭州，今年25岁")], card="小明", at_bot=True)
    await bot.settled()
    contents = [item.content for item in await bot.items(GROUP_KEY)]
    assert not [content for content in contents if "伞" in content]
    assert [content for content in contents if "杭州" in content]
