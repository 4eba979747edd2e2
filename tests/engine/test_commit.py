"""``commit_turn``: its forms, what it refuses, and that one commit happens once."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from nonebot_plugin_scoped_memory.engine.errors import InvalidItemError
from nonebot_plugin_scoped_memory.engine.models import MAX_TURN_CHARS, TurnState
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, ScopeContext, ScopeRef

from .helpers import GROUP, MING, NOON, OTHER_GROUP, PRIVATE, FakeChat, Memory, memory

ALL = {
    "preferences": ["喜欢手冲"],
    "facts": [{"content": "住在杭州"}],
    "tasks": ["交报告"],
    "decisions": ["周会改到周四"],
    "procedures": ["先备份再升级"],
    "warnings": ["别在周五发布"],
    "summaries": ["聊了发布"],
}


async def test_messages_become_turns_and_the_lists_items_of_their_kind() -> None:
    messages = [
        {"role": "user", "content": "周会改到周四吧"},
        {"role": "assistant", "content": "好的"},
        {"role": "tool", "content": "{}", "name": "calendar"},
    ]
    async with memory(shared_writes="auto") as memo:
        result = await memo.engine.commit_turn(PRIVATE, {"messages": messages, **ALL})
        assert [(t.role, t.text, t.account, t.state) for t in result.turns] == [
            ("user", "周会改到周四吧", MING, TurnState.ORDINARY),
            ("bot", "好的", "", TurnState.ORDINARY),
            ("tool", "{}", "", TurnState.ORDINARY),
        ]
        assert [o.item.kind for o in result.outcomes if o.item] == [
            "preference", "fact", "task", "decision", "procedure", "warning", "summary",
        ]  # fmt: skip
        assert [e.turn for o in result.outcomes if o.item for e in await memo.evidence(o.item)] == [1] * 7
        assert {line["scope"] for line in result.explain} == {f"chat:{PRIVATE}", "global:__global__"}


async def test_explain_has_a_line_for_each_datum() -> None:
    events = {"facts": ["住在杭州", "住在杭州。", "网盘密码是 hunter2024"], "decisions": ["周会改到周四"]}
    async with memory() as memo:
        result = await memo.engine.commit_turn(GROUP, events)
        assert [(line["kind"], line["status"], line["reason"]) for line in result.explain] == [
            ("fact", "applied", "new"),
            ("fact", "duplicate", "same_content"),
            ("fact", "rejected", "secret"),
            ("decision", "applied", "new"),
        ]
        assert result.explain[3]["pending"] == (await memo.candidates())[0].id
        assert "hunter" not in repr(result.explain)


async def test_rules_look_at_the_messages() -> None:
    messages = [{"role": "user", "content": "我喜欢手冲咖啡"}, {"role": "assistant", "content": "我喜欢茶"}]
    async with memory() as memo:
        await memo.engine.commit_turn(PRIVATE, {"messages": messages})
        assert await memo.contents(PRIVATE) == ["10001喜欢手冲咖啡"]


async def test_in_a_group_a_message_says_whose_it_is() -> None:
    messages = [
        {"role": "user", "content": "我喜欢手冲咖啡"},
        {"role": "user", "content": "我喜欢爬山", "account": MING, "name": "小明"},
    ]
    async with memory() as memo:
        await memo.engine.commit_turn(GROUP, {"messages": messages})
        assert await memo.contents() == ["小明（10001）喜欢爬山"]


async def test_items_carry_what_is_said_of_them() -> None:
    until = NOON + timedelta(days=3)
    entry = {
        "content": " 主要写 Rust ", "subject": MING, "key": "language", "confidence": 0.5, "importance": 1,
        "valid_until": until, "audience": "chat",
    }  # fmt: skip
    async with memory() as memo:
        (outcome,) = (await memo.engine.commit_turn(GROUP, {"facts": [entry]})).outcomes
        item = outcome.item
        assert item is not None
        assert (item.content, item.subject, item.key) == ("主要写 Rust", MING, "language")
        assert (item.confidence, item.importance, item.valid_until, item.origin) == (0.5, 1.0, until, "api")


@pytest.mark.parametrize(
    ("time", "said_at"),
    [
        (None, NOON),
        (NOON - timedelta(days=1), NOON - timedelta(days=1)),
        (datetime(2026, 1, 1), datetime(2026, 1, 1, tzinfo=timezone.utc)),  # noqa: DTZ001
        (1_767_225_600, datetime(2026, 1, 1, tzinfo=timezone.utc)),
        (1_767_225_600.5, datetime(2026, 1, 1, 0, 0, 0, 500_000, tzinfo=timezone.utc)),
    ],
)
async def test_a_message_has_its_own_time(time: Any, said_at: datetime) -> None:
    async with memory() as memo:
        message = {"role": "user", "content": "你好", "time": time}
        (turn,) = (await memo.engine.commit_turn(GROUP, {"messages": [message]})).turns
        assert turn.said_at == said_at


async def test_secrets_and_broken_characters_are_stored_as_replaced_and_a_cut_says_so() -> None:
    contents = ["密码是 hunter2024", "a\ud83d\x00b", "长" * (MAX_TURN_CHARS + 5)]
    async with memory() as memo:
        messages = [{"role": "user", "content": content, "name": "小\ud83d"} for content in contents]
        first, second, third = (await memo.engine.commit_turn(GROUP, {"messages": messages})).turns
        assert first.text == "密码是 [已隐去:密码]"
        assert second.text == "a\ufffd\ufffdb"
        assert second.name == "小\ufffd"
        assert len(third.text) < MAX_TURN_CHARS + 100
        assert not third.text.endswith("长")


# ------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("events", "field"),
    [
        ({"message": []}, "message"),
        ({"messages": "你好"}, "messages"),
        ({"messages": {"role": "user"}}, "messages"),
        ({"messages": ["你好"]}, "messages[0]"),
        ({"messages": [{"content": "x"}]}, "messages[0].role"),
        ({"messages": [{"role": "system", "content": "x"}]}, "messages[0].role"),
        ({"messages": [{"role": "user", "content": "x"}, {"role": "user", "content": 5}]}, "messages[1].content"),
        ({"messages": [{"role": "user", "content": "x", "time": "now"}]}, "messages[0].time"),
        ({"messages": [{"role": "user", "content": "x", "time": 1e20}]}, "messages[0].time"),
        ({"messages": [{"role": "user", "content": "x", "time": float("nan")}]}, "messages[0].time"),
        ({"facts": "住在杭州"}, "facts"),
        ({"facts": [5]}, "facts[0]"),
        ({"facts": [" "]}, "facts[0].content"),
        ({"facts": [{}]}, "facts[0].content"),
        ({"facts": [{"content": 5}]}, "facts[0].content"),
        ({"facts": ["长" * 1001]}, "facts[0].content"),
        ({"facts": ["x", {"content": "x", "confidence": 2}]}, "facts[1].confidence"),
        ({"facts": [{"content": "x", "importance": True}]}, "facts[0].importance"),
        ({"facts": [{"content": "x", "importance": float("nan")}]}, "facts[0].importance"),
        ({"facts": [{"content": "x", "audience": "all"}]}, "facts[0].audience"),
        ({"facts": [{"content": "x", "valid_until": "明天"}]}, "facts[0].valid_until"),
    ],
)
async def test_an_error_names_its_field_and_nothing_is_stored(events: dict[str, Any], field: str) -> None:
    async with memory() as memo:
        good = {"decisions": ["周会改到周四"]}
        with pytest.raises(InvalidItemError) as error:
            await memo.engine.commit_turn(GROUP, {**good, **events})
        assert error.value.field == field
        counts = await memo.engine.maintenance.counts()
        assert counts["turns"] == counts["items"] == counts["candidates"] == 0


@pytest.mark.parametrize("events", [None, [], "x", 5])
async def test_events_that_are_no_mapping_are_refused(events: Any) -> None:
    async with memory() as memo:
        with pytest.raises(InvalidItemError):
            await memo.engine.commit_turn(GROUP, events)


async def test_an_empty_commit_is_nothing() -> None:
    async with memory() as memo:
        result = await memo.engine.commit_turn(GROUP, {})
        assert (result.turns, result.outcomes, result.explain, result.replayed) == ((), (), (), False)


# ------------------------------------------------------------------ once


EVENTS = {"messages": [{"role": "user", "content": "周会改到周四吧"}], "decisions": ["周会改到周四"]}


async def counted(memo: Memory) -> tuple[int, int, int]:
    counts = await memo.engine.maintenance.counts()
    return counts["turns"], counts["items"], counts["candidates"]


async def test_the_same_commit_again_changes_nothing() -> None:
    async with memory() as memo:
        first = await memo.engine.commit_turn(GROUP, EVENTS, commit_id="c1")
        before = await counted(memo)
        again = await memo.engine.commit_turn(GROUP, {"facts": ["另一件事"]}, commit_id="c1")
        assert (again.replayed, again.turns, again.outcomes) == (True, (), ())
        assert again.explain == first.explain
        assert await counted(memo) == before


async def test_a_commit_id_is_of_its_session_and_domain() -> None:
    async with memory() as memo:
        for session, domain in ((GROUP, None), (OTHER_GROUP, None), (GROUP, "bot:2")):
            result = await memo.engine.commit_turn(session, EVENTS, commit_id="c1", domain_id=domain)
            assert not result.replayed


async def test_the_same_commit_at_once_happens_once() -> None:
    async with memory() as memo:
        results = await asyncio.gather(*(memo.engine.commit_turn(GROUP, EVENTS, commit_id="c1") for _ in range(8)))
        assert sorted(result.replayed for result in results) == [False] + [True] * 7
        assert len({result.explain for result in map(_hashable, results)}) == 1
        assert (await counted(memo))[:2] == (1, 1)


def _hashable(result: Any) -> Any:
    class One:
        explain = repr([dict(line) for line in result.explain])

    return One


async def test_a_commit_that_failed_can_be_made_again() -> None:
    async with memory() as memo:
        with pytest.raises(InvalidItemError):
            await memo.engine.commit_turn(GROUP, {"facts": [" "]}, commit_id="c1")
        assert not (await memo.engine.commit_turn(GROUP, EVENTS, commit_id="c1")).replayed


@pytest.mark.parametrize("commit_id", ["", "\ud83d", "a\0"])
async def test_a_commit_id_that_cannot_name_a_commit_is_refused(commit_id: str) -> None:
    """Whoever passes an empty one by mistake would lose every commit but the first."""
    async with memory() as memo:
        with pytest.raises(InvalidItemError) as error:
            await memo.engine.commit_turn(GROUP, EVENTS, commit_id=commit_id)
        assert error.value.field == "commit_id"


async def test_commits_at_once_are_all_kept_in_order() -> None:
    async with memory() as memo:
        await asyncio.gather(
            *(memo.engine.commit_turn(GROUP, {"messages": [{"role": "user", "content": f"{n}"}]}) for n in range(30))
        )
        assert [turn.text for turn in await memo.turns()] == [str(n) for n in range(30)]


# ------------------------------------------------------------------ where it goes


async def test_a_context_sends_rules_and_lists_to_its_own_scope() -> None:
    project = ScopeRef("project", "p1")
    context = ScopeContext(read=(project, GLOBAL_SCOPE), default_write=project)
    messages = [{"role": "user", "content": "我喜欢手冲咖啡"}]
    async with memory(llm=FakeChat()) as memo:
        await memo.engine.commit_turn(PRIVATE, {"messages": messages, "facts": ["住在杭州"]}, scope_context=context)
        assert len(await memo.items(project)) == 2
        assert await memo.items(PRIVATE) == await memo.items(GLOBAL_SCOPE) == []
        assert [turn.text for turn in await memo.turns(PRIVATE)] == ["我喜欢手冲咖啡"]


async def test_a_commit_counts_towards_a_batch() -> None:
    model = FakeChat()
    async with memory(llm=model, extract_every_turns=2) as memo:
        for n in range(2):
            await memo.engine.commit_turn(PRIVATE, {"messages": [{"role": "user", "content": f"话题{n}"}]})
        await memo.engine.drain()
        assert len(model.prompts) == 1


async def test_what_is_committed_counts_as_in_a_chat() -> None:
    """忘了吧 takes back, and while the memory is off nothing is kept."""
    async with memory() as memo:
        for words in ("我的猫叫豆豆", "我对花生过敏", "忘了吧"):
            await memo.engine.commit_turn(PRIVATE, {"messages": [{"role": "user", "content": words}]})
        assert [item.content for item in await memo.items(PRIVATE)] == ["10001的猫叫豆豆"]
        await memo.engine.set_chat_setting(PRIVATE, "memory", "off", by=MING)
        result = await memo.engine.commit_turn(PRIVATE, {**EVENTS, "facts": ["我喜欢滑雪"]})
        assert (result.turns, result.outcomes) == ((), ())
        assert [line["reason"] for line in result.explain] == ["off"]
        assert len(await memo.items(PRIVATE)) == 1
