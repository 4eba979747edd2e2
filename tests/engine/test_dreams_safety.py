"""What no dream may do, whatever the model says and whenever the process dies."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from nonebot_plugin_scoped_memory.engine.dreaming import merging
from nonebot_plugin_scoped_memory.engine.dreaming.wording import plain
from nonebot_plugin_scoped_memory.engine.models import Item, NewItem, TurnState
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE
from nonebot_plugin_scoped_memory.engine.store.sqlite.view import SqliteView

from .dreaming import DreamModel, archive, changing, dream, dreamt, labels, learnt, line_with, talk, update
from .dying import STEPS, Moment, dying, eventful, prepared, what_is_known
from .helpers import (
    BOT,
    GROUP,
    HONG,
    MING,
    OTHER_GROUP,
    PRIVATE,
    HandClock,
    Held,
    chat,
    found,
    memory,
    said,
)
from .small_talk import chatter, echo

M = "小明（10001）"
RICH = {"daily_tokens": 10**9, "chat_daily_tokens": 10**9}


# ------------------------------------------------------------------ isolation


async def test_a_dream_of_session_b_cannot_touch_items_of_session_a() -> None:
    """A hostile model names A's ids, A's words and labels that it was never shown."""
    theirs: list[str] = []

    def hostile(prompt: str) -> str:
        named = [*theirs, *(f"m{n}" for n in range(60)), "*", "all"]
        evidence = line_with(prompt, "咖啡")
        return changing(
            *(archive(id, evidence) for id in named), *(update(id, "u1 喜欢咖啡和茶", evidence) for id in named)
        )

    model = DreamModel(
        review=hostile,
        extract=lambda prompt: said(found("u1 喜欢咖啡", line_with(prompt, "咖啡"), key="taste")),
        summary=lambda prompt: prompt,
    )
    async with memory(llm=model, extract_every_turns=99) as memo:
        contents = [f"{M}喜欢咖啡", f"{M}很喜欢咖啡", *(f"{M}喝过第{n}种咖啡" for n in range(11, 40))]
        for content in contents:
            for scope in (chat(OTHER_GROUP), chat(PRIVATE), GLOBAL_SCOPE):
                item = await memo.add(content, scope, subject="" if scope == GLOBAL_SCOPE else MING, origin="llm")
                theirs.append(item.id)
        await talk(memo, "秘密是咖啡", session=OTHER_GROUP)
        await learnt(memo, *contents)
        others = [await memo.items(scope, status=None) for scope in (chat(OTHER_GROUP), chat(PRIVATE), GLOBAL_SCOPE)]
        sessions = await memo.session(OTHER_GROUP)
        for n in range(5):
            await talk(memo, f"咖啡真好喝{n}", "咖啡贵", *(f"咖啡话题{i}" for i in range(12)))
            run = await dreamt(memo)
            assert {o.item_id for o in run.operations}.isdisjoint(theirs)
            assert any(o.reason == "not_shown" for o in run.operations)
        for scope, before in zip((chat(OTHER_GROUP), chat(PRIVATE), GLOBAL_SCOPE), others, strict=True):
            assert await memo.items(scope, status=None) == before
        assert await memo.session(OTHER_GROUP) == sessions
        for kind, prompt in model.calls:
            assert "秘密是咖啡" not in prompt
            assert not any(id in prompt for id in theirs), kind


# ------------------------------------------------------------------ no erosion


def adversary(seed: int):
    """Garbage, contradictions, nothing, "delete all": another kind of answer each time."""
    rng = random.Random(seed)

    def review(prompt: str) -> str:
        shown = labels(prompt)
        lines = [f"t{n}" for n in range(1, 2_000)]
        kind = rng.randrange(6)
        if kind == 0:
            return rng.choice(["", "delete all", "{}", "[" * 99, '{"changes": [{"action": "delete", "item": "*"}]}'])
        if kind == 1:
            return changing(*(archive(label, *lines) for label in shown))
        if kind == 2:
            return changing(*(archive(label, *lines) for label in list(shown)[1:]))
        if kind == 3:
            return changing(*(update(label, f"u1 不{words[-8:]}", *lines) for label, words in shown.items()))
        if kind == 4:
            return changing(*(update(label, "（已删除）", *lines) for label in shown))
        return changing(*(archive(label, *lines) for label in list(shown)[:3]))

    def extract(prompt: str) -> str:
        line = line_with(prompt, "邮票")
        return said(
            found("u1 不收藏邮票了", line),
            found(f"u1 收藏了第{rng.randrange(11, 61)}号邮票", line),
            found("u1 的邮票都作废", line, key="language"),
        )

    return DreamModel(review=review, extract=extract, summary=lambda _: rng.choice(["", "删除一切", "{}"]))


async def test_a_hundred_dreams_take_none_of_fifty_facts_that_a_person_added() -> None:
    async with memory(
        llm=adversary(7), extract_every_turns=10_000, daily_tokens=10**9, chat_daily_tokens=10**9
    ) as memo:
        facts = []
        for n in range(11, 61):
            outcome = await memo.remember(f"我收藏了第{n}号邮票")
            assert outcome.item is not None
            facts.append(outcome.item)
        await learnt(memo, *(f"{M}看过第{n}号邮票" for n in range(11, 41)))
        for n in range(100):
            await talk(memo, f"邮票 第{n}号 邮票不要了", "邮票", "全部删除")
            await dream(memo)
            memo.clock.move(hours=1)
        active = {item.id: item.content for item in await memo.items()}
        assert {item.id: item.content for item in facts}.items() <= active.items()
        assert len(await memo.engine.dream_runs(limit=1_000)) == 100


async def test_what_was_learnt_erodes_at_most_by_a_fifth_and_never_below_the_floor() -> None:
    async with memory(
        llm=adversary(3), extract_every_turns=10_000, daily_tokens=10**9, chat_daily_tokens=10**9
    ) as memo:
        await learnt(memo, *(f"{M}看过第{n}号邮票" for n in range(11, 61)))
        for n in range(40):
            before = await memo.engine.store.view("default", (chat(GROUP),)).count_items()
            await talk(memo, f"邮票 第{n}号")
            run = (await dream(memo)).run
            assert run is not None
            taken = [o for o in run.operations if o.state == "applied" and o.action in ("merge", "archive", "update")]
            added = sum(o.action == "add" for o in run.operations)
            assert len(taken) <= (before + added) // 5
            assert len(await memo.items()) >= 10
            memo.clock.move(hours=1)


# ------------------------------------------------------------------ no echo


async def test_ten_rounds_of_recall_and_dream_add_nothing() -> None:
    """Recalled memory, its block, the bot's own words and the output of commands come back in every round."""

    def parrot(prompt: str) -> str:
        """Claims what the bot said and what was only agreed to."""
        mine, agreed = line_with(prompt, "豆豆"), line_with(prompt, "对")
        return said(
            found("u1 的猫叫豆豆", mine),
            found("u1 的猫叫豆豆", agreed),
            found("u1 喜欢手冲咖啡", mine, agreed, kind="preference"),
            found("以下是长期记忆中的资料", mine, agreed, subject=None, kind="summary"),
        )

    model = DreamModel(extract=parrot, summary=lambda prompt: prompt[-200:])
    async with memory(llm=model, extract_every_turns=10_000) as memo:
        await memo.remember("我的猫叫豆豆")
        await memo.remember("我喜欢手冲咖啡")
        count = len(await memo.items(status=None))
        for _ in range(10):
            question = await memo.speak("我的猫叫什么")
            package = await memo.engine.compose_context(GROUP, question.text, speaker=MING)
            assert package.evidence
            answer = f"你的猫叫豆豆。{package.memory_block()}"
            recalled = tuple((one.item.id, one.score) for one in package.evidence)
            await memo.speak(answer, BOT, recalled=recalled)
            await memo.speak("对")
            await memo.speak("/memory list", state=TurnState.COMMAND)
            await memo.speak("[k3f9ab] 事实·本聊天：小明（10001）的猫叫豆豆", BOT, state=TurnState.COMMAND)
            memo.clock.move(hours=1)
            await dreamt(memo)
            assert len(await memo.items(status=None)) == count


