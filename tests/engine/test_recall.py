"""What a question finds: the plan, winners of slots, the floor, the budget, the order, and what never happens."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonebot_plugin_scoped_memory.engine.errors import ProviderDownError
from nonebot_plugin_scoped_memory.engine.models import NewItem
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, ScopeContext, ScopeRef

from .helpers import (
    BOSS,
    GANG,
    GROUP,
    HONG,
    LEGACY,
    MING,
    NOON,
    OPERATOR,
    OTHER_GROUP,
    OTHER_PRIVATE,
    PRIVATE,
    BigramEmbedder,
    HandClock,
    Memory,
    chat,
    memory,
)

PROJECT, EXPERT, TASK = (ScopeRef(t, "x") for t in ("project", "expert", "task"))
MODES = ["lexical", "hybrid"]


def embedder(mode: str) -> BigramEmbedder | None:
    return BigramEmbedder() if mode == "hybrid" else None


async def fill(memo: Memory, *contents: str, where: ScopeRef | str = GROUP, **fields: Any) -> None:
    for content in contents:
        await memo.add(content, where, **fields)
    await memo.engine.drain()


# ------------------------------------------------------------------ the plan


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("reader", "sees"),
    [
        (PRIVATE, {"私聊", "共享"}),
        (f"{PRIVATE}:cron:abc", {"私聊", "共享"}),
        (OTHER_PRIVATE, {"另一私聊", "共享"}),
        (GROUP, {"群", "共享"}),
        ("qq:group:10001", {"共享"}),
        ("milky:private:10001", {"共享"}),
        (LEGACY, {"共享"}),
    ],
)
async def test_each_session_reads_its_chat_and_what_is_shared(mode: str, reader: str, sees: set[str]) -> None:
    async with memory(embedder=embedder(mode)) as memo:
        for where, name in ((PRIVATE, "私聊"), (OTHER_PRIVATE, "另一私聊"), (GROUP, "群"), (GLOBAL_SCOPE, "共享")):
            await fill(memo, f"{name}里的手冲咖啡", where=where, kind="decision")
        for contents in (await memo.recalled("手冲咖啡", reader), await memo.found("手冲咖啡", reader)):
            assert {content.removesuffix("里的手冲咖啡") for content in contents} == sees


async def test_the_debug_part_says_what_was_read_and_found() -> None:
    async with memory(recall_limit=3, max_items_per_scope=2) as memo:
        await fill(memo, *(f"手冲第 {n} 种" for n in range(4)))
        await fill(memo, "手冲规程", where=GLOBAL_SCOPE, kind="procedure")
        debug = (await memo.engine.compose_context(GROUP, "手冲")).debug
        assert debug.scopes_read == (chat(GROUP), GLOBAL_SCOPE)
        assert debug.scope_stats == {
            f"chat:{GROUP}": {"found": 4, "shown": 2},
            "global:__global__": {"found": 1, "shown": 1},
        }
        assert debug.dropped == {"limit": 2}


# ------------------------------------------------------------------ slots


async def ask_all(memo: Memory, question: str) -> Any:
    read = (GLOBAL_SCOPE, EXPERT, PROJECT, chat(GROUP), TASK)
    return await memo.engine.compose_context(GROUP, question, scope_context=ScopeContext(read=read))


async def test_the_more_specific_scope_wins_a_slot() -> None:
    order = [TASK, chat(GROUP), PROJECT, EXPERT, GLOBAL_SCOPE]
    async with memory() as memo:
        for n, ref in enumerate(order):  # the least specific is the newest
            await fill(
                memo, f"数据库用 {ref.type}", where=ref, kind="decision", key="db", valid_from=NOON + timedelta(days=n)
            )
        for n, ref in enumerate(order):
            package = await ask_all(memo, "数据库")
            (one,) = package.evidence
            assert one.scope == ref
            assert {(s.reason, s.winner_id) for s in package.debug.shadowed} == {
                (f"{ref.type}_over_{loser.type}", one.item.id) for loser in order[n + 1 :]
            }
            await memo.engine.archive_item(one.item.id, scopes=[ref])


async def test_a_winner_that_the_question_does_not_meet_stands_in_for_the_loser_it_met() -> None:
    async with memory() as memo:
        await fill(memo, "用 MySQL", key="db", kind="decision")
        await fill(memo, "数据库用 PostgreSQL", where=GLOBAL_SCOPE, key="db", kind="decision")
        assert await memo.recalled("数据库") == ["用 MySQL"]
        assert await memo.recalled("PostgreSQL") == ["用 MySQL"]


@pytest.mark.parametrize("differs", [{"kind": "warning"}, {"key": "cache"}, {"subject": MING}, {"key": None}])
async def test_only_kind_key_and_subject_together_make_a_conflict(differs: dict[str, Any]) -> None:
    async with memory() as memo:
        await fill(memo, "数据库用 MySQL", key="db", kind="decision")
        await fill(memo, "数据库用 SQLite", where=GLOBAL_SCOPE, **{"key": "db", "kind": "decision", **differs})
        assert len(await memo.recalled("数据库")) == 2


async def test_inside_one_type_the_later_then_the_smaller_id_wins() -> None:
    a, b = ScopeRef("project", "a"), ScopeRef("project", "b")
    async with memory() as memo:
        context = ScopeContext(read=(a, b))
        for ref, day in ((a, 2), (b, 1)):
            await fill(memo, f"数据库归 {ref.id}", where=ref, key="db", valid_from=NOON + timedelta(days=day))
        package = await memo.engine.compose_context(GROUP, "数据库", scope_context=context)
        assert [item.content for item in package.items] == ["数据库归 a"]
        for ref in (a, b):
            await fill(memo, f"缓存归 {ref.id}", where=ref, key="cache")
        package = await memo.engine.compose_context(GROUP, "缓存", scope_context=context)
        ids = sorted([i.id for ref in (a, b) for i in await memo.items(ref) if i.key == "cache"])
        assert [item.id for item in package.items] == ids[:1]


async def test_a_pinned_principle_wins_its_slot_and_is_always_there() -> None:
    async with memory() as memo:
        await fill(memo, "数据库用 MySQL", key="db", kind="decision", valid_from=NOON + timedelta(days=1))
        await fill(memo, "数据库一律用 SQLite", where=GLOBAL_SCOPE, key="db", kind="decision", tier="dao_tian")
        await fill(memo, "群里说中文", where=GLOBAL_SCOPE, kind="procedure", tier="dao_tian")
        assert set(await memo.recalled("数据库")) == {"数据库一律用 SQLite", "群里说中文"}
        assert set(await memo.recalled("天气")) == {"数据库一律用 SQLite", "群里说中文"}
        package = await memo.engine.compose_context(GROUP, "数据库")
        assert [(s.reason) for s in package.debug.shadowed] == ["global_over_chat"]


async def test_of_two_principles_the_more_specific_then_the_older_wins() -> None:
    async with memory() as memo:
        await fill(memo, "一律 SQLite", where=GLOBAL_SCOPE, key="db", tier="dao_tian")
        await fill(memo, "一律 MySQL", key="db", tier="dao_tian", valid_from=NOON + timedelta(days=1))
        assert await memo.recalled("天气") == ["一律 MySQL"]


async def test_at_most_five_principles_come_by_themselves_and_the_rest_by_relevance() -> None:
    async with memory() as memo:
        for n in range(8):
            await fill(memo, f"第 {n} 条原则", tier="dao_tian", valid_from=NOON + timedelta(days=n))
        await fill(memo, "手冲咖啡的原则", tier="dao_tian", valid_from=NOON + timedelta(days=9))
        assert sorted(await memo.recalled("天气")) == [f"第 {n} 条原则" for n in range(5)]
        assert "手冲咖啡的原则" in await memo.recalled("手冲咖啡")


async def test_what_loses_is_listed_by_id_and_reason_alone() -> None:
    async with memory() as memo:
        await fill(memo, "数据库用 MySQL", key="db", kind="decision")
        await fill(memo, "数据库用 SQLite", where=GLOBAL_SCOPE, key="db", kind="decision")
        await fill(memo, "数据库每周备份", kind="procedure")
        await fill(memo, "数据库每周备份。", where=GLOBAL_SCOPE, kind="procedure")
        debug = (await memo.engine.compose_context(GROUP, "数据库")).debug
        assert sorted(s.reason for s in debug.shadowed) == ["chat_over_global", "same_content"]
        assert "SQLite" not in repr(debug)


# ------------------------------------------------------------------ the floor


@pytest.mark.parametrize(
    ("question", "unrelated"),
    [
        ("她喜欢养猫", "用户喜欢蓝色"),
        ("你好", "小明（10001）的猫叫豆豆"),
        ("在吗", "小明（10001）住在杭州"),
    ],
)
async def test_what_has_no_topic_in_common_is_not_recalled(question: str, unrelated: str) -> None:
    async with memory() as memo:
        await fill(memo, unrelated)
        assert await memo.recalled(question) == await memo.found(question) == []


async def test_what_is_no_nearer_than_unrelated_texts_is_not_recalled() -> None:
    async with memory(embedder=BigramEmbedder()) as memo:
        await fill(memo, "小明（10001）住在杭州", "周会改到周四")
        assert await memo.recalled("猫叫豆豆") == await memo.found("猫叫豆豆") == []


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("猫", "我的猫叫豆豆"),
        ("花名", "他的花名是风清扬"),
        ("C++", "主要写 C++"),
        ("3.5元", "早餐 3.5 元"),
        ("😀", "签名是😀"),
        ("ＲＴＸ４０９０", "显卡是 rtx4090"),
        ("4090", "显卡是 RTX4090"),
        ("貓叫什麼", "我的猫叫豆豆"),
        ("我叫啥", "小明（10001）叫王小明"),
        ("café", "常去 CAFÉ"),
    ],
)
async def test_short_mixed_and_full_width_words_are_found_without_any_provider(question: str, content: str) -> None:
    async with memory() as memo:
        await fill(memo, content, "今天群里没什么事")
        assert await memo.found(question) == [content]


async def test_c_is_not_found_by_c_plus_plus() -> None:
    async with memory() as memo:
        await fill(memo, "主要写 C")
        assert await memo.found("C++") == []


HOSTILE = [
    'a,b" * NEAR( -x:y',
    "手冲 AND NOT (OR",
    '"; DROP TABLE items; --',
    "%' OR '1'='1",
    "手冲*",
    "\x00\ud83d",
    " " * 5000,
    "猫" * 100_000,
    "🏳️‍🌈" * 50,
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("question", HOSTILE)
async def test_no_question_raises(mode: str, question: str) -> None:
    async with memory(embedder=embedder(mode)) as memo:
        await fill(memo, "手冲咖啡", "a b x y", "我的猫叫豆豆")
        package = await memo.engine.compose_context(GROUP, question)
        assert len(package.evidence) <= 3
        await memo.engine.search_turns(question, session_id=GROUP)


async def test_three_thousand_different_words_are_answered() -> None:
    async with memory() as memo:
        await fill(memo, *(f"词{n:04} 的笔记" for n in range(0, 3000, 300)))
        question = " ".join(f"词{n:04}" for n in range(3000))
        assert len(await memo.recalled(question)) == 10


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


# ------------------------------------------------------------------ questions about oneself


@pytest.mark.parametrize("question", ["我是谁", "我喜欢什么", "你还记得我吗"])
@pytest.mark.parametrize("asker", [MING, HONG])
async def test_a_question_about_oneself_in_a_group_prefers_the_speaker(question: str, asker: str) -> None:
    async with memory() as memo:
        for account in (MING, HONG, GANG):
            await memo.speak("我喜欢手冲咖啡", account)
            await memo.speak("我喜欢爬山", account)
        shown = (await memo.engine.compose_context(GROUP, question, speaker=asker)).items
        assert {item.subject for item in shown[:2]} == {asker}


async def test_in_a_private_chat_the_speaker_is_known() -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡", session=PRIVATE)
        assert await memo.recalled("我是谁", PRIVATE) == ["小明（10001）喜欢手冲咖啡"]


async def test_nobody_in_particular_finds_nobody() -> None:
    async with memory() as memo:
        await memo.speak("我叫王小明")
        assert await memo.recalled("我是谁", speaker="") == []


async def test_a_question_about_oneself_finds_nothing_of_another_chats_self() -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡", session=PRIVATE)
        assert await memo.recalled("我喜欢什么", GROUP, speaker=MING) == []


# ------------------------------------------------------------------ vectors


async def test_vectors_find_what_shares_no_word() -> None:
    async with memory(embedder=BigramEmbedder(synonyms={"pourover": "手冲咖啡"})) as memo:
        await fill(memo, "喜欢手冲咖啡", "服务器在杭州")
        await fill(memo, "手冲咖啡豆", where=OTHER_GROUP)
        assert await memo.found("pourover") == ["喜欢手冲咖啡"]
        (one,) = (await memo.engine.compose_context(GROUP, "pourover")).evidence
        assert one.why["vector"] > 0 == one.why["lexical"]


async def test_a_provider_that_is_down_costs_words_but_no_answer() -> None:
    model = BigramEmbedder(synonyms={"pourover": "手冲咖啡"})
    clock = HandClock()
    async with memory(embedder=model, clock=clock) as memo:
        await fill(memo, "喜欢手冲咖啡")
        assert (await memo.engine.compose_context(GROUP, "pourover")).debug.warnings == ()
        model.error = ProviderDownError("embedding", "internal error")
        package = await memo.engine.compose_context(GROUP, "手冲")
        assert [item.content for item in package.items] == ["喜欢手冲咖啡"]
        assert package.debug.warnings == ("lexical_only",)
        await fill(memo, "手冲壶")
        model.error = None
        clock.move(minutes=1)
        await memo.engine.compose_context(GROUP, "手冲")  # starts the probe
        await asyncio.sleep(0)
        for _ in range(50):
            if memo.engine.embedder is not None and memo.engine.embedder.state.ok:
                break
            await asyncio.sleep(0)
        assert await memo.engine.refresh_embeddings() == 1
        assert (await memo.engine.compose_context(GROUP, "pourover")).debug.warnings == ()


async def test_without_a_provider_there_is_nothing_to_warn_of() -> None:
    async with memory() as memo:
        assert (await memo.engine.compose_context(GROUP, "手冲")).debug.warnings == ()


@pytest.mark.parametrize("dimensions", [2048, 512])
async def test_another_models_vectors_are_never_mixed(tmp_path: Any, dimensions: int) -> None:
    url = f"sqlite:///{(tmp_path / 'memory.db').as_posix()}"
    synonyms = {"pourover": "手冲咖啡"}
    async with memory(url, embedder=BigramEmbedder("one", synonyms=synonyms)) as memo:
        await fill(memo, "喜欢手冲咖啡")
    async with memory(url, embedder=BigramEmbedder("other", dimensions, synonyms)) as memo:
        assert await memo.found("pourover") == []
        assert await memo.found("手冲") == ["喜欢手冲咖啡"]
        assert (await memo.engine.compose_context(GROUP, "手冲")).debug.warnings == ("lexical_only",)
        assert await memo.engine.refresh_embeddings() == 1
        assert await memo.found("pourover") == ["喜欢手冲咖啡"]


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
        assert BOSS != MING
