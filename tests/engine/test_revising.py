"""What people change: forget, edit, archive, and a message that is taken back."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from nonebot_plugin_scoped_memory.engine.changing import Actor
from nonebot_plugin_scoped_memory.engine.errors import (
    InvalidItemError,
    NotAllowedError,
    NotFoundError,
    SlotTakenError,
)
from nonebot_plugin_scoped_memory.engine.models import Evidence, NewItem, NewTurn, TurnState
from nonebot_plugin_scoped_memory.engine.revising import Rights
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, plan_for_session

from .helpers import (
    BOSS,
    GROUP,
    HONG,
    LEGACY,
    MING,
    OPERATOR,
    OTHER_GROUP,
    PRIVATE,
    BigramEmbedder,
    FakeChat,
    Held,
    Memory,
    chat,
    found,
    memory,
    said,
)

PLAN = plan_for_session(GROUP)


def rights(account: str, *, admin: bool = False, operator: bool = False) -> Rights:
    return Rights(Actor(account, operator), chat(GROUP), admin)


async def take_back(memo: Memory, message_id: str, session: str = GROUP, self_id: str = "30001") -> bool:
    return await memo.engine.listener.take_back(memo.engine.domain_id, session, self_id, message_id)


# ------------------------------------------------------------------ forget


async def test_what_is_forgotten_leaves_every_index_and_does_not_come_back() -> None:
    answer = said(found("u1 喜欢手冲咖啡", kind="preference"))
    async with memory(llm=FakeChat(answer, answer), embedder=BigramEmbedder()) as memo:
        await memo.speak("我喜欢手冲咖啡")
        await memo.engine.drain()
        (item,) = await memo.items()
        gone = await memo.engine.retract_item(item.id, scopes=PLAN, rights=rights(MING))
        assert (gone.status, gone.valid_to) == ("retracted", memo.clock())
        assert await memo.found("手冲咖啡") == await memo.recalled("手冲咖啡") == []
        assert await memo.engine.search_turns("手冲咖啡", session_id=GROUP) == []
        assert (await memo.engine.compose_context(GROUP, "手冲")).turns == ()
        await memo.extract()
        assert await memo.contents() == []
        (event,) = [e for e in await memo.events(gone) if e.action == "retracted"]
        assert (event.actor, event.reason, event.before) == (MING, "forget", item.content)
        assert (await memo.engine.maintenance.counts())["vectors"] == 0


async def test_what_was_said_before_it_was_forgotten_is_not_learnt_from_another_line() -> None:
    answers = [said(found("u1 喜欢手冲咖啡", f"t{n}", kind="preference")) for n in (2, 3)]
    async with memory(llm=FakeChat(*answers)) as memo:
        await memo.speak("我喜欢手冲咖啡")
        await memo.speak("手冲咖啡真香")
        (item,) = await memo.items()
        await memo.engine.retract_item(item.id, scopes=PLAN, rights=rights(MING))
        (outcome,) = (await memo.extract()).outcomes
        assert (outcome.status, outcome.reason) == ("rejected", "rejected_before")
        await memo.speak("手冲咖啡还是香")
        (outcome,) = (await memo.extract()).outcomes
        assert outcome.status == "applied"


async def test_every_turn_it_rests_on_is_suppressed_also_of_other_sessions() -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡")
        await memo.speak("我喜欢手冲咖啡", session=f"{GROUP}:thread:1")
        await memo.speak("今天天气不错")
        (item,) = await memo.items()
        await memo.engine.retract_item(item.id, scopes=PLAN)
        assert [turn.suppressed for turn in await memo.turns()] == [True, False]
        assert [turn.suppressed for turn in await memo.turns(f"{GROUP}:thread:1")] == [True]


async def test_a_turn_that_becomes_evidence_meanwhile_is_suppressed_too() -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡")
        (item,) = await memo.items()
        async with memo.write() as tx:
            forgetting = asyncio.create_task(memo.engine.retract_item(item.id, scopes=PLAN))
            await asyncio.sleep(0.05)  # it waits for this transaction now
            (turn,) = await tx.add_turns(GROUP, [(NewTurn("user", "真的", memo.clock(), account=MING), ())])
            await tx.add_evidence(item.id, [Evidence(GROUP, turn.n, MING, turn.text)])
        await forgetting
        assert [turn.suppressed for turn in await memo.turns()] == [True, True]


@pytest.mark.parametrize(
    ("who", "allowed"),
    [
        (rights(MING), True),  # the subject
        (rights(HONG), False),
        (rights(HONG, admin=True), True),
        (rights(""), False),
        (rights(BOSS, operator=True), True),
        (Rights(Actor(HONG), chat(OTHER_GROUP), True), False),
    ],
)
async def test_who_may_forget_a_members_item(who: Rights, allowed: bool) -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡", MING)
        (item,) = await memo.items()
        if allowed:
            await memo.engine.retract_item(item.id, scopes=PLAN, rights=who)
        else:
            with pytest.raises(NotAllowedError) as error:
                await memo.engine.retract_item(item.id, scopes=PLAN, rights=who)
            assert not error.value.shared
        assert (await memo.contents() == []) is allowed
        assert [turn.suppressed for turn in await memo.turns()] == [allowed]


async def test_the_owner_of_an_item_without_a_subject_may_forget_it() -> None:
    async with memory() as memo:
        await memo.remember("群里每周四打羽毛球", HONG)
        (item,) = await memo.items()
        await memo.engine.retract_item(item.id, scopes=PLAN, rights=rights(HONG))
        assert await memo.contents() == []


@pytest.mark.parametrize("who", [rights(MING), rights(MING, admin=True)])
async def test_what_all_share_is_for_operators_to_forget(who: Rights) -> None:
    async with memory(shared_writes="auto") as memo:
        await memo.speak("我们决定周会改到周四", MING)
        (item,) = await memo.items(GLOBAL_SCOPE)
        with pytest.raises(NotAllowedError) as error:
            await memo.engine.retract_item(item.id, scopes=PLAN, rights=who)
        assert error.value.shared
        await memo.engine.retract_item(item.id, scopes=PLAN, rights=rights(BOSS, operator=True))
        assert await memo.contents(GLOBAL_SCOPE) == []


@pytest.mark.parametrize("scopes", [plan_for_session(GROUP), [chat(GROUP)]])
async def test_what_waits_for_approval_falls_with_the_forgotten_item(scopes: Any) -> None:
    async with memory() as memo:
        await memo.speak("我们决定周会改到周四")
        (item,) = await memo.items()
        await memo.engine.retract_item(item.id, scopes=scopes)
        assert await memo.candidates() == []
        (fallen,) = await memo.candidates(status="rejected")
        assert fallen.reason == "source_retracted"


@pytest.mark.parametrize("call", ["retract_item", "archive_item", "update_item"])
@pytest.mark.parametrize("scopes", [plan_for_session(OTHER_GROUP), [], [chat(PRIVATE)]])
async def test_a_foreign_id_is_not_found_and_stays_as_it_is(call: str, scopes: Any) -> None:
    async with memory() as memo:
        item = await memo.add("周会在周四")
        with pytest.raises(NotFoundError) as foreign:
            await getattr(memo.engine, call)(item.id, scopes=scopes)
        with pytest.raises(NotFoundError) as unknown:
            await getattr(memo.engine, call)("unknown", scopes=scopes)
        assert str(foreign.value).replace(item.id, "?") == str(unknown.value).replace("unknown", "?")
        assert await memo.items() == [item]


async def test_an_item_of_another_domain_is_not_found() -> None:
    async with memory() as memo:
        item = await memo.add("周会在周四")
        with pytest.raises(NotFoundError):
            await memo.engine.retract_item(item.id, scopes=PLAN, domain_id="bot:2")


@pytest.mark.parametrize("call", ["retract_item", "archive_item", "update_item"])
async def test_what_is_no_longer_active_is_not_found(call: str) -> None:
    async with memory() as memo:
        item = await memo.add("周会在周四")
        await memo.engine.archive_item(item.id, scopes=PLAN)
        with pytest.raises(NotFoundError):
            await getattr(memo.engine, call)(item.id, scopes=PLAN)


# ------------------------------------------------------------------ edit and archive


async def test_an_edit_changes_what_is_named_and_keeps_the_rest() -> None:
    async with memory(embedder=BigramEmbedder()) as memo:
        item = await memo.add("周会在周四", kind="decision", key="weekly", importance=0.4)
        edited = await memo.engine.update_item(item.id, scopes=PLAN, content=" 周会在周五\x00 ", actor=BOSS)
        assert (edited.content, edited.key, edited.importance) == ("周会在周五\ufffd", "weekly", 0.4)
        assert edited.version == item.version + 1
        await memo.engine.drain()
        assert await memo.found("周五") == ["周会在周五\ufffd"]
        assert await memo.found("四") == []
        event = (await memo.events(edited))[-1]
        assert (event.action, event.actor, event.before) == ("edited", BOSS, "周会在周四")
        ends = memo.clock.move(days=1)
        assert (await memo.engine.update_item(item.id, scopes=PLAN, valid_until=ends)).valid_until == ends


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"content": " \u3000"}, "content"),
        ({"content": "长" * 1001}, "content"),
        ({"content": "网盘密码是 hunter2024"}, "content"),
        ({"importance": 1.5}, "importance"),
        ({"importance": float("nan")}, "importance"),
    ],
)
async def test_an_edit_that_must_not_be_is_refused_by_its_field(change: dict[str, Any], field: str) -> None:
    async with memory() as memo:
        item = await memo.add("周会在周四")
        with pytest.raises(InvalidItemError) as error:
            await memo.engine.update_item(item.id, scopes=PLAN, **change)
        assert error.value.field == field
        assert "hunter" not in str(error.value)
        assert await memo.items() == [item]


async def test_an_edit_into_an_occupied_place_names_its_holder() -> None:
    async with memory() as memo:
        holder = await memo.add("周会在周四", key="weekly")
        other = await memo.add("周会在周五")
        changes: list[dict[str, Any]] = [{"key": "weekly"}, {"content": "周会在周四。"}]
        for change in changes:
            with pytest.raises(SlotTakenError) as error:
                await memo.engine.update_item(other.id, scopes=PLAN, **change)
            assert error.value.holder_id == holder.id
        assert await memo.contents() == ["周会在周四", "周会在周五"]


async def test_an_archived_item_is_not_recalled_and_says_why() -> None:
    async with memory() as memo:
        item = await memo.add("周会在周四")
        gone = await memo.engine.archive_item(item.id, scopes=PLAN, reason="旧了", actor=BOSS)
        assert gone.status == "archived"
        assert await memo.recalled("周会") == []
        event = (await memo.events(gone))[-1]
        assert (event.action, event.actor, event.reason) == ("archived", BOSS, "旧了")


# ------------------------------------------------------------------ a message taken back


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
