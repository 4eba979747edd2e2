"""Extraction by the model: when it is due, and what the watermark may pass."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from nonebot_plugin_scoped_memory.engine.models import TurnState

from .helpers import BOT, GROUP, MING, OTHER_GROUP, PRIVATE, FakeChat, HandClock, Held, found, memory, said
from .small_talk import chatter, echo, shown

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
        assert await memo.engine.listener.adopt_left_open() == 0
        assert (await memo.extract()).turns == 0
        memo.clock.move(minutes=2)
        assert await memo.engine.listener.adopt_left_open() == 1
        assert (await memo.extract()).turns == 2
        assert [shown(prompt) for prompt in model.prompts] == [["话题1", "话题2"]]
        assert len(await memo.items()) == 2
        assert (await memo.turns())[0].state is TurnState.ORDINARY


async def test_an_abandoned_turn_is_heard_by_the_rules_too_with_or_without_a_model() -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡", state=TurnState.OPEN)
        await memo.speak("我有一只猫", session=PRIVATE, state=TurnState.OPEN)
        memo.clock.move(minutes=11)
        assert await memo.engine.listener.adopt_left_open() == 2
        assert await memo.contents() == ["小明（10001）喜欢手冲咖啡"]
        assert await memo.engine.listener.adopt_left_open() == 0


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
