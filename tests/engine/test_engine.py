"""The engine's door: its methods by name and signature, what they refuse, and that empty never means everything."""

from __future__ import annotations

import asyncio
import inspect
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from nonebot_plugin_scoped_memory.engine import text
from nonebot_plugin_scoped_memory.engine.engine import MemoryEngine
from nonebot_plugin_scoped_memory.engine.errors import (
    InvalidAddressError,
    InvalidItemError,
    InvalidScopeError,
    NotFoundError,
    StoreError,
)
from nonebot_plugin_scoped_memory.engine.llm import Completion
from nonebot_plugin_scoped_memory.engine.models import Evidence, NewItem, utc_now
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, ScopeContext, ScopeRef, plan_for_session

from .helpers import (
    BOSS,
    GROUP,
    LEGACY,
    MING,
    NOON,
    OTHER_GROUP,
    PRIVATE,
    BigramEmbedder,
    FakeChat,
    HandClock,
    Held,
    chat,
    found,
    memory,
    said,
)

NOT_ADDRESSES = ["", "milky:private", "milky:private:", "milky:unknown:1", "milky:Private:1", "x", "qq:group:1\n"]
TOO_LONG = ":".join(["qq", "group", "1", *["x" * 100] * 6])


# ------------------------------------------------------------------ names and signatures


@pytest.mark.parametrize(
    ("name", "positional", "keywords"),
    [
        ("commit_turn", ["session_id", "turn_events"], {"domain_id": None, "scope_context": None, "commit_id": None}),
        ("compose_context", ["session_id", "user_message"], {"domain_id": None, "scope_context": None}),
        ("search_memory", ["query", "read", "limit"], {}),
        ("search_turns", ["query"], {"session_id": inspect.Parameter.empty, "limit": 10}),
        ("add_items", ["items"], {}),
        ("list_items", [], {"read": inspect.Parameter.empty, "status": "active", "kind": None}),
        ("update_item", ["item_id"], {"scopes": inspect.Parameter.empty}),
        ("archive_item", ["item_id"], {"scopes": inspect.Parameter.empty}),
        ("retract_item", ["item_id"], {"scopes": inspect.Parameter.empty}),
    ],
)
def test_the_door_keeps_its_names(name: str, positional: list[str], keywords: dict[str, Any]) -> None:
    method = getattr(MemoryEngine, name)
    assert inspect.iscoroutinefunction(method)
    parameters = {k: p for k, p in inspect.signature(method).parameters.items() if k != "self"}
    assert [k for k, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD] == positional
    assert {k: p.default for k, p in parameters.items() if p.kind is p.KEYWORD_ONLY and k in keywords} == keywords
    others = [p for k, p in parameters.items() if k not in positional and k not in keywords]
    assert all(p.default is not p.empty for p in others)


def test_opening_needs_a_url_alone() -> None:
    parameters = inspect.signature(MemoryEngine.open).parameters
    expected = {"embedder": None, "llm": None, "clock": utc_now, "domain_id": "default"}
    assert {k: parameters[k].default for k in expected} == expected
    assert parameters["url"].default is inspect.Parameter.empty


@pytest.mark.parametrize("folder", ["plain", "记忆 data", "with space/and more"])
async def test_a_file_keeps_what_was_stored(tmp_path: Path, folder: str) -> None:
    url = f"sqlite:///{(tmp_path / folder / 'memory.db').as_posix()}"
    async with MemoryEngine.open(url) as engine:
        await engine.add_items([NewItem(chat(GROUP), "fact", "周会在周四")])
    async with MemoryEngine.open(url) as engine:
        assert [one.item.content for one in await engine.search_memory("周会", read=[chat(GROUP)])] == ["周会在周四"]
    assert (tmp_path / folder / "memory.db").exists()


async def test_two_temporary_databases_share_nothing() -> None:
    async with MemoryEngine.open("sqlite://") as one, MemoryEngine.open("sqlite://") as other:
        await one.add_items([NewItem(chat(GROUP), "fact", "周会在周四")])
        assert await other.list_items(read=[chat(GROUP)]) == []


@pytest.mark.parametrize("url", ["", "memory.db", "mysql://x/y", "sqlite:memory.db"])
async def test_a_url_that_names_no_database_is_a_store_error(url: str) -> None:
    with pytest.raises(StoreError):
        async with MemoryEngine.open(url):
            pytest.fail("it opened")


