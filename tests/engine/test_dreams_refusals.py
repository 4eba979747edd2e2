"""A review or a summary that the model refuses, or answers with rubbish: one message does not spoil the others."""

from __future__ import annotations

import re

import pytest

from nonebot_plugin_scoped_memory.engine.errors import ProviderRefusedError

from .dreaming import NO_CHANGES, DreamModel, archive, changing, dreamt, label_of, labels, learnt, line_with, steps
from .helpers import GROUP, Memory, Reply, memory
from .small_talk import shown

M = "小明（10001）"
REFUSED = ProviderRefusedError("dream", "declined")
BAD = [pytest.param(REFUSED, "refused", id="refused"), pytest.param("我不知道", "unusable_answer", id="rubbish")]


async def spoken(memo: Memory, *, offending: int, stale: int, count: int = 40) -> None:
    """Messages that all touch what is known; one makes an item obsolete, one the model cannot deal with."""
    await learnt(memo, *(f"{M}收藏了第{n}号邮票" for n in range(11, 61)))
    await learnt(memo, f"{M}在学 Haskell")
    for n in range(1, count + 1):
        words = {offending: "邮票炸了", stale: "haskell 和邮票让人头大"}.get(n, f"邮票话题{n}")
        await memo.speak(words)


def reviewing(answer: Reply):
    def review(prompt: str) -> Reply:
        if "炸" in prompt:
            return answer
        if "haskell" in prompt and any("Haskell" in words for words in labels(prompt).values()):
            return changing(archive(label_of(prompt, "Haskell"), line_with(prompt, "haskell")))
        return NO_CHANGES

    return review


@pytest.mark.parametrize(("answer", "problem"), BAD)
@pytest.mark.parametrize(("offending", "stale"), [(1, 40), (23, 24), (24, 3), (40, 1)])
async def test_a_message_that_the_review_chokes_on_is_passed_over_alone(
    answer: Reply, problem: str, offending: int, stale: int
) -> None:
    model = DreamModel(review=reviewing(answer))
    async with memory(llm=model, extract_every_turns=99) as memo:
        await spoken(memo, offending=offending, stale=stale)
        run = await dreamt(memo)
        assert [step for step in steps(run) if step[0] == "archive"].count(("archive", "rejected", problem)) == 1
        assert ("archive", "applied", "不再成立") in steps(run)
        assert (await memo.session()).dreamed == 40
        calls = model.prompts("review")
        assert len(calls) <= 2 * 7
        assert shown(calls[-1]) != []
        heard = [line for prompt in calls if "炸" not in prompt for line in shown(prompt)]
        assert len(heard) == len(set(heard)) == 39
        await dreamt(memo)
        assert len(model.prompts("review")) == len(calls)


@pytest.mark.parametrize(("answer", "problem"), BAD)
async def test_a_model_that_reviews_nothing_ends_after_a_few_calls_and_the_dream_goes_on(
    answer: Reply, problem: str
) -> None:
    model = DreamModel(review=lambda _: answer)
    async with memory(llm=model, extract_every_turns=999) as memo:
        await spoken(memo, offending=0, stale=0, count=200)
        run = await dreamt(memo)
        assert {step for step in steps(run) if step[0] == "archive"} == {("archive", "rejected", problem)}
        session = await memo.session()
        assert (session.dreamed, session.summary) == (200, "聊了一些话题")
        assert len(model.prompts("review")) <= 20


async def test_what_is_too_long_for_the_model_is_reviewed_in_parts() -> None:
    answer = reviewing("")
    model = DreamModel(review=lambda prompt: answer(prompt) if len(shown(prompt)) <= 10 else "……")
    async with memory(llm=model, extract_every_turns=99) as memo:
        await spoken(memo, offending=0, stale=33)
        assert ("archive", "applied", "不再成立") in steps(await dreamt(memo))


def summing_up(answer: Reply):
    """The numbers of the messages that the summary is about."""

    def summary(prompt: str) -> Reply:
        if "炸" in prompt:
            return answer
        before = re.search(r"说到 ([\d ]*)", prompt)
        return " ".join(["说到", *([before[1].strip()] if before else []), *re.findall(r"话题(\d+)", prompt)])

    return summary


@pytest.mark.parametrize("answer", [REFUSED, "{}"])
@pytest.mark.parametrize("offending", [1, 7, 24])
async def test_a_message_that_the_summary_chokes_on_is_left_out_of_it_alone(answer: Reply, offending: int) -> None:
    model = DreamModel(summary=summing_up(answer))
    async with memory(llm=model, extract_every_turns=99) as memo:
        for n in range(1, 25):
            await memo.speak("炸了" if n == offending else f"话题{n}")
        run = await dreamt(memo)
        session = await memo.session()
        assert session.summary == " ".join(["说到", *(str(n) for n in range(1, 25) if n != offending)])
        assert session.summarised == 24
        assert [step for step in steps(run) if step[1] == "rejected"] == [("summary", "rejected", "unusable_answer")]
        calls = len(model.prompts("summary"))
        assert calls <= 2 * 6
        await dreamt(memo, GROUP)
        assert len(model.prompts("summary")) == calls
