"""The chat of its own: whom it answers, one at a time, and what it says when the model or the memory fails."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from nonebot import on_message
from nonebot.adapters import Bot, Event
from nonebot.rule import Rule

from nonebot_plugin_scoped_memory import texts
from nonebot_plugin_scoped_memory.bot import chat
from nonebot_plugin_scoped_memory.engine.models import Turn
from tests.bot.casting import BOT, GANG, GROUP, HONG, MING, OTHER_BOT, PRIVATE, conversations, last_words
from tests.conftest import RunningBot
from tests.fakes.segments import at, text

pytestmark = pytest.mark.usefixtures("rivals")


# ---------------------------------------------------------------------- whom it answers


async def test_it_answers_in_private_and_when_addressed(bot: RunningBot) -> None:
    bot.llm.reply = lambda request: f"收到：{last_words(request.messages)}"
    qq = await bot.connect()
    assert await qq.ask_private(MING, "一") == "收到：一"
    assert await qq.ask_private(HONG, "二", sub_type="group") == "收到：二"
    assert (await qq.ask_group(GROUP, MING, "三", at_bot=True)).endswith("三")
    assert (await qq.ask_group(GROUP, MING, [text("四 "), at(BOT)])).endswith("四 @30001")
    assert (await qq.ask_group(GROUP, MING, [text("请 "), at(BOT), text(" 五")])).endswith("五")
    assert (await qq.ask_group(GROUP, MING, "小忆，六")).endswith("六")
    await bot.settled()
    assert (await qq.ask_group(GROUP, MING, "七", reply_to=qq.sent[-1].message_id)).count("七") == 1
    assert (await qq.ask_group(GROUP, GANG, "八", at_bot=True, anonymous="火影")).endswith("八")


async def test_it_is_silent_when_not_addressed(bot: RunningBot) -> None:
    qq, other = await bot.connect(), await bot.connect(str(OTHER_BOT))
    said = await qq.group(GROUP, HONG, "没对机器人说")
    await qq.group(GROUP, MING, "也没对它说", reply_to=said)
    await qq.group(GROUP, MING, [at("all"), text(" 大家好")])
    await qq.group(GROUP, MING, [at(OTHER_BOT), text(" 你好")])
    await qq.group(GROUP, MING, "我和小忆说过了")
    await qq.group(GROUP, OTHER_BOT, "你好", at_bot=True)  # or two of them would talk forever
    await other.group(GROUP, BOT, "你好", at_bot=True)
    await other.ask_group(GROUP, MING, "在吗", at_bot=True)
    assert await qq.ask_group(GROUP, MING, "在吗", at_bot=True)
    assert (len(qq.sent), len(other.sent), len(conversations(bot))) == (1, 1, 2)


async def test_it_is_silent_when_another_plugin_answered(bot: RunningBot) -> None:
    weather = on_message(priority=50, block=False, rule=Rule(lambda event: "天气" in event.get_plaintext()))

    @weather.handle()
    async def _(bot: Bot, event: Event) -> None:
        await bot.send(event, "晴")

    qq = await bot.connect()
    await qq.private(MING, "天气怎么样")
    await qq.group(GROUP, MING, "天气怎么样", at_bot=True)
    await qq.ask_group(GROUP, MING, "在吗", at_bot=True)
    await qq.ask_private(MING, "在吗")
    await bot.settled()
    assert sorted(sent.text for sent in qq.sent if sent.text == "晴") == ["晴", "晴"]
    assert len(qq.sent) == 4
    assert [last_words(messages)[-2:] for messages in conversations(bot)] == ["在吗", "在吗"]


async def test_it_answers_what_another_plugin_only_listens_to(bot: RunningBot) -> None:
    listener = on_message(priority=50, block=False)

    @listener.handle()
    async def _(bot: Bot) -> None:
        await bot.call_api("send_private_msg", user_id=GANG, message="他说话了")

    qq = await bot.connect()
    await qq.private(MING, "在吗")
    assert [sent.text for sent in await qq.wait_sent(1, user_id=MING)] == ["这个我还不知道。"]


async def test_a_plugin_that_fails_does_not_silence_it(bot: RunningBot) -> None:
    broken = on_message(priority=50, block=False)

    @broken.handle()
    async def _() -> None:
        raise RuntimeError("a bug of another plugin")

    qq = await bot.connect()
    await qq.ask_private(MING, "我的猫叫豆豆", nickname="小明")
    await qq.ask_private(MING, "猫叫什么")
    assert "豆豆" in conversations(bot)[-1][-1]["content"]


# ---------------------------------------------------------------------- one at a time


@pytest.mark.settings(llm__concurrency=8)
async def test_one_answer_at_a_time_in_a_session(bot: RunningBot) -> None:
    qq = await bot.connect()
    now = int(qq.clock())
    bot.llm.hold()
    await qq.private(MING, "第一问", time=now)
    await bot.llm.wait_chats(1)
    await qq.private(MING, "第二问", time=now + 60)
    await qq.group(GROUP, MING, "群里问", at_bot=True)
    await bot.llm.wait_chats(2)
    await qq.private(HONG, "小红问")
    await bot.llm.wait_chats(3)
    assert [last_words(m)[-3:] for m in conversations(bot)] == ["第一问", "群里问", "小红问"]
    bot.llm.release()
    await qq.wait_sent(2, user_id=MING)
    first, second = [messages for messages in conversations(bot) if "第一问" in str(messages)]
    assert [m["role"] for m in second] == ["system", "user", "assistant", "user"]
    assert (first[-1]["content"], last_words(second)) == ("第一问", "第二问")


@pytest.mark.settings(llm__concurrency=8)
async def test_two_people_in_a_group_wait_for_each_other(bot: RunningBot) -> None:
    qq = await bot.connect()
    now = int(qq.clock())
    bot.llm.hold()
    await qq.group(GROUP, MING, "我先问", at_bot=True, time=now, card="小明")
    await bot.llm.wait_chats(1)
    await qq.group(GROUP, HONG, "我后问", at_bot=True, time=now + 60, card="小红")
    await qq.private(MING, "私聊问")
    await bot.llm.wait_chats(2)
    bot.llm.release()
    await qq.wait_sent(3)
    assert [m["role"] for m in conversations(bot)[-1]] == ["system", "user", "assistant", "user"]
    assert conversations(bot)[-1][1]["content"].startswith("小明（10001）: ")


# ---------------------------------------------------------------------- when the model fails


@pytest.mark.parametrize(
    ("mode", "apology"),
    [
        pytest.param("hang", texts.CHAT_TIMEOUT, marks=pytest.mark.settings(llm__timeout=1)),
        (401, texts.CHAT_STOPPED),
        (402, texts.CHAT_STOPPED),
        (403, texts.CHAT_FAILED),
        (429, texts.CHAT_BUSY),
        (500, texts.CHAT_FAILED),
        (502, texts.CHAT_FAILED),
        (404, texts.CHAT_FAILED),
        ("refused", texts.CHAT_REFUSED),
        ("content_filter", texts.CHAT_REFUSED),
        ("empty", texts.CHAT_FAILED),
        ("html", texts.CHAT_FAILED),
    ],
)
async def test_failures_get_an_apology_and_lose_nothing(bot: RunningBot, mode: str | int, apology: str) -> None:
    qq = await bot.connect()
    bot.llm.push(mode)
    assert await qq.ask_private(MING, "我的猫叫豆豆", nickname="小明") == apology
    await bot.settled()
    assert [turn.text for turn in await bot.turns(PRIVATE)] == ["我的猫叫豆豆", apology]
    assert [item.content for item in await bot.items(PRIVATE)] == ["小明（10001）的猫叫豆豆"]
    if isinstance(mode, str) or mode not in (401, 402):
        await qq.ask_private(MING, "猫叫什么")
        assert "我的猫叫豆豆" in str(conversations(bot)[-1][1:-1])
        assert "豆豆" in conversations(bot)[-1][-1]["content"]


async def test_no_endpoint_at_all(bot: RunningBot) -> None:
    qq = await bot.connect()
    await bot.llm.stop()
    assert await qq.ask_private(MING, "在吗") == texts.CHAT_FAILED


async def test_a_wrong_key_stops_all_calls_until_it_is_retried(bot: RunningBot) -> None:
    qq = await bot.connect()
    bot.llm.push(402)
    for _ in range(3):
        assert await qq.ask_private(MING, "在吗") == texts.CHAT_STOPPED
    assert len(bot.llm.chat_requests) == 1
    assert "已停止" in await qq.ask_private(MING, "/memory status")
    assert await qq.ask_private(10000, "/memory retry") == texts.RETRY_DONE
    assert await qq.ask_private(MING, "在吗") == "这个我还不知道。"
    assert texts.STATUS_MODEL_OK in await qq.ask_private(MING, "/memory status")


async def test_an_answer_that_cannot_be_sent_is_paid_for_and_loses_nothing(bot: RunningBot) -> None:
    qq = await bot.connect()
    qq.fail["send_msg"] = 1200
    await qq.private(MING, "我的猫叫豆豆")
    await qq.wait_calls("send_msg", 1)
    await bot.settled()
    del qq.fail["send_msg"]
    assert await bot.engine.spent_today() > 0
    assert [turn.text for turn in await bot.turns(PRIVATE)] == ["我的猫叫豆豆"]
    await qq.ask_private(MING, "在吗")
    assert "我的猫叫豆豆" in str(conversations(bot)[-1][1:-1])


async def test_tokens_are_counted_for_their_chat(bot: RunningBot) -> None:
    qq = await bot.connect()
    assert await bot.engine.spent_today() == 0
    await qq.ask_private(MING, "在吗")
    await bot.settled()
    spent = await bot.engine.spent_today()
    assert spent == len(bot.llm.chat_requests[0].text) + len("这个我还不知道。")
    assert f"{spent} / " in await qq.ask_private(10000, "/memory status")


# ---------------------------------------------------------------------- when the memory fails


async def test_it_answers_without_memory_when_recall_fails(bot: RunningBot, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("a bug")

    qq = await bot.connect()
    await qq.ask_private(MING, "我的猫叫豆豆")
    monkeypatch.setattr(bot.engine, "compose_context", fail)
    assert await qq.ask_private(MING, "猫叫什么") == "这个我还不知道。"
    monkeypatch.undo()
    assert "豆豆" in await qq.ask_private(MING, "猫叫什么")


@pytest.mark.settings(store__url="sqlite:////proc/no/such/folder/memory.db")
async def test_it_answers_when_the_memory_cannot_be_opened(bot: RunningBot) -> None:
    qq = await bot.connect()
    assert await qq.ask_private(MING, "在吗") == "这个我还不知道。"
    assert await qq.ask_group(GROUP, MING, "在吗", at_bot=True)
    assert await qq.ask_private(MING, "/memory list") == texts.MEMORY_UNAVAILABLE


async def test_it_does_not_wait_forever_for_its_question_to_be_stored(
    bot: RunningBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat, "RECORDED_WITHIN", 0.05)
    record, stored = bot.engine.store.record_turn, asyncio.Event()

    async def slow(*args: Any) -> Turn:
        await stored.wait()
        return await record(*args)

    monkeypatch.setattr(bot.engine.store, "record_turn", slow)
    qq = await bot.connect()
    assert await qq.ask_private(MING, "我的猫叫豆豆") == "好的。"
    stored.set()
    await bot.settled()
    assert [turn.role for turn in await bot.turns(PRIVATE)] == ["user", "bot"]
    assert len(await bot.items(PRIVATE)) == 1