async def test_a_new_item_needs_a_scope_a_kind_and_its_content() -> None:
    async with memory() as memo:
        (item,) = await memo.engine.add_items([NewItem(scope=chat(GROUP), kind="fact", content="周会在周四")])
        assert (item.subject, item.key, item.tier, item.status, item.version) == ("", None, "evidence", "active", 1)
        assert item.valid_from == item.created_at == memo.clock()
        assert item.id


# ------------------------------------------------------------------ empty is nothing


@pytest.mark.parametrize("read", [[], (), None])
async def test_no_scopes_find_nothing(read: Any) -> None:
    async with memory() as memo:
        item = await memo.add("周会在周四")
        assert await memo.engine.search_memory("周会", read=read) == []
        assert await memo.engine.list_items(read=read) == await memo.engine.list_items(read=read, status=None) == []
        for call in (memo.engine.update_item, memo.engine.archive_item, memo.engine.retract_item):
            with pytest.raises(NotFoundError):
                await call(item.id, scopes=read)
        with pytest.raises(TypeError):
            await memo.engine.list_items()  # type: ignore[call-arg]
        assert await memo.items() == [item]


@pytest.mark.parametrize("limit", [0, -1])
async def test_no_limit_is_no_result(limit: int) -> None:
    async with memory() as memo:
        await memo.add("周会在周四")
        await memo.speak("周会在周四")
        assert await memo.engine.search_memory("周会", [chat(GROUP)], limit) == []
        assert await memo.engine.list_items(read=[chat(GROUP)], limit=limit) == []
        assert await memo.engine.search_turns("周会", session_id=GROUP, limit=limit) == []


async def test_an_empty_domain_is_an_error_and_no_other_domain() -> None:
    async with memory() as memo:
        await memo.add("周会在周四")
        await memo.speak("周会在周四")
        for call in (
            memo.engine.search_memory("周会", [chat(GROUP)], domain_id=""),
            memo.engine.list_items(read=[chat(GROUP)], domain_id=""),
            memo.engine.compose_context(GROUP, "周会", domain_id=""),
            memo.engine.search_turns("周会", session_id=GROUP, domain_id=""),
            memo.engine.commit_turn(GROUP, {"facts": ["x"]}, domain_id=""),
            memo.engine.pending_reviews(domain_id=""),
        ):
            with pytest.raises(InvalidScopeError):
                await call


async def test_domains_share_nothing() -> None:
    async with memory(domain_id="bot:1") as memo:
        await memo.speak("我喜欢手冲咖啡", session=PRIVATE)
        assert await memo.found("手冲", PRIVATE) != []
        assert await memo.found("手冲", PRIVATE, domain_id="bot:2") == []
        assert await memo.recalled("手冲", PRIVATE, domain_id="bot:2") == []
        assert await memo.engine.search_turns("手冲", session_id=PRIVATE, domain_id="bot:2") == []


@pytest.mark.parametrize("session", NOT_ADDRESSES)
async def test_what_is_no_address_is_an_error_on_writing_and_nothing_on_reading(session: str) -> None:
    context = ScopeContext(read=(GLOBAL_SCOPE,), default_write=GLOBAL_SCOPE)
    async with memory() as memo:
        await memo.add("周会在周四", GLOBAL_SCOPE, kind="decision")
        for given in (None, context):
            with pytest.raises(InvalidAddressError):
                await memo.engine.commit_turn(session, {"facts": ["周会"]}, scope_context=given)
            package = await memo.engine.compose_context(session, "周会", scope_context=given)
            assert package.evidence == package.turns == ()
            assert package.memory_block() == ""
            assert package.debug.warnings != ()
        assert await memo.engine.search_turns("周会", session_id=session) == []
        with pytest.raises(InvalidAddressError):
            await memo.remember("周会在周四", session=session)
        with pytest.raises(InvalidAddressError):
            await memo.speak("周会在周四", session=session)
        assert await memo.contents(GLOBAL_SCOPE) == ["周会在周四"]


async def test_a_key_that_is_too_long_for_a_scope_is_one_too() -> None:
    async with memory() as memo:
        assert (await memo.engine.compose_context(TOO_LONG, "周会")).debug.warnings != ()
        assert await memo.engine.search_turns("周会", session_id=TOO_LONG) == []
        with pytest.raises(InvalidScopeError):
            await memo.engine.commit_turn(TOO_LONG, {"facts": ["周会"]})


# ------------------------------------------------------------------ items