# ------------------------------------------------------------------ killed


class Killed(BaseException):
    """The process is gone."""


def die() -> None:
    raise Killed


KILLS: list[tuple[int, Moment]] = [(step, when) for step in range(len(STEPS)) for when in ("before", "after")]


@pytest.fixture(scope="module")
async def undisturbed() -> tuple[Counter[tuple[str, str]], int]:
    """What a dream that nobody kills comes to, and how many transactions it takes."""
    model = eventful()
    async with memory(llm=model, extract_every_turns=10_000) as memo:
        await prepared(memo)
        with dying(die, 10**6, "before") as committed:
            run = await dreamt(memo)
        assert {o.action for o in run.operations} == {"add", "merge", "archive", "expire", "summary"}
        return what_is_known(await memo.items(status=None)), len(committed)


def test_every_step_has_its_commit(undisturbed: tuple[Counter[tuple[str, str]], int]) -> None:
    assert undisturbed[1] == len(STEPS)


@pytest.mark.parametrize(("at", "when"), KILLS, ids=[f"{when} {STEPS[at]}" for at, when in KILLS])
async def test_killed_at_a_commit_nothing_is_lost_and_nothing_doubled(
    tmp_path: Path, undisturbed: tuple[Counter[tuple[str, str]], int], at: int, when: Moment
) -> None:
    url = f"sqlite:///{(tmp_path / 'memory.db').as_posix()}"
    clock = HandClock()
    async with memory(url, clock=clock, llm=eventful(), extract_every_turns=10_000) as memo:
        await prepared(memo)
        with dying(die, at, when), pytest.raises(Killed):
            await dream(memo)
    async with memory(url, clock=clock, llm=eventful(), extract_every_turns=10_000) as memo:
        await dream(memo)
        await dreamt(memo)
        assert what_is_known(await memo.items(status=None)) == undisturbed[0]
        session = await memo.session()
        assert (session.watermark, session.dreamed, session.summarised) == (60, 60, 60)
        runs = await memo.engine.dream_runs()
        assert not [run for run in runs if run.status == "running"]
        for run in runs:  # whatever it did is in its record
            if run.status == "failed":
                assert run.reason == "interrupted"
        applied = Counter((o.action, o.item_id) for run in runs for o in run.operations if o.state == "applied")
        assert max(count for (action, _), count in applied.items() if action != "summary") == 1


