"""The first design, phases 0 to 2: each of its acceptance lines and named tests, under ``shared_writes = auto``,
which is that design word for word. The gate that stands before the shared scope by default has its own tests."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from nonebot_plugin_scoped_memory.engine import scope
from nonebot_plugin_scoped_memory.engine.address import Address
from nonebot_plugin_scoped_memory.engine.scope import (
    GLOBAL_SCOPE,
    ScopeRef,
    chat_scope_id,
    resolve_scope_from_session,
    scope_for_kind,
)

from .helpers import BigramEmbedder, FakeChat, Memory, found, memory, said

A, B, OLD = "milky:private:10001", "milky:private:10002", "milky:10003"
A_CHAT, B_CHAT = ScopeRef("chat", A), ScopeRef("chat", B)
USER_A, USER_B = "milky:user:10001", "milky:user:10002"


@pytest.fixture
async def auto() -> AsyncIterator[Memory]:
    async with memory(shared_writes="auto") as memo:
        yield memo


# ------------------------------------------------------------------ phase 0: constants and resolution


def test_constants_match_what_the_store_holds_by_default() -> None:
    assert (scope.SCOPE_TYPE_GLOBAL, scope.SCOPE_TYPE_CHAT, scope.SCOPE_ID_GLOBAL) == ("global", "chat", "__global__")
    assert ScopeRef(scope.SCOPE_TYPE_GLOBAL, scope.SCOPE_ID_GLOBAL) == GLOBAL_SCOPE
    assert {"preference", "fact", "task"} == scope.CHAT_SCOPED_KINDS
    assert {"decision", "procedure", "warning", "summary"} == scope.GLOBAL_SCOPED_KINDS


@pytest.mark.parametrize(
    ("session", "resolved"),
    [
        ("milky:private:10001", ("chat", "milky:private:10001")),
        ("milky:10001", ("global", "__global__")),
        ("milky:private:10001:cron:abc", ("chat", "milky:private:10001")),
        ("milky:10001:cron:x", ("global", "__global__")),
    ],
)
def test_a_scope_is_resolved_for_typed_legacy_and_derived_sessions(session: str, resolved: tuple[str, str]) -> None:
    assert resolve_scope_from_session(session) == resolved


@pytest.mark.parametrize(("kind", "type_"), [("preference", "chat"), ("decision", "global")])
def test_the_kind_decides_the_scope_type(kind: str, type_: str) -> None:
    assert scope_for_kind(kind) == type_


def test_a_chat_scope_is_named_by_its_address() -> None:
    assert chat_scope_id(Address.parse(A)) == A


# ------------------------------------------------------------------ phase 1: writing


async def test_a_preference_from_a_typed_session_is_written_to_its_chat(auto: Memory) -> None:
    result = await auto.engine.commit_turn(A, {"preferences": ["喜欢手冲咖啡"]})
    (outcome,) = result.outcomes
    assert outcome.status == "applied"
    assert outcome.item is not None
    assert (outcome.item.kind, outcome.item.scope) == ("preference", A_CHAT)


async def test_a_decision_from_a_typed_session_is_written_to_global(auto: Memory) -> None:
    (outcome,) = (await auto.engine.commit_turn(A, {"decisions": ["周会改到周四"]})).outcomes
    assert outcome.item is not None
    assert (outcome.item.kind, outcome.item.scope) == ("decision", GLOBAL_SCOPE)


async def test_one_extraction_writes_each_kind_to_its_own_scope() -> None:
    answer = said(found("u1 喜欢手冲咖啡", kind="preference"), found("周会改到周四", kind="decision", subject=None))
    async with memory(shared_writes="auto", llm=FakeChat(answer)) as memo:
        await memo.speak("周会周四怎么样，另外手冲咖啡真香", USER_A, A)
        await memo.extract(A)
        assert [item.kind for item in await memo.items(A_CHAT)] == ["preference"]
        assert [item.kind for item in await memo.items(GLOBAL_SCOPE)] == ["decision"]


async def test_what_a_legacy_session_says_is_still_written_to_global(auto: Memory) -> None:
    events = {"preferences": ["喜欢手冲咖啡"], "decisions": ["周会改到周四"]}
    result = await auto.engine.commit_turn(OLD, events)
    assert [o.item.scope for o in result.outcomes if o.item] == [GLOBAL_SCOPE, GLOBAL_SCOPE]


@pytest.mark.parametrize(("session", "where"), [(A, A_CHAT), (f"{A}:cron:abc", A_CHAT), (OLD, GLOBAL_SCOPE)])
async def test_storing_without_a_scope_derives_it_from_the_session(auto: Memory, session: str, where: ScopeRef) -> None:
    outcome = await auto.remember("喜欢手冲咖啡", USER_A, session, kind="preference", origin="api")
    assert outcome.item is not None
    assert outcome.item.scope == where


async def test_duplicates_are_not_looked_for_across_chats(auto: Memory) -> None:
    for session in (A, B, A):
        await auto.engine.commit_turn(session, {"facts": ["家里养了一只猫"]})
    assert [len(await auto.items(where)) for where in (A_CHAT, B_CHAT)] == [1, 1]


async def test_the_model_is_not_shown_items_of_other_chats_as_known() -> None:
    model = FakeChat()
    async with memory(shared_writes="auto", llm=model) as memo:
        await memo.speak("我喜欢手冲咖啡", USER_A, A)
        await memo.speak("我喜欢手冲乌龙", USER_B, B)
        await memo.extract(B)
    (prompt,) = model.prompts
    assert "乌龙" in prompt
    assert "咖啡" not in prompt


# ------------------------------------------------------------------ phase 2: reading


@pytest.fixture(params=["fts", "vector", "hybrid"])
async def searched(request: pytest.FixtureRequest) -> AsyncIterator[tuple[Memory, str]]:
    """A's and B's preference, a decision of A's, and a question that the mode's own signal has to answer."""
    embedder = None if request.param == "fts" else BigramEmbedder(synonyms={"pourover": "喜欢手冲"})
    question = "pourover" if request.param == "vector" else "手冲"
    async with memory(shared_writes="auto", embedder=embedder) as memo:
        await memo.engine.commit_turn(A, {"preferences": ["喜欢手冲咖啡"], "decisions": ["活动喜欢手冲的优先报名"]})
        await memo.engine.commit_turn(B, {"preferences": ["喜欢手冲乌龙"]})
        await memo.engine.drain()
        yield memo, question


async def test_user_a_sees_their_own_preference_and_the_global_decision_but_not_bs(
    searched: tuple[Memory, str],
) -> None:
    memo, question = searched
    assert set(await memo.recalled(question, A)) == {"喜欢手冲咖啡", "活动喜欢手冲的优先报名"}
    assert set(await memo.found(question, A)) == {"喜欢手冲咖啡", "活动喜欢手冲的优先报名"}


async def test_user_b_sees_their_own_preference_and_the_global_decision_but_not_as(
    searched: tuple[Memory, str],
) -> None:
    memo, question = searched
    assert set(await memo.recalled(question, B)) == {"喜欢手冲乌龙", "活动喜欢手冲的优先报名"}
    assert set(await memo.found(question, B)) == {"喜欢手冲乌龙", "活动喜欢手冲的优先报名"}


async def test_a_legacy_session_searches_global_only(searched: tuple[Memory, str]) -> None:
    memo, question = searched
    assert await memo.recalled(question, OLD) == ["活动喜欢手冲的优先报名"]
    assert await memo.found(question, OLD) == ["活动喜欢手冲的优先报名"]


async def test_the_chat_scope_takes_the_budget_first() -> None:
    async with memory(shared_writes="auto", recall_limit=4, max_items_per_scope=3) as memo:
        for n in range(5):
            await memo.add(f"聊天里的手冲笔记第 {n} 条", A_CHAT)
            await memo.add(f"手冲规程 {n}", GLOBAL_SCOPE, kind="procedure")
        shown = (await memo.engine.compose_context(A, "手冲")).evidence
        assert [one.scope for one in shown].count(A_CHAT) == 3
        assert len(shown) == 4


async def test_an_item_that_both_scopes_hold_is_merged_into_one(auto: Memory) -> None:
    for where in (A_CHAT, GLOBAL_SCOPE):
        await auto.add("手冲用 92 度的水", where, kind="procedure")
    package = await auto.engine.compose_context(A, "手冲")
    assert [one.scope for one in package.evidence] == [A_CHAT]