async def test_items_are_stored_all_or_none() -> None:
    async with memory() as memo:
        good, bad = NewItem(chat(GROUP), "fact", "周会在周四"), NewItem(chat(GROUP), "fact", " ")
        with pytest.raises(InvalidItemError):
            await memo.engine.add_items([good, bad])
        unfounded = NewItem(chat(GROUP), "fact", "x", evidence=(Evidence(GROUP, 9, "", ""),))
        with pytest.raises(NotFoundError):
            await memo.engine.add_items([good, unfounded])
        assert await memo.items() == []
        assert await memo.engine.add_items([]) == []


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("kind", {"kind": "wish"}),
        ("tier", {"tier": "top"}),
        ("content", {"content": "\u3000"}),
        ("content", {"content": "长" * 1001}),
        ("content", {"content": "网盘密码是 hunter2024"}),
        ("confidence", {"confidence": 1.1}),
        ("importance", {"importance": -0.1}),
        ("valid_from", {"valid_from": datetime(2026, 1, 1)}),  # noqa: DTZ001
        ("valid_until", {"valid_until": datetime(2026, 1, 1)}),  # noqa: DTZ001
    ],
)
async def test_an_item_that_must_not_be_stored_is_refused_by_its_field(field: str, change: dict[str, Any]) -> None:
    async with memory() as memo:
        with pytest.raises(InvalidItemError) as error:
            await memo.engine.add_items([NewItem(**{"scope": chat(GROUP), "kind": "fact", "content": "x", **change})])
        assert error.value.field == field
        assert "hunter" not in str(error.value)


async def test_half_characters_are_stored_as_replaced() -> None:
    broken = "\ud83d"
    async with memory() as memo:
        new = NewItem(chat(GROUP), "fact", f"周会{broken}", subject=broken, owner=broken, key=broken)
        (item,) = await memo.engine.add_items([new])
        assert (item.content, item.subject, item.owner, item.key) == ("周会\ufffd", "\ufffd", "\ufffd", "\ufffd")
        (outcome,) = (
            await memo.engine.commit_turn(GROUP, {"facts": [{"content": "x", "subject": broken, "key": broken}]})
        ).outcomes
        assert outcome.item is not None
        assert (outcome.item.subject, outcome.item.key) == ("\ufffd", "\ufffd")


async def test_what_stands_already_is_returned_with_the_new_evidence() -> None:
    async with memory() as memo:
        await memo.speak("周会在周四")
        first = await memo.add("周会在周四")
        evidence = (Evidence(GROUP, 1, MING, "周会在周四"),)
        again = await memo.add("周会在周四。", evidence=evidence, owner=BOSS)
        assert again == first
        assert tuple(await memo.evidence(first)) == evidence
        assert [(e.action, e.actor) for e in await memo.events(first)] == [("added", "api"), ("evidence_added", BOSS)]


async def test_items_take_the_slot_of_earlier_ones() -> None:
    async with memory() as memo:
        for n, content in enumerate(("主要写 Python", "主要写 Rust")):
            await memo.add(content, key="language", subject=MING, valid_from=NOON + timedelta(days=n))
        assert await memo.contents() == ["主要写 Rust"]


async def test_what_waits_for_approval_falls_with_an_item_that_another_takes_the_slot_of() -> None:
    async with memory() as memo:
        outcome = await memo.remember("周会在周四", kind="decision")
        assert outcome.item is not None
        await memo.engine.update_item(outcome.item.id, scopes=[chat(GROUP)], key="weekly")
        await memo.add("周会在周五", kind="decision", key="weekly", valid_from=NOON + timedelta(days=1))
        assert await memo.candidates() == []


async def test_lists_are_by_scope_status_and_kind_newest_first() -> None:
    async with memory() as memo:
        for n, kind in enumerate(("fact", "task", "fact")):
            memo.clock.move(minutes=1)
            await memo.add(f"第 {n} 条", kind=kind)
        gone = await memo.add("旧的")
        await memo.add("别处的", OTHER_GROUP)
        await memo.engine.archive_item(gone.id, scopes=[chat(GROUP)])
        listed = memo.engine.list_items
        assert [i.content for i in await listed(read=[chat(GROUP)])] == ["第 2 条", "第 1 条", "第 0 条"]
        assert [i.content for i in await listed(read=[chat(GROUP)], kind="task")] == ["第 1 条"]
        assert [i.content for i in await listed(read=[chat(GROUP)], status="archived")] == ["旧的"]
        assert len(await listed(read=[chat(GROUP)], status=None)) == 4
        assert [i.content for i in await listed(read=[chat(GROUP)], limit=1, offset=1)] == ["第 1 条"]
        assert len(await listed(read=[chat(GROUP), chat(OTHER_GROUP)])) == 4


