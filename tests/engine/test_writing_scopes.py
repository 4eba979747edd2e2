"""Where a proposal goes: its scope by its kind, the gate to what all share, and contexts that name scopes."""

from __future__ import annotations

from typing import Any

import pytest

from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, ScopeContext, ScopeRef, session_scope

from .helpers import BOSS, GANG, GROUP, LEGACY, OPERATOR, OTHER_GROUP, PRIVATE, FakeChat, found, memory, said

PERSONAL, SHARED = ("preference", "fact", "task"), ("decision", "procedure", "warning", "summary")


# ------------------------------------------------------------------ kind and scope


@pytest.mark.parametrize("kind", PERSONAL)
@pytest.mark.parametrize("audience", [None, "chat", "shared"])
@pytest.mark.parametrize("shared_writes", ["trusted", "auto", "review"])
async def test_what_is_personal_stays_in_its_chat_whatever_the_model_says(
    kind: Any, audience: Any, shared_writes: Any
) -> None:
    answer = said(found("u1 喜欢手冲", kind=kind, audience=audience))
    async with memory(llm=FakeChat(answer), shared_writes=shared_writes, trusted_chats=frozenset({GROUP})) as memo:
        await memo.speak("手冲真香", operator=True)
        await memo.extract()
        assert await memo.contents() == ["小明（10001）喜欢手冲"]
        assert await memo.contents(GLOBAL_SCOPE, status=None) == []
        assert await memo.candidates() == []


@pytest.mark.parametrize("kind", SHARED)
async def test_audience_chat_keeps_a_shared_kind_in_its_chat(kind: Any) -> None:
    answer = said(found("周会改到周四", kind=kind, subject=None, audience="chat"))
    async with memory(llm=FakeChat(answer), shared_writes="auto") as memo:
        await memo.speak("周会周四怎么样")
        await memo.extract()
        assert await memo.contents() == ["周会改到周四"]
        assert await memo.contents(GLOBAL_SCOPE) == await memo.candidates() == []


@pytest.mark.parametrize("kind", SHARED)
@pytest.mark.parametrize("session", [GROUP, f"{GROUP}:cron:abc", PRIVATE])
async def test_a_shared_kind_is_active_in_its_chat_and_waits_for_all(kind: Any, session: str) -> None:
    async with memory() as memo:
        outcome = await memo.remember("周会改到周四", session=session, kind=kind)
        (item,) = await memo.items(session)
        (waiting,) = await memo.candidates()
        assert outcome.item == item
        assert outcome.pending is not None
        assert waiting.id == outcome.pending.id
        assert (waiting.item_id, waiting.scope, waiting.status) == (item.id, GLOBAL_SCOPE, "pending")
        assert "周会改到周四" in waiting.content
        assert waiting.source_session == session
        assert await memo.contents(GLOBAL_SCOPE) == []


async def test_a_shared_item_has_no_subject() -> None:
    async with memory(shared_writes="auto", llm=FakeChat(said(found("u1 决定周会改期", kind="decision")))) as memo:
        await memo.speak("周会改期")
        await memo.extract()
        (item,) = await memo.items(GLOBAL_SCOPE)
        assert item.subject == ""


# ------------------------------------------------------------------ the gate


@pytest.mark.parametrize(
    ("shared_writes", "operator", "trusted", "goes_out"),
    [
        ("trusted", True, False, True),
        ("trusted", False, False, False),
        ("trusted", False, True, True),
        ("review", True, True, False),
        ("auto", False, False, True),
    ],
)
@pytest.mark.parametrize("way", ["command", "request"])
async def test_an_explicit_request_goes_out_at_once_for_operators_and_in_trusted_chats(
    shared_writes: Any, operator: bool, trusted: bool, goes_out: bool, way: str
) -> None:
    chats = frozenset({GROUP} if trusted else ())
    async with memory(shared_writes=shared_writes, trusted_chats=chats) as memo:
        if way == "command":
            await memo.remember("我们决定周会改到周四", operator=operator)
        else:
            await memo.speak("记住：我们决定周会改到周四", operator=operator)
        assert (await memo.contents(GLOBAL_SCOPE) != []) is goes_out
        assert (await memo.candidates() != []) is not goes_out
        assert (await memo.contents() != []) is not goes_out


async def test_what_is_merely_said_waits_also_from_an_operator_but_not_in_a_trusted_chat() -> None:
    async with memory(trusted_chats=frozenset({OTHER_GROUP})) as memo:
        await memo.speak("我们决定周会改到周四", BOSS, operator=True)
        assert await memo.contents(GLOBAL_SCOPE) == []
        await memo.speak("我们决定用 pnpm", GANG, f"{OTHER_GROUP}:cron:x")
        assert await memo.contents(GLOBAL_SCOPE) == ["决定：用 pnpm"]


