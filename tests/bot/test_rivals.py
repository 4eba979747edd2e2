"""Commands, ours and other plugins', are recorded as such and never learnt; other handlers leave a message as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from nonebot import (
    on_command,
    on_fullmatch,
    on_keyword,
    on_message,
    on_regex,
    on_shell_command,
    on_startswith,
    require,
)
from nonebot.adapters import Bot, Event
from nonebot.matcher import Matcher
from nonebot.params import ArgPlainText
from nonebot.rule import to_me

from nonebot_plugin_scoped_memory.engine.models import TurnState
from tests.bot.casting import BOT, GROUP, GROUP_KEY, HONG, MING, OTHER_BOT, PRIVATE, everything, finds
from tests.conftest import RunningBot
from tests.fakes.onebot import OneBotClient
from tests.fakes.segments import at, text

pytestmark = pytest.mark.usefixtures("rivals")


def on_alconna(command: str) -> type[Matcher]:
    """A command of nonebot-plugin-alconna with an argument. That plugin is loaded here, as by who uses it."""
    require("nonebot_plugin_alconna")
    from nonebot_plugin_alconna import Alconna, Args, on_alconna

    return on_alconna(Alconna(command, Args["breed", str]))


def answering(matcher: type[Matcher], words: str = "收到") -> type[Matcher]:
    """A matcher that answers."""

    @matcher.handle()
    async def _(bot: Bot, event: Event) -> None:
        await bot.send(event, words)

    return matcher


async def states(bot: RunningBot, session_key: str) -> list[tuple[str, TurnState]]:
    return [(turn.text, turn.state) for turn in await bot.turns(session_key)]


@pytest.mark.parametrize(
    ("register", "said"),
    [
        pytest.param(lambda: on_command("点歌"), "/点歌 我喜欢猫", id="command"),
        pytest.param(lambda: on_command("点歌", aliases={"来一首"}), "/来一首 我喜欢猫", id="alias"),
        pytest.param(lambda: on_shell_command("点歌"), "/点歌 我喜欢猫", id="shell"),
        pytest.param(lambda: on_fullmatch("我喜欢猫"), "我喜欢猫", id="fullmatch"),
        pytest.param(lambda: on_regex("^我喜欢(.+)$"), "我喜欢猫", id="regex"),
        pytest.param(lambda: on_alconna("我喜欢猫"), "我喜欢猫 布偶", id="alconna"),
        pytest.param(lambda: on_command(("点歌", "猫")), "/点歌.猫 我喜欢猫", id="subcommand"),
    ],
)
async def test_another_plugins_command_is_never_learnt(
    bot: RunningBot, register: Callable[[], type[Matcher]], said: str
) -> None:
    answering(register())
    bot.llm.extraction = finds("喜欢猫")
    qq = await bot.connect()
    assert await qq.ask_private(MING, said) == "收到"
    await qq.ask_private(MING, "我对花生过敏")
    await qq.ask_private(MING, "/memory new")
    await bot.settled()
    assert (await states(bot, PRIVATE))[:2] == [(said, TurnState.COMMAND), ("收到", TurnState.COMMAND)]
    assert ["花生" in item.content for item in await bot.items(PRIVATE, status=None)] == [True]
    assert all("喜欢猫" not in request.text for request in bot.llm.chat_requests)


@pytest.mark.parametrize(
    "register",
    [
        pytest.param(lambda: on_message(), id="message"),
        pytest.param(lambda: on_keyword({"喜欢"}), id="keyword"),
        pytest.param(lambda: on_startswith("我喜欢"), id="startswith"),
        pytest.param(lambda: on_message(rule=to_me()), id="to_me"),
    ],
)
async def test_other_handlers_leave_a_message_ordinary(bot: RunningBot, register: Callable[[], type[Matcher]]) -> None:
    answering(register())
    qq = await bot.connect()
    assert await qq.ask_private(MING, "我喜欢猫", nickname="小明") == "收到"
    await bot.settled()
    assert await states(bot, PRIVATE) == [("我喜欢猫", TurnState.ORDINARY), ("收到", TurnState.ORDINARY)]
    assert [item.content for item in await bot.items(PRIVATE)] == ["小明（10001）喜欢猫"]


async def test_a_command_prefix_without_any_command(bot: RunningBot) -> None:
    """Somebody else's bot may know it; nobody answers it here."""
    qq = await bot.connect()
    for said in ("/签到 我喜欢猫", "  /签到 我喜欢狗", "/"):
        await qq.private(MING, said)
    await qq.group(GROUP, MING, "/签到 我喜欢猫", at_bot=True)
    await qq.ask_private(MING, "在吗")
    await bot.settled()
    assert [turn.state for turn in await bot.turns(PRIVATE)][:3] == [TurnState.COMMAND] * 3
    assert [turn.state for turn in await bot.turns(GROUP_KEY)] == [TurnState.COMMAND]
    assert await bot.items(PRIVATE) == []
    assert len(qq.sent) == 1
    assert all("签到" not in request.text for request in bot.llm.chat_requests)


