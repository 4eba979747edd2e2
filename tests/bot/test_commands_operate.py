"""``/memory`` new, on, off and retry: running the memory of a chat."""

from __future__ import annotations

import pytest

from nonebot_plugin_scoped_memory import texts
from tests.bot.casting import (
    GROUP,
    HONG,
    MING,
    OPERATOR,
    OTHER_GROUP,
    contents,
    finds,
    group,
    private,
    prompts,
    seed,
    transcripts,
)
from tests.conftest import RunningBot
from tests.fakes.onebot import OneBotClient
from tests.fakes.standin import memory_lines


@pytest.fixture
async def qq(bot: RunningBot) -> OneBotClient:
    return await bot.connect()


# ---------------------------------------------------------------- new


async def test_new_extracts_what_is_pending_first_and_keeps_the_items(qq: OneBotClient, bot: RunningBot) -> None:
    bot.llm.extraction = finds("吉他", "{who} 在学吉他")
    await qq.ask_private(MING, "我最近报了个吉他班", nickname="小明")
    await qq.ask_private(MING, "路上堵车了", nickname="小明")
    assert transcripts(bot) == []
    assert await qq.ask_private(MING, "/memory new") == texts.NEW_DONE
    assert len(transcripts(bot)) == 1
    assert await contents(bot, private(MING)) == ["小明（10001）在学吉他"]

    await qq.ask_private(MING, "我在学什么乐器，吉他吗？")
    messages = prompts(bot)[-1].messages
    assert [message["role"] for message in messages] == ["system", "user"]
    assert "堵车" not in prompts(bot)[-1].text
    assert memory_lines(prompts(bot)[-1].text)


async def test_history_goes_on_after_new_and_through_a_restart(qq: OneBotClient, bot: RunningBot) -> None:
    await qq.ask_private(MING, "第一句话")
    await qq.ask_private(MING, "/memory new")
    await qq.ask_private(MING, "第二句话")
    await bot.restart()
    qq = await bot.connect()
    await qq.ask_private(MING, "第三句话")
    prompt = prompts(bot)[-1]
    assert [message["role"] for message in prompt.messages] == ["system", "user", "assistant", "user"]
    assert "第二句话" in prompt.text
    assert "第一句话" not in prompt.text
    assert await qq.ask_private(MING, "/memory new") == texts.NEW_DONE
    await qq.ask_private(MING, "第四句话")
    assert "第三句话" not in prompts(bot)[-1].text


async def test_new_in_one_chat_leaves_the_others_alone(qq: OneBotClient, bot: RunningBot) -> None:
    await qq.ask_private(MING, "我的话")
    await qq.ask_private(HONG, "她的话")
    await qq.ask_private(MING, "/memory new")
    assert all("她的话" not in request.text for request in transcripts(bot))
    await qq.ask_private(HONG, "然后呢")
    assert "她的话" in prompts(bot)[-1].text


@pytest.mark.parametrize("mode", [500, 402])
async def test_new_says_when_something_is_left(qq: OneBotClient, bot: RunningBot, mode: int) -> None:
    await qq.ask_private(MING, "我最近报了个吉他班", nickname="小明")
    bot.llm.default_mode = mode
    assert await qq.ask_private(MING, "/memory new") == texts.NEW_WAITING
    bot.llm.default_mode = "ok"
    bot.llm.extraction = finds("吉他", "{who} 在学吉他")
    await qq.ask_private(OPERATOR, "/memory retry")
    await qq.ask_private(MING, "你好", nickname="小明")
    assert "吉他" not in prompts(bot)[-1].text
    assert await qq.ask_private(MING, "/memory new") == texts.NEW_DONE
    assert await contents(bot, private(MING)) == ["小明（10001）在学吉他"]


# ---------------------------------------------------------------- on, off