@pytest.mark.parametrize("audience", [None, "shared"])
async def test_a_models_proposal_waits_also_of_an_operator_and_in_a_trusted_chat(audience: Any) -> None:
    answer = said(found("周会改到周四", kind="decision", subject=None, audience=audience))
    async with memory(llm=FakeChat(answer), trusted_chats=frozenset({GROUP})) as memo:
        await memo.speak("周会改到周四吧", BOSS, operator=True)
        await memo.extract()
        assert await memo.contents() == ["周会改到周四"]
        assert await memo.contents(GLOBAL_SCOPE) == []
        assert len(await memo.candidates()) == 1


async def test_what_another_plugin_stores_waits_also_for_an_operator() -> None:
    async with memory(trusted_chats=frozenset({GROUP})) as memo:
        await memo.remember("我们决定周会改到周四", operator=True, origin="api")
        assert await memo.contents(GLOBAL_SCOPE) == []


@pytest.mark.parametrize("kind", ["preference", "decision"])
async def test_a_legacy_session_waits_with_everything(kind: Any) -> None:
    async with memory() as memo:
        outcome = await memo.remember("喜欢手冲", session=LEGACY, kind=kind)
        assert outcome.status == "pending"
        assert outcome.item is None
        assert outcome.pending is not None
        assert await memo.contents(GLOBAL_SCOPE, status=None) == []
        again = await memo.remember("喜欢手冲！", session=LEGACY, kind=kind)
        assert (again.status, again.pending and again.pending.id) == ("pending", outcome.pending.id)
        assert [c.id for c in await memo.candidates()] == [outcome.pending.id]


async def test_a_legacy_session_that_repeats_what_all_know_makes_no_twin() -> None:
    async with memory() as memo:
        item = await memo.add("据小明说，周会改到周四", GLOBAL_SCOPE, kind="decision")
        outcome = await memo.remember("据小明说，周会改到周四", account="", session=LEGACY, kind="decision")
        assert (outcome.status, outcome.item and outcome.item.id) == ("duplicate", item.id)
        assert await memo.candidates() == []


async def test_a_legacy_session_is_told_when_a_person_had_refused_it() -> None:
    async with memory() as memo:
        first = await memo.remember("喜欢手冲", account="", session=LEGACY, kind="decision")
        assert first.pending is not None
        await memo.engine.reject(first.pending.id, OPERATOR)
        again = await memo.remember("喜欢手冲", account="", session=LEGACY, kind="decision")
        assert (again.status, again.reason, again.pending) == ("rejected", "rejected_before", None)


# ------------------------------------------------------------------ scope contexts


PROJECT, READ_ONLY = ScopeRef("project", "p1"), ScopeRef("project", "p2")


async def test_a_context_names_the_scope_of_every_kind() -> None:
    context = ScopeContext(read=(PROJECT, READ_ONLY, GLOBAL_SCOPE), default_write=PROJECT)
    async with memory(shared_writes="auto") as memo:
        events = {"preferences": ["喜欢手冲"], "decisions": ["周会改到周四"]}
        result = await memo.engine.commit_turn(PRIVATE, events, scope_context=context)
        assert [o.item.scope for o in result.outcomes if o.item] == [PROJECT, PROJECT]
        assert await memo.contents(PRIVATE) == await memo.contents(GLOBAL_SCOPE) == await memo.candidates() == []


async def test_a_context_that_may_write_nothing_leaves_no_trace_in_what_it_reads() -> None:
    context = ScopeContext(read=(GLOBAL_SCOPE, READ_ONLY))
    async with memory() as memo:
        result = await memo.engine.commit_turn(PRIVATE, {"decisions": ["周会改到周四"]}, scope_context=context)
        assert [(o.status, o.reason) for o in result.outcomes] == [("rejected", "no_write_scope")]
        for where in (GLOBAL_SCOPE, READ_ONLY):
            assert await memo.contents(where, status=None) == await memo.candidates(where, status=None) == []
        (kept,) = await memo.candidates(session_scope(PRIVATE), status=None)
        assert (kept.status, kept.reason) == ("rejected", "no_write_scope")


@pytest.mark.parametrize("kind", ["preference", "decision"])
async def test_what_a_chat_says_waits_also_where_a_plugin_writes_to_all(kind: Any) -> None:
    context = ScopeContext(read=(GLOBAL_SCOPE,), default_write=GLOBAL_SCOPE)
    said_there = "我喜欢手冲咖啡" if kind == "preference" else "我们决定周会改到周四"
    async with memory() as memo:
        events = {"messages": [{"role": "user", "content": said_there}], "decisions": ["插件自己写的"]}
        await memo.engine.commit_turn(PRIVATE, events, scope_context=context)
        assert await memo.contents(GLOBAL_SCOPE) == ["插件自己写的"]
        assert [c.kind for c in await memo.candidates()] == [kind]
