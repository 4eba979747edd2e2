"""Extraction by the model: when it is due, what the watermark may pass, and what each failure leaves behind."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import Any

import httpx
import pytest

from nonebot_plugin_scoped_memory.engine import batches
from nonebot_plugin_scoped_memory.engine.errors import (
    BadOutputError,
    ProviderAuthError,
    ProviderBusyError,
    ProviderDownError,
    ProviderError,
    ProviderRefusedError,
    ProviderTimeoutError,
    StoreError,
)
from nonebot_plugin_scoped_memory.engine.llm import Completion, OpenAIChat
from nonebot_plugin_scoped_memory.engine.models import TurnState
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE

from .helpers import (
    BOT,
    GROUP,
    HONG,
    MING,
    OTHER_GROUP,
    PRIVATE,
    FakeChat,
    HandClock,
    Held,
    Memory,
    chat,
    found,
    memory,
    said,
)


def echo(prompt: str) -> str:
    """An item for each line of a person, saying what it says."""
    lines = [line for line in prompt.splitlines() if line.startswith("[t")]
    heads = [line.split("] ", 1) for line in lines]
    return said(
        *(
            found(f"{head.split()[3]} 提到{text}", evidence=head.split()[0][1:], subject=head.split()[3])
            for head, text in heads
            if head.split()[3] != "bot"
        )
    )


async def chatter(memo: Memory, count: int, start: int = 1, session: str = GROUP) -> None:
    """Messages that no rule learns from."""
    for n in range(start, start + count):
        await memo.speak(f"话题{n}", MING if n % 2 else HONG, session)


def shown(prompt: str) -> list[str]:
    """What the lines of a transcript say."""
    return [line.split("] ", 1)[1] for line in prompt.splitlines() if line.startswith("[t")]


# ------------------------------------------------------------------ when


async def test_a_batch_runs_by_itself_when_enough_was_said() -> None:
    model = FakeChat(reply=echo)
    async with memory(llm=model, extract_every_turns=4) as memo:
        await chatter(memo, 3)
        await memo.engine.drain()
        assert model.prompts == []
        await chatter(memo, 1, 4)
        await memo.engine.drain()
        assert [shown(prompt) for prompt in model.prompts] == [["话题1", "话题2", "话题3", "话题4"]]
        assert (await memo.session()).watermark == 4
        assert len(await memo.items()) == 4


async def test_only_what_people_say_counts_towards_a_batch() -> None:
    model = FakeChat()
    async with memory(llm=model, extract_every_turns=4) as memo:
        await chatter(memo, 3)
        for text, account, state in (
            ("好的", BOT, TurnState.ORDINARY),
            ("/memory list", MING, TurnState.COMMAND),
        ):
            await memo.speak(text, account, state=state)
        await memo.engine.drain()
        assert model.prompts == []
        await chatter(memo, 1, 4)
        await memo.engine.drain()
        assert shown(model.prompts[0]) == ["话题1", "话题2", "话题3", "好的", "话题4"]


async def test_a_chat_that_fell_silent_is_extracted_also_if_no_batch_is_full() -> None:
    model = FakeChat(reply=echo)
    async with memory(llm=model) as memo:
        await chatter(memo, 2)
        await chatter(memo, 1, 7, PRIVATE)
        quiet = memo.clock() - timedelta(seconds=1)
        assert await memo.engine.listener.extract_quiet(quiet_before=quiet) == 1  # the other one still talks
        assert await memo.engine.listener.extract_quiet(quiet_before=memo.clock.move(minutes=3)) == 1
        assert await memo.engine.listener.extract_quiet(quiet_before=memo.clock.move(minutes=3)) == 0
        assert [shown(prompt) for prompt in model.prompts] == [["话题1", "话题2"], ["话题7"]]


async def test_a_buffer_is_flushed_into_the_chat_it_came_from() -> None:
    model = FakeChat(reply=echo)
    async with memory(llm=model, extract_every_turns=2) as memo:
        await chatter(memo, 1, 1, PRIVATE)
        await chatter(memo, 2, 5, OTHER_GROUP)
        await memo.engine.drain()
        await memo.extract(PRIVATE)
        assert ["话题1"] in [shown(prompt) for prompt in model.prompts]
        assert all("话题1" not in c for c in await memo.contents(OTHER_GROUP))
        assert len(await memo.items(PRIVATE)) == 1


async def test_without_a_model_nothing_is_called_and_nothing_lost() -> None:
    async with memory() as memo:
        await chatter(memo, 10)
        assert (await memo.extract()).turns == 0
        assert await memo.engine.listener.extract_quiet(quiet_before=memo.clock.move(hours=1)) == 0
        assert (await memo.session()).watermark == 0


async def test_a_session_that_never_was_has_nothing_to_extract() -> None:
    model = FakeChat()
    async with memory(llm=model) as memo:
        assert (await memo.extract(PRIVATE)).turns == 0
        assert model.prompts == []


# ------------------------------------------------------------------ the watermark


async def test_a_second_run_makes_no_call_and_no_item() -> None:
    model = FakeChat(reply=echo)
    async with memory(llm=model) as memo:
        await chatter(memo, 3)
        await memo.extract()
        items = await memo.items(status=None)
        for _ in range(2):
            report = await memo.extract()
            assert (report.turns, report.outcomes, report.waiting) == (0, (), "")
        assert await memo.items(status=None) == items
        assert len(model.prompts) == 1


async def test_more_than_one_batch_is_worked_off_in_one_run() -> None:
    model = FakeChat(reply=echo)
    async with memory(llm=model, extract_every_turns=1000) as memo:
        await chatter(memo, 95)
        report = await memo.extract()
        assert [len(shown(prompt)) for prompt in model.prompts] == [40, 40, 15]
        assert report.turns == 95
        assert (await memo.session()).watermark == 95


async def test_an_open_turn_holds_up_what_came_after_it() -> None:
    model = FakeChat(reply=echo)
    async with memory(llm=model) as memo:
        await chatter(memo, 1)
        waiting = await memo.speak("话题2", state=TurnState.OPEN)
        await chatter(memo, 1, 3)
        await memo.extract()
        assert (await memo.session()).watermark == 1
        assert [shown(prompt) for prompt in model.prompts] == [["话题1"]]
        await memo.engine.listener.settle("default", GROUP, waiting.n, TurnState.ORDINARY)
        await memo.extract()
        assert [shown(prompt) for prompt in model.prompts[1:]] == [["话题2", "话题3"]]


async def test_a_turn_that_stays_open_is_taken_as_it_stands_after_ten_minutes() -> None:
    model = FakeChat(reply=echo)
    async with memory(llm=model) as memo:
        await memo.speak("话题1", state=TurnState.OPEN)
        await chatter(memo, 1, 2)
        memo.clock.move(minutes=9)
        assert (await memo.extract()).turns == 0
        memo.clock.move(minutes=2)
        assert (await memo.extract()).turns == 2
        assert [shown(prompt) for prompt in model.prompts] == [["话题1", "话题2"]]
        assert len(await memo.items()) == 2
        assert (await memo.turns())[0].state is TurnState.ORDINARY


async def test_an_abandoned_turn_is_heard_by_the_rules_too() -> None:
    async with memory(llm=FakeChat()) as memo:
        await memo.speak("我喜欢手冲咖啡", state=TurnState.OPEN)
        memo.clock.move(minutes=11)
        await memo.extract()
        assert await memo.contents() == ["小明（10001）喜欢手冲咖啡"]


async def test_commands_and_answers_alone_need_no_call() -> None:
    model = FakeChat()
    async with memory(llm=model) as memo:
        await memo.speak("/memory list", state=TurnState.COMMAND)
        await memo.speak("没有记忆", BOT)
        await memo.extract()
        assert model.prompts == []
        assert (await memo.session()).watermark == 2


async def test_messages_that_arrive_during_a_call_are_left_for_the_next() -> None:
    held = Held(said())
    model = FakeChat(held)
    async with memory(llm=model) as memo:
        await chatter(memo, 2)
        running = asyncio.create_task(memo.extract())
        await held.asked.wait()
        await asyncio.wait_for(chatter(memo, 2, 3), 5)  # nobody waits for a lock
        held.go.set()
        await running
        assert [shown(prompt) for prompt in model.prompts] == [["话题1", "话题2"], ["话题3", "话题4"]]


async def test_what_is_said_during_a_call_waits_until_a_batch_is_full_again() -> None:
    held = Held(said())
    model = FakeChat(held)
    async with memory(llm=model, extract_every_turns=3) as memo:
        await chatter(memo, 3)
        await held.asked.wait()
        await chatter(memo, 2, 4)
        held.go.set()
        await memo.engine.drain()
        assert len(model.prompts) == 1
        await chatter(memo, 1, 6)
        await memo.engine.drain()
        assert [shown(prompt) for prompt in model.prompts[1:]] == [["话题4", "话题5", "话题6"]]


async def test_two_runs_at_once_do_not_double() -> None:
    held = Held(said(found("u1 提到话题1"), found("u2 提到话题2", "t2", subject="u2")))
    model = FakeChat(held)
    async with memory(llm=model) as memo:
        await chatter(memo, 2)
        runs = [asyncio.create_task(memo.extract()) for _ in range(3)]
        await held.asked.wait()
        held.go.set()
        reports = await asyncio.gather(*runs)
        assert sum(report.turns for report in reports) == 2
        assert len(model.prompts) == 1
        assert len(await memo.items(status=None)) == 2


async def test_of_two_processes_on_one_session_one_result_counts(tmp_path: Any) -> None:
    url = f"sqlite:///{(tmp_path / 'memory.db').as_posix()}"
    clock = HandClock()
    held = Held(said(found("u1 说起话题1")))
    async with (
        memory(url, clock=clock, llm=FakeChat(held)) as slow,
        memory(url, clock=clock, llm=FakeChat(reply=echo)) as fast,
    ):
        await chatter(slow, 1)
        running = asyncio.create_task(slow.extract())
        await held.asked.wait()
        await fast.extract()
        held.go.set()
        report = await running
        assert (report.turns, report.outcomes) == (0, ())
        assert await slow.contents(status=None) == ["小明（10001）提到话题1"]
        assert (await slow.session()).watermark == 1
        assert await slow.engine.spent_today() == 220


# ------------------------------------------------------------------ what the model is shown


async def test_what_rules_and_people_stored_is_listed_as_known() -> None:
    model = FakeChat()
    async with memory(llm=model) as memo:
        await memo.speak("我喜欢手冲咖啡")
        await memo.speak("我喜欢冷萃", session=PRIVATE)
        await memo.extract()
        known = model.prompts[0].split("<已知记忆>")[1].split("</已知记忆>")[0]
        assert known.split() == ["-", "小明（u1）喜欢手冲咖啡"]


async def test_what_is_not_evidence_is_not_shown() -> None:
    model = FakeChat(reply=echo)
    async with memory(llm=model) as memo:
        await chatter(memo, 1)
        await memo.speak("/memory add 我喜欢冷萃", state=TurnState.COMMAND)
        await memo.speak("撤回了", message_ids=(("30001", "m1"),))
        await memo.engine.listener.take_back("default", GROUP, "30001", "m1")
        await memo.extract()
        assert shown(model.prompts[0]) == ["话题1"]


async def test_a_bot_that_is_mentioned_is_known_as_one() -> None:
    model = FakeChat(said(found("u2 喜欢手冲", "t2", subject="u2")))
    async with memory(llm=model, extract_every_turns=2) as memo:
        for text in ("话题1", "@小忆 你喜欢手冲吗"):
            turn = await memo.speak(text, state=TurnState.OPEN, mentions=((BOT, "小忆"),))
            await memo.engine.listener.settle("default", GROUP, turn.n, TurnState.ORDINARY, bots=frozenset({BOT}))
        await memo.engine.drain()
        assert "@小忆(bot)" in model.prompts[0]
        assert await memo.items() == []


async def test_an_answer_of_rubbish_deletes_nothing() -> None:
    archive_all = json.dumps({"items": [{"kind": "fact", "content": "x", "action": "archive", "evidence": ["t1"]}]})
    async with memory(llm=FakeChat(archive_all, "[]", "{}", "null")) as memo:
        await memo.speak("我喜欢手冲咖啡")
        await chatter(memo, 3, 2)
        await memo.extract()
        assert (await memo.contents())[0] == "小明（10001）喜欢手冲咖啡"


# ------------------------------------------------------------------ failures


FAILURES: list[ProviderError] = [
    ProviderTimeoutError("extract", "no answer in time"),
    ProviderBusyError("extract", "too many requests", 429),
    ProviderDownError("extract", "internal error", 500),
]


@pytest.mark.parametrize("error", FAILURES)
async def test_a_failure_keeps_the_turns_and_the_retry_holds_the_same(error: ProviderError) -> None:
    model = FakeChat(error, reply=None)
    async with memory(llm=model) as memo:
        await chatter(memo, 3)
        report = await memo.extract(force=False)
        assert (report.turns, report.waiting) == (0, error.problem)
        assert (await memo.session()).watermark == 0
        model.reply = echo
        memo.clock.move(minutes=1)
        await memo.extract(force=False)
        assert [shown(prompt) for prompt in model.prompts] == [["话题1", "话题2", "话题3"]] * 2
        assert len(await memo.items()) == 3


async def test_the_wait_after_failures_grows_and_ends_with_a_success() -> None:
    down = ProviderDownError("extract", "internal error", 500)
    model = FakeChat(*[down] * 12)
    async with memory(llm=model) as memo:
        await chatter(memo, 1)
        waits = []
        for n in range(12):
            await memo.extract(force=False)
            session = await memo.session()
            assert session.failures == n + 1
            assert session.retry_at is not None
            waits.append(session.retry_at - memo.clock())
            calls = len(model.prompts)
            assert (await memo.extract(force=False)).waiting == "retry"
            assert len(model.prompts) == calls
            memo.clock.now = session.retry_at
        assert waits[:4] == [timedelta(minutes=m) for m in (1, 2, 4, 8)]
        assert waits == sorted(waits)
        assert waits[-1] == timedelta(hours=6)
        await memo.extract(force=False)
        session = await memo.session()
        assert (session.failures, session.retry_at, session.watermark) == (0, None, 1)


async def test_a_person_who_asks_does_not_wait_for_the_retry() -> None:
    model = FakeChat(ProviderDownError("extract", "internal error", 500))
    async with memory(llm=model) as memo:
        await chatter(memo, 1)
        await memo.extract()
        report = await memo.engine.listener.start_conversation("default", GROUP)
        assert (report.turns, report.waiting) == (1, "")


async def test_a_session_that_waits_for_its_retry_is_no_quiet_chat() -> None:
    model = FakeChat(ProviderDownError("extract", "internal error", 500))
    async with memory(llm=model) as memo:
        await chatter(memo, 1)
        now = memo.clock.move(minutes=10)
        assert await memo.engine.listener.extract_quiet(quiet_before=now) == 1
        assert await memo.engine.listener.extract_quiet(quiet_before=now) == 0
        assert await memo.engine.listener.extract_quiet(quiet_before=memo.clock.move(minutes=2)) == 1


async def test_a_refusal_leaves_out_the_offending_turn_alone() -> None:
    def reply(prompt: str) -> str | Exception:
        if "话题5" in prompt:
            return ProviderRefusedError("extract", "declined")
        return echo(prompt)

    async with memory(llm=FakeChat(reply=reply), extract_every_turns=1000) as memo:
        await chatter(memo, 8)
        report = await memo.extract()
        assert (report.turns, report.unprocessable, report.waiting) == (8, (5,), "")
        assert [t.n for t in await memo.turns() if t.state is TurnState.UNPROCESSABLE] == [5]
        assert len(await memo.items()) == 7
        assert (await memo.session()).watermark == 8


async def test_lasting_rubbish_halves_the_batch_until_its_turn_is_alone() -> None:
    model = FakeChat(reply=lambda prompt: "不知道" if "话题3" in prompt else echo(prompt))
    async with memory(llm=model, extract_every_turns=1000) as memo:
        await chatter(memo, 4)
        report = await memo.extract()
        assert report.unprocessable == (3,)
        assert len(await memo.items()) == 3
        assert [len(shown(prompt)) for prompt in model.prompts] == [4, 4, 2, 2, 1, 1]  # the first is asked twice


async def test_a_model_that_can_say_nothing_at_all_blames_no_turn() -> None:
    async with memory(llm=FakeChat(reply=lambda _: BadOutputError("extract", "the answer is empty"))) as memo:
        await chatter(memo, 2)
        report = await memo.extract()
        assert (report.turns, report.unprocessable) == (0, ())
        assert report.waiting
        assert (await memo.session()).watermark == 0


async def test_a_failure_in_the_middle_of_a_batch_makes_none_of_it_count() -> None:
    calls = iter(range(100))

    def reply(prompt: str) -> str | Exception:
        if next(calls) == 3:
            return ProviderDownError("extract", "internal error", 500)
        return ProviderRefusedError("extract", "declined") if "话题4" in prompt else echo(prompt)

    async with memory(llm=FakeChat(reply=reply), extract_every_turns=1000) as memo:
        await chatter(memo, 4)
        assert (await memo.extract()).turns == 0
        assert await memo.items(status=None) == []
        assert (await memo.extract()).unprocessable == (4,)
        assert len(await memo.items()) == 3


async def test_after_a_402_the_endpoint_is_not_called_again() -> None:
    requests: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(402, json={"error": {"message": "Insufficient Balance"}})

    client = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    clock = HandClock()
    model = OpenAIChat("http://test/v1", "k", "m", timeout=5, clock=clock, client=client)
    async with client, memory(llm=model, clock=clock, extract_every_turns=1) as memo:
        await chatter(memo, 5)
        await memo.engine.drain()
        await chatter(memo, 2, 6, PRIVATE)
        await memo.engine.drain()
        assert (await memo.extract()).waiting == "stopped"
        assert len(requests) == 1
        assert not model.state.ok
        session = await memo.session()
        assert (session.watermark, session.failures) == (0, 0)
        clock.move(hours=1)
        await memo.extract(PRIVATE)
        assert len(requests) == 2


async def test_a_stopped_endpoint_is_asked_for_one_session_a_round() -> None:
    model = FakeChat(reply=lambda _: ProviderAuthError("extract", "calls are stopped", 402))
    async with memory(llm=model, extract_every_turns=1000) as memo:
        for session in (GROUP, OTHER_GROUP, PRIVATE):
            await chatter(memo, 1, session=session)
        assert await memo.engine.listener.extract_quiet(quiet_before=memo.clock.move(minutes=5)) == 0
        assert len(model.prompts) == 1


# ------------------------------------------------------------------ budget and usage


async def test_the_tokens_of_a_batch_are_counted_for_its_chat() -> None:
    async with memory(llm=FakeChat(reply=echo)) as memo:
        await chatter(memo, 2)
        await memo.extract()
        (row,) = await memo.view(chat(GROUP)).usage("2026-11-30")
        assert (row.purpose, row.calls, row.tokens_in, row.tokens_out, row.estimated) == ("extract", 1, 100, 10, False)
        assert await memo.engine.spent_today() == 110


async def test_calls_of_a_batch_that_failed_are_counted_too() -> None:
    replies = ["不知道", "不知道", ProviderDownError("extract", "internal error", 500)]
    async with memory(llm=FakeChat(*replies)) as memo:
        await chatter(memo, 2)
        assert (await memo.extract()).turns == 0
        assert await memo.engine.spent_today() == 220


async def test_a_spent_budget_leaves_the_rules_and_no_call() -> None:
    model = FakeChat(reply=echo)
    async with memory(llm=model, daily_tokens=200) as memo:
        await memo.engine.add_usage(OTHER_GROUP, "chat", [Completion("x", 150, 50, estimated=False)])
        await chatter(memo, 9)
        await memo.speak("我喜欢手冲咖啡")
        await memo.engine.drain()
        assert (await memo.extract()).waiting == "budget"
        assert model.prompts == []
        assert await memo.contents() == ["小明（10001）喜欢手冲咖啡"]
        assert (await memo.session()).watermark == 0
        memo.clock.move(days=1)
        assert (await memo.extract()).turns == 10


async def test_the_budget_is_looked_at_between_batches() -> None:
    model = FakeChat(reply=echo)
    async with memory(llm=model, daily_tokens=100, extract_every_turns=1000) as memo:
        await chatter(memo, 50)
        report = await memo.extract()
        assert (report.turns, report.waiting) == (40, "budget")
        assert (await memo.session()).watermark == 40


# ------------------------------------------------------------------ memory off


async def test_a_chat_whose_memory_is_off_is_not_extracted_and_loses_nothing() -> None:
    model = FakeChat(reply=echo)
    async with memory(llm=model, extract_every_turns=1) as memo:
        await memo.engine.set_chat_setting(GROUP, "memory", "off", by=MING)
        await chatter(memo, 2)
        await memo.engine.drain()
        assert (await memo.extract()).waiting == "off"
        assert model.prompts == []
        await memo.engine.set_chat_setting(GROUP, "memory", "on", by=MING)
        assert (await memo.extract()).turns == 2


async def test_what_was_asked_before_the_switch_is_not_stored_after_it() -> None:
    held = Held(said(found("u1 提到话题1")))
    async with memory(llm=FakeChat(held)) as memo:
        await chatter(memo, 1)
        running = asyncio.create_task(memo.extract())
        await held.asked.wait()
        await memo.engine.set_chat_setting(GROUP, "memory", "off", by=MING)
        held.go.set()
        report = await running
        assert (report.turns, report.waiting) == (0, "off")
        assert await memo.items(status=None) == []
        assert (await memo.session()).watermark == 0
        assert await memo.engine.spent_today() == 110


async def test_chats_that_are_off_do_not_keep_others_waiting() -> None:
    model = FakeChat(reply=echo)
    async with memory(llm=model, extract_every_turns=1000) as memo:
        for n in range(5):
            session = f"qq:group:3000{n}"
            await chatter(memo, 1, session=session)
            await memo.engine.set_chat_setting(session, "memory", "off", by=MING)
        await chatter(memo, 1, 9)
        now = memo.clock.move(minutes=5)
        assert await memo.engine.listener.extract_quiet(quiet_before=now, limit=2) == 1
        assert [shown(prompt) for prompt in model.prompts] == [["话题9"]]


async def test_chats_that_are_still_being_handled_do_not_keep_others_waiting() -> None:
    model = FakeChat(reply=echo)
    async with memory(llm=model, extract_every_turns=1000) as memo:
        for n in range(3):
            await memo.speak("话题1", session=f"qq:group:3000{n}", state=TurnState.OPEN)
            await chatter(memo, 1, 2, f"qq:group:3000{n}")
        await chatter(memo, 1, 9)
        assert await memo.engine.listener.extract_quiet(quiet_before=memo.clock.move(minutes=5), limit=1) == 1
        assert [shown(prompt) for prompt in model.prompts] == [["话题9"]]


async def test_a_session_that_cannot_be_worked_on_does_not_keep_others_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = FakeChat(reply=echo)
    async with memory(llm=model, extract_every_turns=1000) as memo:
        await chatter(memo, 1, 1)
        await chatter(memo, 1, 2, PRIVATE)
        honest = batches.build_transcript

        def broken(turns: Any, **options: Any) -> Any:
            if turns[0].session_key == GROUP:
                raise StoreError("sqlite://", "a bad row")
            return honest(turns, **options)

        monkeypatch.setattr(batches, "build_transcript", broken)
        now = memo.clock.move(minutes=5)
        assert await memo.engine.listener.extract_quiet(quiet_before=now) == 1
        assert [shown(prompt) for prompt in model.prompts] == [["话题2"]]


async def test_nothing_of_a_batch_reaches_another_chat() -> None:
    hostile = said(
        found("u1 提到话题1", audience="shared"),
        found("u1 提到话题1", kind="decision", audience="shared", subject="u9"),
        found("qq:group:20002 的话", "t999"),
    )
    async with memory(llm=FakeChat(hostile)) as memo:
        await chatter(memo, 2)
        await memo.extract()
        for where in (GLOBAL_SCOPE, chat(OTHER_GROUP), chat(PRIVATE)):
            assert await memo.items(where, status=None) == []
