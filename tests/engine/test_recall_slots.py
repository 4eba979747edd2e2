"""Which scopes a question reads, and which of several holders of a slot it finds."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, ScopeContext, ScopeRef

from .filling import MODES, embedder, fill
from .helpers import GROUP, LEGACY, MING, NOON, OTHER_PRIVATE, PRIVATE, Memory, chat, memory

PROJECT, EXPERT, TASK = (ScopeRef(t, "x") for t in ("project", "expert", "task"))


# ------------------------------------------------------------------ the plan


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("reader", "sees"),
    [
        (PRIVATE, {"私聊", "共享"}),
        (f"{PRIVATE}:cron:abc", {"私聊", "共享"}),
        (OTHER_PRIVATE, {"另一私聊", "共享"}),
        (GROUP, {"群", "共享"}),
        ("qq:group:10001", {"共享"}),
        ("milky:private:10001", {"共享"}),
        (LEGACY, {"共享"}),
    ],
)
async def test_each_session_reads_its_chat_and_what_is_shared(mode: str, reader: str, sees: set[str]) -> None:
    async with memory(embedder=embedder(mode)) as memo:
        for where, name in ((PRIVATE, "私聊"), (OTHER_PRIVATE, "另一私聊"), (GROUP, "群"), (GLOBAL_SCOPE, "共享")):
            await fill(memo, f"{name}里的手冲咖啡", where=where, kind="decision")
        for contents in (await memo.recalled("手冲咖啡", reader), await memo.found("手冲咖啡", reader)):
            assert {content.removesuffix("里的手冲咖啡") for content in contents} == sees


async def test_the_debug_part_says_what_was_read_and_found() -> None:
    async with memory(recall_limit=3, max_items_per_scope=2) as memo:
        await fill(memo, *(f"手冲第 {n} 种" for n in range(4)))
        await fill(memo, "手冲规程", where=GLOBAL_SCOPE, kind="procedure")
        debug = (await memo.engine.compose_context(GROUP, "手冲")).debug
        assert debug.scopes_read == (chat(GROUP), GLOBAL_SCOPE)
        assert debug.scope_stats == {
            f"chat:{GROUP}": {"found": 4, "shown": 2},
            "global:__global__": {"found": 1, "shown": 1},
        }
        assert debug.dropped == {"limit": 2}


# ------------------------------------------------------------------ slots


async def ask_all(memo: Memory, question: str) -> Any:
    read = (GLOBAL_SCOPE, EXPERT, PROJECT, chat(GROUP), TASK)
    return await memo.engine.compose_context(GROUP, question, scope_context=ScopeContext(read=read))


async def test_the_more_specific_scope_wins_a_slot() -> None:
    order = [TASK, chat(GROUP), PROJECT, EXPERT, GLOBAL_SCOPE]
    async with memory() as memo:
        for n, ref in enumerate(order):  # the least specific is the newest
            await fill(
                memo, f"数据库用 {ref.type}", where=ref, kind="decision", key="db", valid_from=NOON + timedelta(days=n)
            )
        for n, ref in enumerate(order):
            package = await ask_all(memo, "数据库")
            (one,) = package.evidence
            assert one.scope == ref
            assert {(s.reason, s.winner_id) for s in package.debug.shadowed} == {
                (f"{ref.type}_over_{loser.type}", one.item.id) for loser in order[n + 1 :]
            }
            await memo.engine.archive_item(one.item.id, scopes=[ref])


async def test_a_winner_that_the_question_does_not_meet_stands_in_for_the_loser_it_met() -> None:
    async with memory() as memo:
        await fill(memo, "用 MySQL", key="db", kind="decision")
        await fill(memo, "数据库用 PostgreSQL", where=GLOBAL_SCOPE, key="db", kind="decision")
        assert await memo.recalled("数据库") == ["用 MySQL"]
        assert await memo.recalled("PostgreSQL") == ["用 MySQL"]


@pytest.mark.parametrize("differs", [{"kind": "warning"}, {"key": "cache"}, {"subject": MING}, {"key": None}])
async def test_only_kind_key_and_subject_together_make_a_conflict(differs: dict[str, Any]) -> None:
    async with memory() as memo:
        await fill(memo, "数据库用 MySQL", key="db", kind="decision")
        await fill(memo, "数据库用 SQLite", where=GLOBAL_SCOPE, **{"key": "db", "kind": "decision", **differs})
        assert len(await memo.recalled("数据库")) == 2


async def test_inside_one_type_the_later_then_the_smaller_id_wins() -> None:
    a, b = ScopeRef("project", "a"), ScopeRef("project", "b")
    async with memory() as memo:
        context = ScopeContext(read=(a, b))
        for ref, day in ((a, 2), (b, 1)):
            await fill(memo, f"数据库归 {ref.id}", where=ref, key="db", valid_from=NOON + timedelta(days=day))
        package = await memo.engine.compose_context(GROUP, "数据库", scope_context=context)
        assert [item.content for item in package.items] == ["数据库归 a"]
        for ref in (a, b):
            await fill(memo, f"缓存归 {ref.id}", where=ref, key="cache")
        package = await memo.engine.compose_context(GROUP, "缓存", scope_context=context)
        ids = sorted([i.id for ref in (a, b) for i in await memo.items(ref) if i.key == "cache"])
        assert [item.id for item in package.items] == ids[:1]


async def test_a_pinned_principle_wins_its_slot_and_is_always_there() -> None:
    async with memory() as memo:
        await fill(memo, "数据库用 MySQL", key="db", kind="decision", valid_from=NOON + timedelta(days=1))
        await fill(memo, "数据库一律用 SQLite", where=GLOBAL_SCOPE, key="db", kind="decision", tier="dao_tian")
        await fill(memo, "群里说中文", where=GLOBAL_SCOPE, kind="procedure", tier="dao_tian")
        assert set(await memo.recalled("数据库")) == {"数据库一律用 SQLite", "群里说中文"}
        assert set(await memo.recalled("天气")) == {"数据库一律用 SQLite", "群里说中文"}
        package = await memo.engine.compose_context(GROUP, "数据库")
        assert [(s.reason) for s in package.debug.shadowed] == ["global_over_chat"]


async def test_of_two_principles_the_more_specific_then_the_older_wins() -> None:
    async with memory() as memo:
        await fill(memo, "一律 SQLite", where=GLOBAL_SCOPE, key="db", tier="dao_tian")
        await fill(memo, "一律 MySQL", key="db", tier="dao_tian", valid_from=NOON + timedelta(days=1))
        assert await memo.recalled("天气") == ["一律 MySQL"]


async def test_at_most_five_principles_come_by_themselves_and_the_rest_by_relevance() -> None:
    async with memory() as memo:
        for n in range(8):
            await fill(memo, f"第 {n} 条原则", tier="dao_tian", valid_from=NOON + timedelta(days=n))
        await fill(memo, "手冲咖啡的原则", tier="dao_tian", valid_from=NOON + timedelta(days=9))
        assert sorted(await memo.recalled("天气")) == [f"第 {n} 条原则" for n in range(5)]
        assert "手冲咖啡的原则" in await memo.recalled("手冲咖啡")


async def test_what_loses_is_listed_by_id_and_reason_alone() -> None:
    async with memory() as memo:
        await fill(memo, "数据库用 MySQL", key="db", kind="decision")
        await fill(memo, "数据库用 SQLite", where=GLOBAL_SCOPE, key="db", kind="decision")
        await fill(memo, "数据库每周备份", kind="procedure")
        await fill(memo, "数据库每周备份。", where=GLOBAL_SCOPE, kind="procedure")
        debug = (await memo.engine.compose_context(GROUP, "数据库")).debug
        assert sorted(s.reason for s in debug.shadowed) == ["chat_over_global", "same_content"]
        assert "SQLite" not in repr(debug)
