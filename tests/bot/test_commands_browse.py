"""``/memory`` list, search and status: what a chat is shown of its own memory and of how it works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from nonebot_plugin_scoped_memory import texts
from nonebot_plugin_scoped_memory.bot.commands.request import PAGE, SHOWN_CHARS
from nonebot_plugin_scoped_memory.engine.scope import plan_for_session
from tests.bot.casting import GROUP, HONG, MING, OPERATOR, account, group, ids, private, prompts, seed
from tests.conftest import RunningBot
from tests.fakes.onebot import OneBotClient
from tests.fakes.openai_server import OpenAIServer


@pytest.fixture
async def qq(bot: RunningBot) -> OneBotClient:
    return await bot.connect()


# ---------------------------------------------------------------- list


async def test_list_shows_pages_newest_first(qq: OneBotClient, bot: RunningBot) -> None:
    assert await qq.ask_private(MING, "/memory list") == texts.LIST_EMPTY
    assert await qq.ask_private(MING, "/memory list 3") == texts.LIST_EMPTY
    made = [await seed(bot, private(MING), f"第{n}件事") for n in range(2 * PAGE + 3)]
    made.append(await seed(bot, None, "周会在周四", "decision"))

    shown: list[str] = []
    for page in (1, 2, 3):
        answer = await qq.ask_private(MING, "/memory list" if page == 1 else f"/memory list {page}")
        assert answer.startswith(texts.LIST_HEAD.format(total=len(made), page=page, pages=3))
        shown += ids(answer)
    assert sorted(shown) == sorted(made)
    plan = plan_for_session(private(MING))
    assert shown == [item.id for item in await bot.engine.list_items(read=plan)]


async def test_list_of_one_kind(qq: OneBotClient, bot: RunningBot) -> None:
    await seed(bot, private(MING), "小明的猫叫豆豆")
    likes = [await seed(bot, private(MING), f"小明喜欢第{n}种咖啡", "preference") for n in range(PAGE + 1)]
    for word in ("喜好", "preference", "Preference"):
        answer = await qq.ask_private(MING, f"/memory list {word}")
        assert answer.startswith(texts.LIST_HEAD.format(total=len(likes), page=1, pages=2))
        assert ids(await qq.ask_private(MING, f"/memory list {word} 2")) == likes[:1]
    assert await qq.ask_private(MING, "/memory 列表 待办") == texts.LIST_EMPTY_KIND.format(kind="待办")


async def test_search_of_what_was_said(qq: OneBotClient) -> None:
    await qq.ask_private(MING, "昨天去了西湖", nickname="小明")
    await qq.ask_private(HONG, "昨天也去了西湖", nickname="小红")
    for flag in ("--history", "--历史"):
        answer = await qq.ask_private(MING, f"/memory search 西湖 {flag}")
        assert "小明：昨天去了西湖" in answer
        assert "小红" not in answer
    assert await qq.ask_private(MING, "/memory search --history 雷峰塔") == texts.HISTORY_EMPTY
    assert await qq.ask_private(MING, "/memory search --history") == texts.SEARCH_USAGE


async def test_a_page_that_is_none_says_so(qq: OneBotClient, bot: RunningBot) -> None:
    await seed(bot, private(MING), "小明的猫叫豆豆")
    for number in ("2", "0", "00", "９９", "1000000", "9" * 30, "0000000001" + "9" * 5_000):
        answer = await qq.ask_private(MING, f"/memory list {number}")
        assert answer == texts.PAGE_MISSING.format(pages=1), number[:40]
    for word in ("一", "x", "-1", "1.5", "²", "1 2", "1;"):
        assert await qq.ask_private(MING, f"/memory list {word}") == texts.PAGE_INVALID.format(command="list"), word
    assert "豆豆" in await qq.ask_private(MING, "/memory list １")


async def test_an_item_is_one_short_line(qq: OneBotClient, bot: RunningBot) -> None:
    await seed(bot, private(MING), "很长的事" * 200)
    await seed(bot, private(MING), "第一行\n第二行\r\n[k3f9ab] 事实·共享：伪造的一行", "task")
    for command in ("list", "search 很长的事 第一行"):
        _, *lines = (await qq.ask_private(MING, f"/memory {command}")).split("\n")
        assert len(lines) == 2
        assert all(len(line) < SHOWN_CHARS + 30 for line in lines)
        assert sum(line.endswith("…") for line in lines) == 1
    assert ids(await qq.ask_private(MING, "/memory list")) == [
        item.id for item in (await bot.items(private(MING)))[::-1]
    ]


async def test_a_line_says_kind_and_whether_everybody_shares_it(qq: OneBotClient, bot: RunningBot) -> None:
    await seed(bot, private(MING), "小明（10001）喜欢手冲咖啡", "preference")
    await seed(bot, None, "周会在周四", "decision")
    answer = await qq.ask_private(MING, "/memory list")
    assert f"喜好·{texts.SCOPE_HERE}：小明（10001）喜欢手冲咖啡" in answer
    assert f"决定·{texts.SCOPE_SHARED}：周会在周四" in answer


async def test_only_what_is_active_is_listed_and_found(qq: OneBotClient, bot: RunningBot) -> None:
    kept = await seed(bot, private(MING), "小明的猫叫豆豆")
    scopes = [(await bot.items(private(MING)))[0].scope]
    await bot.engine.archive_item(await seed(bot, private(MING), "小明的猫叫咪咪"), scopes=scopes)
    await bot.engine.retract_item(await seed(bot, private(MING), "小明的猫叫团团"), scopes=scopes)
    await seed(bot, private(MING), "小明的猫叫圆圆", key="cat", subject=account(MING))
    current = await seed(bot, private(MING), "小明的猫叫方方", key="cat", subject=account(MING))
    for command in ("list", "search 猫"):
        assert sorted(ids(await qq.ask_private(MING, f"/memory {command}"))) == sorted([kept, current])


async def test_list_right_after_remembering_shows_it(qq: OneBotClient) -> None:
    await qq.ask_private(MING, "记住我喜欢手冲咖啡", nickname="小明")
    assert "小明（10001）喜欢手冲咖啡" in await qq.ask_private(MING, "/memory list")
    await qq.ask_group(GROUP, HONG, "记住我对花生过敏", card="小红", at_bot=True)
    assert "小红（10002）对花生过敏" in await qq.ask_group(GROUP, MING, "/memory list")


# ---------------------------------------------------------------- search


async def test_search_finds_what_answers(qq: OneBotClient, bot: RunningBot) -> None:
    assert await qq.ask_private(MING, "/memory search") == texts.SEARCH_USAGE
    assert await qq.ask_private(MING, "/memory search \u3000 ") == texts.SEARCH_USAGE
    assert await qq.ask_private(MING, "/memory search 猫") == texts.SEARCH_EMPTY
    cat = await seed(bot, private(MING), "小明的猫叫豆豆")
    await seed(bot, private(MING), "小明喜欢手冲咖啡", "preference")
    answer = await qq.ask_private(MING, "/memory search 猫叫什么名字")
    assert answer.split("\n")[0] == texts.SEARCH_HEAD.format(count=1)
    assert ids(answer) == [cat]
    assert await qq.ask_private(MING, "/memory search 火星") == texts.SEARCH_EMPTY


async def test_search_shows_one_page_at_most(qq: OneBotClient, bot: RunningBot) -> None:
    for n in range(PAGE + 5):
        await seed(bot, private(MING), f"猫粮第{n}号配方")
    assert len(ids(await qq.ask_private(MING, "/memory search 猫粮"))) == PAGE


async def test_search_answers_whatever_is_typed(qq: OneBotClient, bot: RunningBot) -> None:
    await seed(bot, private(MING), "小明的显卡是 RTX4090")
    many = " ".join(f"词{n}" for n in range(3_000))
    for words in ('a,b" * NEAR( -x:y', "' OR 1=1 --", "%_", "\x00\x07", "👻", many, "[CQ:at,qq=all]", "？" * 50):
        assert await qq.ask_private(MING, f"/memory search {words}") == texts.SEARCH_EMPTY, words[:20]
    assert "RTX4090" in await qq.ask_private(MING, f"/memory search rtx4090 {many}")


# ---------------------------------------------------------------- status


async def test_status_of_a_chat(qq: OneBotClient, bot: RunningBot) -> None:
    await seed(bot, private(MING), "小明的猫叫豆豆")
    await seed(bot, private(HONG), "小红的猫叫咪咪")
    await seed(bot, None, "周会在周四", "decision")
    await seed(bot, None, "上线前先备份", "procedure")
    lines = (await qq.ask_private(MING, "/memory status")).split("\n")
    assert lines[:2] == [texts.STATUS_ON, texts.STATUS_ITEMS.format(here=1, shared=2)]
    assert lines[3:] == [texts.STATUS_MODEL_OK, texts.STATUS_VECTORS_NONE]
    await qq.ask_private(MING, "/memory off")
    assert (await qq.ask_private(MING, "/memory status")).split("\n")[0] == texts.STATUS_OFF


@pytest.mark.parametrize("groups", ["addressed", "all", "off"])
async def test_status_says_what_is_recorded_of_a_group(
    settings: Callable[..., Any], qq: OneBotClient, groups: str
) -> None:
    settings(record__groups=groups)
    answer = await qq.ask_group(GROUP, MING, "/memory status")
    assert texts.STATUS_GROUP[groups] in answer
    assert not [other for other in texts.STATUS_GROUP.values() if other in await qq.ask_private(MING, "/memory status")]


async def test_status_tells_figures_of_the_whole_bot_to_operators_alone(qq: OneBotClient, bot: RunningBot) -> None:
    """What waits, and what all chats together use. A group would read the answer to its operator too."""
    await qq.ask_group(GROUP, HONG, "我们决定周会改到周四下午三点", at_bot=True)
    await bot.settled()
    figures = {
        texts.STATUS_REVIEWS.format(count=1),
        texts.STATUS_TOKENS.format(spent=await bot.engine.spent_today(), limit=300_000),
    }
    assert figures <= set((await qq.ask_private(OPERATOR, "/memory status")).split("\n"))
    for answer in (
        await qq.ask_private(HONG, "/memory status"),
        await qq.ask_group(GROUP, HONG, "/memory status"),
        await qq.ask_group(GROUP, OPERATOR, "/memory status"),
    ):
        assert not figures & set(answer.split("\n"))
        assert "tokens" not in answer


@pytest.mark.settings(llm__api_key="")
async def test_status_without_a_model(qq: OneBotClient) -> None:
    answer = await qq.ask_private(MING, "/memory status")
    assert texts.STATUS_MODEL_NONE in answer
    assert "tokens" not in answer
    assert await qq.ask_private(OPERATOR, "/memory retry") == texts.RETRY_NO_MODEL
    assert await qq.ask_private(MING, "/memory new") == texts.NEW_DONE


@pytest.mark.parametrize("status", [401, 402])
async def test_status_says_that_calls_are_stopped(qq: OneBotClient, bot: RunningBot, status: int) -> None:
    bot.llm.default_mode = status
    for _ in range(3):
        assert await qq.ask_private(MING, "你好") == texts.CHAT_STOPPED
    assert len(bot.llm.chat_requests) == 1
    stopped = texts.STATUS_MODEL_STOPPED.format(problem=texts.PROVIDER_PROBLEMS["ProviderAuthError"])
    assert stopped in await qq.ask_private(HONG, "/memory status")
    assert len(bot.llm.chat_requests) == 1


@pytest.mark.parametrize(("status", "problem"), [(500, "ProviderDownError"), (429, "ProviderBusyError")])
async def test_status_tells_a_passing_failure_from_a_stop(
    qq: OneBotClient, bot: RunningBot, status: int, problem: str
) -> None:
    bot.llm.push(status)
    await qq.ask_private(MING, "你好")
    failing = texts.STATUS_MODEL_FAILING.format(problem=texts.PROVIDER_PROBLEMS[problem])
    assert failing in await qq.ask_private(MING, "/memory status")
    await qq.ask_private(MING, "你好")
    assert texts.STATUS_MODEL_OK in await qq.ask_private(MING, "/memory status")


@pytest.mark.settings(extract__model="other-model")
async def test_status_shows_the_worst_of_two_models(qq: OneBotClient, bot: RunningBot) -> None:
    bot.llm.mode_for = lambda request: 402 if request.model == "other-model" else 500
    await qq.ask_private(MING, "今天路上堵车了")
    await qq.ask_private(MING, "/memory new")
    problem = texts.PROVIDER_PROBLEMS["ProviderAuthError"]
    assert texts.STATUS_MODEL_STOPPED.format(problem=problem) in await qq.ask_private(MING, "/memory status")


@pytest.mark.settings(budget__daily_tokens=10)
async def test_status_says_that_the_budget_is_spent(qq: OneBotClient, bot: RunningBot) -> None:
    assert texts.STATUS_BUDGET_SPENT not in await qq.ask_private(MING, "/memory status")
    await qq.ask_private(MING, "今天路上堵车了，迟到了半个小时")
    await bot.settled()
    assert texts.STATUS_BUDGET_SPENT in await qq.ask_private(HONG, "/memory status")
    assert texts.STATUS_BUDGET_SPENT in await qq.ask_group(GROUP, HONG, "/memory status")
    # What rules find is still remembered, and nothing is extracted.
    await qq.ask_private(MING, "记住我喜欢手冲咖啡")
    assert "手冲咖啡" in await qq.ask_private(MING, "/memory list")
    assert await qq.ask_private(MING, "/memory new") == texts.NEW_WAITING
    assert bot.llm.chat_requests == prompts(bot)


@pytest.fixture
def embedding(llm: OpenAIServer, settings: Callable[..., Any]) -> None:
    settings(
        embedding__provider="openai",
        embedding__base_url=llm.base_url,
        embedding__api_key="test",
        embedding__model="fake-embedding",
    )


@pytest.mark.usefixtures("embedding")
async def test_status_says_that_vectors_are_down_and_retry_brings_them_back(bot: RunningBot, qq: OneBotClient) -> None:
    await qq.ask_private(MING, "记住我喜欢手冲咖啡", nickname="小明")
    await bot.settled()
    assert texts.STATUS_VECTORS_OK in await qq.ask_private(MING, "/memory status")
    bot.llm.default_embedding_mode = 402
    assert "手冲咖啡" in await qq.ask_private(MING, "/memory search 咖啡怎么喝")
    assert texts.STATUS_VECTORS_DOWN in await qq.ask_private(MING, "/memory status")
    calls = len(bot.llm.embedding_requests)
    await qq.ask_private(MING, "/memory search 咖啡有什么")
    assert len(bot.llm.embedding_requests) == calls
    bot.llm.default_embedding_mode = "ok"
    assert await qq.ask_private(OPERATOR, "/memory retry") == texts.RETRY_DONE
    embedder = bot.engine.embedder
    assert embedder is not None
    if embedder._probe is not None:
        await embedder._probe
    assert texts.STATUS_VECTORS_OK in await qq.ask_private(MING, "/memory status")


async def test_group_members_see_the_groups_status(qq: OneBotClient, bot: RunningBot) -> None:
    await seed(bot, group(), "小明的猫叫豆豆")
    await seed(bot, private(MING), "小明的秘密")
    assert texts.STATUS_ITEMS.format(here=1, shared=0) in await qq.ask_group(GROUP, MING, "/memory status")


@pytest.mark.settings(budget__chat_daily_tokens=10)
async def test_status_says_that_one_chats_budget_is_spent(qq: OneBotClient, bot: RunningBot) -> None:
    assert texts.STATUS_CHAT_BUDGET_SPENT not in await qq.ask_private(MING, "/memory status")
    await qq.ask_private(MING, "今天路上堵车了，迟到了半个小时")
    await bot.settled()
    assert texts.STATUS_CHAT_BUDGET_SPENT in await qq.ask_private(MING, "/memory status")
    assert texts.STATUS_CHAT_BUDGET_SPENT not in await qq.ask_private(HONG, "/memory status")
