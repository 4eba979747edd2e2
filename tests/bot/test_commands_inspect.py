"""``/memory`` show and why: where something comes from, as far as the one who asks may know."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import nonebot_plugin_scoped_memory
from nonebot_plugin_scoped_memory import texts
from tests.bot.casting import (
    GROUP,
    GROUP_KEY,
    HONG,
    MING,
    OPERATOR,
    OTHER_GROUP,
    PRIVATE,
    account,
    ids,
    private,
    seed,
)
from tests.conftest import RunningBot
from tests.fakes.onebot import OneBotClient


@pytest.fixture
async def qq(bot: RunningBot) -> OneBotClient:
    return await bot.connect()


# ---------------------------------------------------------------- show


async def test_show_has_the_words_it_rests_on_and_what_happened(qq: OneBotClient, bot: RunningBot) -> None:
    await qq.ask_group(GROUP, MING, "我喜欢手冲咖啡", card="小明", at_bot=True)
    await bot.settled()
    [item] = await bot.items(GROUP_KEY)
    answer = await qq.ask_group(GROUP, HONG, f"/memory show {item.id}")
    head, *rest = answer.split("\n")
    assert head == f"[{item.id}] 喜好·本聊天·有效：小明（10001）喜欢手冲咖啡"
    assert texts.SHOW_EVIDENCE_LINE.format(account=MING, quote=f"@{qq.self_id} 我喜欢手冲咖啡") in rest
    assert rest[-1].endswith(texts.EVENT_ACTIONS["added"])


async def test_show_of_what_another_chat_knows_is_as_of_what_does_not_exist(qq: OneBotClient, bot: RunningBot) -> None:
    theirs = await seed(bot, private(HONG), "小红的猫叫豆豆")
    for id in (theirs, "zzzzzz"):
        assert await qq.ask_private(MING, f"/memory show {id}") == texts.NOT_FOUND.format(id=id)


async def test_an_approved_item_shows_neither_source_nor_quote_elsewhere(qq: OneBotClient, bot: RunningBot) -> None:
    await qq.ask_group(GROUP, MING, "我们决定周会改到周四", card="小明", at_bot=True)
    await bot.settled()
    (waiting,) = ids(await qq.ask_private(OPERATOR, "/memory review"))
    await qq.ask_private(OPERATOR, f"/memory approve {waiting}")
    (id,) = ids(await qq.ask_group(OTHER_GROUP, HONG, "/memory list"))
    answer = await qq.ask_group(OTHER_GROUP, HONG, f"/memory show {id}")
    assert answer.split("\n")[1:] == [texts.SHOW_SHARED]
    assert str(MING) not in answer
    assert str(GROUP) not in answer


async def test_show_of_what_was_forgotten_says_so(qq: OneBotClient) -> None:
    added = await qq.ask_private(MING, "/memory add 我喜欢手冲咖啡")
    id = re.findall(r"编号 (\w+)", added)[0]
    await qq.ask_private(MING, f"/memory forget {id}")
    answer = await qq.ask_private(MING, f"/memory 看 {id}")
    assert f"·{texts.ITEM_STATUSES['retracted']}：" in answer
    assert texts.SHOW_NO_EVIDENCE in answer


async def test_show_without_an_id(qq: OneBotClient) -> None:
    for words in ("show", "show a b", "看"):
        assert await qq.ask_private(MING, f"/memory {words}") == texts.SHOW_USAGE.format(example="k3f9ab")


def test_every_event_has_a_name_for_people() -> None:
    engine = Path(nonebot_plugin_scoped_memory.__file__).parent / "engine"
    made = {
        action
        for file in engine.rglob("*.py")
        for action in re.findall(r'MemoryEvent\(\s*[\w.]+,\s*"(\w+)"', file.read_text(encoding="utf-8"))
    }
    assert made == set(texts.EVENT_ACTIONS)


# ---------------------------------------------------------------- why


async def test_why_names_what_the_last_answer_was_made_with(qq: OneBotClient, bot: RunningBot) -> None:
    used = await seed(bot, PRIVATE, "小明喜欢手冲咖啡", "preference", owner=account(MING))
    await seed(bot, PRIVATE, "小明的猫叫豆豆")
    await qq.ask_private(MING, "手冲咖啡怎么样")
    await bot.settled()
    answer = await qq.ask_private(MING, "/memory why")
    assert answer.startswith(texts.WHY_HEAD.format(count=1))
    assert ids(answer) == [used]
    assert await qq.ask_private(MING, f"/memory wrong {used}") == texts.WRONG_DONE.format(content="小明喜欢手冲咖啡")
    assert texts.WHY_GONE.format(count=1) in await qq.ask_private(MING, "/memory 为什么")


async def test_why_as_a_reply_is_about_that_answer(qq: OneBotClient, bot: RunningBot) -> None:
    coffee = await seed(bot, PRIVATE, "小明喜欢手冲咖啡", "preference")
    since = qq.mark()
    await qq.private(MING, "手冲咖啡怎么样")
    (sent,) = await qq.wait_sent(1, since=since)
    await qq.ask_private(MING, "你好")
    await bot.settled()
    assert await qq.ask_private(MING, "/memory why") == texts.WHY_NOTHING_USED
    answer = await qq.ask_private(MING, "/memory why", reply_to=sent.message_id)
    assert ids(answer) == [coffee]


async def test_why_about_something_else_than_an_answer(qq: OneBotClient, bot: RunningBot) -> None:
    assert await qq.ask_private(MING, "/memory why") == texts.WHY_NONE
    own = await qq.private(MING, "手冲咖啡怎么样")
    await qq.wait_sent(1)
    await bot.settled()
    assert await qq.ask_private(MING, "/memory why", reply_to=own) == texts.WHY_NOT_AN_ANSWER


async def test_why_of_another_chats_answer_tells_nothing(qq: OneBotClient, bot: RunningBot) -> None:
    await seed(bot, PRIVATE, "小明喜欢手冲咖啡", "preference")
    since = qq.mark()
    await qq.private(MING, "手冲咖啡怎么样")
    (sent,) = await qq.wait_sent(1, since=since)
    await bot.settled()
    answer = await qq.ask_group(group_id=GROUP, user_id=HONG, message="/memory why", reply_to=sent.message_id)
    assert answer == texts.WHY_NONE
