"""What each failure of the model leaves behind, and when it is asked again."""

from __future__ import annotations

from datetime import timedelta

import httpx
import pytest

from nonebot_plugin_scoped_memory.engine.errors import (
    BadOutputError,
    ProviderAuthError,
    ProviderBusyError,
    ProviderDownError,
    ProviderError,
    ProviderRefusedError,
    ProviderTimeoutError,
)
from nonebot_plugin_scoped_memory.engine.llm import OpenAIChat
from nonebot_plugin_scoped_memory.engine.models import TurnState

from .helpers import GROUP, OTHER_GROUP, PRIVATE, FakeChat, HandClock, memory
from .small_talk import chatter, echo, shown

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
