"""Situations that people reported about chat bots' memories, played through the real connection."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from nonebot_plugin_apscheduler import scheduler

from nonebot_plugin_scoped_memory import texts
from nonebot_plugin_scoped_memory.engine.models import Evidence, TurnState
from nonebot_plugin_scoped_memory.engine.scope import home_scope
from tests.bot.casting import (
    BOT,
    GANG,
    GROUP,
    GROUP_KEY,
    HONG,
    MING,
    OTHER_BOT,
    OTHER_GROUP,
    PRIVATE,
    account,
    answer,
    contents,
    everything,
    finds,
    found,
    prompts,
    transcript_lines,
    transcripts,
)
from tests.conftest import RunningBot
from tests.fakes.openai_replies import ChatRequest

BEIJING = ZoneInfo("Asia/Shanghai")


def at_time(*when: int) -> int:
    """The time of a message in China."""
    return int(datetime(*when, tzinfo=BEIJING).timestamp())  # pyright: ignore[reportArgumentType]


async def test_a_new_conversation_keeps_the_memories(bot: RunningBot) -> None:
    """What is pending is extracted first, the history starts afresh; a restart alone keeps the history."""
    bot.llm.extraction = finds("周末跑去")
    qq = await bot.connect()
    await qq.ask_private(MING, "周末跑去听吉他了", nickname="小明")
    await bot.restart()
    qq = await bot.connect()
    await qq.ask_private(MING, "有空再聊", nickname="小明")
    assert [message["content"] for message in prompts(bot)[-1].messages[1:]] == [
        "周末跑去听吉他了",
        "好的。",
        "有空再聊",
    ]
    assert transcripts(bot) == []
    assert await qq.ask_private(MING, "/memory new") == texts.NEW_DONE
    assert len(transcripts(bot)) == 1
    await qq.ask_private(MING, "吉他好听吗", nickname="小明")
    assert [message["role"] for message in prompts(bot)[-1].messages] == ["system", "user"]
    assert "小明（10001）周末跑去听吉他了" in prompts(bot)[-1].messages[-1]["content"]
    await bot.restart()
    qq = await bot.connect()
    await qq.ask_private(MING, "然后呢", nickname="小明")
    assert [message["role"] for message in prompts(bot)[-1].messages] == ["system", "user", "assistant", "user"]


async def test_nothing_configured_nothing_shared(bot: RunningBot) -> None:
    qq = await bot.connect()
    await qq.ask_private(MING, "我的猫叫豆豆", nickname="小明")
    assert await qq.ask_private(HONG, "猫叫什么") == "这个我还不知道。"
    await qq.ask_group(GROUP, MING, "猫叫什么", at_bot=True)
    await qq.ask_private(HONG, "/memory search 豆豆")
    assert all("豆豆" not in request.text for request in bot.llm.chat_requests[1:])
    assert all("豆豆" not in sent.text for sent in qq.sent)


async def test_the_same_word_in_two_groups(bot: RunningBot) -> None:
    qq = await bot.connect()
    for group, day in ((GROUP, "周四"), (OTHER_GROUP, "周五")):
        await qq.ask_group(group, MING, f"记住发布日是{day}", at_bot=True, card="小明")
    for group, day, other in ((GROUP, "周四", "周五"), (OTHER_GROUP, "周五", "周四")):
        said = await qq.ask_group(group, HONG, "发布日是哪天？", at_bot=True)
        assert day in said
        assert other not in prompts(bot)[-1].text
        assert other not in await qq.ask_group(group, HONG, "/memory list", at_bot=True)


@pytest.mark.parametrize("domain", ["default", "per_bot"])
async def test_two_bots_have_one_memory_or_two(bot: RunningBot, settings: Callable[..., Any], domain: str) -> None:
    settings(domain=domain)
    first, second = await bot.connect(str(BOT)), await bot.connect(str(OTHER_BOT))
    await first.ask_private(MING, "我的猫叫豆豆", nickname="小明")
    said = await second.ask_private(MING, "我的猫叫什么？", nickname="小明")
    listed = await second.ask_private(MING, "/memory list")
    shared = domain == "default"
    assert [("豆豆" in text) for text in (said, listed, prompts(bot)[-1].text)] == [shared] * 3
    assert len(await contents(bot, PRIVATE, "default" if shared else f"bot:{BOT}")) == 1
    assert len(await contents(bot, PRIVATE, "default" if shared else f"bot:{OTHER_BOT}")) == (1 if shared else 0)


@pytest.mark.settings(extract__every_turns=3, record__groups="all")
async def test_three_speakers_are_three_people(bot: RunningBot) -> None:
    bot.llm.extraction = finds("周末跑去")
    qq = await bot.connect()
    people = {MING: ("小明", "吉他"), HONG: ("小红", "日语"), GANG: ("小刚", "游泳")}
    for who, (name, what) in people.items():
        await qq.group(GROUP, who, f"周末跑去看{what}了", card=name)
    await bot.llm.wait_chats(1)
    await bot.settled()
    items = await bot.items(GROUP_KEY)
    assert {item.subject: item.content for item in items} == {
        account(who): f"{name}（{who}）周末跑去看{what}了" for who, (name, what) in people.items()
    }
    assert "用户" not in "".join(item.content for item in items)


@everything
async def test_what_is_told_of_another_is_not_the_tellers_plan(bot: RunningBot) -> None:
    def takes_the_teller_for_the_traveller(request: ChatRequest) -> str:
        lines = [line for line in transcript_lines(request) if "日本" in line[2]]
        return answer(*(found(f"{who} 下周去日本", turn, who, kind="task") for turn, who, _ in lines))

    bot.llm.extraction = takes_the_teller_for_the_traveller
    qq = await bot.connect()
    await qq.group(GROUP, MING, "我喜欢红茶", card="小明")
    await qq.ask_group(GROUP, HONG, "小明说他下周去日本", card="小红", at_bot=True)
    await bot.settled()
    await bot.engine.listener.extract("default", GROUP_KEY)
    assert transcripts(bot)
    assert [item.content for item in await bot.items(GROUP_KEY) if item.subject] == ["小明（10001）喜欢红茶"]


@everything
async def test_the_same_key_of_two_people(bot: RunningBot) -> None:
    qq = await bot.connect()
    await qq.group(GROUP, MING, "我主要写 Python", card="小明")
    await qq.group(GROUP, HONG, "我主要写 Rust", card="小红")
    await qq.ask_group(GROUP, MING, "我主要写 Go", card="小明", at_bot=True)
    await bot.settled()
    assert await contents(bot, GROUP_KEY) == ["小红（10002）主要写 Rust", "小明（10001）主要写 Go"]
    assert [item.content for item in await bot.items(GROUP_KEY, status="superseded")] == ["小明（10001）主要写 Python"]


async def test_what_the_bot_says_of_itself_is_nobodys_fact(bot: RunningBot) -> None:
    def careless(request: ChatRequest) -> str:
        lines = transcript_lines(request)
        return answer(*(found(f"u1 {words}", turn, "u1") for turn, who, words in lines if who == "bot"))

    bot.llm.reply = lambda request: careless(request) if request.wants_json else "我怕辣，我喜欢猫"
    qq = await bot.connect()
    await qq.ask_private(MING, "说说你自己", nickname="小明")
    await qq.ask_private(MING, "/memory new")
    await bot.settled()
    assert len(transcripts(bot)) >= 1
    assert await bot.items(PRIVATE) == []


async def test_laughing_at_what_the_bot_said_is_no_fact(bot: RunningBot) -> None:
    bot.llm.reply = lambda request: answer() if request.wants_json else "我没有对象，我喜欢猫"
    qq = await bot.connect()
    await qq.ask_group(GROUP, MING, "你有对象吗", card="小明", at_bot=True)
    await qq.ask_group(GROUP, HONG, "哈哈", card="小红", reply_to=qq.sent[-1].message_id)
    await qq.ask_group(GROUP, HONG, "记住", card="小红", reply_to=qq.sent[-1].message_id)
    await bot.settled()
    await bot.engine.listener.extract("default", GROUP_KEY)
    assert await bot.items(GROUP_KEY) == []
    [request] = transcripts(bot)
    assert [who for _, who, _ in transcript_lines(request)] == ["u1", "bot", "u2", "bot", "u2", "bot"]
    assert '哈哈（引用 bot："我没有对象，我喜欢猫"）' in request.text


@pytest.mark.parametrize("card", ["\u3000\u200b✨｜\t", "", "\u202e\u2066"])
async def test_a_card_that_shows_nothing(bot: RunningBot, card: str) -> None:
    qq = await bot.connect()
    await qq.ask_group(GROUP, MING, "我喜欢手冲咖啡", card=card, nickname="明", at_bot=True)
    await qq.ask_group(GROUP, HONG, "我喜欢红茶", card=card, nickname=card, at_bot=True)
    await bot.settled()
    assert [(turn.account, turn.name) for turn in await bot.turns(GROUP_KEY) if turn.role == "user"] == [
        (account(MING), "明"),
        (account(HONG), str(HONG)),
    ]
    assert await contents(bot, GROUP_KEY) == ["明（10001）喜欢手冲咖啡", "10002喜欢红茶"]


async def test_a_change_of_card_is_no_change_of_person(bot: RunningBot) -> None:
    qq = await bot.connect()
    for card, language in (("小明", "Python"), ("明哥", "Rust"), ("请假中", "Go")):
        await qq.ask_group(GROUP, MING, f"我主要写 {language}", card=card, at_bot=True)
    await qq.ask_group(GROUP, HONG, "我主要写 Java", card="小明", at_bot=True)
    await bot.settled()
    items = await bot.items(GROUP_KEY)
    assert [(item.subject, item.content) for item in items] == [
        (account(MING), "请假中（10001）主要写 Go"),
        (account(HONG), "小明（10002）主要写 Java"),
    ]


async def test_hearsay_is_at_most_a_report(bot: RunningBot) -> None:
    def report(request: ChatRequest) -> str:
        [(turn, who, _)] = [line for line in transcript_lines(request) if "日本" in line[2]]
        return answer(
            found("u1 下周去日本", turn, "u1", kind="task", key="home"),
            found(f"{who} 说 u1 下周去日本", turn, None),
        )

    bot.llm.extraction = report
    qq = await bot.connect()
    await qq.ask_group(GROUP, MING, "我喜欢红茶", card="小明", at_bot=True)
    await qq.ask_group(GROUP, HONG, "小明说他下周去日本", card="小红", at_bot=True)
    await bot.engine.listener.extract("default", GROUP_KEY)
    await bot.settled()
    about_japan = [item for item in await bot.items(GROUP_KEY) if "日本" in item.content]
    assert about_japan
    assert all(not item.subject and not item.key and "小红（10002）" in item.content for item in about_japan)


async def test_four_people_at_once_ask_to_remember_the_same(bot: RunningBot) -> None:
    """One item, with each of them as its evidence, however it is punctuated."""
    qq = await bot.connect()
    said = ["记住我喜欢手冲咖啡"] * 4 + ["记住我喜欢手冲咖啡。", "记住我喜欢手冲 咖啡!"]
    now = int(qq.clock())
    await asyncio.gather(*(qq.private(MING, words, nickname="小明", time=now) for words in said))
    await qq.wait_sent(len(said))
    await bot.settled()
    [item] = await bot.items(PRIVATE)
    assert len([turn for turn in await bot.turns(PRIVATE) if turn.role == "user"]) == len(said)
    assert len(await _evidence(bot, item.id)) == len(said)


async def _evidence(bot: RunningBot, item_id: str) -> list[Evidence]:
    return (await bot.engine.store.view("default", (home_scope(PRIVATE),)).evidence((item_id,)))[item_id]


@pytest.mark.settings(extract__every_turns=2)
async def test_a_yes_to_what_is_known_teaches_nothing(bot: RunningBot) -> None:
    """Over ten rounds, with a model that takes the bot's words and each 对 for something new."""

    def parrot(request: ChatRequest) -> str:
        lines = transcript_lines(request)
        return answer(
            *(found(f"u1 {words}", turn, "u1") for turn, who, words in lines if who == "bot" and "手冲" in words),
            *(found("u1 喜欢手冲咖啡", turn, "u1", kind="preference") for turn, _, words in lines if words == "对"),
        )

    bot.llm.extraction = parrot
    qq = await bot.connect()
    await qq.ask_private(MING, "我喜欢手冲咖啡", nickname="小明")
    await bot.settled()
    [item] = await bot.items(PRIVATE)
    for _ in range(10):
        assert "手冲咖啡" in await qq.ask_private(MING, "你还记得我喜欢什么咖啡吗？", nickname="小明")
        await qq.ask_private(MING, "对", nickname="小明")
        await bot.settled()
    assert len(transcripts(bot)) >= 5
    assert [one.id for one in await bot.items(PRIVATE)] == [item.id]
    for request in transcripts(bot):
        said = [words for _, who, words in transcript_lines(request) if who != "bot"]
        assert all("手冲" not in words for words in said if words != "我喜欢手冲咖啡")
        assert "<memory" not in request.text


