"""A message that is taken back takes along what was learnt from it, whenever and through whichever bot that is told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from nonebot_plugin_scoped_memory import texts
from nonebot_plugin_scoped_memory.engine.models import MemoryEvent, Turn
from nonebot_plugin_scoped_memory.engine.scope import home_scope
from tests.bot.casting import (
    BOT,
    GANG,
    GROUP,
    GROUP_KEY,
    HONG,
    MING,
    OTHER_BOT,
    PRIVATE,
    account,
    answer,
    contents,
    everything,
    finds,
    found,
)
from tests.conftest import RunningBot
from tests.fakes.onebot import OneBotClient


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait until ``holds``: what a client sends arrives when it arrives."""
    while not await holds():  # noqa: ASYNC110 - there is no event that says so
        await asyncio.sleep(0.01)


async def has_turn(bot: RunningBot, session_key: str, is_it: Callable[[Turn], bool]) -> bool:
    return any(map(is_it, await bot.turns(session_key)))


async def no_quotes(bot: RunningBot, session_key: str) -> bool:
    return not await has_turn(bot, session_key, lambda turn: bool(turn.quotes))


@everything
async def test_group_recall(bot: RunningBot) -> None:
    qq = await bot.connect()
    taken_back = await qq.group(GROUP, MING, "我喜欢手冲咖啡", nickname="小明")
    await qq.group(GROUP, MING, "我对花生过敏", nickname="小明")
    await qq.ask_group(GROUP, HONG, "在吗", at_bot=True)
    await bot.settled()
    assert len(await bot.items(GROUP_KEY)) == 2
    await qq.recall_group(GROUP, MING, taken_back)
    await qq.ask_group(GROUP, HONG, "小明喜欢什么，对什么过敏？", at_bot=True)
    await bot.settled()
    assert await contents(bot, GROUP_KEY) == ["小明（10001）对花生过敏"]
    [retracted] = await bot.items(GROUP_KEY, status="retracted")
    assert "手冲咖啡" in retracted.content
    [turn] = [turn for turn in await bot.turns(GROUP_KEY) if turn.recalled]
    assert turn.text == "我喜欢手冲咖啡"
    assert "花生" in bot.llm.chat_requests[-1].text
    assert "咖啡" not in bot.llm.chat_requests[-1].text


@everything
async def test_words_that_were_taken_back_are_gone_where_others_quoted_them(bot: RunningBot) -> None:
    bot.llm.extraction = finds("跳槽")
    bot.llm.reply = lambda _: "嗯"
    qq = await bot.connect()
    taken_back = await qq.group(GROUP, MING, "我下个月要跳槽", nickname="小明")
    await qq.ask_group(GROUP, HONG, "真的吗", at_bot=True, reply_to=taken_back)
    assert "跳槽" in bot.llm.chat_requests[-1].text
    await qq.recall_group(GROUP, MING, taken_back)
    await qq.ask_group(GROUP, HONG, "在吗", at_bot=True)
    await bot.settled()
    assert "跳槽" not in bot.llm.chat_requests[-1].text
    await bot.engine.listener.extract("default", GROUP_KEY)
    assert "跳槽" not in bot.llm.chat_requests[-1].text
    assert await contents(bot, GROUP_KEY) == []


async def test_what_was_not_recorded_is_gone_too_where_it_was_quoted(bot: RunningBot) -> None:
    qq = await bot.connect()
    taken_back = await qq.group(GROUP, MING, "我下个月要跳槽", nickname="小明")
    await qq.ask_group(GROUP, HONG, "真的吗", at_bot=True, reply_to=taken_back)
    assert [quote.text for turn in await bot.turns(GROUP_KEY) for quote in turn.quotes] == ["我下个月要跳槽"]
    await qq.recall_group(GROUP, MING, taken_back)
    await qq.ask_group(GROUP, HONG, "在吗", at_bot=True)
    assert "跳槽" not in bot.llm.chat_requests[-1].text


@everything
async def test_an_admin_takes_back_what_a_member_said(bot: RunningBot) -> None:
    qq = await bot.connect()
    taken_back = await qq.group(GROUP, MING, "我喜欢手冲咖啡")
    await qq.ask_group(GROUP, HONG, "在吗", at_bot=True)
    await qq.recall_group(GROUP, MING, taken_back, operator_id=GANG)
    await qq.ask_group(GROUP, HONG, "在吗", at_bot=True)
    await bot.settled()
    [item] = await bot.items(GROUP_KEY, status="retracted")
    [retracted] = [event for event in await _events(bot, item.id) if event.action == "retracted"]
    assert (retracted.actor, retracted.reason) == (account(GANG), "message_recalled")


async def _events(bot: RunningBot, item_id: str) -> list[MemoryEvent]:
    return await bot.engine.store.view("default", (home_scope(GROUP_KEY),)).events(item_id)


