"""What is said again makes no second item, and what is said anew takes the place of what it changes."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from nonebot_plugin_scoped_memory.engine.changing import Actor
from nonebot_plugin_scoped_memory.engine.models import Proposal

from .helpers import HONG, MING, NOON, FakeChat, found, memory, said
from .proposing import propose

# ------------------------------------------------------------------ duplicates


async def test_four_people_who_say_the_same_at_once_make_one_item_with_four_pieces_of_evidence() -> None:
    async with memory() as memo:
        words = ("记住我喜欢手冲咖啡", "记住我喜欢手冲咖啡。", "记住我喜欢手冲 咖啡!", "记住我喜歡手沖咖啡")
        outcomes = await asyncio.gather(*(memo.heard(text) for text in words))
        (item,) = await memo.items()
        assert sorted(o.status for _, (o,) in outcomes) == ["applied", "duplicate", "duplicate", "duplicate"]
        assert sorted(e.turn for e in await memo.evidence(item)) == [1, 2, 3, 4]
        assert {e.quote for e in await memo.evidence(item)} == set(words)


async def test_two_engines_on_one_file_make_no_twins(tmp_path) -> None:
    url = f"sqlite:///{(tmp_path / 'memory.db').as_posix()}"
    async with memory(url) as one, memory(url) as other:
        await asyncio.gather(*(memo.heard("记住我喜欢手冲咖啡") for memo in (one, other) for _ in range(4)))
        (item,) = await one.items()
        assert len(await other.evidence(item)) == 8


@pytest.mark.parametrize("text", ["ｃ＋＋ 项目在Ｄ盘", "C++ 项目在 D 盘。", "c++項目在d盤"])
async def test_width_case_punctuation_and_traditional_forms_do_not_make_a_second_item(text: str) -> None:
    async with memory() as memo:
        await memo.remember("C++ 项目在 D 盘", kind="fact")
        outcome = await memo.remember(text, kind="fact")
        assert outcome.status == "duplicate"
        assert len(await memo.items()) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C 项目在 D 盘", "C++ 项目在 D 盘"),
        ("早餐吃包子", "早餐吃面条"),
        ("3.5 元一杯", "35 元一杯"),
    ],
)
async def test_a_different_statement_is_a_second_item(one: str, other: str) -> None:
    async with memory() as memo:
        for text in (one, other):
            assert (await memo.remember(text, kind="fact")).status == "applied"
        assert len(await memo.items()) == 2


async def test_what_stands_before_the_subjects_name_is_part_of_the_statement() -> None:
    answer = said(*(found(f"{animal}是 u1 最喜欢的动物", kind="preference") for animal in ("猫", "狗")))
    async with memory(llm=FakeChat(answer)) as memo:
        await memo.speak("说到动物嘛，猫呀狗呀")
        await memo.extract()
        assert await memo.contents() == ["猫是小明（10001）最喜欢的动物", "狗是小明（10001）最喜欢的动物"]


async def test_a_new_name_does_not_make_a_second_item() -> None:
    async with memory() as memo:
        for name in ("小明", "阿明", "\u200b", "小明"):
            await memo.heard("我喜欢手冲咖啡", name=name)
        assert await memo.contents() == ["小明（10001）喜欢手冲咖啡"]
        await memo.remember("我喜欢手冲咖啡", name="明明")
        assert len(await memo.items()) == 1


async def test_what_had_ended_and_is_said_again_is_remembered_again() -> None:
    async with memory() as memo:
        await memo.remember("我喜欢手冲咖啡")
        (item,) = await memo.items()
        ends = memo.clock() + timedelta(days=1)
        await memo.engine.update_item(item.id, scopes=[item.scope], valid_until=ends)
        memo.clock.move(days=2)
        assert await memo.recalled("手冲咖啡") == []
        assert (await memo.remember("我喜欢手冲咖啡")).status == "duplicate"
        assert await memo.recalled("手冲咖啡") == ["小明（10001）喜欢手冲咖啡"]
        assert (await memo.events(item))[-1].action == "extended"


# ------------------------------------------------------------------ slots


async def test_a_later_statement_supersedes_the_holder_of_its_slot() -> None:
    async with memory() as memo:
        await memo.speak("我主要写 Python")
        await memo.speak("我现在主要写 Rust")
        old, new = await memo.items(status=None)
        assert (old.status, new.status) == ("superseded", "active")
        assert old.successor == new.id
        assert old.valid_to == new.valid_from
        assert old.valid_from < new.valid_from
        assert await memo.recalled("我写什么语言", speaker=MING) == ["小明（10001）主要写 Rust"]
        assert [e.action for e in await memo.events(old)] == ["added", "superseded"]


async def test_one_members_language_never_touches_anothers() -> None:
    async with memory() as memo:
        await memo.speak("我主要写 Python", MING)
        await memo.speak("我主要写 Rust", HONG)
        await memo.speak("我主要写 Go", HONG)
        assert await memo.contents() == ["小明（10001）主要写 Python", "小红（10002）主要写 Go"]


async def test_what_was_said_earlier_but_is_learnt_later_becomes_the_past() -> None:
    async with memory() as memo:
        await memo.speak("我主要写 Rust")
        _, (outcome,) = await memo.heard("我主要写 Python", said_at=NOON - timedelta(days=1))
        assert (outcome.status, outcome.reason) == ("applied", "older_than_current")
        (current,) = await memo.items()
        (past,) = await memo.items(status="superseded")
        assert (past.successor, past.valid_to) == (current.id, current.valid_from)
        assert await memo.contents() == ["小明（10001）主要写 Rust"]


async def test_going_back_to_an_earlier_answer_is_a_new_item() -> None:
    async with memory() as memo:
        for language in ("Python", "Rust", "Python"):
            await memo.speak(f"我主要写 {language}")
        assert [(i.content[-6:], i.status) for i in await memo.items(status=None)] == [
            ("Python", "superseded"),
            ("写 Rust", "superseded"),
            ("Python", "active"),
        ]


async def test_a_report_supersedes_nothing() -> None:
    answer = said(found("u2 说 u1 主要写 Go", "t2", key="language"))
    async with memory(llm=FakeChat(answer)) as memo:
        await memo.speak("我主要写 Rust", MING)
        await memo.speak("@小明 主要写 Go 的吧", HONG, mentions=((MING, "小明"),))
        await memo.extract()
        assert (await memo.contents())[0] == "小明（10001）主要写 Rust"
        report = (await memo.items())[1]
        assert (report.subject, report.key) == ("", None)
        assert "小红（10002）" in report.content


async def test_what_is_past_already_does_not_wait_to_be_shared() -> None:
    async with memory() as memo:
        await memo.speak("周五开周会")
        await memo.speak("周四开周会", said_at=NOON - timedelta(days=1))
        for n, day in ((1, "周五"), (2, "周四")):
            await propose(memo, Proposal("decision", f"周会在{day}", key="weekly", origin="api", evidence=(n,)))
        assert await memo.contents() == ["周会在周五"]
        assert [c.content for c in await memo.candidates()] == ["周会在周五"]


async def test_what_waits_falls_with_the_item_it_came_from() -> None:
    async with memory() as memo:
        for day in ("周四", "周五"):
            await propose(
                memo,
                Proposal("decision", f"周会在{day}", key="weekly", origin="command", explicit=True),
                actor=Actor(MING),
            )
            memo.clock.move(hours=1)
        assert await memo.contents() == ["周会在周五"]
        assert [c.content for c in await memo.candidates()] == ["周会在周五"]
        fallen = await memo.candidates(status="rejected")
        assert [(c.content, c.reason) for c in fallen] == [("周会在周四", "source_superseded")]
