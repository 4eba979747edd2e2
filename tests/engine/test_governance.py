"""What operators decide, and what readers elsewhere learn from it."""

from __future__ import annotations

import asyncio

import pytest

from nonebot_plugin_scoped_memory.engine.changing import Actor
from nonebot_plugin_scoped_memory.engine.errors import NotFoundError
from nonebot_plugin_scoped_memory.engine.models import Item, Proposal
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, ScopeContext, ScopeRef, session_scope
from nonebot_plugin_scoped_memory.engine.source import Source
from nonebot_plugin_scoped_memory.engine.writing import MAX_WAITING, write_proposals

from .helpers import (
    BOSS,
    GROUP,
    HONG,
    LEGACY,
    MING,
    OPERATOR,
    OTHER_GROUP,
    OTHER_PRIVATE,
    PRIVATE,
    FakeChat,
    Memory,
    chat,
    found,
    memory,
    said,
)


async def waiting(memo: Memory, text: str = "我们决定周会改到周四", session: str = GROUP, account: str = MING) -> str:
    """The id of a candidate that a sentence in a chat left."""
    await memo.speak(text, account, session)
    return (await memo.candidates())[-1].id


async def test_approval_makes_an_item_of_exactly_the_text_that_was_shown() -> None:
    async with memory() as memo:
        await waiting(memo)
        (shown,) = await memo.engine.pending_reviews()
        approval = await memo.engine.approve(shown.id, OPERATOR)
        assert (approval.item.content, approval.already_known) == (shown.content, False)
        assert (approval.candidate.status, approval.candidate.item_id) == ("applied", approval.item.id)
        assert await memo.contents(GLOBAL_SCOPE) == ["决定：周会改到周四"]
        assert [(e.action, e.actor) for e in await memo.events(approval.item)] == [("added", BOSS), ("approved", BOSS)]
        assert [e.quote for e in await memo.evidence(approval.item)] == ["我们决定周会改到周四"]


async def test_what_waited_falls_when_its_chat_changes_its_words() -> None:
    async with memory() as memo:
        id = await waiting(memo)
        (copy,) = await memo.items()
        await memo.engine.update_item(copy.id, scopes=[copy.scope], content="决定：周会取消")
        with pytest.raises(NotFoundError):
            await memo.engine.approve(id, OPERATOR)
        assert await memo.engine.pending_reviews() == []


@pytest.mark.parametrize("second", ["approve", "reject"])
async def test_what_is_decided_is_not_found_any_more(second: str) -> None:
    async with memory() as memo:
        id = await waiting(memo)
        await memo.engine.approve(id, OPERATOR)
        with pytest.raises(NotFoundError) as error:
            await getattr(memo.engine, second)(id, OPERATOR)
        assert (error.value.kind, error.value.id) == ("candidate", id)
        assert len(await memo.items(GLOBAL_SCOPE, status=None)) == 1


async def test_of_two_approvals_at_once_one_finds_nothing() -> None:
    async with memory() as memo:
        id = await waiting(memo)
        results = await asyncio.gather(*(memo.engine.approve(id, OPERATOR) for _ in range(2)), return_exceptions=True)
        assert sorted(type(result).__name__ for result in results) == ["Approval", "NotFoundError"]


@pytest.mark.parametrize("id", ["nope", "", "'; DROP TABLE items; --", "\ud83d"])
async def test_an_id_that_nothing_has_is_not_found(id: str) -> None:
    async with memory() as memo:
        for call in (memo.engine.approve(id, OPERATOR), memo.engine.reject(id, OPERATOR)):
            with pytest.raises(NotFoundError):
                await call


async def test_a_candidate_of_another_domain_is_not_found() -> None:
    async with memory() as memo:
        id = await waiting(memo)
        with pytest.raises(NotFoundError):
            await memo.engine.approve(id, OPERATOR, domain_id="bot:2")
        assert await memo.engine.pending_reviews(domain_id="bot:2") == []