async def test_while_off_nothing_is_recorded_recalled_or_extracted(qq: OneBotClient, bot: RunningBot) -> None:
    bot.llm.extraction = finds("", "{who} 说过话")
    await seed(bot, private(MING), "小明的猫叫豆豆")
    await qq.ask_private(MING, "今天路上堵车了", nickname="小明")
    assert await qq.ask_private(MING, "/memory on") == texts.ON_ALREADY
    assert await qq.ask_private(MING, "/memory off") == texts.OFF_DONE
    assert await qq.ask_private(MING, "/memory off") == texts.OFF_ALREADY
    before = [turn.text for turn in await bot.turns(private(MING))]

    for text in ("记住我喜欢紫苏柠檬茶", "我的猫叫什么？", "我们决定年会改到厦门"):
        assert await qq.ask_private(MING, text)  # the chat goes on
        assert [message["content"] for message in prompts(bot)[-1].messages[1:]] == [text]
    await qq.ask_private(MING, "/memory new")
    await bot.engine.listener.extract("default", private(MING))
    assert transcripts(bot) == []
    assert [turn.text for turn in await bot.turns(private(MING))] == before
    assert await contents(bot, private(MING)) == ["小明的猫叫豆豆"]
    assert "豆豆" in await qq.ask_private(MING, "/memory list")

    assert await qq.ask_private(MING, "/memory on") == texts.ON_DONE
    await qq.ask_private(MING, "我的猫叫什么？")
    assert "豆豆" in "".join(memory_lines(prompts(bot)[-1].text))
    await qq.ask_private(MING, "/memory new")
    assert transcripts(bot)
    for word in ("紫苏柠檬茶", "厦门"):  # nothing of the pause
        assert all(word not in request.text for request in transcripts(bot))


async def test_off_in_one_chat_leaves_the_others_on(qq: OneBotClient, bot: RunningBot) -> None:
    assert await qq.ask_group(GROUP, HONG, "/memory off") == texts.SWITCH_DENIED
    assert await qq.ask_group(GROUP, HONG, "/memory off", role="admin") == texts.OFF_DONE
    for session, ask in (
        (group(), qq.ask_group(GROUP, MING, "记住我喜欢手冲咖啡", at_bot=True, card="小明")),
        (group(OTHER_GROUP), qq.ask_group(OTHER_GROUP, MING, "记住我喜欢手冲咖啡", at_bot=True, card="小明")),
        (private(HONG), qq.ask_private(HONG, "记住我喜欢手冲咖啡", nickname="小红")),
    ):
        await ask
        assert len(await bot.items(session)) == (session != group())
    assert await qq.ask_group(GROUP, MING, "/memory on") == texts.SWITCH_DENIED
    assert await qq.ask_group(GROUP, OPERATOR, "/memory on") == texts.ON_DONE
    await qq.ask_group(GROUP, MING, "记住我喜欢手冲咖啡", at_bot=True, card="小明")
    assert len(await bot.items(group())) == 1


async def test_off_outlasts_a_restart(qq: OneBotClient, bot: RunningBot) -> None:
    await qq.ask_private(MING, "/memory off")
    await bot.restart()
    qq = await bot.connect()
    await qq.ask_private(MING, "记住我喜欢手冲咖啡")
    assert [turn.text for turn in await bot.turns(private(MING))] == ["/memory off", texts.OFF_DONE]
    assert await bot.items(private(MING)) == []


# ---------------------------------------------------------------- retry


async def test_retry_resumes_calls_that_were_stopped(qq: OneBotClient, bot: RunningBot) -> None:
    bot.llm.extraction = finds("吉他", "{who} 在学吉他")
    bot.llm.push(402)
    assert await qq.ask_private(OPERATOR, "我最近报了个吉他班", nickname="老板") == texts.CHAT_STOPPED
    assert await qq.ask_private(OPERATOR, "还在吗", nickname="老板") == texts.CHAT_STOPPED
    assert len(bot.llm.chat_requests) == 1
    assert await qq.ask_private(OPERATOR, "/memory retry") == texts.RETRY_DONE
    assert await qq.ask_private(OPERATOR, "现在呢", nickname="老板") != texts.CHAT_STOPPED
    # What waited in this chat was not lost.
    await bot.settled()
    assert await contents(bot, private(OPERATOR)) == ["老板（10000）在学吉他"]
    assert texts.STATUS_MODEL_OK in await qq.ask_private(MING, "/memory status")


async def test_retry_of_a_key_that_is_still_refused_asks_once(qq: OneBotClient, bot: RunningBot) -> None:
    bot.llm.default_mode = 401
    await qq.ask_private(MING, "你好")
    assert await qq.ask_private(OPERATOR, "/memory retry") == texts.RETRY_DONE
    for _ in range(3):
        assert await qq.ask_private(MING, "你好") == texts.CHAT_STOPPED
    assert len(bot.llm.chat_requests) == 2
