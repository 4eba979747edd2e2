"""What one prompt may hold of a session: its history in order and budget, and what was recalled."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from nonebot_plugin_scoped_memory.engine.models import NewTurn, TurnState
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, ScopeContext, ScopeRef, session_scope

from .helpers import BOT, GROUP, HONG, MING, NOON, OTHER_GROUP, PRIVATE, FakeChat, Memory, found, memory, said


async def history(memo: Memory, session: str = GROUP, **options) -> list[str]:
    return [turn.text for turn in (await memo.engine.compose_context(session, "你好", **options)).turns]


async def test_history_is_read_in_the_order_of_saying() -> None:
    async with memory() as memo:
        later = memo.clock() + timedelta(minutes=5)
        await memo.speak("第三句", said_at=later)
        await memo.speak("第一句", said_at=NOON)
        await memo.speak("第二句", said_at=NOON, seq=7)
        assert await history(memo) == ["第一句", "第二句", "第三句"]


async def test_history_holds_what_was_said_here_and_still_stands() -> None:
    async with memory() as memo:
        await memo.speak("这里的话")
        await memo.speak("别处的话", session=OTHER_GROUP)
        await memo.speak("派生的话", session=f"{GROUP}:cron:x")
        await memo.speak("/memory list", state=TurnState.COMMAND)
        await memo.speak("还没处理完", state=TurnState.OPEN)
        await memo.speak("撤回的话", message_ids=(("30001", "m1"),))
        await memo.engine.listener.take_back("default", GROUP, "30001", "m1")
        assert await history(memo) == ["这里的话"]


async def test_the_current_message_and_what_came_after_it_are_left_out() -> None:
    async with memory() as memo:
        await memo.speak("之前")
        current = await memo.speak("现在", state=TurnState.OPEN)
        await memo.engine.listener.settle("default", GROUP, current.n, TurnState.ORDINARY)
        await memo.speak("之后")
        assert await history(memo, current=current) == ["之前"]
        assert await history(memo) == ["之前", "现在", "之后"]


async def test_history_keeps_to_its_budget_and_begins_with_a_person() -> None:
    async with memory(history_tokens=60) as memo:
        for n in range(6):
            await memo.speak(f"第 {n} 个问题", session=PRIVATE)
            await memo.speak(f"第 {n} 个回答", BOT, session=PRIVATE)
        package = await memo.engine.compose_context(PRIVATE, "你好")
        assert 0 < package.budget.history_used <= package.budget.history_limit == 60
        assert [turn.role for turn in package.turns][:1] == ["user"]
        assert [turn.text for turn in package.turns][-1] == "第 5 个回答"
        texts = [turn.text for turn in package.turns]
        assert texts == [t for n in range(6) for t in (f"第 {n} 个问题", f"第 {n} 个回答")][-len(texts) :]


async def test_no_history_fits_into_no_budget() -> None:
    async with memory(history_tokens=0) as memo:
        await memo.speak("你好")
        package = await memo.engine.compose_context(GROUP, "你好")
        assert (package.turns, package.budget.history_used) == ((), 0)


async def test_a_new_conversation_starts_afresh_and_keeps_the_items() -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡")
        async with memo.write() as tx:
            await tx.set_summary(GROUP, "大家聊了咖啡")
        assert (await memo.engine.compose_context(GROUP, "你好")).summary == "大家聊了咖啡"
        await memo.engine.listener.start_conversation("default", GROUP)
        package = await memo.engine.compose_context(GROUP, "手冲")
        assert (package.turns, package.summary) == ((), "")
        assert [item.content for item in package.items] == ["小明（10001）喜欢手冲咖啡"]
        await memo.speak("新的话题")
        assert await history(memo) == ["新的话题"]


async def test_a_restart_alone_keeps_the_history(tmp_path) -> None:
    url = f"sqlite:///{(tmp_path / 'memory.db').as_posix()}"
    async with memory(url) as memo:
        await memo.speak("记得我吗")
    async with memory(url) as memo:
        assert await history(memo) == ["记得我吗"]


async def test_what_was_said_half_an_hour_ago_is_known_before_any_batch_ran() -> None:
    async with memory(llm=FakeChat(said(found("u1 在学小提琴")))) as memo:
        await memo.speak("最近在学小提琴", session=PRIVATE)
        memo.clock.move(minutes=30)
        assert await history(memo, PRIVATE) == ["最近在学小提琴"]


async def test_evidence_says_where_it_came_from_inside_the_plan_alone() -> None:
    async with memory(shared_writes="auto") as memo:
        await memo.speak("我们决定手冲周四上新", HONG)
        await memo.speak("我喜欢手冲咖啡", MING)
        own, elsewhere = [
            {one.item.kind: one for one in (await memo.engine.compose_context(s, "手冲")).evidence}
            for s in (GROUP, PRIVATE)
        ]
        assert (own["preference"].subject, own["preference"].source_session) == (MING, GROUP)
        assert (own["decision"].scope, own["decision"].source_session) == (GLOBAL_SCOPE, GROUP)
        assert list(elsewhere) == ["decision"]
        assert elsewhere["decision"].source_session == ""


async def test_a_context_reads_its_scopes_and_the_sessions_history() -> None:
    project = ScopeRef("project", "p1")
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡")
        await memo.add("手冲项目周四上线", project)
        context = ScopeContext(read=(project,))
        package = await memo.engine.compose_context(GROUP, "手冲", scope_context=context)
        assert [item.content for item in package.items] == ["手冲项目周四上线"]
        assert [turn.text for turn in package.turns] == ["我喜欢手冲咖啡"]
        assert package.debug.scopes_read == (project,)


async def test_nothing_but_the_plan_is_read() -> None:
    async with memory() as memo:
        for ref in (session_scope(GROUP), ScopeRef("task", GROUP)):
            await memo.add("手冲周四上新", ref)
        package = await memo.engine.compose_context(GROUP, "手冲")
        assert package.evidence == ()


@pytest.mark.parametrize("session", ["milky:private", "", "x", "qq:Group:1"])
async def test_a_key_that_cannot_be_parsed_gets_an_empty_package_with_a_warning(session: str) -> None:
    async with memory() as memo:
        await memo.add("手冲周四上新", GLOBAL_SCOPE, kind="decision")
        package = await memo.engine.compose_context(session, "手冲")
        assert (package.turns, package.evidence, package.summary, package.memory_block()) == ((), (), "", "")
        assert len(package.debug.warnings) == 1
        assert package.debug.scopes_read == ()


async def test_recording_goes_on_while_prompts_are_composed() -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡")
        turns = [NewTurn("user", f"第 {n} 句", NOON + timedelta(seconds=n), account=MING) for n in range(50)]
        results = await asyncio.gather(
            *(memo.engine.listener.record("default", GROUP, turn) for turn in turns),
            *(memo.engine.compose_context(GROUP, "手冲") for _ in range(20)),
        )
        assert all(len(package.evidence) == 1 for package in results[50:])  # type: ignore[union-attr]
        assert sorted(turn.n for turn in results[:50]) == list(range(2, 52))  # type: ignore[union-attr]


async def test_the_answer_before_is_history_though_it_was_sent_after_the_question() -> None:
    """Two quick questions: the second was said before the first was answered."""
    async with memory() as memo:
        await memo.speak("问一", session=PRIVATE)
        current = await memo.speak("问二", session=PRIVATE)
        await memo.speak("答一", BOT, session=PRIVATE)
        await memo.speak("问三", session=PRIVATE)
        package = await memo.engine.compose_context(PRIVATE, "问二", current=current)
        assert [turn.text for turn in package.turns] == ["问一", "答一"]