async def test_an_items_own_id_is_no_candidate() -> None:
    async with memory() as memo:
        await waiting(memo)
        (item,) = await memo.items()
        with pytest.raises(NotFoundError):
            await memo.engine.approve(item.id, OPERATOR)


async def test_approving_what_stands_already_adds_its_evidence_and_no_twin() -> None:
    async with memory() as memo:
        first = await waiting(memo)
        second = await waiting(memo, "咱们决定周会改到周四。", OTHER_GROUP)
        assert first != second  # no chat's answer tells what waits elsewhere; an operator sees the text once
        assert [c.id for c in await memo.engine.pending_reviews()] == [first]
        assert [await memo.contents(where) for where in (GROUP, OTHER_GROUP)] == [["决定：周会改到周四"]] * 2
        standing = await memo.add("决定：周会改到周四", GLOBAL_SCOPE, kind="decision")
        approval = await memo.engine.approve(first, OPERATOR)
        assert (approval.item.id, approval.already_known, approval.candidate.status) == (standing.id, True, "duplicate")
        assert len(await memo.items(GLOBAL_SCOPE, status=None)) == 1
        assert [e.session_key for e in await memo.evidence(standing)] == [GROUP, OTHER_GROUP]
        assert await memo.engine.pending_reviews() == []


async def test_an_approved_item_takes_its_slot() -> None:
    proposals = [Proposal("procedure", f"部署用 {tool}", key="deploy", origin="api") for tool in ("make", "just")]
    async with memory() as memo:
        for proposal in proposals:
            async with memo.write() as tx:
                source = Source(GROUP, {}, Actor(MING), memo.clock())
                await write_proposals(tx, [proposal], source, memo.engine.settings)
            (candidate,) = await memo.candidates()
            memo.clock.move(hours=1)
            await memo.engine.approve(candidate.id, OPERATOR)
        assert await memo.contents(GLOBAL_SCOPE) == ["部署用 just"]


async def test_a_refusal_keeps_the_chats_own_copy() -> None:
    async with memory() as memo:
        id = await waiting(memo)
        refused = await memo.engine.reject(id, OPERATOR, "  还没有\n定下来  ")
        assert (refused.status, refused.reason) == ("rejected", "还没有 定下来")
        assert await memo.contents(GLOBAL_SCOPE) == await memo.candidates() == []
        assert await memo.contents() == ["决定：周会改到周四"]
        (kept,) = await memo.candidates(status="rejected")
        assert (kept.decided_by, kept.reason) == (BOSS, "还没有 定下来")


async def test_reviews_come_oldest_first_in_pages() -> None:
    async with memory() as memo:
        ids = [await waiting(memo, f"我们决定第 {n} 期用 pnpm") for n in range(5)]
        pages = [await memo.engine.pending_reviews(limit=2, offset=offset) for offset in (0, 2, 4, 6)]
        assert [candidate.id for page in pages for candidate in page] == ids


async def test_a_decision_of_an_operator_holds_for_the_same_text_of_every_chat() -> None:
    async with memory() as memo:
        first = await waiting(memo)
        await waiting(memo, session=OTHER_GROUP)
        assert len(await memo.engine.pending_reviews()) == 1
        await memo.engine.reject(first, OPERATOR)
        assert await memo.engine.pending_reviews() == []
        assert [c.status for c in await memo.candidates(status=None)] == ["rejected"] * 2


async def test_one_chat_cannot_fill_the_list_of_reviews() -> None:
    async with memory() as memo:
        for n in range(MAX_WAITING + 3):
            await memo.remember(f"我们决定第 {n} 期用 pnpm")
        assert len(await memo.engine.pending_reviews(limit=100)) == MAX_WAITING
        assert len(await memo.items()) == MAX_WAITING + 3
        refused = await memo.candidates(GROUP, status="rejected")
        assert {c.reason for c in refused} == {"too_many_waiting"}
        assert (await memo.remember("我们决定周会改到周四", session=OTHER_GROUP)).pending is not None


