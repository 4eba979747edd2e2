"""What people change: an item is forgotten, edited or archived."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any

import pytest

from nonebot_plugin_scoped_memory.engine.changing import Actor
from nonebot_plugin_scoped_memory.engine.errors import InvalidItemError, NotAllowedError, NotFoundError, SlotTakenError
from nonebot_plugin_scoped_memory.engine.models import Evidence, NewTurn, Quote
from nonebot_plugin_scoped_memory.engine.revising import Rights
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, plan_for_session

from .helpers import BOSS, GROUP, HONG, MING, OTHER_GROUP, PRIVATE, BigramEmbedder, FakeChat, chat, found, memory, said

PLAN = plan_for_session(GROUP)


def rights(account: str, *, admin: bool = False, operator: bool = False) -> Rights:
    return Rights(Actor(account, operator), chat(GROUP), admin)


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


async def test_what_a_model_made_of_quotes_of_the_forgotten_goes_too() -> None:
    model = FakeChat(said(found("u2 要离职", "t2", subject=None)))
    async with memory(llm=model) as memo:
        await memo.speak("记住我下个月要离职", message_ids=(("30001", "a"),))
        quote = Quote(MING, "小明", "我下个月要离职", "reply", "a")
        await memo.speak("真的吗", HONG, quotes=(quote,), message_ids=(("30001", "b"),))
        await memo.speak("记住我们决定周会改到周五", HONG, quotes=(quote,), message_ids=(("30001", "c"),))
        await memo.extract()
        (item,) = [item for item in await memo.items() if item.origin == "rule" and item.subject == MING]
        assert any(item.origin == "llm" for item in await memo.items())
        await memo.engine.retract_item(item.id, scopes=PLAN, rights=rights(MING))
        assert [item.content for item in await memo.items()] == ["决定：周会改到周五"]


@pytest.mark.parametrize(("key", "kept"), [("a\ud83d", "a\ufffd"), ("", None), (" ", None)])
async def test_a_key_is_cleaned_and_an_empty_one_is_none(key: str, kept: str | None) -> None:
    async with memory() as memo:
        first, second = [await memo.add(content, GROUP) for content in ("周会在周四", "露营在周六")]
        for item in (first, second)[: 1 if kept else 2]:
            changed = await memo.engine.update_item(item.id, scopes=PLAN, actor=BOSS, key=key)
            assert changed.key == kept


async def test_an_end_without_a_zone_is_refused_by_its_field() -> None:
    async with memory() as memo:
        item = await memo.add("周会在周四", GROUP)
        with pytest.raises(InvalidItemError) as error:
            await memo.engine.update_item(item.id, scopes=PLAN, actor=BOSS, valid_until=datetime(2026, 12, 1))  # noqa: DTZ001
        assert error.value.field == "valid_until"
