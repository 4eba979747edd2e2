"""The second door."""

from __future__ import annotations

import dataclasses
from datetime import timedelta

import numpy as np

from nonebot_plugin_scoped_memory.engine.models import TurnState, UsageRow
from nonebot_plugin_scoped_memory.engine.scope import ScopeRef, session_scope
from nonebot_plugin_scoped_memory.engine.store.base import Backlog, MaintenanceStore, Store

from .making import (
    CHAT,
    CHAT_KEY,
    DOMAIN,
    NOON,
    OTHER_KEY,
    SESSION,
    HandClock,
    OpenedStore,
    OpenStore,
    a_turn,
    add,
    an_item,
    found_items,
    found_turns,
    save,
    say,
)


async def backlog(maintenance: MaintenanceStore, clock: HandClock, *, limit: int = 10) -> list[Backlog]:
    """Sessions that have been quiet for five minutes."""
    return await maintenance.backlog(now=clock.now, quiet_before=clock.now - timedelta(minutes=5), limit=limit)


async def set_watermark(store: Store, key: str, n: int) -> None:
    async with store.write(DOMAIN, [session_scope(key)]) as write:
        await write.set_watermark(key, n)


class MaintenanceContract:
    async def test_backlog_waits_for_quiet(self, store: OpenedStore, clock: HandClock) -> None:
        await say(store, "a", "b", a_turn("answer", role="bot"))
        assert await backlog(store.maintenance, clock) == []
        clock.advance(minutes=5)
        assert await backlog(store.maintenance, clock) == [Backlog(DOMAIN, CHAT_KEY, 2, NOON)]
        await set_watermark(store, CHAT_KEY, 1)
        assert [session.turns for session in await backlog(store.maintenance, clock)] == [1]
        await say(store, a_turn("still talking", role="bot"))
        assert await backlog(store.maintenance, clock) == []

    async def test_backlog_counts_what_will_be_processed(self, store: OpenedStore, clock: HandClock) -> None:
        await say(
            store,
            "counts",
            a_turn("/help", state=TurnState.COMMAND),
            a_turn("refused", state=TurnState.UNPROCESSABLE),
            a_turn("bot", role="bot"),
            "recalled",
            "suppressed",
            a_turn("open", state=TurnState.OPEN),
        )
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.mark_recalled(CHAT_KEY, 5)
            await write.mark_suppressed(CHAT_KEY, [6])
        clock.advance(hours=1)
        assert [session.turns for session in await backlog(store.maintenance, clock)] == [1]
        await set_watermark(store, CHAT_KEY, 1)
        assert await backlog(store.maintenance, clock) == []

    async def test_turns_left_open(self, store: OpenedStore, clock: HandClock) -> None:
        await say(store, "done", a_turn("open", state=TurnState.OPEN))
        clock.advance(minutes=1)
        await say(store, a_turn("elsewhere", state=TurnState.OPEN), session_key=OTHER_KEY, domain="bot2")
        clock.advance(minutes=1)
        await say(store, a_turn("just now", state=TurnState.OPEN))
        both = [(DOMAIN, CHAT_KEY, 2), ("bot2", OTHER_KEY, 1)]
        assert await store.maintenance.left_open(before=clock.now, limit=10) == both
        assert await store.maintenance.left_open(before=clock.now, limit=1) == both[:1]

    async def test_where_a_bots_own_message_was_sent(self, store: OpenedStore) -> None:
        await say(store, a_turn("hers", message_ids=(("1", "a"),)), a_turn("x", role="bot", message_ids=(("1", "b"),)))
        await say(store, a_turn("y", role="bot", message_ids=(("1", "b"),)), session_key=OTHER_KEY)
        await say(store, a_turn("z", role="bot", message_ids=(("2", "b"),)), session_key=OTHER_KEY, domain="bot2")

        async def found(domain: str, self_id: str, message_id: str) -> list[str]:
            return await store.maintenance.sessions_of_own_message(domain, self_id, message_id)

        assert await found(DOMAIN, "1", "b") == [CHAT_KEY, OTHER_KEY]
        assert await found("bot2", "2", "b") == [OTHER_KEY]
        assert await found(DOMAIN, "1", "a") == await found(DOMAIN, "2", "b") == []

    async def test_backlog_is_oldest_first_over_all_domains(self, store: OpenedStore, clock: HandClock) -> None:
        await say(store, "processed")
        clock.advance(minutes=1)
        await say(store, "oldest", session_key=OTHER_KEY, domain="bot2")
        clock.advance(minutes=1)
        await say(store, "newer")
        await set_watermark(store, CHAT_KEY, 1)
        clock.advance(hours=1)
        found = await backlog(store.maintenance, clock)
        assert [(session.domain_id, session.session_key) for session in found] == [
            ("bot2", OTHER_KEY),
            (DOMAIN, CHAT_KEY),
        ]
        assert await backlog(store.maintenance, clock, limit=1) == found[:1]

    async def test_backlog_waits_for_a_retry(self, store: OpenedStore, clock: HandClock) -> None:
        await say(store, "a", "b")
        clock.advance(hours=1)
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.set_failure(CHAT_KEY, 3, clock.now + timedelta(minutes=10))
        assert await backlog(store.maintenance, clock) == []
        clock.advance(minutes=10)
        assert len(await backlog(store.maintenance, clock)) == 1
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.set_failure(CHAT_KEY, 4, clock.now + timedelta(days=1))
        await set_watermark(store, CHAT_KEY, 1)  # success clears it
        assert len(await backlog(store.maintenance, clock)) == 1

    async def test_list_items_all_scopes(self, store: OpenedStore) -> None:
        a, b, _ = await add(store, an_item("a"), an_item("b"), an_item("c", status="archived"))
        [foreign] = await add(store, an_item("d"), domain="bot2")
        await store.put_vectors(DOMAIN, "m", {a.id: np.array([1.0, 0.0], dtype=np.float32)})
        assert await store.maintenance.list_items_all_scopes("m", limit=9) == [(DOMAIN, b), ("bot2", foreign)]
        assert len(await store.maintenance.list_items_all_scopes("other", limit=9)) == 3
        assert await store.maintenance.list_items_all_scopes("m", limit=1) == [(DOMAIN, b)]
        changed = await save(store, dataclasses.replace(a, content="e", identity="=e"))
        assert (DOMAIN, changed) in await store.maintenance.list_items_all_scopes("m", limit=9)

    async def test_rows_of_another_analyser_are_rebuilt(self, open_store: OpenStore) -> None:
        store = await open_store(analyser=1)
        item, gone = await add(store, an_item("red apple"), an_item("gone"))
        await say(store, "red pear", a_turn("/red", state=TurnState.COMMAND, name=""))
        outdated = await store.maintenance.outdated_terms(2, limit=9)
        assert outdated == [
            (DOMAIN, CHAT, item.id, "red apple"),
            (DOMAIN, CHAT, gone.id, "gone"),
            (DOMAIN, SESSION, 1, "小明\nred pear"),
            (DOMAIN, SESSION, 2, "/red"),
        ]
        assert await store.maintenance.outdated_terms(2, limit=3) == outdated[:3]
        assert await store.maintenance.outdated_terms(1, limit=9) == []
        await save(store, dataclasses.replace(gone, status="retracted"))
        rows: list[tuple[str, ScopeRef, str | int, list[str]]] = [
            (domain, owner, ref, ["rot", "neu"]) for domain, owner, ref, _ in outdated
        ]
        await store.maintenance.reindex(2, [*rows, (DOMAIN, CHAT, "nope", ["x"]), (DOMAIN, SESSION, 99, ["x"])])
        assert await store.maintenance.outdated_terms(2, limit=9) == []
        assert await found_items(store, "rot") == [item.id]
        assert await found_turns(store, "rot") == [1]
        assert await found_items(store, "red") == await found_turns(store, "red") == []
        sizes = (await store.view(DOMAIN, [CHAT]).item_candidates(["rot"])).sizes[CHAT]
        assert (sizes.documents, sizes.terms) == (1, 2)
        await store.maintenance.reindex(2, [(DOMAIN, CHAT, item.id, ["late"])])  # has this version already
        assert await found_items(store, "late") == []

    async def test_usage_total(self, store: OpenedStore) -> None:
        for domain in (DOMAIN, "bot2"):
            async with store.write(domain, [CHAT, SESSION]) as write:
                await write.add_usage(UsageRow("2026-03-01", CHAT, "extract", 1, 10, 1, False))
                await write.add_usage(UsageRow("2026-03-01", SESSION, "dream", 1, 5, 2, False))
        assert await store.maintenance.usage_total("2026-03-01") == (30, 6)
        assert await store.maintenance.usage_total("2026-03-02") == (0, 0)

    async def test_counts(self, store: OpenedStore) -> None:
        await say(store, "a", "b")
        await add(store, an_item("x"))
        counts = await store.maintenance.counts()
        assert (counts["turns"], counts["items"], counts["candidates"]) == (2, 1, 0)

    async def test_tidy_changes_nothing_that_is_read(self, store: OpenedStore) -> None:
        items = [(await add(store, an_item(f"apple {i}")))[0] for i in range(30)]
        await save(store, dataclasses.replace(items[3], status="archived"))
        before = await found_items(store, "apple")
        await store.maintenance.tidy()
        await store.maintenance.tidy()
        assert await found_items(store, "apple") == before
        assert await found_items(store, "3") == []