async def test_asked_half_an_hour_later(bot: RunningBot) -> None:
    """No batch has run, and no rule knows this sentence."""
    qq = await bot.connect()
    now = int(qq.clock())
    await qq.ask_private(MING, "周末跑去听吉他了", nickname="小明", time=now - 1800)
    await bot.restart()
    qq = await bot.connect()
    assert "吉他" in await qq.ask_private(MING, "我周末跑去听什么了？吉他吗", nickname="小明", time=now)
    assert transcripts(bot) == []


async def test_three_things_in_three_rounds(bot: RunningBot) -> None:
    qq = await bot.connect()
    for words in ("叫我阿明就好", "我生日是5月20日", "我喜欢蓝色"):
        await qq.ask_private(MING, words, nickname="小明")
    await bot.settled()
    assert [item.kind for item in await bot.items(PRIVATE)] == ["preference", "fact", "preference"]
    listed = await qq.ask_private(MING, "/memory list")
    assert all(word in listed for word in ("阿明", "5月20日", "蓝色"))


async def test_a_failed_extraction_is_made_up_for(bot: RunningBot) -> None:
    bot.llm.extraction = finds("周末跑去")
    failures = [503, 429, "truncated", "prose"]
    qq = await bot.connect()
    await qq.ask_private(MING, "周末跑去听吉他了", nickname="小明")
    bot.llm.mode_for = lambda request: failures.pop(0) if request.wants_json and failures else None
    assert await qq.ask_private(MING, "/memory new") == texts.NEW_WAITING
    await qq.ask_private(MING, "周末跑去看游泳了", nickname="小明")
    assert await qq.ask_private(MING, "/memory new") == texts.NEW_WAITING
    assert await qq.ask_private(MING, "/memory new") == texts.NEW_DONE
    assert await contents(bot, PRIVATE) == ["小明（10001）周末跑去听吉他了", "小明（10001）周末跑去看游泳了"]
    seen = [{words for _, who, words in transcript_lines(request) if who != "bot"} for request in transcripts(bot)]
    assert seen[0] == {"周末跑去听吉他了"}
    assert all(words == {"周末跑去听吉他了", "周末跑去看游泳了"} for words in seen[1:])
    calls = len(transcripts(bot))
    await qq.ask_private(MING, "/memory new")
    assert len(transcripts(bot)) == calls


