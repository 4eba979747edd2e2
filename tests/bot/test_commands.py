"""``/memory`` as a whole: help, what is no subcommand, who may do what, and what never leaves a chat."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from nonebot import on_command
from nonebot.adapters.onebot.v11 import MessageEvent

from nonebot_plugin_scoped_memory import texts
from nonebot_plugin_scoped_memory.bot.commands import SUBCOMMANDS
from nonebot_plugin_scoped_memory.engine.errors import StoreError
from tests.bot.casting import (
    GANG,
    GROUP,
    HONG,
    MING,
    OPERATOR,
    OTHER_GROUP,
    account,
    contents,
    group,
    ids,
    private,
    prompts,
    seed,
    transcripts,
)
from tests.conftest import RunningBot
from tests.fakes.onebot import OneBotClient

HELP = texts.HELP.format(prefix="/")


@pytest.fixture
async def qq(bot: RunningBot) -> OneBotClient:
    return await bot.connect()


@pytest.fixture
async def rival() -> AsyncIterator[list[str]]:
    """Another plugin's ``memory`` command. Gives what it was asked."""
    heard: list[str] = []
    matcher = on_command("memory", priority=10, block=True)

    @matcher.handle()
    async def _(event: MessageEvent) -> None:
        heard.append(event.get_plaintext())
        await matcher.send("另一个插件")

    yield heard
    matcher.destroy()


async def test_help(qq: OneBotClient) -> None:
    for said in ("/memory", "/memory help", "/memory HELP", "/记忆", "/记忆 help", " /memory  "):
        assert await qq.ask_private(MING, said) == HELP, said
        assert await qq.ask_group(GROUP, MING, said) == HELP, said
        assert await qq.ask_private(OPERATOR, said) == f"{HELP}\n{texts.HELP_OPERATOR}", said


def test_help_names_every_subcommand_in_both_languages() -> None:
    for chinese, word in texts.SUBCOMMAND_ALIASES.items():
        assert word == "help" or f"{chinese} {word}" in HELP + texts.HELP_OPERATOR, word
    assert set(texts.SUBCOMMAND_ALIASES.values()) == {*SUBCOMMANDS, "help"}


def test_help_fits_one_screen() -> None:
    assert len(HELP.splitlines()) <= 12


async def test_chinese_subcommands_also_written_onto_the_command(qq: OneBotClient) -> None:
    for said in ("/memory 列表", "/记忆 列表", "/memory列表", "/记忆列表", "/记忆列表 1", "/记忆 列表 1"):
        assert await qq.ask_private(MING, said) == texts.LIST_EMPTY, said
    assert (await qq.ask_private(MING, "/记忆记 我的猫叫豆豆", nickname="小明")).startswith("记住了：小明（10001）的猫")
    assert "豆豆" in await qq.ask_private(MING, "/记忆搜索 豆豆")
    assert (await qq.ask_private(MING, "/记忆状态 ")).startswith(texts.STATUS_ON)
    # It only begins like one.
    since = qq.mark()
    await qq.private(MING, "/记忆列表里有什么")
    await qq.ask_private(MING, "/记忆")
    assert len(await qq.wait_sent(1, since=since)) == 1


async def test_a_subcommand_in_any_case_after_any_space(qq: OneBotClient) -> None:
    for words in ("list", "LIST", "List 1", "list  1 ", "\u3000list\u30001", "\nlist\n1"):
        assert await qq.ask_private(MING, f"/memory {words}") == texts.LIST_EMPTY, words
        assert await qq.ask_private(MING, f"/记忆 {words}") == texts.LIST_EMPTY, words


async def test_a_wrong_subcommand_gets_our_help_and_no_other_plugins_answer(qq: OneBotClient, rival: list[str]) -> None:
    unknown = texts.UNKNOWN_SUBCOMMAND.format(word="清空")
    assert await qq.ask_private(MING, "/memory 清空 全部") == f"{unknown}\n{HELP}"
    assert await qq.ask_group(GROUP, MING, "/memory 清空") == f"{unknown}\n{HELP}"
    # No word of ours: the other plugin is alive, and would have answered.
    assert await qq.ask_private(MING, "/memory清空") == "另一个插件"
    assert rival == ["/memory清空"]
    assert len(qq.sent) == 3


async def test_a_wrong_subcommand_is_quoted_short_and_on_one_line(qq: OneBotClient) -> None:
    answer = await qq.ask_private(MING, "/memory " + "长" * 5_000)
    assert answer.removesuffix(HELP).strip() == texts.UNKNOWN_SUBCOMMAND.format(word="长" * 19 + "…")


