"""Which sessions are dreamt of, when, and what a failure of one does to it and to the others."""

from __future__ import annotations

from datetime import timedelta

import pytest

from nonebot_plugin_scoped_memory.engine.dreaming import dream as module
from nonebot_plugin_scoped_memory.engine.errors import (
    ProviderAuthError,
    ProviderDownError,
    ProviderRefusedError,
    ProviderTimeoutError,
    StoreError,
)
from nonebot_plugin_scoped_memory.engine.models import TurnState
from nonebot_plugin_scoped_memory.engine.settings import DreamSettings

from .dreaming import DreamModel, dream, dreamt, learnt
from .helpers import BOT, GROUP, MING, OTHER_GROUP, OTHER_PRIVATE, PRIVATE, BigramEmbedder, Memory, memory
from .small_talk import chatter, echo, shown

M = "小明（10001）"


async def sweep(memo: Memory) -> list[str]:
    """The sessions that had their turn."""
    return [one.run.session_key for one in (await memo.engine.sweep_dreams()).dreams if one.run is not None]


async def test_only_sessions_with_enough_that_is_new_and_that_are_quiet() -> None:
    async with memory() as memo:
        await chatter(memo, 4)
        await chatter(memo, 3, session=OTHER_GROUP)
        await memo.speak("/memory list", session=OTHER_GROUP, state=TurnState.COMMAND)
        await memo.speak("好的", BOT, OTHER_GROUP)
        assert await sweep(memo) == []
        memo.clock.move(minutes=9)
        await chatter(memo, 4, session=PRIVATE)
        memo.clock.move(minutes=1)
        assert await sweep(memo) == [GROUP]
        memo.clock.move(minutes=10)
        assert await sweep(memo) == [PRIVATE]
        memo.clock.move(days=1)
        assert await sweep(memo) == [OTHER_GROUP]
        memo.clock.move(days=1)
        assert await sweep(memo) == []


async def test_what_was_extracted_already_is_dreamt_of_all_the_same() -> None:
    async with memory(llm=DreamModel()) as memo:
        await chatter(memo, 4)
        await memo.extract()
        memo.clock.move(minutes=10)
        assert await sweep(memo) == [GROUP]
        assert (await memo.session()).dreamed == 4


async def test_the_oldest_backlog_first_and_none_starves() -> None:
    async with memory(dream=DreamSettings(sessions_per_run=2)) as memo:
        groups = [f"qq:group:{20001 + n}" for n in range(7)]
        for session in groups:
            await chatter(memo, 4, session=session)
        memo.clock.move(minutes=10)
        order: list[str] = []
        for _ in range(4):
            order += await sweep(memo)
            # One that talks without end does not push in before those that wait.
            await chatter(memo, 4, session=groups[0])
            memo.clock.move(hours=1)
        assert order == [*groups, groups[0]]


async def test_a_chat_that_is_switched_off_takes_nobodys_place() -> None:
    model = DreamModel(extract=echo)
    async with memory(llm=model, dream=DreamSettings(sessions_per_run=1)) as memo:
        await chatter(memo, 4)
        await memo.engine.set_chat_setting(GROUP, "memory", "off", by=MING)
        await chatter(memo, 4, session=OTHER_GROUP)
        memo.clock.move(minutes=10)
        assert await sweep(memo) == [OTHER_GROUP]
        assert await memo.items(status=None) == []
        assert (await dream(memo)).waiting == "off"


async def test_a_failing_session_waits_longer_each_time_and_the_others_go_on() -> None:
    def fail(prompt: str):
        return ProviderDownError("extract", "internal error", 500) if "小红" in prompt else echo(prompt)

    model = DreamModel(extract=fail)
    async with memory(llm=model) as memo:
        await chatter(memo, 4)
        await memo.speak("话题5", session=OTHER_PRIVATE)
        for n in range(4):
            await memo.speak(f"话题{n}", session=PRIVATE)
        memo.clock.move(minutes=10)
        waits: list[timedelta] = []
        for n in range(12):
            report = await memo.engine.sweep_dreams()
            failed = [one for one in report.dreams if one.run is not None and one.run.session_key == GROUP]
            assert [one.waiting for one in failed] == ["internal error"]
            assert failed[0].run is not None
            assert (failed[0].run.status, failed[0].run.reason) == ("failed", "internal error")
            if not n:
                assert len(report.dreams) == 2
            session = await memo.session()
            assert (session.watermark, session.dreamed, session.dream_failures) == (0, 0, n + 1)
            assert session.dream_retry_at is not None
            waits.append(session.dream_retry_at - memo.clock())
            assert await sweep(memo) == []
            memo.clock.now = max(session.dream_retry_at, session.retry_at or memo.clock())
        assert waits[:4] == [timedelta(minutes=m) for m in (1, 2, 4, 8)]
        assert waits[-1] == timedelta(hours=6)
        model.answers["extract"] = echo
        assert GROUP in await sweep(memo)
        session = await memo.session()
        assert (session.watermark, session.dreamed, session.dream_failures) == (4, 4, 0)
        assert len(await memo.items()) == 4


@pytest.mark.parametrize("kind", ["review", "summary"])
async def test_a_failure_in_the_middle_keeps_what_was_done_and_the_rest_for_later(kind: str) -> None:
    model = DreamModel()
    async with memory(llm=model, extract_every_turns=1_000) as memo:
        await learnt(memo, f"{M}在学 Haskell")
        for n in range(12):
            await memo.speak(f"haskell 话题{n}")
        answer, model.answers[kind] = model.answers[kind], lambda _: ProviderTimeoutError("dream", "no answer in time")
        report = await dream(memo)
        assert report.waiting == "no answer in time"
        session = await memo.session()
        assert (session.watermark, session.dreamed) == (12, 0 if kind == "review" else 12)
        model.answers[kind] = answer
        assert (await dream(memo)).waiting == ""
        session = await memo.session()
        assert (session.dreamed, session.summary) == (12, "聊了一些话题")
        assert len(model.prompts("extract")) == 1
        assert len(model.prompts(kind)) == 2