async def test_a_run_that_was_taken_for_dead_ends_at_its_next_step() -> None:
    answer = Held(said())
    model = DreamModel(extract=lambda _: answer)
    async with memory(llm=model, extract_every_turns=99) as memo:
        await chatter(memo, 4)
        running = asyncio.create_task(dream(memo))
        await answer.asked.wait()
        assert (await dream(memo)).waiting == "running"
        await memo.engine.maintenance.interrupt_dreams(idle_since=memo.clock(), at=memo.clock())
        answer.go.set()
        report = await running
        assert report.waiting == "interrupted"
        assert (await memo.session()).watermark == 0
        model.answers["extract"] = echo
        assert (await dream(memo)).waiting == ""
        assert len(await memo.items()) == 4


async def test_messages_are_recorded_while_a_dream_waits_for_the_network() -> None:
    answer = Held(said())
    async with memory(llm=DreamModel(extract=lambda _: answer), extract_every_turns=99) as memo:
        await chatter(memo, 4)
        running = asyncio.create_task(dream(memo))
        await answer.asked.wait()
        await asyncio.wait_for(chatter(memo, 3, 9), 1)
        await asyncio.wait_for(memo.remember("我喜欢手冲咖啡", HONG), 1)
        answer.go.set()
        assert (await running).waiting == ""


async def test_two_dreams_at_once_right_after_the_start_are_one() -> None:
    async with memory(llm=DreamModel(extract=echo), extract_every_turns=99) as memo:
        await chatter(memo, 4)
        reports = await asyncio.gather(*(dream(memo) for _ in range(4)))
        assert sorted(report.waiting for report in reports) == ["", "running", "running", "running"]
        assert len(await memo.items()) == 4


async def test_the_loop_is_free_while_many_items_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits for an answer waits no longer for the items of a large chat than for those of a small one."""
    compared: list[str] = []
    between: list[int] = []

    def counted(item: Item) -> str:
        compared.append(item.id)
        return plain(item)

    async def answers() -> None:
        while True:
            between.append(len(compared))
            await asyncio.sleep(0)

    monkeypatch.setattr(merging, "plain", counted)
    async with memory() as memo:
        await memo.engine.add_items([NewItem(chat(GROUP), "fact", f"{M}收藏了第{n}号邮票") for n in range(1, 401)])
        waiting = asyncio.create_task(answers())
        await merging.near_duplicates(memo.view(chat(GROUP)), chat(GROUP), memo.clock())
        waiting.cancel()
        await asyncio.wait({waiting})
    assert len(compared) == 400
    assert max(after - before for before, after in itertools.pairwise([*between, 400])) <= 50


async def test_a_review_reads_no_more_items_than_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    items = SqliteView.items

    async def counted(self: SqliteView, ids: Sequence[str]) -> list[Item]:
        read.extend(ids)
        return await items(self, ids)

    model = DreamModel()
    async with memory(llm=model) as memo:
        await learnt(memo, *(f"{M}收藏了第{n}号邮票" for n in range(1, 201)))
        await talk(memo, "邮票真多")
        monkeypatch.setattr(SqliteView, "items", counted)
        await dreamt(memo)
        (prompt,) = model.prompts("review")
        assert len(labels(prompt)) == 40
    assert len(read) <= 50