async def test_the_chat_leaves_commands_alone(qq: OneBotClient, bot: RunningBot) -> None:
    for said in ("/memory", "/memory list", "/memory 什么", "/记忆 status", "/别的命令", "你好"):
        await qq.private(MING, said)
    await qq.wait_sent(5)
    (prompt,) = prompts(bot)
    assert prompt.messages[-1]["content"] == "你好"


async def test_cq_codes_in_an_item_take_no_effect_in_answers(qq: OneBotClient, bot: RunningBot) -> None:
    content = "[CQ:at,qq=all] 看 [CQ:image,file=http://x/a.jpg] &amp; [1]"
    id = await seed(bot, group(), content, owner=account(MING))
    await seed(bot, None, content, "decision")
    # As text of the message, not as codes of it.
    for command in (f"add {content}", "list", "search 看", content, f"forget {id}"):
        assert "[CQ:at,qq=all]" in await qq.ask_group(GROUP, MING, f"/memory {command}"), command
    assert "[cq:at,qq=all" in await qq.ask_group(GROUP, MING, "/memory forget CQ[CQ:at,qq=all]")
    assert all(segment["type"] == "text" for sent in qq.sent for segment in sent.message)
    assert content in (await contents(bot, group()))[0]
    # The same from a client that writes its messages as strings with codes.
    other = await bot.connect("30002", cq=True)
    assert content in await other.ask_private(HONG, f"/memory add {content}")
    assert content in (await contents(bot, private(HONG)))[0]


@pytest.mark.settings(domain="per_bot")
async def test_each_bot_answers_from_its_own_domain(bot: RunningBot) -> None:
    one, other = await bot.connect("30001"), await bot.connect("30002")
    await one.ask_private(MING, "/memory add 我的猫叫豆豆", nickname="小明")
    await one.ask_private(MING, "/memory add 我们决定周会改到周四", nickname="小明")
    (id, _) = ids(await one.ask_private(MING, "/memory list"))
    assert await other.ask_private(MING, "/memory list") == texts.LIST_EMPTY
    assert await other.ask_private(MING, "/memory search 豆豆") == texts.SEARCH_EMPTY
    assert await other.ask_private(MING, f"/memory forget {id}") == texts.NOT_FOUND.format(id=id)
    (waiting,) = ids(await one.ask_private(OPERATOR, "/memory review"))
    assert await other.ask_private(OPERATOR, "/memory review") == texts.REVIEW_EMPTY
    answer = await other.ask_private(OPERATOR, f"/memory approve {waiting}")
    assert answer == texts.CANDIDATE_NOT_FOUND.format(id=waiting)
    await other.ask_private(MING, "/memory off")
    assert (await one.ask_private(MING, "/memory status")).split("\n")[0] == texts.STATUS_ON


async def test_commands_and_their_answers_are_never_extracted(qq: OneBotClient, bot: RunningBot) -> None:
    await qq.ask_private(MING, "/memory search 蓝色的大象")
    await qq.ask_private(MING, "/memory 绿色的犀牛")
    await qq.ask_private(MING, "今天路上堵车了")
    await qq.ask_private(MING, "/memory new")
    await bot.settled()
    (request,) = transcripts(bot)
    assert "今天路上堵车了" in request.text
    for word in ("蓝色的大象", "绿色的犀牛", "/memory", texts.SEARCH_EMPTY):
        assert word not in request.text
    # They are evidence all the same: nothing that was said is missing from the record.
    assert "/memory search 蓝色的大象" in [turn.text for turn in await bot.turns(private(MING))]


async def test_everyone_sees_only_the_plan_of_this_chat(qq: OneBotClient, bot: RunningBot) -> None:
    places = {private(MING): "豆豆", private(HONG): "咪咪", group(): "团团", group(OTHER_GROUP): "圆圆"}
    found = {session: await seed(bot, session, f"猫叫{name}") for session, name in places.items()}
    shared = await seed(bot, None, "猫要每天喂两次", "procedure")

    async def ask(session: str, text: str) -> str:
        kind, number = session.split(":")[1:]
        if kind == "private":
            return await qq.ask_private(int(number), text)
        return await qq.ask_group(int(number), OPERATOR, text, role="owner")

    for session, name in places.items():
        for text in ("/memory list", "/memory search 猫"):
            answer = await ask(session, text)
            assert sorted(ids(answer)) == sorted([found[session], shared]), (session, text)
            assert [other for other in places.values() if other in answer] == [name]
        foreign = [id for other, id in found.items() if other != session]
        for id in foreign:
            assert await ask(session, f"/memory forget {id}") == texts.NOT_FOUND.format(id=id)
            assert await ask(session, f"/memory forget {id.upper()}") == texts.NOT_FOUND.format(id=id)
    assert len(await bot.engine.list_items(read=[])) == 0