async def test_our_own_commands_are_never_memories(bot: RunningBot) -> None:
    bot.llm.extraction = finds(".")
    qq = await bot.connect()
    await qq.ask_private(MING, "/memory search 我喜欢猫")
    await qq.ask_private(MING, "/记忆 search 我喜欢猫")
    await qq.ask_private(MING, "/memory 记住我喜欢猫")
    await qq.ask_private(MING, "/memory new")
    await bot.settled()
    assert {turn.state for turn in await bot.turns(PRIVATE)} == {TurnState.COMMAND}
    assert len(await bot.turns(PRIVATE)) == 8
    assert await bot.items(PRIVATE, status=None) == []
    assert bot.llm.chat_requests == []


async def test_answers_to_a_handlers_question_are_its_own(bot: RunningBot) -> None:
    """What ``got`` asks for is part of the command, however much it reads like a statement."""
    asking = on_command("登记")

    @asking.got("liking", prompt="你喜欢什么？")
    @asking.got("name", prompt="你叫什么？")
    async def _(matcher: Matcher, liking: str = ArgPlainText(), name: str = ArgPlainText()) -> None:
        if liking == name:
            await matcher.reject("再说一次")
        await matcher.finish(f"登记了{name}：{liking}")

    qq = await bot.connect()
    assert await qq.ask_private(MING, "/登记") == "你喜欢什么？"
    assert await qq.ask_private(MING, "我喜欢猫") == "你叫什么？"
    assert await qq.ask_private(MING, "我喜欢猫") == "再说一次"
    assert await qq.ask_private(MING, "我叫小明") == "登记了我叫小明：我喜欢猫"
    await qq.ask_private(MING, "我对花生过敏")
    await bot.settled()
    assert [turn.state for turn in await bot.turns(PRIVATE)] == [TurnState.COMMAND] * 8 + [TurnState.ORDINARY] * 2
    assert ["花生" in item.content for item in await bot.items(PRIVATE)] == [True]
    [prompt] = bot.llm.chat_requests
    assert "喜欢" not in prompt.text


async def test_a_matcher_whose_rule_does_not_hold_has_no_say(bot: RunningBot) -> None:
    on_regex("^我喜欢狗$")
    on_command("我喜欢猫")
    on_fullmatch("我喜欢")
    qq = await bot.connect()
    await qq.ask_private(MING, "我喜欢猫")
    await bot.settled()
    assert {state for _, state in await states(bot, PRIVATE)} == {TurnState.ORDINARY}


@everything
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_a_command_for_one_bot_is_none_for_the_other(bot: RunningBot, order: tuple[int, int]) -> None:
    """Two bots hear it; to the one that is not addressed it looks like any message, before the other or after it."""
    answering(on_fullmatch("我喜欢猫", rule=to_me()))
    both = [await bot.connect(str(BOT)), await bot.connect(str(OTHER_BOT))]
    shared: Any = {"time": int(both[0].clock()), "seq": both[0].next_seq(group_id=GROUP)}
    segments = [{"type": "at", "data": {"qq": str(BOT)}}, {"type": "text", "data": {"text": " 我喜欢猫"}}]
    for number in order:
        await both[number].group(GROUP, MING, segments, **shared)
        await both[number].ask_group(GROUP, HONG, "/memory list", at_bot=True)
        await bot.settled()
    assert [turn.state for turn in await bot.turns(GROUP_KEY) if turn.text == "@30001 我喜欢猫"] == [TurnState.COMMAND]
    assert {turn.state for turn in await bot.turns(GROUP_KEY)} == {TurnState.COMMAND}
    await both[0].ask_group(GROUP, HONG, "在吗", at_bot=True)
    assert "喜欢猫" not in bot.llm.chat_requests[-1].messages[0]["content"]
    assert all("喜欢猫" not in message["content"] for message in bot.llm.chat_requests[-1].messages[:-1])


@everything
async def test_a_command_that_both_bots_hear_at_once_is_never_learnt(bot: RunningBot) -> None:
    answering(on_fullmatch("我喜欢猫"))
    both = [await bot.connect(str(BOT)), await bot.connect(str(OTHER_BOT))]
    await OneBotClient.broadcast_group(both, GROUP, MING, "我喜欢猫")
    for client in both:
        await client.wait_sent(1, group_id=GROUP)
    await bot.settled()
    assert await states(bot, GROUP_KEY) == [("我喜欢猫", TurnState.COMMAND)] + [("收到", TurnState.COMMAND)] * 2
    assert await bot.items(GROUP_KEY) == []


async def test_two_bots_in_a_group_carry_out_a_command_once(bot: RunningBot) -> None:
    both = [await bot.connect(str(BOT)), await bot.connect(str(OTHER_BOT))]
    await OneBotClient.broadcast_group(both, GROUP, MING, "/memory add 周会在周四")
    for client in both:  # each has handled the broadcast when it answers this
        await client.ask_private(HONG, "/memory")
    await bot.settled()
    said = [sent.text for client in both for sent in client.sent if sent.group_id == GROUP]
    assert len(said) == 1
    assert "周会在周四" in said[0]
    spoken_to = both[1]
    since = spoken_to.mark()
    await OneBotClient.broadcast_group(both, GROUP, MING, [at(OTHER_BOT), text(" /memory list")])
    assert "周会在周四" in (await spoken_to.wait_sent(1, group_id=GROUP, since=since))[0].text
