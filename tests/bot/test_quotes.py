"""What a message quotes is of its own chat, whatever a client finds under a short message id."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bot.casting import BOT, GROUP, GROUP_KEY, HONG, MING, OTHER_GROUP, PRIVATE, everything
from tests.conftest import RunningBot
from tests.fakes.onebot import OneBotClient
from tests.fakes.segments import to_segments

pytestmark = pytest.mark.usefixtures("rivals")


@pytest.fixture
async def qq(bot: RunningBot) -> OneBotClient:
    return await bot.connect()


async def quotes(bot: RunningBot, session_key: str) -> dict[str, list[str]]:
    """What each message that quotes something quotes, by its text."""
    await bot.settled()
    return {turn.text: [quote.text for quote in turn.quotes] for turn in await bot.turns(session_key)}


def tells_less(qq: OneBotClient, *names: str) -> None:
    """A client whose ``get_msg`` leaves these out."""
    answer = qq.answers["get_msg"]

    def shorter(params: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in answer(params).items() if key not in names}

    qq.answers["get_msg"] = shorter


async def test_words_to_someone_else_are_no_quote(qq: OneBotClient, bot: RunningBot) -> None:
    said = qq.keep_own(to_segments("小明的密码本在抽屉里"), user_id=MING)
    await qq.ask_private(HONG, "这是什么", reply_to=said)
    tells_less(qq, "target_id")
    await qq.ask_private(HONG, "那是什么", reply_to=said)
    assert [await quotes(bot, f"qq:private:{HONG}")][0].items() >= {"这是什么": [], "那是什么": []}.items()
    assert "抽屉" not in "".join(request.text for request in bot.llm.chat_requests)


@pytest.mark.parametrize("hidden", [(), ("target_id", "user_id")])
async def test_the_bots_answer_can_be_quoted(qq: OneBotClient, bot: RunningBot, hidden: tuple[str, ...]) -> None:
    tells_less(qq, *hidden)
    bot.llm.reply = lambda _: "第一行\n第二行"
    await qq.ask_private(MING, "在吗")
    await qq.ask_private(MING, "什么意思", reply_to=qq.sent[-1].message_id)
    assert (await quotes(bot, PRIVATE))["什么意思"] == ["第一行\n第二行"]


@everything
async def test_a_group_is_told_by_its_number_or_by_the_message(qq: OneBotClient, bot: RunningBot) -> None:
    here, elsewhere = [await qq.group(g, MING, f"{g}的事", card="小明") for g in (GROUP, OTHER_GROUP)]
    await qq.ask_group(GROUP, HONG, "一", reply_to=here, at_bot=True)
    await qq.ask_group(GROUP, HONG, "二", reply_to=elsewhere, at_bot=True)
    tells_less(qq, "group_id")
    await qq.ask_group(GROUP, HONG, "三", reply_to=here, at_bot=True)
    await qq.ask_group(GROUP, HONG, "四", reply_to=elsewhere, at_bot=True)
    found = {text[-1]: words for text, words in (await quotes(bot, GROUP_KEY)).items()}
    assert [found[number] for number in "一二三四"] == [[f"{GROUP}的事"], [], [f"{GROUP}的事"], []]


@everything
async def test_an_id_that_names_two_messages_brings_in_neither(qq: OneBotClient, bot: RunningBot) -> None:
    """The id is one of this group, and what the client finds under it is of another one."""
    tells_less(qq, "group_id")
    await qq.group(GROUP, MING, "今天堵车", card="小明", message_id=77)
    await qq.group(OTHER_GROUP, HONG, "我要离婚了", card="小红", message_id=77)
    await qq.ask_group(GROUP, HONG, "什么", reply_to=77, at_bot=True)
    assert (await quotes(bot, GROUP_KEY))[f"@{BOT} 什么"] == []
    await qq.group(OTHER_GROUP, MING, "我要辞职了", card="想辞职的", message_id=77)
    await qq.ask_group(GROUP, HONG, "谁", reply_to=77, at_bot=True)
    assert (await quotes(bot, GROUP_KEY))[f"@{BOT} 谁"] == ["今天堵车"]
    assert "辞职" not in "".join(request.text for request in bot.llm.chat_requests)


@everything
async def test_what_was_taken_back_is_not_quoted_from_here(qq: OneBotClient, bot: RunningBot) -> None:
    tells_less(qq, "group_id")
    said = await qq.group(GROUP, MING, "我说错了", card="小明")
    message = qq.messages[said]
    await qq.recall_group(GROUP, MING, said)
    qq.messages[said] = message  # some clients still find it
    await qq.ask_group(GROUP, HONG, "什么", reply_to=said, at_bot=True)
    assert (await quotes(bot, GROUP_KEY))[f"@{BOT} 什么"] == []


# ---------------------------------------------------------------------- message ids


async def test_a_message_id_that_comes_again_loses_no_message(qq: OneBotClient, bot: RunningBot) -> None:
    await qq.ask_private(MING, "我的猫叫豆豆", message_id=77, time=1_790_000_000)
    assert "豆豆" not in await qq.ask_private(MING, "现在几点了", message_id=77, time=1_790_009_000)
    await bot.settled()
    assert [turn.text for turn in await bot.turns(PRIVATE) if turn.role == "user"] == ["我的猫叫豆豆", "现在几点了"]
    await qq.recall_friend(MING, 77)
    await qq.ask_private(MING, "在吗")
    await bot.settled()
    assert [turn.text for turn in await bot.turns(PRIVATE) if turn.recalled] == ["现在几点了"]


async def test_the_same_event_again_is_one_turn(qq: OneBotClient, bot: RunningBot) -> None:
    for _ in range(2):
        await qq.private(MING, "我的猫叫豆豆", message_id=77, time=1_790_000_000, seq=5)
    await qq.ask_private(MING, "在吗", time=1_790_000_001)
    await bot.settled()
    assert [turn.text for turn in await bot.turns(PRIVATE) if turn.role == "user"] == ["我的猫叫豆豆", "在吗"]


@pytest.mark.parametrize("none", [0, -1])
async def test_answers_that_get_no_id_are_all_kept(qq: OneBotClient, bot: RunningBot, none: int) -> None:
    send = qq.answers["send_msg"]
    qq.answers["send_msg"] = lambda params: {**send(params), "message_id": none}
    bot.llm.reply = lambda request: f"答{request.messages[-1]['content'][-1]}"
    for number in "123":
        await qq.ask_private(MING, f"问{number}")
    await bot.settled()
    assert [turn.text for turn in await bot.turns(PRIVATE) if turn.role == "bot"] == ["答1", "答2", "答3"]