async def test_friend_recall(bot: RunningBot) -> None:
    qq = await bot.connect()
    taken_back = await qq.private(MING, "我的猫叫豆豆")
    await qq.wait_sent(1)
    await qq.recall_friend(MING, taken_back)
    await qq.ask_private(MING, "/memory status")
    assert "豆豆" not in await qq.ask_private(MING, "/memory list")
    await qq.ask_private(MING, "我的猫叫什么")
    assert "豆豆" not in bot.llm.chat_requests[-1].text
    assert (await bot.turns(PRIVATE))[0].recalled


async def test_what_was_said_twice_stays_until_both_are_taken_back(bot: RunningBot) -> None:
    qq = await bot.connect()
    said = []
    for words in ("我的猫叫豆豆", "我的猫叫豆豆。"):
        said.append(await qq.private(MING, words, nickname="小明"))
        await qq.wait_sent(1)
    for number, message_id in enumerate(said):
        await qq.recall_friend(MING, message_id)
        await qq.ask_private(MING, "/memory list")
        await bot.settled()
        assert len(await bot.items(PRIVATE)) == (1 if number == 0 else 0)


@everything
@pytest.mark.parametrize("through", [0, 1])
async def test_recall_through_either_bot(bot: RunningBot, through: int) -> None:
    both = [await bot.connect(str(BOT)), await bot.connect(str(OTHER_BOT))]
    ids = await OneBotClient.broadcast_group(both, GROUP, MING, "我喜欢手冲咖啡")
    for client in both:
        await client.ask_group(GROUP, HONG, "在吗", at_bot=True)
    await bot.settled()
    assert len(await bot.items(GROUP_KEY)) == 1
    await both[through].recall_group(GROUP, MING, ids[through])
    await both[through].ask_group(GROUP, HONG, "还在吗", at_bot=True)
    await bot.settled()
    assert await bot.items(GROUP_KEY) == []
    assert [turn.text for turn in await bot.turns(GROUP_KEY) if turn.recalled] == ["我喜欢手冲咖啡"]


@everything
async def test_recall_that_both_bots_report(bot: RunningBot) -> None:
    both = [await bot.connect(str(BOT)), await bot.connect(str(OTHER_BOT))]
    ids = await OneBotClient.broadcast_group(both, GROUP, MING, "我喜欢手冲咖啡")
    for client, message_id in zip(both, ids, strict=True):
        await client.recall_group(GROUP, MING, message_id)
        await client.ask_group(GROUP, HONG, "在吗", at_bot=True)
    await bot.settled()
    assert await bot.items(GROUP_KEY) == []
    assert len([turn for turn in await bot.turns(GROUP_KEY) if turn.recalled]) == 1


@everything
async def test_recall_that_overtakes_its_message(bot: RunningBot) -> None:
    """A message that quotes waits for the quoted one, and may come after its own recall."""
    qq = await bot.connect()
    quoted = await qq.group(GROUP, HONG, "你喜欢什么？", card="小红")
    arrives = asyncio.Event()
    qq.delay["get_msg"] = 0.3
    qq.answers["get_msg"] = _telling(arrives, qq.answers["get_msg"])
    taken_back = await qq.group(GROUP, MING, "我喜欢手冲咖啡", reply_to=quoted)
    await qq.recall_group(GROUP, MING, taken_back)
    await asyncio.wait_for(arrives.wait(), 5)
    await qq.ask_group(GROUP, HONG, "还在吗", at_bot=True)
    await bot.settled()
    [turn] = [turn for turn in await bot.turns(GROUP_KEY) if turn.account == account(MING)]
    assert turn.recalled
    assert turn.text == "我喜欢手冲咖啡"
    assert await bot.items(GROUP_KEY) == []
    assert "咖啡" not in "".join(request.text for request in bot.llm.chat_requests)


