"""What is refused, what a shared item may hold, and that everything has a decision, a reason and an actor."""

from __future__ import annotations

from typing import Any

import pytest

from nonebot_plugin_scoped_memory.engine.changing import Actor
from nonebot_plugin_scoped_memory.engine.models import Item, Proposal
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE
from nonebot_plugin_scoped_memory.engine.settings import EngineSettings
from nonebot_plugin_scoped_memory.engine.source import Source
from nonebot_plugin_scoped_memory.engine.writing import write_proposals

from .helpers import BOSS, GANG, GROUP, HONG, MING, OPERATOR, FakeChat, Memory, chat, found, memory, said
from .proposing import propose

# ------------------------------------------------------------------ secrets and refusals


@pytest.mark.parametrize("way", ["command", "rule", "model"])
async def test_a_secret_leaves_its_reason_and_not_its_text(way: str) -> None:
    answer = said(found("u1 的网盘密码是 hunter2024"))
    async with memory(llm=FakeChat(answer)) as memo:
        if way == "command":
            await memo.remember("我的网盘密码是 hunter2024")
        else:
            await memo.speak("记住我的网盘密码是 hunter2024" if way == "rule" else "网盘密码 hunter2024")
            await memo.extract()
        assert await memo.contents(status=None) == []
        kept = await memo.candidates(GROUP, status="rejected")
        assert kept
        assert "secret" in {c.reason for c in kept} or way == "model"  # which never saw it, so that it invents
        assert {(c.content, c.identity, c.evidence) for c in kept} == {("", "", ())}
        assert not any("hunter2024" in turn.text for turn in await memo.turns())


async def test_what_a_person_refused_is_not_proposed_again() -> None:
    async with memory() as memo:
        first = await memo.remember("我们决定周会改到周四")
        assert first.pending is not None
        await memo.engine.reject(first.pending.id, OPERATOR, "不对")
        again = await memo.remember("我们决定周会改到周四！", account=HONG)
        assert (again.status, again.pending) == ("duplicate", None)
        assert await memo.candidates() == []


async def test_a_refusal_binds_a_model_but_not_an_operator_who_asks() -> None:
    answer = said(found("周会改到周四", kind="decision", subject=None))
    async with memory(llm=FakeChat(answer), shared_writes="auto") as memo:
        async with memo.write() as tx:
            await propose_pending(tx, memo)
        (waiting,) = await memo.candidates()
        await memo.engine.reject(waiting.id, OPERATOR)
        await memo.speak("周会改到周四吧")
        (outcome,) = (await memo.extract()).outcomes
        assert (outcome.status, outcome.reason) == ("rejected", "rejected_before")
        assert [c.reason for c in await memo.candidates(GROUP, status="rejected")] == ["rejected_before"]
        await memo.remember("周会改到周四", BOSS, operator=True, kind="decision", origin="command")
        assert len(await memo.contents(GLOBAL_SCOPE)) == 1


async def propose_pending(tx: Any, memo: Memory) -> None:
    proposal = Proposal("decision", "周会改到周四", origin="api")
    await write_proposals(tx, [proposal], Source(GROUP, {}, Actor(MING), memo.clock()), EngineSettings())


async def test_what_a_check_refused_may_be_proposed_again() -> None:
    proposal = Proposal("fact", "小明（10001）有 3 只猫", subject=MING, evidence=(1,))
    async with memory() as memo:
        await memo.speak("我养猫了", MING)
        await memo.speak("我有 3 只猫", MING)
        assert (await propose(memo, proposal)).reason == "invented_number"
        outcome = await propose(memo, Proposal("fact", proposal.content, subject=MING, evidence=(2,)))
        assert outcome.status == "applied"


async def test_what_lost_its_source_may_be_proposed_again() -> None:
    async with memory() as memo:
        first = await memo.remember("我们决定周会改到周四")
        assert first.item is not None
        await memo.engine.retract_item(first.item.id, scopes=[chat(GROUP)])
        assert await memo.candidates() == []
        again = await memo.remember("我们决定周会改到周四")
        assert (again.status, again.pending is not None) == ("applied", True)


# ------------------------------------------------------------------ what is shared


@pytest.mark.parametrize("name", ["小明", "\u200b", "小明（99999）", ""])
@pytest.mark.parametrize("kind", ["procedure", "warning"])
async def test_a_shared_item_holds_no_account_number(name: str, kind: Any) -> None:
    content = "我和小红（10002）每周备份一次，10001 负责检查"
    async with memory() as memo:
        await memo.speak("大家好", HONG)
        waits = (await memo.remember(content, name=name, kind=kind)).pending
        shared = (await memo.remember(content, BOSS, operator=True, name="老板", kind=kind)).item
        assert waits is not None
        assert shared is not None
        for text in (waits.content, shared.content):
            assert not any(number in text for number in ("10000", "10001（", "10002", "（99999）")), text


async def test_words_that_are_nobodys_number_stay() -> None:
    answer = said(found("use system fonts, api 10 and 10001 rows", kind="procedure", subject=None))
    async with memory(llm=FakeChat(answer), shared_writes="auto") as memo:
        await memo.speak("use system fonts, api 10 and 10001 rows", HONG)
        await memo.extract()
        assert await memo.contents(GLOBAL_SCOPE) == ["use system fonts, api 10 and 10001 rows"]


async def test_a_nameless_members_number_does_not_get_out() -> None:
    answer = said(found("u1 决定周会由 u2 主持", "t1", "t2", kind="decision"))
    async with memory(llm=FakeChat(answer), shared_writes="auto") as memo:
        await memo.speak("周会归你主持", MING, name="")
        await memo.speak("好", "qq:user:12345", name="\u200b")
        await memo.extract()
        (item,) = await memo.items(GLOBAL_SCOPE)
        assert "10001" not in item.content
        assert "12345" not in item.content


# ------------------------------------------------------------------ nothing is silent


async def test_every_proposal_has_a_decision_with_a_reason_and_every_change_an_event_with_an_actor() -> None:
    answer = said(
        found("u1 喜欢手冲", kind="preference"),
        found("u1 喜欢手冲。", kind="preference"),
        found("u1 有 7 只猫"),
        found("周会改到周四", kind="decision", subject=None),
    )
    async with memory(llm=FakeChat(answer)) as memo:
        await memo.speak("手冲真香，周会周四怎么样")
        report = await memo.extract()
        kept = [*await memo.candidates(GROUP, status=None), *await memo.candidates(status=None)]
        assert sorted((c.status, c.reason) for c in kept) == [
            ("applied", "new"),
            ("applied", "new"),
            ("duplicate", "same_content"),
            ("pending", "waits_for_approval"),
            ("rejected", "invented_number"),
        ]
        assert len(report.outcomes) == 4
        for item in await memo.items():
            assert [(e.action, e.actor, e.reason) for e in await memo.events(item)] == [("added", "system", "new")]


async def test_an_event_names_the_person_who_asked() -> None:
    async with memory() as memo:
        for account in (MING, MING):
            await memo.heard("记住我喜欢手冲咖啡", account)
        (item,) = await memo.items()
        assert [(e.action, e.actor) for e in await memo.events(item)] == [("added", MING), ("evidence_added", MING)]


async def test_the_owner_is_the_account_of_the_first_evidence() -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡", HONG)
        remembered = await memo.remember("我喜欢手冲咖啡", GANG)
        (item, other) = await memo.items()
        assert (item.owner, item.subject, item.source_session) == (HONG, HONG, GROUP)
        assert isinstance(remembered.item, Item)
        assert (other.owner, remembered.item.id) == (GANG, other.id)
