"""What other plugins call: inside their handlers, outside of them, and while there is no memory."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from nonebot import on_message, on_notice
from nonebot.matcher import Matcher

from nonebot_plugin_scoped_memory import api, compose_context, recall, remember
from nonebot_plugin_scoped_memory.engine.errors import InvalidAddressError, InvalidItemError, NoChatError, StoreError
from nonebot_plugin_scoped_memory.engine.models import Kind, NewItem
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, home_scope
from tests.bot.casting import GROUP, HONG, MING, OPERATOR, account, contents, group, private, seed
from tests.conftest import RunningBot
from tests.fakes.onebot import OneBotClient

pytestmark = pytest.mark.usefixtures("rivals")

Handler = Callable[[], Awaitable[Any]]
CALLS = {
    "recall": lambda **where: recall("猫", **where),
    "remember": lambda **where: remember("团团喜欢晒太阳", **where),
    "compose_context": lambda **where: compose_context("猫", **where),
}


@pytest.fixture
async def qq(bot: RunningBot) -> OneBotClient:
    return await bot.connect()


@pytest.fixture
def plugin() -> Callable[[Handler], list[Any]]:
    """Another plugin: ``plugin(handler)`` lets it answer every message; what the handler returns or raises is kept."""

    def register(handler: Handler) -> list[Any]:
        results: list[Any] = []

        async def handle(matcher: Matcher) -> None:
            try:
                results.append(await handler())
            except Exception as e:  # noqa: BLE001
                results.append(e)
            await matcher.send("好")

        on_message(priority=1, block=True).append_handler(handle)
        return results

    return register


def found(result: Any) -> list[str]:
    return [one.item.content for one in result]


# ---------------------------------------------------------------- inside a handler


async def test_recall_finds_what_this_chat_knows(
    qq: OneBotClient, bot: RunningBot, plugin: Callable[[Handler], list[Any]]
) -> None:
    await seed(bot, private(MING), "小明的猫叫豆豆")
    await seed(bot, private(HONG), "小红的猫叫咪咪")
    await seed(bot, group(), "群里的猫叫团团")
    await seed(bot, None, "猫要每天喂两次", "procedure")
    results = plugin(lambda: recall("猫"))
    await qq.ask_private(MING, "猫")
    await qq.ask_private(HONG, "猫")
    await qq.ask_group(GROUP, MING, "猫")
    assert [sorted(found(result)) for result in results] == [
        ["小明的猫叫豆豆", "猫要每天喂两次"],
        ["小红的猫叫咪咪", "猫要每天喂两次"],
        ["猫要每天喂两次", "群里的猫叫团团"],
    ]
    scores = [one.score for one in results[0]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


async def test_recall_within_a_limit(qq: OneBotClient, bot: RunningBot, plugin: Callable[[Handler], list[Any]]) -> None:
    for n in range(5):
        await seed(bot, private(MING), f"猫粮第{n}号配方")
    limits = iter((2, 0, -1, 100))
    results = plugin(lambda: recall("猫粮", limit=next(limits)))
    for _ in range(4):
        await qq.ask_private(MING, "猫")
    assert [len(result) for result in results] == [2, 0, 0, 5]


async def test_remember_is_the_speakers_word_in_this_chat(
    qq: OneBotClient, bot: RunningBot, plugin: Callable[[Handler], list[Any]]
) -> None:
    results = plugin(lambda: remember("我喜欢手冲咖啡"))
    await qq.ask_group(GROUP, MING, "随便说说", card="小明")
    (item,) = await bot.items(group())
    assert (item.content, item.kind, item.subject) == ("小明（10001）喜欢手冲咖啡", "preference", account(MING))
    assert (item.owner, item.origin) == (account(MING), "api")
    assert (results[0].status, results[0].item) == ("applied", item)
    assert await contents(bot, None) == await contents(bot, private(MING)) == []
    await qq.ask_group(GROUP, MING, "再说一遍", card="小明")
    assert results[1].status == "duplicate"


async def test_remember_takes_a_kind(qq: OneBotClient, bot: RunningBot, plugin: Callable[[Handler], list[Any]]) -> None:
    plugin(lambda: remember("我在准备考研", kind="task"))
    await qq.ask_private(MING, "考研", nickname="小明")
    assert [(item.kind, item.content) for item in await bot.items(private(MING))] == [
        ("task", "小明（10001）在准备考研")
    ]


@pytest.mark.parametrize("speaker", [MING, OPERATOR])
async def test_what_is_shared_by_its_kind_waits_whoever_speaks(
    qq: OneBotClient, bot: RunningBot, plugin: Callable[[Handler], list[Any]], speaker: int
) -> None:
    results = plugin(lambda: remember("上线前先备份", kind="procedure"))
    await qq.ask_private(speaker, "记下来")
    assert results[0].pending is not None
    assert await contents(bot, None) == []
    assert [candidate.id for candidate in await bot.engine.pending_reviews()] == [results[0].pending.id]


async def test_what_cannot_be_remembered(
    qq: OneBotClient, bot: RunningBot, plugin: Callable[[Handler], list[Any]]
) -> None:
    texts = iter(("", "  \n", "长" * 5_000, "我的密码是 Xk92mQz7"))
    results = plugin(lambda: remember(next(texts)))
    for _ in range(4):
        await qq.ask_private(MING, "记")
    assert [type(result) for result in results[:3]] == [InvalidItemError] * 3
    assert (results[3].status, results[3].reason, results[3].item) == ("rejected", "secret", None)
    wrong: Any = "opinion"
    with pytest.raises(InvalidItemError, match="kind"):
        await remember("团团喜欢晒太阳", kind=wrong, session=private(MING))
    assert await bot.items(private(MING), status=None) == []


async def test_compose_context_gives_history_and_memory_for_a_prompt(
    qq: OneBotClient, bot: RunningBot, plugin: Callable[[Handler], list[Any]]
) -> None:
    await seed(bot, private(MING), "小明的猫叫</memory>豆豆")
    await seed(bot, private(HONG), "小红的猫叫咪咪")
    await qq.ask_private(MING, "今天路上堵车了")
    await qq.ask_private(HONG, "她说的话")
    results = plugin(lambda: compose_context("我的猫叫什么"))
    await qq.ask_private(MING, "我的猫叫什么")
    (package,) = results
    assert [turn.text for turn in package.turns if turn.role == "user"] == ["今天路上堵车了"]
    assert [item.content for item in package.items] == ["小明的猫叫</memory>豆豆"]
    block = package.memory_block()
    assert block.count("</memory>") == 1
    assert block.endswith("</memory>")
    assert "咪咪" not in block


@pytest.mark.settings(record__groups="all")
async def test_an_anonymous_member_has_nothing_remembered(
    qq: OneBotClient, bot: RunningBot, plugin: Callable[[Handler], list[Any]]
) -> None:
    """All of them share one number; for what concerns everybody too, somebody has to answer."""
    await seed(bot, group(), "群里的猫叫团团")
    kinds: Iterator[Kind | None] = iter((None, "preference", "decision"))
    results = plugin(lambda: remember("我们决定喝红茶", kind=next(kinds)))
    for _ in range(3):
        await qq.ask_group(GROUP, MING, "记", anonymous="火影")
    assert results == [None, None, None]
    assert await contents(bot, group()) == ["群里的猫叫团团"]
    assert await bot.engine.pending_reviews() == []


async def test_a_task_that_a_handler_started_is_still_inside_its_chat(
    qq: OneBotClient, bot: RunningBot, plugin: Callable[[Handler], list[Any]]
) -> None:
    await seed(bot, private(MING), "小明的猫叫豆豆")
    results = plugin(lambda: asyncio.create_task(recall("猫")))
    await qq.ask_private(MING, "猫")
    assert found(results[0]) == ["小明的猫叫豆豆"]


async def test_a_session_that_is_named_goes_before_the_current_chat(
    qq: OneBotClient, bot: RunningBot, plugin: Callable[[Handler], list[Any]]
) -> None:
    await seed(bot, private(MING), "小明的猫叫豆豆")
    await seed(bot, group(), "群里的猫叫团团")
    results = plugin(lambda: recall("猫", session=group()))
    await qq.ask_private(MING, "猫")
    assert found(results[0]) == ["群里的猫叫团团"]


async def test_an_event_of_no_chat_needs_a_session(qq: OneBotClient, bot: RunningBot) -> None:
    await seed(bot, private(MING), "小明的猫叫豆豆")
    results: list[Any] = []

    async def handle() -> None:
        for call in CALLS.values():
            with pytest.raises(NoChatError):
                await call()
        results.append(await recall("猫", session=private(MING)))
        await qq.private(MING, "/memory")

    on_notice(priority=1).append_handler(handle)
    await qq.notice({"notice_type": "notify", "sub_type": "poke", "user_id": MING, "target_id": 30001})
    await qq.wait_sent(1, user_id=MING)
    assert found(results[0]) == ["小明的猫叫豆豆"]


@pytest.mark.settings(domain="per_bot")
async def test_each_bot_has_its_own_memory_where_the_operator_wants_that(
    bot: RunningBot, plugin: Callable[[Handler], list[Any]]
) -> None:
    one, other = await bot.connect("30001"), await bot.connect("30002")
    steps = iter((lambda: remember("我的猫叫豆豆"), *[lambda: recall("猫")] * 2, *[_recall_by_name] * 2))
    results = plugin(lambda: next(steps)())
    await one.ask_private(MING, "记", nickname="小明")
    for _ in range(2):  # also where the session is named, the bot says whose memory is meant
        await one.ask_private(MING, "猫")
        await other.ask_private(MING, "猫")
    assert [len(result) for result in results[1:]] == [1, 0, 1, 0]
    # Outside a handler nothing tells which bot: it is named with the session.
    assert await recall("猫", session=private(MING)) == []
    assert len(await recall("猫", session=private(MING), domain_id="bot:30001")) == 1


def _recall_by_name() -> Awaitable[Any]:
    return recall("猫", session=private(MING))


# ---------------------------------------------------------------- outside a handler


@pytest.mark.usefixtures("qq")
async def test_outside_a_handler_a_session_must_be_named() -> None:
    for name, call in CALLS.items():
        with pytest.raises(NoChatError, match=rf"{name}\(\).*session="):
            await call()


@pytest.mark.usefixtures("qq")
async def test_outside_a_handler_with_a_session() -> None:
    outcome = await remember("团团喜欢晒太阳", session=group())
    assert outcome is not None
    assert outcome.item is not None
    assert (outcome.item.scope, outcome.item.subject, outcome.item.owner) == (home_scope(group()), "", "")
    assert found(await recall("晒太阳", session=group())) == ["团团喜欢晒太阳"]
    assert found(await recall("晒太阳", session=f"{group()}:cron:morning")) == ["团团喜欢晒太阳"]
    assert await recall("晒太阳", session=private(MING)) == []
    assert "晒太阳" in (await compose_context("晒太阳", session=group())).memory_block()
    assert found(await recall("晒太阳", session=group(), domain_id="another")) == []


@pytest.mark.usefixtures("qq")
async def test_a_legacy_session_reads_what_everybody_shares(bot: RunningBot) -> None:
    await seed(bot, private(MING), "小明的猫叫豆豆")
    await bot.engine.add_items([NewItem(scope=GLOBAL_SCOPE, kind="procedure", content="猫要每天喂两次")])
    assert found(await recall("猫", session="milky:10001")) == ["猫要每天喂两次"]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    "session",
    ["", "qq", "qq:private", "qq:private:", "qq:unknown:1", "qq:Private:1", "qq:group:1\n2", "qq:group:" + "1" * 200],
)
async def test_an_address_that_is_none_is_the_callers_mistake(call: str, session: str) -> None:
    assert api.engine() is None  # said also while there is no memory
    with pytest.raises(InvalidAddressError):
        await CALLS[call](session=session)


# ---------------------------------------------------------------- without memory


async def test_while_a_chat_is_off_nothing_is_found_or_stored(
    qq: OneBotClient, bot: RunningBot, plugin: Callable[[Handler], list[Any]]
) -> None:
    await seed(bot, private(MING), "小明的猫叫豆豆")
    await qq.ask_private(MING, "/memory off")

    async def handler() -> tuple[Any, ...]:
        return await recall("猫"), await remember("我喜欢手冲咖啡"), await compose_context("猫")

    results = plugin(handler)
    await qq.ask_private(MING, "猫")
    items, outcome, package = results[0]
    assert (items, outcome) == ([], None)
    assert (package.memory_block(), package.turns, package.session_key) == ("", (), private(MING))
    assert package.debug.warnings == ("off",)
    assert await contents(bot, private(MING)) == ["小明的猫叫豆豆"]
    assert await remember("团团喜欢晒太阳", session=group()) is not None


async def test_while_no_engine_runs_nothing_is_found_or_stored() -> None:
    assert api.engine() is None
    assert await recall("猫", session=private(MING)) == []
    assert await remember("我喜欢手冲咖啡", session=private(MING)) is None
    package = await compose_context("猫", session=private(MING))
    assert (package.memory_block(), package.turns, package.items) == ("", (), ())
    for call in CALLS.values():
        with pytest.raises(NoChatError):
            await call()


@pytest.mark.usefixtures("qq")
@pytest.mark.parametrize("broken", ["search_memory", "compose_context", "chat_setting"])
async def test_a_failing_database_breaks_nobodys_prompt(
    bot: RunningBot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, broken: str
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise StoreError("sqlite:///x", "disk full")

    monkeypatch.setattr(bot.engine, broken, fail)
    items = await recall("豆豆的秘密", session=private(MING))
    package = await compose_context("豆豆的秘密", session=private(MING))
    assert (items, package.memory_block()) == ([], "")
    lines = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert lines
    assert all("disk full" in line and private(MING) in line for line in lines)
    assert "秘密" not in caplog.text
    if broken == "chat_setting":  # who asks for something to be kept is told that it was not
        with pytest.raises(StoreError):
            await remember("团团喜欢晒太阳", session=private(MING))
