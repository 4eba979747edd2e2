"""How much of what was found is shown and in which order, whatever the order in which it was stored."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonebot_plugin_scoped_memory.engine.models import NewItem
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE

from .filling import MODES, embedder, fill
from .helpers import GROUP, NOON, OPERATOR, BigramEmbedder, chat, memory

# ------------------------------------------------------------------ budget and order


async def test_a_scope_fills_its_cap_then_the_rest_goes_by_score() -> None:
    async with memory() as memo:
        await fill(memo, *(f"手冲笔记 {n}" for n in range(12)))
        await fill(memo, *(f"手冲规程 {n}" for n in range(2)), where=GLOBAL_SCOPE, kind="procedure")
        scopes = [one.scope for one in (await memo.engine.compose_context(GROUP, "手冲")).evidence]
        assert (scopes.count(chat(GROUP)), scopes.count(GLOBAL_SCOPE)) == (8, 2)
        await fill(memo, *(f"手冲规程 {n}" for n in range(2, 12)), where=GLOBAL_SCOPE, kind="procedure")
        scopes = [one.scope for one in (await memo.engine.compose_context(GROUP, "手冲")).evidence]
        assert (scopes.count(chat(GROUP)), scopes.count(GLOBAL_SCOPE)) == (7, 3)


async def test_the_chat_comes_before_better_scores_of_what_is_shared() -> None:
    async with memory(recall_limit=2, max_items_per_scope=2) as memo:
        await fill(memo, "手冲 今天的 一些 很长的 笔记", "手冲 昨天的 一些 很长的 笔记")
        await fill(memo, "手冲", where=GLOBAL_SCOPE, kind="procedure")
        assert {one.scope for one in (await memo.engine.compose_context(GROUP, "手冲")).evidence} == {chat(GROUP)}


async def test_contents_stay_within_the_token_budget() -> None:
    async with memory(recall_tokens=50) as memo:
        await fill(memo, *(f"手冲{'很' * 16}长的笔记 {n}" for n in range(5)), "手冲短")
        package = await memo.engine.compose_context(GROUP, "手冲")
        assert package.budget.memory_used <= package.budget.memory_limit == 50
        assert "手冲短" in [item.content for item in package.items]
        assert package.debug.dropped["tokens"] == 3


async def test_items_are_shown_by_tier_then_score() -> None:
    async with memory() as memo:
        for tier in ("evidence", "qi", "shu", "dao_ren", "dao_tian"):
            await fill(memo, f"手冲 {tier} 层", tier=tier)
        await fill(memo, "手冲")
        by_tier = [f"手冲 {tier} 层" for tier in ("dao_tian", "dao_ren", "shu", "qi")]
        assert await memo.recalled("手冲") == [*by_tier, "手冲", "手冲 evidence 层"]


async def test_equal_content_of_two_scopes_is_shown_once_and_as_the_chats() -> None:
    async with memory() as memo:
        await fill(memo, "周会改到周四", kind="decision")
        await fill(memo, "周会改到周四。", where=GLOBAL_SCOPE, kind="decision")
        (one,) = (await memo.engine.compose_context(GROUP, "周会")).evidence
        assert one.scope == chat(GROUP)


async def test_an_approved_report_is_shown_once_in_the_chat_it_came_from() -> None:
    async with memory() as memo:
        outcome = await memo.remember("据说周会改到周四", kind="decision")
        assert outcome.pending is not None
        await memo.engine.approve(outcome.pending.id, OPERATOR)
        assert len(await memo.items(GLOBAL_SCOPE)) == 1
        assert len(await memo.recalled("周会")) == 1


async def test_two_people_of_one_name_are_not_the_same_content() -> None:
    async with memory() as memo:
        await fill(memo, "周会由小明（10001）主持", "周会由小明（10009）主持", kind="decision")
        assert len(await memo.recalled("周会")) == 2


async def test_a_principle_that_its_chat_repeats_is_still_always_there() -> None:
    async with memory() as memo:
        await fill(memo, "群里说中文", kind="procedure")
        await fill(memo, "群里说中文", where=GLOBAL_SCOPE, kind="procedure", tier="dao_tian")
        assert await memo.recalled("天气") == ["群里说中文"]


async def test_recency_is_no_more_than_a_tie_break() -> None:
    async with memory() as memo:
        await fill(memo, "手冲咖啡豆 旧", valid_from=NOON - timedelta(days=3000))
        await fill(memo, "手冲咖啡豆 新")
        await fill(memo, "手冲 今天", valid_from=NOON + timedelta(days=1))
        assert (await memo.found("手冲咖啡豆"))[:2] == ["手冲咖啡豆 新", "手冲咖啡豆 旧"]


@pytest.mark.parametrize("mode", MODES)
async def test_what_has_ended_is_never_recalled(mode: str) -> None:
    async with memory(embedder=embedder(mode)) as memo:
        await fill(memo, "手冲课报名", valid_until=NOON + timedelta(hours=1))
        await fill(memo, "手冲原则", tier="dao_tian", valid_until=NOON + timedelta(hours=1))
        assert len(await memo.recalled("手冲")) == 2
        memo.clock.move(hours=1)
        assert await memo.recalled("手冲") == await memo.found("手冲") == []


async def test_what_has_ended_wins_no_slot() -> None:
    async with memory() as memo:
        await fill(memo, "数据库用 MySQL", key="db", valid_until=NOON + timedelta(hours=1))
        await fill(memo, "数据库用 SQLite", where=GLOBAL_SCOPE, key="db")
        memo.clock.move(hours=2)
        assert await memo.recalled("数据库") == ["数据库用 SQLite"]


async def test_scores_lie_between_zero_and_one_and_say_why() -> None:
    async with memory(embedder=BigramEmbedder()) as memo:
        await fill(memo, "手冲咖啡", "手冲", "咖啡店")
        scored = await memo.engine.search_memory("手冲咖啡", [chat(GROUP)])
        assert scored[0].item.content == "手冲咖啡"
        assert all(0 <= one.score <= 1 for one in scored)
        assert all(set(one.why) == {"lexical", "vector", "recency"} for one in scored)
        assert sorted((one.score for one in scored), reverse=True) == [one.score for one in scored]


# ------------------------------------------------------------------ order does not depend on order


WORDS = ["手冲", "咖啡", "豆", "壶", "水温", "研磨", "滤纸"]
QUESTIONS = st.sampled_from(["手冲", "咖啡豆 水温"])
STATEMENTS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map("、".join),
        st.sampled_from(["chat", "global"]),
        st.sampled_from([None, "a", "b"]),
        st.integers(0, 5),
    ),
    min_size=1,
    max_size=8,
    # One holder a slot: of two, the later one would be stored as the other's successor.
    unique_by=(lambda s: s[:2], lambda s: (s[1], s[2] or s[0])),
)


@settings(max_examples=40, deadline=None)
@given(statements=STATEMENTS, order=st.randoms(use_true_random=False), question=QUESTIONS)
def test_what_is_recalled_does_not_depend_on_the_order_of_storing(statements: Any, order: Any, question: str) -> None:
    """Nor do the scores; among equal ones ids decide."""
    shuffled = list(statements)
    order.shuffle(shuffled)

    async def answer(sequence: list[Any]) -> Any:
        async with memory() as memo:
            refs = {"chat": chat(GROUP), "global": GLOBAL_SCOPE}
            await memo.engine.add_items(
                [
                    NewItem(refs[type_], "decision", content, key=key, valid_from=NOON + timedelta(days=day))
                    for content, type_, key, day in sequence
                ]
            )
            scored = (await memo.engine.compose_context(GROUP, question)).evidence
            return sorted((round(one.score, 9), one.item.content, one.scope.type) for one in scored)

    assert asyncio.run(answer(statements)) == asyncio.run(answer(shuffled))


async def test_asking_twice_gives_the_same() -> None:
    async with memory(embedder=BigramEmbedder()) as memo:
        await fill(memo, *(f"手冲{word}" for word in WORDS))
        assert await memo.recalled("手冲咖啡") == await memo.recalled("手冲咖啡")