async def test_what_breaks_in_one_session_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    near_duplicates = module.near_duplicates

    async def broken(view, home, now):
        if home.id == GROUP:
            raise StoreError("sqlite://", "a broken row")
        return await near_duplicates(view, home, now)

    monkeypatch.setattr(module, "near_duplicates", broken)
    async with memory() as memo:
        await chatter(memo, 4)
        await chatter(memo, 4, session=OTHER_GROUP)
        memo.clock.move(minutes=10)
        report = await memo.engine.sweep_dreams()
        assert report.failed == 1
        assert [one.run.session_key for one in report.dreams if one.run] == [OTHER_GROUP]
        (run,) = await memo.view_of(GROUP).dream_runs(GROUP, limit=9)
        assert (run.status, run.reason) == ("failed", "StoreError")
        assert (await memo.engine.sweep_dreams()).failed == 0


async def test_a_stopped_endpoint_ends_the_sweep() -> None:
    model = DreamModel(extract=lambda _: ProviderAuthError("extract", "calls are stopped", 402))
    async with memory(llm=model) as memo:
        for session in (GROUP, OTHER_GROUP, PRIVATE):
            await chatter(memo, 4, session=session)
        memo.clock.move(minutes=10)
        assert await sweep(memo) == [GROUP]
        assert len(model.calls) == 1
        assert (await memo.session()).dream_failures == 0


async def test_a_refusal_leaves_out_the_offending_turn_alone() -> None:
    def reply(prompt: str):
        return ProviderRefusedError("extract", "declined") if "话题3" in prompt else echo(prompt)

    async with memory(llm=DreamModel(extract=reply)) as memo:
        await chatter(memo, 6)
        await dreamt(memo)
        assert [t.n for t in await memo.turns() if t.state is TurnState.UNPROCESSABLE] == [3]
        assert len(await memo.items()) == 5


async def test_a_second_sweep_makes_no_call() -> None:
    model = DreamModel(extract=echo)
    async with memory(llm=model, embedder=BigramEmbedder()) as memo:
        await learnt(memo, f"{M}提到咖啡")
        await chatter(memo, 14)
        await memo.speak("咖啡真好喝")
        memo.clock.move(minutes=10)
        assert await sweep(memo) == [GROUP]
        calls = len(model.calls)
        assert {kind for kind, _ in model.calls} == {"extract", "review", "summary"}
        items = await memo.items(status=None)
        for _ in range(2):
            memo.clock.move(hours=2)
            assert await sweep(memo) == []
            await dreamt(memo)
        assert len(model.calls) == calls
        assert await memo.items(status=None) == items


async def test_vectors_are_refreshed_in_every_scope_and_none_twice() -> None:
    embedder = BigramEmbedder()
    async with memory(embedder=embedder) as memo:
        embedder.error = ProviderDownError("embed", "down", 500)
        for session in (GROUP, OTHER_GROUP, PRIVATE):
            await memo.add("爱喝咖啡", session)
        await memo.engine.drain()
        embedder.error = None
        memo.clock.move(hours=1)
        await memo.engine.sweep_dreams()  # finds that it answers again
        await memo.engine.sweep_dreams()
        assert embedder.texts.count("爱喝咖啡") == 3
        await memo.engine.sweep_dreams()
        assert embedder.texts.count("爱喝咖啡") == 3


# ------------------------------------------------------------------ what it costs


async def test_every_call_counts_and_a_chat_has_a_budget_of_its_own() -> None:
    model = DreamModel(extract=echo)
    async with memory(llm=model, chat_daily_tokens=300, extract_every_turns=1_000) as memo:
        await learnt(memo, f"{M}提到咖啡")
        for n in range(12):
            await memo.speak(f"咖啡话题{n}")
        await dreamt(memo)
        usage = {row.purpose: row.calls for row in await memo.view_of(GROUP).usage("2026-11-30")}
        assert usage == {"extract": 1, "dream": 2}
        await chatter(memo, 4)
        assert (await dream(memo)).waiting == "chat_budget"
        assert (await memo.extract()).waiting == "chat_budget"
        await chatter(memo, 4, session=OTHER_GROUP)
        assert (await dream(memo, OTHER_GROUP)).waiting == ""
        memo.clock.move(days=1)
        assert (await dream(memo)).waiting == ""


async def test_a_spent_budget_ends_the_sweep_and_keeps_nobody_waiting_afterwards() -> None:
    model = DreamModel(extract=echo)
    async with memory(llm=model, daily_tokens=100) as memo:
        for session in (GROUP, OTHER_GROUP):
            await chatter(memo, 4, session=session)
        memo.clock.move(minutes=10)
        assert await sweep(memo) == [GROUP]
        assert len(model.calls) == 1
        assert await sweep(memo) == []
        memo.clock.move(days=1)
        assert await sweep(memo) == [OTHER_GROUP]


async def test_a_long_backlog_goes_to_the_model_whole_in_pieces() -> None:
    model = DreamModel(extract=echo)
    async with memory(llm=model, extract_every_turns=10_000) as memo:
        for n in range(30):
            await memo.speak(f"开头{n}" + "长" * 1_500 + f"结尾{n}")
        await memo.speak("开头" + "长" * 15_000 + "最后")
        await dreamt(memo)
        prompts = model.prompts("extract")
        assert len(prompts) > 6
        everything = "".join(line for prompt in prompts for line in shown(prompt))
        assert all(f"结尾{n}" in everything for n in range(30))
        assert "最后" in everything