# ------------------------------------------------------------------ small things operators use


async def test_settings_belong_to_the_chat_of_a_session() -> None:
    async with memory() as memo:
        await memo.engine.set_chat_setting(GROUP, "memory", "off", by=BOSS)
        for session, value in ((GROUP, "off"), (f"{GROUP}:cron:x", "off"), (OTHER_GROUP, None), (PRIVATE, None)):
            assert await memo.engine.chat_setting(session, "memory") == value
        assert await memo.engine.chat_setting(GROUP, "memory", domain_id="bot:2") is None


async def test_usage_is_counted_by_local_day() -> None:
    async with memory() as memo:
        assert memo.engine.today() == "2026-11-30"
        await memo.engine.add_usage(GROUP, "chat", [Completion("x", 100, 10, estimated=False)] * 2)
        await memo.engine.add_usage(PRIVATE, "chat", [Completion("x", 5, 1, estimated=True)])
        assert await memo.engine.spent_today() == 226
        memo.clock.now = datetime(2026, 11, 30, 16, 0, tzinfo=timezone.utc)  # midnight in Shanghai
        assert memo.engine.today() == "2026-12-01"
        assert await memo.engine.spent_today() == 0


async def test_an_older_index_is_rebuilt_at_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{(tmp_path / 'memory.db').as_posix()}"
    async with memory(url) as memo:
        monkeypatch.setattr(text, "document_terms", lambda _: ["old"])
        await memo.add("周会在周四")
        await memo.speak("周会在周四吗")
    monkeypatch.undo()
    monkeypatch.setattr(text, "ANALYSER_VERSION", 2)
    async with memory(url) as memo:
        assert await memo.found("周会") == ["周会在周四"]
        for query in ("周会", "2026-11-30", "小明"):
            assert len(await memo.engine.search_turns(query, session_id=GROUP)) == 1
        assert await memo.engine.rebuild_index() == 0


async def test_closing_waits_for_what_is_under_way() -> None:
    held = Held(said(found("u1 喜欢手冲")))
    clock = HandClock()
    async with memory(llm=FakeChat(held), clock=clock, extract_every_turns=1) as memo:
        await memo.speak("手冲真香")
        await held.asked.wait()
        asyncio.get_running_loop().call_soon(held.go.set)
        closing = memo
    with pytest.raises(StoreError):
        await closing.items()


async def test_a_handed_in_client_stays_open() -> None:
    embedder = BigramEmbedder()
    async with memory(embedder=embedder, llm=FakeChat()) as memo:
        await memo.add("周会在周四")
        await memo.engine.drain()
    assert (await embedder.embed(["x"])).shape == (1, 2048)


@pytest.mark.parametrize("session", [GROUP, PRIVATE, LEGACY])
async def test_an_empty_memory_answers_everything_with_nothing(session: str) -> None:
    async with memory(embedder=BigramEmbedder()) as memo:
        package = await memo.engine.compose_context(session, "周会")
        assert (package.evidence, package.turns, package.memory_block()) == ((), (), "")
        assert await memo.engine.search_memory("周会", plan_for_session(session)) == []
        assert await memo.engine.search_turns("周会", session_id=session) == []
        assert await memo.engine.pending_reviews() == []
        assert await memo.engine.embed_items_all_scopes() == 0
        assert not await memo.engine.listener.take_back("default", session, "1", "2")


async def test_a_scope_of_another_type_is_its_own_wall() -> None:
    async with memory() as memo:
        refs = [ScopeRef(t, GROUP) for t in ("chat", "project", "expert", "task", "session")]
        for ref in refs:
            await memo.add(f"周会归 {ref.type}", ref)
        for ref in refs:
            found_here = await memo.engine.search_memory("周会", [ref])
            assert [one.item.content for one in found_here] == [f"周会归 {ref.type}"]


async def test_a_setting_with_half_a_character_is_stored_as_replaced() -> None:
    async with memory() as memo:
        await memo.engine.set_chat_setting(GROUP, "memory", "\ud83d", by=MING)
        assert await memo.engine.chat_setting(GROUP, "memory") == "\ufffd"