async def test_only_the_offending_message_is_left_out(bot: RunningBot) -> None:
    bot.llm.extraction = finds("周末跑去")
    bot.llm.mode_for = lambda request: "refused" if request.wants_json and "炸弹" in request.text else None
    qq = await bot.connect()
    for words in ("周末跑去听吉他了", "周末跑去看炸弹了", "周末跑去看游泳了"):
        await qq.ask_private(MING, words, nickname="小明")
    assert await qq.ask_private(MING, "/memory new") == texts.NEW_DONE
    assert await contents(bot, PRIVATE) == ["小明（10001）周末跑去听吉他了", "小明（10001）周末跑去看游泳了"]
    assert [turn.text for turn in await bot.turns(PRIVATE) if turn.state is TurnState.UNPROCESSABLE] == [
        "周末跑去看炸弹了"
    ]


async def test_tomorrow_is_counted_from_when_it_was_said(bot: RunningBot) -> None:
    qq = await bot.connect()
    late = at_time(2026, 6, 30, 23, 59)
    await qq.ask_private(MING, "记住我明天交报告", nickname="小明", time=late)
    await qq.ask_private(MING, "后天去体检", nickname="小明", time=late)
    await qq.ask_private(MING, "/memory new", time=at_time(2026, 7, 1, 0, 5))
    items = await bot.items(PRIVATE)
    assert "2026-07-01" in "".join(item.content for item in items)
    [request] = transcripts(bot)
    assert "2026-06-30 23:59 u1 小明] 后天去体检" in request.text
    assert "2026-06-30 星期二" in request.text


