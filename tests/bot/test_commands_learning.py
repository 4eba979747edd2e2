"""``/memory`` optout, optin and mute."""

from __future__ import annotations

from datetime import timedelta

import pytest

from nonebot_plugin_scoped_memory import texts
from nonebot_plugin_scoped_memory.bot.commands.learning import span_of
from tests.bot.casting import GROUP, GROUP_KEY, HONG, MING, OTHER_GROUP, PRIVATE, contents, everything, group
from tests.conftest import RunningBot
from tests.fakes.onebot import OneBotClient


@pytest.fixture
async def qq(bot: RunningBot) -> OneBotClient:
    return await bot.connect()


async def test_a_pause_leaves_nothing_behind(qq: OneBotClient, bot: RunningBot) -> None:
    assert await qq.ask_private(MING, "/memory optout") == texts.OPTOUT_HERE
    await qq.ask_private(MING, "我喜欢普洱", nickname="小明")
    await qq.ask_private(MING, "记住我的猫叫豆豆", nickname="小明")
    assert texts.STATUS_LEARNING_OFF in await qq.ask_private(MING, "/memory status")
    assert await qq.ask_private(MING, "/记忆 记我") == texts.OPTIN_HERE
    await qq.ask_private(MING, "我喜欢冷萃", nickname="小明")
    await qq.ask_private(MING, "/memory new")
    await bot.settled()
    assert await contents(bot, PRIVATE) == ["小明（10001）喜欢冷萃"]
    for request in bot.llm.chat_requests:
        if request.wants_json:
            assert "普洱" not in request.text
            assert "豆豆" not in request.text


@everything
async def test_it_is_about_one_person_in_one_chat(qq: OneBotClient, bot: RunningBot) -> None:
    assert await qq.ask_group(GROUP, MING, "/memory 别记我") == texts.OPTOUT_HERE
    await qq.group(GROUP, MING, "我喜欢手冲咖啡", card="小明")
    await qq.group(GROUP, HONG, "我喜欢爬山", card="小红")
    await qq.group(OTHER_GROUP, MING, "我喜欢冷萃", card="小明")
    await bot.settled()
    assert await contents(bot, GROUP_KEY) == ["小红（10002）喜欢爬山"]
    assert await contents(bot, group(OTHER_GROUP)) == ["小明（10001）喜欢冷萃"]


@everything
async def test_everywhere_is_also_left_everywhere(qq: OneBotClient, bot: RunningBot) -> None:
    assert await qq.ask_private(MING, "/memory optout everywhere") == texts.OPTOUT_EVERYWHERE
    await qq.group(GROUP, MING, "我喜欢手冲咖啡", card="小明")
    assert await qq.ask_group(GROUP, MING, "/memory optin") == texts.OPTIN_STILL_OFF
    assert await qq.ask_group(GROUP, MING, "/memory optin 全部") == texts.OPTIN_HERE
    await qq.group(GROUP, MING, "我喜欢冷萃", card="小明")
    await bot.settled()
    assert await contents(bot, GROUP_KEY) == ["小明（10001）喜欢冷萃"]


async def test_it_outlives_a_restart(qq: OneBotClient, bot: RunningBot) -> None:
    await qq.ask_private(MING, "/memory optout")
    await bot.restart()
    qq = await bot.connect()
    await qq.ask_private(MING, "我喜欢手冲咖啡", nickname="小明")
    await bot.settled()
    assert await contents(bot, PRIVATE) == []


async def test_mute(qq: OneBotClient, bot: RunningBot) -> None:
    assert (await qq.ask_private(MING, "/memory mute 2h")).startswith(texts.MUTE_DONE[:3])
    await qq.ask_private(MING, "我喜欢手冲咖啡", nickname="小明")
    await bot.settled()
    assert await contents(bot, PRIVATE) == []
    for words in ("", " 很久", " 0h", " 99999天", " 2", " -2h"):
        assert await qq.ask_private(MING, f"/memory mute{words}") == texts.MUTE_USAGE, words


async def test_wrong_words(qq: OneBotClient) -> None:
    for command in ("optout", "optin"):
        usage = texts.LEARNING_USAGE.format(command=command)
        assert await qq.ask_private(MING, f"/memory {command} 明天") == usage


@everything
async def test_anonymous_members_need_none(qq: OneBotClient) -> None:
    for command in ("optout", "optin", "mute 2h"):
        answer = await qq.ask_group(GROUP, MING, f"/memory {command}", anonymous="某人")
        assert answer == texts.LEARNING_ANONYMOUS, command


@pytest.mark.parametrize(
    ("words", "span"),
    [
        ("2h", timedelta(hours=2)),
        ("30分钟", timedelta(minutes=30)),
        ("1 天", timedelta(days=1)),
        ("2小时", timedelta(hours=2)),
        ("30天", timedelta(days=30)),
        ("31天", None),
        ("2x", None),
        ("h", None),
    ],
)
def test_spans(words: str, span: timedelta | None) -> None:
    assert span_of(words) == span
