"""People who do not want to be learnt about: what they say meanwhile is history, and never a memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from nonebot_plugin_scoped_memory.engine.models import Quote, Turn, TurnState
from nonebot_plugin_scoped_memory.engine.optout import hidden

from .dreaming import DreamModel
from .helpers import GROUP, HONG, MING, NOON, OTHER_GROUP, FakeChat, Memory, found, memory, said
from .small_talk import echo, shown


@asynccontextmanager
async def paused(memo: Memory, *, account: str = MING, everywhere: bool = False) -> AsyncIterator[None]:
    await memo.engine.set_learning(GROUP, account, on=False, everywhere=everywhere)
    yield
    await memo.engine.set_learning(GROUP, account, on=True, everywhere=everywhere)


async def test_nothing_of_a_pause_is_learnt_also_not_later() -> None:
    model = FakeChat(reply=echo)
    async with memory(llm=model) as memo:
        async with paused(memo):
            await memo.speak("我喜欢手冲咖啡")
            await memo.speak("记住我的猫叫豆豆")
            await memo.speak("今天好累")
        await memo.speak("我喜欢冷萃")
        await memo.extract()
        assert shown(model.prompts[0]) == ["我喜欢冷萃"]
        assert not [one for one in await memo.contents() if "手冲" in one or "豆豆" in one or "好累" in one]


async def test_nor_by_a_dream() -> None:
    model = DreamModel()
    async with memory(llm=model) as memo:
        async with paused(memo):
            for n in range(20):
                await memo.speak(f"我家的事{n}")
        for n in range(20):
            await memo.speak(f"话题{n}", account=HONG)
        await memo.engine.dream_now(GROUP)
        assert model.calls
        assert not [prompt for _, prompt in model.calls if "我家的事" in prompt]


async def test_what_they_said_before_and_nobody_has_looked_at_is_left_out_too() -> None:
    model = FakeChat(reply=echo)
    async with memory(llm=model) as memo:
        await memo.speak("话题1")
        await memo.speak("话题2", account=HONG)
        await memo.engine.set_learning(GROUP, MING, on=False)
        await memo.extract()
        assert shown(model.prompts[0]) == ["话题2"]


async def test_their_words_stay_in_the_history_of_the_chat() -> None:
    async with memory() as memo:
        async with paused(memo):
            await memo.speak("今天好累")
        package = await memo.engine.compose_context(GROUP, "你好", speaker=MING)
        assert [turn.text for turn in package.turns] == ["今天好累"]
        assert [one.turn.text for one in await memo.engine.search_turns("好累", session_id=GROUP)] == ["今天好累"]


async def test_where_others_quote_them_it_is_not_kept() -> None:
    model = FakeChat(reply=echo)
    async with memory(llm=model) as memo:
        async with paused(memo):
            await memo.speak("哈哈", account=HONG, quotes=(Quote(MING, "小明", "我住在杭州"),))
        await memo.speak("再说", account=HONG, quotes=(Quote(MING, "小明", "我搬到上海了"),))
        await memo.extract()
        assert "杭州" not in model.prompts[0]
        assert "上海" in model.prompts[0]


async def test_an_item_about_somebody_who_is_opted_out_is_refused() -> None:
    model = FakeChat(said(found("u2 喜欢手冲", "t1", subject="u2")))
    async with memory(llm=model) as memo:
        await memo.engine.set_learning(GROUP, HONG, on=False)
        await memo.speak("@小红 你不是喜欢手冲吗", mentions=((HONG, "小红"),))
        await memo.extract()
        assert await memo.items() == []


async def test_who_opts_out_during_the_call_is_heeded() -> None:
    async def answer() -> str:
        await memo.engine.set_learning(GROUP, MING, on=False)
        return said(found("u1 喜欢手冲", "t1", subject="u1"))

    model = FakeChat(reply=lambda _: answer())
    async with memory(llm=model) as memo:
        await memo.speak("手冲不错啊")
        await memo.extract()
        assert len(model.prompts) == 1
        assert await memo.items() == []


async def test_it_holds_in_one_chat_or_everywhere() -> None:
    async with memory() as memo:
        async with paused(memo):
            await memo.speak("我喜欢手冲咖啡", session=OTHER_GROUP)
            assert await memo.engine.learns_about(OTHER_GROUP, MING)
            assert not await memo.engine.learns_about(GROUP, MING)
            assert await memo.engine.learns_about(GROUP, HONG)
        async with paused(memo, everywhere=True):
            await memo.speak("我喜欢冷萃", session=OTHER_GROUP)
        assert await memo.contents(OTHER_GROUP) == ["小明（10001）喜欢手冲咖啡"]


async def test_a_mute_ends_by_itself() -> None:
    async with memory() as memo:
        await memo.engine.set_learning(GROUP, MING, on=False, until=NOON + timedelta(hours=2))
        await memo.speak("我喜欢手冲咖啡")
        memo.clock.move(hours=2)
        await memo.speak("我喜欢冷萃")
        assert await memo.contents() == ["小明（10001）喜欢冷萃"]


async def test_they_can_still_have_something_forgotten() -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡")
        async with paused(memo):
            await memo.speak("把我喜欢手冲咖啡这件事忘了")
        assert await memo.contents() == []


async def test_a_summary_goes_on_after_a_long_pause() -> None:
    model = DreamModel()
    async with memory(llm=model) as memo:
        async with paused(memo):
            for n in range(450):
                await memo.speak(f"我家的事{n}")
        for n in range(15):
            await memo.speak(f"话题{n}", account=HONG)
        await memo.engine.dream_now(GROUP)
        assert "话题14" in model.prompts("summary")[-1]


@pytest.mark.parametrize("accounts", [(), (MING,)])
def test_answers_to_them_are_hidden_with_them(accounts: Sequence[str]) -> None:
    state = TurnState.ORDINARY if accounts else TurnState.UNLEARNT
    turns = [
        Turn(GROUP, 1, "user", "我住在杭州", NOON, NOON, account=MING, state=state),
        Turn(GROUP, 2, "bot", "杭州很美", NOON, NOON),
        Turn(GROUP, 3, "user", "你好", NOON, NOON, account=HONG),
        Turn(GROUP, 4, "bot", "你好小红", NOON, NOON),
    ]
    states = [turn.state for turn in hidden(turns, accounts)]
    assert states == [TurnState.UNLEARNT] * 2 + [TurnState.ORDINARY] * 2