def _telling(event: asyncio.Event, answer: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    """``answer``, and the event is set when it was asked for."""

    def get_msg(params: dict[str, Any]) -> Any:
        event.set()
        return answer(params)

    return get_msg


@pytest.mark.parametrize("restarted", [False, True])
async def test_the_bots_own_words_taken_back(bot: RunningBot, restarted: bool) -> None:
    """In a private chat such a recall names only the bot's own number, not the chat."""
    qq = await bot.connect()
    bot.llm.reply = lambda _: "我说了不该说的话"
    await qq.ask_private(MING, "在吗", nickname="小明")
    await bot.settled()
    said = qq.sent[-1].message_id
    if restarted:
        await bot.restart()
        qq = await bot.connect()
    await qq.recall_friend(BOT, said)
    bot.llm.reply = lambda _: "嗯"
    await qq.ask_private(MING, "你刚才说什么")
    await qq.ask_private(MING, "没什么")
    await bot.settled()
    assert [turn.text for turn in await bot.turns(PRIVATE) if turn.recalled] == ["我说了不该说的话"]
    assert "不该说的话" not in bot.llm.chat_requests[-1].text


@pytest.mark.settings(record__groups="all", extract__every_turns=1)
async def test_recall_while_the_model_reads(bot: RunningBot) -> None:
    """What an extraction finds in a message that was taken back meanwhile is not kept."""
    bot.llm.extraction = finds("周末跑去")
    bot.llm.hold()
    qq = await bot.connect()
    taken_back = await qq.group(GROUP, MING, "周末跑去听吉他了", nickname="小明")
    [request] = await bot.llm.wait_chats(1)
    assert "听吉他" in request.text
    await qq.group(GROUP, HONG, "周末跑去看游泳了", nickname="小红")
    await qq.recall_group(GROUP, MING, taken_back)
    assert await qq.ask_group(GROUP, HONG, "/memory list", at_bot=True) == texts.LIST_EMPTY
    [turn] = [turn for turn in await bot.turns(GROUP_KEY) if turn.recalled]
    assert turn.account == account(MING)
    bot.llm.release()
    await bot.settled()
    assert await contents(bot, GROUP_KEY) == ["小红（10002）周末跑去看游泳了"]
    assert all("听吉他" not in request.text for request in bot.llm.chat_requests[1:])


async def test_a_decision_taken_back_waits_for_nobody(bot: RunningBot) -> None:
    """What waits for an operator's approval goes with its only source."""
    qq = await bot.connect()
    taken_back = await qq.private(MING, "我们决定周会改到周四")
    await qq.wait_sent(1)
    assert "周四" in await qq.ask_private(10000, "/memory review")
    await qq.recall_friend(MING, taken_back)
    await qq.ask_private(MING, "/memory list")
    await bot.settled()
    assert "周四" not in await qq.ask_private(10000, "/memory review")


async def test_recalls_of_unknown_messages_change_nothing(bot: RunningBot) -> None:
    qq = await bot.connect()
    await qq.ask_private(MING, "我的猫叫豆豆")
    await qq.recall_friend(MING, 12345)
    await qq.recall_friend(HONG, 12345)
    await qq.recall_group(GROUP, MING, 12345)
    await qq.notice({"notice_type": "friend_recall", "user_id": 0, "message_id": 12345})
    assert "豆豆" in await qq.ask_private(MING, "/memory list")


@pytest.mark.settings(extract__every_turns=1)
async def test_recalled_while_the_model_reads_a_quote_of_it(bot: RunningBot) -> None:
    """What is only quoted is no turn here; the model has it already when it is taken back."""
    bot.llm.extraction = lambda _: answer(found("u2 要跳槽", "t1", None))
    qq = await bot.connect()
    taken_back = await qq.group(GROUP, MING, "我下个月要跳槽", nickname="小明")
    await qq.ask_group(GROUP, HONG, "真的吗", at_bot=True, reply_to=taken_back)
    sent = len(bot.llm.chat_requests)
    bot.llm.hold()
    extracting = asyncio.create_task(bot.engine.listener.extract("default", GROUP_KEY))
    await bot.llm.wait_chats(sent + 1)
    await qq.recall_group(GROUP, MING, taken_back)
    await until(lambda: no_quotes(bot, GROUP_KEY))
    bot.llm.release()
    await extracting
    await bot.settled()
    assert await contents(bot, GROUP_KEY) == []


@everything
async def test_a_recalled_question_takes_nothing_of_the_answer_along(bot: RunningBot) -> None:
    qq = await bot.connect()
    taken_back = await qq.group(GROUP, MING, "今天开会吗", nickname="小明")
    await qq.ask_group(GROUP, HONG, "记住我们决定周会改到周五", at_bot=True, reply_to=taken_back)
    await bot.settled()
    before = await contents(bot, GROUP_KEY)
    assert before
    await qq.recall_group(GROUP, MING, taken_back)
    await qq.ask_group(GROUP, HONG, "在吗", at_bot=True)
    await bot.settled()
    assert await contents(bot, GROUP_KEY) == before


async def test_a_question_that_is_taken_back_while_it_waits_is_not_answered(bot: RunningBot) -> None:
    qq = await bot.connect()
    bot.llm.hold()
    await qq.private(MING, "第一问")
    await bot.llm.wait_chats(1)
    second = await qq.private(MING, "第二问，机密")
    await until(lambda: has_turn(bot, PRIVATE, lambda turn: "第二问" in turn.text))
    await qq.recall_friend(MING, second)
    await until(lambda: has_turn(bot, PRIVATE, lambda turn: turn.recalled))
    bot.llm.release()
    await qq.wait_sent(1)
    await bot.settled()
    assert all("机密" not in request.text for request in bot.llm.chat_requests)
