"""Chats that are not extracted, because the budget is spent, memory is off or they cannot be worked on yet."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from nonebot_plugin_scoped_memory.engine import batches
from nonebot_plugin_scoped_memory.engine.errors import ProviderDownError, StoreError
from nonebot_plugin_scoped_memory.engine.llm import Completion
from nonebot_plugin_scoped_memory.engine.models import TurnState

from .helpers import GROUP, MING, OTHER_GROUP, PRIVATE, FakeChat, Held, chat, found, memory, said
from .small_talk import chatter, echo, shown

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