async def test_an_answer_does_not_tell_what_waits_or_stands_elsewhere() -> None:
    async with memory() as memo:
        theirs = await memo.remember("我们决定周会改到周四", session=OTHER_GROUP)
        ours = await memo.remember("我们决定周会改到周四", session=GROUP)
        assert (ours.status, ours.reason, ours.pending is None) == (theirs.status, theirs.reason, False)
        assert await memo.view(session_scope(GROUP), chat(GROUP), GLOBAL_SCOPE).list_candidates() == [ours.pending]
        await memo.engine.approve((await memo.engine.pending_reviews())[0].id, OPERATOR)
        (shared,) = await memo.items(GLOBAL_SCOPE)
        assert shared.source_session == ""
        assert (await memo.view(chat(GROUP), GLOBAL_SCOPE).evidence((shared.id,)))[shared.id] == []


# ------------------------------------------------------------------ what others see of it


async def test_an_approved_item_shows_no_source_number_or_quote_elsewhere() -> None:
    answer = said(found("u1 决定周会由 u1 主持", kind="decision", subject=None))
    async with memory(llm=FakeChat(answer)) as memo:
        await memo.speak("周会归我主持，暗号是芝麻", session=PRIVATE)
        await memo.extract(PRIVATE)
        (candidate,) = await memo.engine.pending_reviews()
        await memo.engine.approve(candidate.id, OPERATOR)
        for reader in (GROUP, OTHER_PRIVATE, "milky:10009"):
            package = await memo.engine.compose_context(reader, "周会谁主持")
            seen: list[Item] = [one.item for one in package.evidence]
            seen += [one.item for one in await memo.engine.search_memory("周会", [chat(reader), GLOBAL_SCOPE])]
            seen += await memo.engine.list_items(read=[GLOBAL_SCOPE])
            assert len(seen) == 3
            for text in (repr(package), repr(seen)):
                assert "10001" not in text
                assert "芝麻" not in text


async def test_the_source_is_shown_inside_the_sources_own_plan() -> None:
    async with memory(shared_writes="auto") as memo:
        await memo.speak("我们决定周会改到周四", session=PRIVATE)
        for reader, source in ((PRIVATE, PRIVATE), (f"{PRIVATE}:cron:x", PRIVATE), (GROUP, "")):
            (one,) = (await memo.engine.compose_context(reader, "周会")).evidence
            assert (one.source_session, one.item.source_session, bool(one.item.owner)) == (source, source, bool(source))
        own = await memo.engine.list_items(read=[chat(PRIVATE), GLOBAL_SCOPE])
        assert [(item.source_session, item.owner) for item in own] == [(PRIVATE, MING)]


async def test_a_legacy_source_has_no_plan_of_its_own_and_is_shown_to_nobody() -> None:
    async with memory(shared_writes="auto") as memo:
        await memo.remember("喜欢手冲", HONG, LEGACY)
        for reader in (LEGACY, "milky:10002", f"{LEGACY}:cron:x", GROUP):
            (one,) = (await memo.engine.compose_context(reader, "手冲")).evidence
            assert one.source_session == one.item.source_session == one.item.owner == ""


@pytest.mark.parametrize("source", ["conv-42", "milky:private", "x" * 600])
async def test_a_source_that_is_no_address_is_shown_to_nobody(source: str) -> None:
    async with memory() as memo:
        await memo.add("周会在周四", GLOBAL_SCOPE, kind="decision", source_session=source)
        (one,) = (await memo.engine.compose_context(GROUP, "周会")).evidence
        assert one.source_session == ""


async def test_readers_of_a_project_do_not_see_the_chat_an_item_came_from() -> None:
    project = ScopeRef("project", "p1")
    async with memory() as memo:
        context = ScopeContext(read=(project,), default_write=project)
        await memo.engine.commit_turn(PRIVATE, {"facts": ["周会在周四"]}, scope_context=context)
        (one,) = await memo.engine.search_memory("周会", [project])
        assert (one.item.source_session, one.item.owner) == ("", "")
