"""Where a proposal goes: scope, gate, duplicate, supersede; and that each has a decision, a reason and an actor."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from nonebot_plugin_scoped_memory.engine.models import Item, Proposal
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, ScopeContext, ScopeRef, session_scope
from nonebot_plugin_scoped_memory.engine.settings import EngineSettings
from nonebot_plugin_scoped_memory.engine.writing import Actor, Source, write_proposals

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
    PRIVATE,
    FakeChat,
    Memory,
    chat,
    found,
    memory,
    said,
)

PERSONAL, SHARED = ("preference", "fact", "task"), ("decision", "procedure", "warning", "summary")


async def propose(memo: Memory, proposal: Proposal, session: str = GROUP, *, actor: Actor = OPERATOR, **source: Any):
    """Write one proposal as a batch would."""
    async with memo.write(session) as tx:
        turns = {turn.n: turn for turn in await tx.turns(session, proposal.evidence)}
        made = Source(session, turns, actor, memo.clock(), **source)
        (outcome,) = await write_proposals(tx, [proposal], made, memo.engine.settings)
    return outcome


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
        await memo.speak("周会改到周四")
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


# ------------------------------------------------------------------ duplicates


async def test_four_people_who_say_the_same_at_once_make_one_item_with_four_pieces_of_evidence() -> None:
    async with memory() as memo:
        words = ("记住我喜欢手冲咖啡", "记住我喜欢手冲咖啡。", "记住我喜欢手冲 咖啡!", "记住我喜歡手沖咖啡")
        outcomes = await asyncio.gather(*(memo.heard(text) for text in words))
        (item,) = await memo.items()
        assert sorted(o.status for _, (o,) in outcomes) == ["applied", "duplicate", "duplicate", "duplicate"]
        assert sorted(e.turn for e in await memo.evidence(item)) == [1, 2, 3, 4]
        assert {e.quote for e in await memo.evidence(item)} == set(words)


async def test_two_engines_on_one_file_make_no_twins(tmp_path) -> None:
    url = f"sqlite:///{(tmp_path / 'memory.db').as_posix()}"
    async with memory(url) as one, memory(url) as other:
        await asyncio.gather(*(memo.heard("记住我喜欢手冲咖啡") for memo in (one, other) for _ in range(4)))
        (item,) = await one.items()
        assert len(await other.evidence(item)) == 8


@pytest.mark.parametrize("text", ["ｃ＋＋ 项目在Ｄ盘", "C++ 项目在 D 盘。", "c++項目在d盤"])
async def test_width_case_punctuation_and_traditional_forms_do_not_make_a_second_item(text: str) -> None:
    async with memory() as memo:
        await memo.remember("C++ 项目在 D 盘", kind="fact")
        outcome = await memo.remember(text, kind="fact")
        assert outcome.status == "duplicate"
        assert len(await memo.items()) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C 项目在 D 盘", "C++ 项目在 D 盘"),
        ("早餐吃包子", "早餐吃面条"),
        ("3.5 元一杯", "35 元一杯"),
    ],
)
async def test_a_different_statement_is_a_second_item(one: str, other: str) -> None:
    async with memory() as memo:
        for text in (one, other):
            assert (await memo.remember(text, kind="fact")).status == "applied"
        assert len(await memo.items()) == 2


async def test_what_stands_before_the_subjects_name_is_part_of_the_statement() -> None:
    answer = said(*(found(f"{animal}是 u1 最喜欢的动物", kind="preference") for animal in ("猫", "狗")))
    async with memory(llm=FakeChat(answer)) as memo:
        await memo.speak("说到动物嘛，猫呀狗呀")
        await memo.extract()
        assert await memo.contents() == ["猫是小明（10001）最喜欢的动物", "狗是小明（10001）最喜欢的动物"]


async def test_a_new_name_does_not_make_a_second_item() -> None:
    async with memory() as memo:
        for name in ("小明", "阿明", "\u200b", "小明"):
            await memo.heard("我喜欢手冲咖啡", name=name)
        assert await memo.contents() == ["小明（10001）喜欢手冲咖啡"]
        await memo.remember("我喜欢手冲咖啡", name="明明")
        assert len(await memo.items()) == 1


async def test_what_had_ended_and_is_said_again_is_remembered_again() -> None:
    async with memory() as memo:
        await memo.remember("我喜欢手冲咖啡")
        (item,) = await memo.items()
        ends = memo.clock() + timedelta(days=1)
        await memo.engine.update_item(item.id, scopes=[item.scope], valid_until=ends)
        memo.clock.move(days=2)
        assert await memo.recalled("手冲咖啡") == []
        assert (await memo.remember("我喜欢手冲咖啡")).status == "duplicate"
        assert await memo.recalled("手冲咖啡") == ["小明（10001）喜欢手冲咖啡"]
        assert (await memo.events(item))[-1].action == "extended"


# ------------------------------------------------------------------ slots


async def test_a_later_statement_supersedes_the_holder_of_its_slot() -> None:
    async with memory() as memo:
        await memo.speak("我主要写 Python")
        await memo.speak("我现在主要写 Rust")
        old, new = await memo.items(status=None)
        assert (old.status, new.status) == ("superseded", "active")
        assert old.successor == new.id
        assert old.valid_to == new.valid_from
        assert old.valid_from < new.valid_from
        assert await memo.recalled("我写什么语言", speaker=MING) == ["小明（10001）主要写 Rust"]
        assert [e.action for e in await memo.events(old)] == ["added", "superseded"]


async def test_one_members_language_never_touches_anothers() -> None:
    async with memory() as memo:
        await memo.speak("我主要写 Python", MING)
        await memo.speak("我主要写 Rust", HONG)
        await memo.speak("我主要写 Go", HONG)
        assert await memo.contents() == ["小明（10001）主要写 Python", "小红（10002）主要写 Go"]


async def test_what_was_said_earlier_but_is_learnt_later_becomes_the_past() -> None:
    async with memory() as memo:
        await memo.speak("我主要写 Rust")
        _, (outcome,) = await memo.heard("我主要写 Python", said_at=NOON - timedelta(days=1))
        assert (outcome.status, outcome.reason) == ("applied", "older_than_current")
        (current,) = await memo.items()
        (past,) = await memo.items(status="superseded")
        assert (past.successor, past.valid_to) == (current.id, current.valid_from)
        assert await memo.contents() == ["小明（10001）主要写 Rust"]


async def test_going_back_to_an_earlier_answer_is_a_new_item() -> None:
    async with memory() as memo:
        for language in ("Python", "Rust", "Python"):
            await memo.speak(f"我主要写 {language}")
        assert [(i.content[-6:], i.status) for i in await memo.items(status=None)] == [
            ("Python", "superseded"),
            ("写 Rust", "superseded"),
            ("Python", "active"),
        ]


async def test_a_report_supersedes_nothing() -> None:
    answer = said(found("u2 说 u1 主要写 Go", "t2", key="language"))
    async with memory(llm=FakeChat(answer)) as memo:
        await memo.speak("我主要写 Rust", MING)
        await memo.speak("@小明 主要写 Go 的吧", HONG, mentions=((MING, "小明"),))
        await memo.extract()
        assert (await memo.contents())[0] == "小明（10001）主要写 Rust"
        report = (await memo.items())[1]
        assert (report.subject, report.key) == ("", None)
        assert "小红（10002）" in report.content


async def test_what_is_past_already_does_not_wait_to_be_shared() -> None:
    async with memory() as memo:
        await memo.speak("周五开周会")
        await memo.speak("周四开周会", said_at=NOON - timedelta(days=1))
        for n, day in ((1, "周五"), (2, "周四")):
            await propose(memo, Proposal("decision", f"周会在{day}", key="weekly", origin="api", evidence=(n,)))
        assert await memo.contents() == ["周会在周五"]
        assert [c.content for c in await memo.candidates()] == ["周会在周五"]


async def test_what_waits_falls_with_the_item_it_came_from() -> None:
    async with memory() as memo:
        for day in ("周四", "周五"):
            await propose(
                memo,
                Proposal("decision", f"周会在{day}", key="weekly", origin="command", explicit=True),
                actor=Actor(MING),
            )
            memo.clock.move(hours=1)
        assert await memo.contents() == ["周会在周五"]
        assert [c.content for c in await memo.candidates()] == ["周会在周五"]
        fallen = await memo.candidates(status="rejected")
        assert [(c.content, c.reason) for c in fallen] == [("周会在周四", "source_superseded")]


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
        await memo.speak("手冲真香，周会改到周四")
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
