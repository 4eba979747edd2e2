"""People correct the bot's memory by talking: what they take back is gone, what they object to is not used again."""

from __future__ import annotations

import pytest
from nonebot import on_message
from nonebot.adapters.onebot.v11 import MessageEvent
from nonebot.matcher import Matcher

from nonebot_plugin_scoped_memory import compose_context
from tests.bot.casting import GROUP, GROUP_KEY, HONG, MING, PRIVATE, contents, everything
from tests.conftest import RunningBot


async def test_what_was_just_said_is_forgotten(bot: RunningBot) -> None:
    qq = await bot.connect()
    await qq.ask_private(MING, "我喜欢手冲咖啡", nickname="小明")
    await qq.ask_private(MING, "忘了吧，别记这个", nickname="小明")
    await qq.ask_private(MING, "我喜欢什么", nickname="小明")
    await bot.settled()
    assert await contents(bot, PRIVATE) == []
    assert "手冲咖啡" not in bot.llm.chat_requests[-1].text


@everything
async def test_in_a_group_each_takes_back_only_their_own(bot: RunningBot) -> None:
    qq = await bot.connect()
    await qq.group(GROUP, MING, "我喜欢手冲咖啡", card="小明")
    await qq.group(GROUP, HONG, "我喜欢爬山", card="小红")
    await qq.ask_group(GROUP, MING, "刚才那句当我没说", card="小明", at_bot=True)
    await bot.settled()
    assert await contents(bot, GROUP_KEY) == ["小红（10002）喜欢爬山"]


@pytest.mark.parametrize("restarted", [False, True])
async def test_an_answer_that_is_objected_to(bot: RunningBot, restarted: bool) -> None:
    qq = await bot.connect()
    await qq.ask_private(MING, "我喜欢手冲咖啡", nickname="小明")
    bot.llm.reply = lambda _: "你喜欢手冲咖啡，来一杯？"
    await qq.ask_private(MING, "推荐个手冲豆子", nickname="小明")
    if restarted:
        await bot.settled()
        await bot.restart()
        qq = await bot.connect()
    await qq.ask_private(MING, "你记错了", nickname="小明")
    await bot.settled()
    assert await contents(bot, PRIVATE) == []
    [item] = await bot.items(PRIVATE, status="retracted")
    assert item.content == "小明（10001）喜欢手冲咖啡"


async def test_an_answer_of_another_plugin_that_asked_us(bot: RunningBot) -> None:
    rival = on_message(priority=1, block=True)

    @rival.handle()
    async def _(matcher: Matcher, event: MessageEvent) -> None:
        package = await compose_context(event.get_plaintext())
        await matcher.send(f"记得：{package.memory_block()}")

    try:
        qq = await bot.connect()
        await qq.ask_private(MING, "我喜欢手冲咖啡", nickname="小明")
        await bot.settled()
        assert "手冲咖啡" in await qq.ask_private(MING, "推荐个手冲豆子", nickname="小明")
        await qq.ask_private(MING, "你记错了", nickname="小明")
        await bot.settled()
        assert await contents(bot, PRIVATE) == []
    finally:
        rival.destroy()