async def test_anonymous_members_share_no_memory(bot: RunningBot) -> None:
    qq = await bot.connect()
    await qq.ask_group(GROUP, MING, "记住我喜欢手冲咖啡", anonymous="火影", at_bot=True)
    await qq.ask_group(GROUP, HONG, "我喜欢什么？", anonymous="海贼", at_bot=True)
    await bot.settled()
    assert all(not item.subject and not item.owner for item in await bot.items(GROUP_KEY))
    assert await bot.turns("qq:private:80000000") == []


async def test_restarts_leave_one_job_of_each_and_no_port(bot: RunningBot) -> None:
    ports = [bot.port]
    ids = []
    for _ in range(3):
        jobs = [job.id for job in scheduler.get_jobs() if job.id.startswith("nonebot_plugin_scoped_memory")]
        ids.append(sorted(jobs))
        await (await bot.connect()).ask_private(MING, "在吗")
        await bot.restart()
        ports.append(bot.port)
    assert ids[0] == ids[1] == ids[2]
    assert len(set(ids[0])) == len(ids[0]) >= 1
    for port in ports[:-1]:
        with socket.create_server(("127.0.0.1", port)):
            pass


@pytest.mark.settings(enabled=False)
async def test_switched_off_the_chat_works_and_nothing_is_stored(bot: RunningBot, tmp_path: Path) -> None:
    qq = await bot.connect()
    assert await qq.ask_private(MING, "我的猫叫豆豆") == "好的。"
    assert await qq.ask_private(MING, "猫叫什么") == "这个我还不知道。"
    assert await qq.ask_group(GROUP, MING, "在吗", at_bot=True)
    assert all(len(request.messages) == 2 for request in bot.llm.chat_requests)
    assert not any(tmp_path.iterdir())  # noqa: ASYNC240


async def test_the_bots_name_in_front_is_no_obstacle(bot: RunningBot) -> None:
    qq = await bot.connect()
    await qq.ask_group(GROUP, MING, "小忆，记住我喜欢手冲咖啡", card="小明")
    await qq.ask_group(GROUP, MING, "小忆 我对花生过敏", card="小明")
    await bot.settled()
    assert len(await bot.items(GROUP_KEY)) == 2
