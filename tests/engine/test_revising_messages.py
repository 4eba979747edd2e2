"""A message that is taken back takes along what rests on it alone."""

from __future__ import annotations

import asyncio

from nonebot_plugin_scoped_memory.engine.models import Evidence, NewItem, TurnState
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE

from .helpers import (
    GROUP,
    LEGACY,
    MING,
    OPERATOR,
    OTHER_GROUP,
    BigramEmbedder,
    FakeChat,
    Held,
    Memory,
    chat,
    found,
    memory,
    said,
)


async def take_back(memo: Memory, message_id: str, session: str = GROUP, self_id: str = "30001") -> bool:
    return await memo.engine.listener.take_back(memo.engine.domain_id, session, self_id, message_id)


async def test_a_recalled_message_takes_its_memories_along() -> None:
    async with memory(embedder=BigramEmbedder()) as memo:
        await memo.speak("我喜欢手冲咖啡", message_ids=(("30001", "m1"), ("30002", "x1")))
        await memo.speak("我喜欢爬山", message_ids=(("30001", "m2"),))
        assert await take_back(memo, "x1", self_id="30002")
        assert await memo.contents() == ["小明（10001）喜欢爬山"]
        (gone,) = await memo.items(status="retracted")
        assert [e.reason for e in await memo.events(gone)] == ["new", "message_recalled"]
        assert [turn.recalled for turn in await memo.turns()] == [True, False]
        assert [turn.text for turn in (await memo.engine.compose_context(GROUP, "咖啡")).turns] == ["我喜欢爬山"]


async def test_an_unknown_message_changes_nothing() -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡", message_ids=(("30001", "m1"),))
        assert not await take_back(memo, "m1", OTHER_GROUP)
        assert not await take_back(memo, "m1", self_id="30002")
        assert not await take_back(memo, "")
        assert len(await memo.items()) == 1


async def test_an_item_that_rests_on_two_messages_falls_with_the_second() -> None:
    async with memory() as memo:
        for id in ("m1", "m2"):
            await memo.speak("我喜欢手冲咖啡", message_ids=(("30001", id),))
        await take_back(memo, "m1")
        assert len(await memo.items()) == 1
        await take_back(memo, "m2")
        assert await memo.items() == []


async def test_an_item_falls_when_its_messages_of_two_sessions_are_gone() -> None:
    thread = f"{GROUP}:thread:1"
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡", message_ids=(("30001", "m1"),))
        await memo.speak("我喜欢手冲咖啡", session=thread, message_ids=(("30001", "m2"),))
        await take_back(memo, "m2", thread)
        assert len(await memo.items()) == 1
        await take_back(memo, "m1")
        assert await memo.items() == []


async def test_a_suppressed_message_holds_nothing_up() -> None:
    async with memory() as memo:
        first = await memo.speak("我喜欢手冲咖啡", message_ids=(("30001", "m1"),))
        second = await memo.speak("我喜欢手冲咖啡", message_ids=(("30001", "m2"),))
        async with memo.write() as tx:
            await tx.mark_suppressed(GROUP, [second.n])
        await take_back(memo, "m1")
        assert first.n == 1
        assert await memo.items() == []


async def test_a_candidate_falls_with_its_message_unless_its_item_stands_on_another() -> None:
    async with memory() as memo:
        for id in ("m1", "m2"):
            await memo.speak("我们决定周会改到周四", message_ids=(("30001", id),))
        await take_back(memo, "m1")
        assert len(await memo.candidates()) == 1  # somebody else said it too, and did not take it back
        await take_back(memo, "m2")
        assert await memo.candidates() == await memo.items() == []


async def test_a_waiting_candidate_of_a_legacy_session_falls_with_its_message() -> None:
    async with memory() as memo:
        for n in range(3):
            await memo.speak(f"我们决定第 {n} 期用 pnpm", session=LEGACY, message_ids=(("30001", f"m{n}"),))
        assert len(await memo.candidates()) == 3
        await take_back(memo, "m1", LEGACY)
        assert [c.content for c in await memo.candidates()] == ["决定：第 0 期用 pnpm", "决定：第 2 期用 pnpm"]
        (fallen,) = await memo.candidates(status="rejected")
        assert (fallen.reason, fallen.decided_by) == ("message_recalled", "system")