PEOPLE: dict[str, dict[str, Any]] = {
    "member": {"user_id": HONG, "role": "member"},
    "admin": {"user_id": HONG, "role": "admin"},
    "owner": {"user_id": HONG, "role": "owner"},
    "superuser": {"user_id": OPERATOR, "role": "member"},
    "anonymous": {"user_id": HONG, "role": "admin", "anonymous": "蒙面人"},
}
ADMINS = {"admin", "owner", "superuser"}


@pytest.mark.parametrize("who", PEOPLE)
async def test_who_may_do_what_in_a_group(qq: OneBotClient, bot: RunningBot, who: str) -> None:
    own = await seed(bot, group(), "小红的猫叫咪咪", owner=account(HONG), subject=account(HONG))
    others = await seed(bot, group(), "小明的猫叫豆豆", owner=account(MING), subject=account(MING))
    shared = await seed(bot, None, "周会在周四", "decision")
    denied = {texts.FORGET_DENIED, texts.FORGET_SHARED_DENIED, texts.NEW_DENIED, texts.SWITCH_DENIED}
    denied |= {texts.OPERATOR_ONLY, texts.ADD_ANONYMOUS}

    async def may(command: str) -> bool:
        return await qq.ask_group(GROUP, message=f"/memory {command}", **PEOPLE[who]) not in denied

    for command in ("help", "list", "search 猫", "status"):
        assert await may(command), command
    assert await may("add 群规在公告里") == (who != "anonymous")
    assert await may(f"forget {own}") == (who != "anonymous")
    assert await may(f"forget {others}") == (who in ADMINS)
    assert await may(f"forget {shared}") == (who == "superuser")
    for command in ("new", "off", "on"):
        assert await may(command) == (who in ADMINS), command
    for command in ("review", "approve abc123", "reject abc123", "retry"):
        assert await may(command) == (who == "superuser"), command


async def test_who_may_do_what_in_private(qq: OneBotClient, bot: RunningBot) -> None:
    # Also what was stored without anyone's name: nobody but its user is in the chat, but it is not theirs.
    own = await seed(bot, private(MING), "小明的猫叫豆豆", owner=account(MING))
    assert await qq.ask_private(MING, "/memory new") == texts.NEW_DONE
    assert await qq.ask_private(MING, "/memory off") == texts.OFF_DONE
    assert await qq.ask_private(MING, "/memory on") == texts.ON_DONE
    assert await qq.ask_private(MING, f"/memory forget {own}") == texts.FORGET_DONE.format(content="小明的猫叫豆豆")
    for command in ("review", "approve abc123", "reject abc123", "retry", "review x", "approve", "reject"):
        assert await qq.ask_private(MING, f"/memory {command}") == texts.OPERATOR_ONLY


async def test_what_is_denied_changes_nothing(qq: OneBotClient, bot: RunningBot) -> None:
    id = await seed(bot, group(), "小明的猫叫豆豆", owner=account(MING))
    for command in ("off", f"forget {id}", "new", "approve abc123"):
        await qq.ask_group(GROUP, GANG, f"/memory {command}")
    assert await contents(bot, group()) == ["小明的猫叫豆豆"]
    assert await bot.engine.chat_setting(group(), "memory") is None


@pytest.mark.parametrize(
    ("error", "logged"), [(StoreError("sqlite:///x", "disk full"), "disk full"), (ValueError("oops"), "ValueError")]
)
async def test_a_failure_is_told_in_chinese_and_logged_without_the_words(
    qq: OneBotClient,
    bot: RunningBot,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    logged: str,
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(bot.engine, "search_memory", fail)
    assert await qq.ask_private(MING, "/memory search 豆豆的秘密") == texts.COMMAND_FAILED
    lines = [record.getMessage() for record in caplog.records if "commands" in record.name]
    assert len(lines) == 1
    assert logged in lines[0]
    assert private(MING) in lines[0]
    assert "豆豆的秘密" not in caplog.text
    assert await qq.ask_private(MING, "/memory list") == texts.LIST_EMPTY
