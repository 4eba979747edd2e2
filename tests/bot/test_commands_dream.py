"""``/memory dream``: what operators see of the background tidying, and what they do about it."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest

from nonebot_plugin_scoped_memory import texts
from nonebot_plugin_scoped_memory.bot import digest, jobs
from nonebot_plugin_scoped_memory.bot.commands.change import EXAMPLE_ID
from nonebot_plugin_scoped_memory.engine.dreaming.prompts import REVIEW_SYSTEM
from nonebot_plugin_scoped_memory.engine.models import utc_now
from tests.bot.casting import GROUP, HONG, MING, OPERATOR, account, contents, group, ids, seed
from tests.conftest import RunningBot
from tests.fakes.onebot import OneBotClient
from tests.fakes.openai_server import ChatRequest

M = f"小明（{MING}）"
TEA, MORE_TEA = f"{M}喜欢红茶", f"{M}很喜欢红茶"


@pytest.fixture
async def qq(bot: RunningBot) -> OneBotClient:
    return await bot.connect()


async def seeded(bot: RunningBot, *, small: bool = False) -> None:
    for content in (TEA, MORE_TEA, *(() if small else (f"{M}收藏了第{n}号邮票" for n in range(11, 25)))):
        await seed(bot, group(), content, subject=account(MING), origin="llm")


async def dream_in_group(qq: OneBotClient) -> str:
    """The private answer to ``dream now`` in the group."""
    since = qq.mark()
    assert await qq.ask_group(GROUP, OPERATOR, "/memory dream now") == texts.SENT_PRIVATELY
    (answer,) = await qq.wait_sent(1, user_id=OPERATOR, since=since)
    return answer.text


async def test_now_runs_show_and_undo(qq: OneBotClient, bot: RunningBot) -> None:
    await seeded(bot)
    await qq.ask_group(GROUP, HONG, "今天天气不错", card="小红", at_bot=True)
    answer = await dream_in_group(qq)
    (run,) = await bot.engine.dream_runs()
    assert answer.startswith(texts.DREAM_DONE.format(id=run.id, counts="")[:8])
    assert run.id in answer
    assert len(await contents(bot, group())) == 15

    listed = await qq.ask_private(OPERATOR, "/memory dream runs")
    assert ids(listed) == [run.id]
    assert listed.startswith(texts.DREAM_RUNS_HEAD)

    shown = await qq.ask_private(OPERATOR, f"/memory dream show [{run.id.upper()}]")
    assert f"\n{texts.DREAM_ACTIONS['merge']} " in shown
    assert f"\n- {MORE_TEA}" in shown
    assert texts.DREAM_REASONS["says_the_same"] in shown

    undone = await qq.ask_private(OPERATOR, f"/memory dream undo {run.id}")
    assert undone.startswith(texts.DREAM_UNDONE.format(count=1))
    assert {TEA, MORE_TEA} <= set(await contents(bot, group()))
    again = await qq.ask_private(OPERATOR, f"/memory dream undo {run.id}")
    assert again == texts.DREAM_NOT_FOUND.format(id=run.id)


async def test_what_waits_is_approved(qq: OneBotClient, bot: RunningBot) -> None:
    await seeded(bot, small=True)
    await qq.ask_group(GROUP, HONG, "今天天气不错", card="小红", at_bot=True)
    await dream_in_group(qq)
    (run,) = await bot.engine.dream_runs()
    assert len(await contents(bot, group())) == 2
    assert texts.DREAM_SHOW_WAITING.format(id=run.id) in await qq.ask_private(OPERATOR, f"/memory dream show {run.id}")
    approved = await qq.ask_private(OPERATOR, f"/memory dream approve {run.id}")
    assert approved == texts.DREAM_APPROVED.format(count=1)
    assert await contents(bot, group()) == [TEA]
    again = await qq.ask_private(OPERATOR, f"/memory dream approve {run.id}")
    assert again == texts.DREAM_NOTHING_WAITS.format(id=run.id)


async def test_an_undo_that_is_refused_names_the_item(qq: OneBotClient, bot: RunningBot) -> None:
    def reply(request: ChatRequest) -> str:
        if REVIEW_SYSTEM not in request.text:
            return '{"items": []}'
        label = re.search(r"\[(m\d+) [^\]]*\] [^\n]*吉他", request.text)
        line = re.search(r"\[(t\d+) [^\]]*\] [^\n]*吉他", request.text)
        assert label
        assert line
        change = {"action": "archive", "item": label[1], "reason": "不学了", "evidence": [line[1]], "content": None}
        return json.dumps({"changes": [change]}, ensure_ascii=False)

    bot.llm.extraction = reply
    await seeded(bot)
    before = utc_now() - timedelta(hours=1)
    await seed(bot, group(), f"{M}在学吉他", subject=account(MING), origin="llm", key="hobby", valid_from=before)
    await qq.ask_group(GROUP, MING, "吉他好难 再也不碰了", card="小明", at_bot=True)
    await dream_in_group(qq)
    run = (await bot.engine.dream_runs())[0]
    (archived,) = [o for o in run.operations if (o.action, o.state) == ("archive", "applied")]
    holder = await seed(bot, group(), f"{M}在学钢琴", subject=account(MING), key="hobby")
    refused = await qq.ask_private(OPERATOR, f"/memory dream undo {run.id}")
    assert refused == texts.DREAM_UNDO_TAKEN.format(id=archived.item_id, holder=holder)


async def test_only_operators_and_always_privately(qq: OneBotClient, bot: RunningBot) -> None:
    await seeded(bot)
    for words in ("now", "runs", "show k3f9ab", "undo k3f9ab", "approve k3f9ab", ""):
        assert await qq.ask_private(MING, f"/memory dream {words}") == texts.OPERATOR_ONLY
        assert await qq.ask_group(GROUP, HONG, f"/memory dream {words}", role="admin") == texts.OPERATOR_ONLY
    for words, answer in (
        ("runs", texts.DREAM_RUNS_EMPTY),
        ("", texts.DREAM_USAGE),
        ("x", texts.DREAM_USAGE),
        ("show", texts.DREAM_USAGE_RUN.format(word="show", example=EXAMPLE_ID)),
        ("undo a b", texts.DREAM_USAGE_RUN.format(word="undo", example=EXAMPLE_ID)),
        ("show zzzzzz", texts.DREAM_NOT_FOUND.format(id="zzzzzz")),
        ("undo zzzzzz", texts.DREAM_NOT_FOUND.format(id="zzzzzz")),
        ("approve zzzzzz", texts.DREAM_NOTHING_WAITS.format(id="zzzzzz")),
    ):
        since = qq.mark()
        assert await qq.ask_group(GROUP, OPERATOR, f"/memory dream {words}") == texts.SENT_PRIVATELY
        (sent,) = await qq.wait_sent(1, user_id=OPERATOR, since=since)
        assert sent.text == answer


async def test_now_says_why_it_did_nothing(qq: OneBotClient) -> None:
    await qq.ask_group(GROUP, HONG, "今天天气不错", card="小红", at_bot=True)
    await qq.ask_group(GROUP, OPERATOR, "/memory off")
    assert texts.DREAM_REASONS["off"] in await dream_in_group(qq)


@pytest.mark.settings(dream__digest=True, dream__min_turns=1, dream__quiet=0.0)
async def test_a_digest_once_a_day_without_contents(qq: OneBotClient, bot: RunningBot) -> None:
    await seeded(bot)
    await qq.ask_group(GROUP, HONG, "今天天气不错", card="小红", at_bot=True)
    await bot.settled()
    since = qq.mark()
    await jobs.sweep_dreams()
    (sent,) = await qq.wait_sent(1, user_id=OPERATOR, since=since)
    assert sent.text.startswith("后台整理：1 个聊天，改动 ")
    for private in ("红茶", str(MING), str(GROUP)):
        assert private not in sent.text
    await qq.ask_group(GROUP, HONG, "明天呢", card="小红", at_bot=True)
    await seed(bot, group(), f"{M}特别喜欢红茶", subject=account(MING), origin="llm")
    await bot.settled()
    since = qq.mark()
    await jobs.sweep_dreams()
    assert len(await bot.engine.dream_runs()) == 2
    assert qq.mark() == since


async def test_without_the_setting_there_is_no_digest(qq: OneBotClient, bot: RunningBot) -> None:
    digest.want(False)
    await seeded(bot)
    await qq.ask_group(GROUP, HONG, "今天天气不错", card="小红", at_bot=True)
    since = qq.mark()
    await jobs.sweep_dreams()
    assert qq.mark() == since