async def test_an_approved_copy_falls_with_the_message_it_rests_on() -> None:
    async with memory() as memo:
        await memo.speak("我们决定周会改到周四", message_ids=(("30001", "m1"),))
        (candidate,) = await memo.candidates()
        await memo.engine.approve(candidate.id, OPERATOR)
        await take_back(memo, "m1")
        assert await memo.contents() == await memo.contents(GLOBAL_SCOPE) == []
        assert await memo.recalled("周会", OTHER_GROUP) == []


async def test_an_approved_copy_stays_while_another_chats_message_stands() -> None:
    async with memory() as memo:
        for session in (GROUP, OTHER_GROUP):
            await memo.speak("我们决定周会改到周四", session=session, message_ids=(("30001", "m1"),))
            for candidate in await memo.candidates():
                await memo.engine.approve(candidate.id, OPERATOR)
        (shared,) = await memo.items(GLOBAL_SCOPE)
        async with memo.engine.store.write(memo.engine.domain_id, (GLOBAL_SCOPE,)) as tx:
            await tx.add_evidence(shared.id, [Evidence(OTHER_GROUP, 1, MING, "")])
        await take_back(memo, "m1")
        assert await memo.contents() == []
        assert len(await memo.items(GLOBAL_SCOPE)) == 1
        await take_back(memo, "m1", OTHER_GROUP)
        assert await memo.items(GLOBAL_SCOPE) == []


async def test_an_approved_copy_that_gets_another_source_meanwhile_stays() -> None:
    async with memory() as memo:
        for session in (GROUP, OTHER_GROUP):
            await memo.speak("我们决定周会改到周四", session=session, message_ids=(("30001", "m1"),))
        (candidate,) = [c for c in await memo.candidates() if c.source_session == GROUP]
        async with memo.write(OTHER_GROUP) as tx:  # the other one is left for later
            for other in await tx.list_candidates():
                await tx.decide_candidate(other.id, "rejected", reason="x", by="system", at=memo.clock())
        shared = (await memo.engine.approve(candidate.id, OPERATOR)).item
        async with memo.write(OTHER_GROUP) as tx:
            recalling = asyncio.create_task(take_back(memo, "m1"))
            await asyncio.sleep(0.05)  # it waits for this transaction now
            await tx.add_evidence(shared.id, [Evidence(OTHER_GROUP, 1, MING, "")])
        await recalling
        assert await memo.contents() == []
        assert len(await memo.items(GLOBAL_SCOPE)) == 1


async def test_an_extraction_under_way_does_not_bring_it_back() -> None:
    held = Held(said(found("u1 喜欢手冲咖啡", kind="preference"), found("u1 喜欢爬山", "t2")))
    async with memory(llm=FakeChat(held)) as memo:
        await memo.speak("手冲咖啡真香", message_ids=(("30001", "m1"),))
        await memo.speak("爬山真累", message_ids=(("30001", "m2"),))
        running = asyncio.create_task(memo.extract())
        await held.asked.wait()
        await take_back(memo, "m1")
        held.go.set()
        report = await running
        assert [(o.status, o.reason) for o in report.outcomes] == [("rejected", "evidence_gone"), ("applied", "new")]
        assert await memo.contents() == ["小明（10001）喜欢爬山"]


async def test_a_message_taken_back_before_it_is_classified_makes_no_item() -> None:
    async with memory() as memo:
        turn = await memo.speak("我喜欢手冲咖啡", state=TurnState.OPEN, message_ids=(("30001", "m1"),))
        await take_back(memo, "m1")
        assert await memo.engine.listener.settle(memo.engine.domain_id, GROUP, turn.n, TurnState.ORDINARY) == []
        assert await memo.items() == []


async def test_two_recalls_at_once_are_one() -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡", message_ids=(("30001", "m1"),))
        assert await asyncio.gather(take_back(memo, "m1"), take_back(memo, "m1")) == [True, True]
        (gone,) = await memo.items(status="retracted")
        assert [e.action for e in await memo.events(gone)] == ["added", "retracted"]


async def test_an_item_without_evidence_is_no_messages_memory() -> None:
    async with memory() as memo:
        await memo.speak("今天天气不错", message_ids=(("30001", "m1"),))
        await memo.engine.add_items([NewItem(chat(GROUP), "fact", "周会在周四")])
        await take_back(memo, "m1")
        assert await memo.contents() == ["周会在周四"]
