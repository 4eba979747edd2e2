"""Candidates, events, settings, usage and commits."""

from __future__ import annotations

import dataclasses
from datetime import timedelta

import pytest

from nonebot_plugin_scoped_memory.engine.errors import InvalidItemError, NotFoundError
from nonebot_plugin_scoped_memory.engine.models import UsageRow
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, REVIEW_SCOPE, ScopeRef
from nonebot_plugin_scoped_memory.engine.store.base import Store

from .making import (
    CHAT,
    CHAT_KEY,
    DOMAIN,
    HONG,
    MING,
    NOON,
    OTHER,
    OTHER_SESSION,
    SESSION,
    a_candidate,
    add,
    an_event,
    an_item,
    evidence,
    save,
)


class RecordContract:
    # --- candidates

    async def test_a_candidate_is_read_as_it_was_returned(self, store: Store) -> None:
        full = a_candidate(
            "决定 用 SQLite",
            subject=MING,
            key="db",
            item_id="abc",
            valid_until=NOON + timedelta(days=1, microseconds=10),
            decided_at=NOON,
            decided_by=HONG,
            evidence=(evidence(1, quote="用 SQLite"), evidence(2)),
            prompt_version="2",
        )
        async with store.write(DOMAIN, [CHAT]) as write:
            made = await write.add_candidate(full)
            with pytest.raises(InvalidItemError):
                await write.add_candidate(made)
        assert made == dataclasses.replace(full, id=made.id, valid_until=NOON + timedelta(days=1))
        assert await store.view(DOMAIN, [CHAT]).candidate(made.id) == made

    async def test_candidates_are_listed_oldest_first(self, store: Store) -> None:
        async with store.write(DOMAIN, [CHAT]) as write:
            late = await write.add_candidate(a_candidate("late", created_at=NOON + timedelta(hours=1)))
            one = await write.add_candidate(a_candidate("one"))
            two = await write.add_candidate(a_candidate("two"))
            done = await write.add_candidate(a_candidate("done", status="rejected"))
        view = store.view(DOMAIN, [CHAT])
        assert await view.list_candidates() == [one, two, late]
        assert await view.list_candidates(limit=1, offset=1) == [two]
        assert await view.list_candidates(status="rejected") == [done]
        assert len(await view.list_candidates(status=None)) == 4
        assert await view.list_candidates(limit=-1) == []

    async def test_deciding(self, store: Store) -> None:
        [copy] = await add(store, an_item("x"))
        async with store.write(DOMAIN, [CHAT, GLOBAL_SCOPE, SESSION]) as write:
            made = await write.add_candidate(a_candidate("x", GLOBAL_SCOPE, item_id=copy.id))
            assert await write.candidates_of_item(copy.id) == [made]
            await write.decide_candidate(made.id, "rejected", reason="no", by=MING, at=NOON)
            assert await write.candidates_of_item(copy.id) == []
            rejected = await write.candidate(made.id)
            assert rejected == dataclasses.replace(
                made, status="rejected", reason="no", decided_by=MING, decided_at=NOON
            )
            await write.decide_candidate(made.id, "applied", reason="yes", by=HONG, at=NOON, item_id="new")
            applied = await write.candidate(made.id)
            assert applied is not None
            assert (applied.status, applied.item_id) == ("applied", "new")
            with pytest.raises(NotFoundError):
                await write.decide_candidate("nope", "applied", reason="", by="", at=NOON)

    async def test_who_sees_what_waits_for_a_shared_scope(self, store: Store) -> None:
        [copy] = await add(store, an_item("x"))
        async with store.write(DOMAIN, [CHAT, GLOBAL_SCOPE]) as write:
            made = await write.add_candidate(a_candidate("x", GLOBAL_SCOPE, item_id=copy.id))
            # Who reaches its copy may know of it.
            assert await write.candidates_of_item(copy.id) == [made]
        async with store.write(DOMAIN, [OTHER, GLOBAL_SCOPE]) as write:
            assert await write.candidates_of_item(copy.id) == []
        for scopes, seen in (
            ([GLOBAL_SCOPE, CHAT], []),
            ([GLOBAL_SCOPE, OTHER_SESSION], []),
            ([GLOBAL_SCOPE, SESSION], [made]),
            ([GLOBAL_SCOPE, REVIEW_SCOPE], [made]),
            ([REVIEW_SCOPE], []),
        ):
            view = store.view(DOMAIN, scopes)
            assert await view.list_candidates() == seen
            assert [await view.candidate(made.id)] == (seen or [None])

    async def test_same_candidates(self, store: Store) -> None:
        async with store.write(DOMAIN, [CHAT, OTHER]) as write:
            first = await write.add_candidate(a_candidate("x", status="rejected"))
            second = await write.add_candidate(a_candidate("x"))
            await write.add_candidate(a_candidate("x", OTHER))
            await write.add_candidate(a_candidate("x", subject=MING))
            assert await write.same_candidates(CHAT, "decision", "", "=x") == [first, second]
            assert await write.same_candidates(GLOBAL_SCOPE, "decision", "", "=x") == []

    # --- events

    async def test_events_of_an_item(self, store: Store) -> None:
        a, b = await add(store, an_item("a"), an_item("b"))
        first = an_event(a.id, candidate_id="c", reason="said so", before="old")
        later = an_event(a.id, action="archive", at=NOON - timedelta(hours=1))
        async with store.write(DOMAIN, [CHAT]) as write:
            for event in (first, an_event(b.id), later, an_event("")):
                await write.add_event(event)
        view = store.view(DOMAIN, [CHAT])
        assert await view.events(a.id) == [first, later]
        assert await view.events("") == []

    async def test_events_stay_in_the_scope_where_they_happened(self, store: Store) -> None:
        [item] = await add(store, an_item("a"))
        async with store.write(DOMAIN, [CHAT, GLOBAL_SCOPE]) as write:
            await write.add_event(an_event(item.id, before="private words"))
            await write.save_item(dataclasses.replace(item, scope=GLOBAL_SCOPE), ["a"])
            await write.add_event(an_event(item.id, GLOBAL_SCOPE, "move"))

        async def seen(*scopes: ScopeRef) -> list[str]:
            return [event.action for event in await store.view(DOMAIN, scopes).events(item.id)]

        assert await seen(CHAT) == []
        assert await seen(CHAT, GLOBAL_SCOPE) == ["add"]
        # Who changed a shared item is for operators only.
        assert await seen(GLOBAL_SCOPE) == []
        assert await seen(GLOBAL_SCOPE, REVIEW_SCOPE) == ["move"]
        assert await seen(CHAT, GLOBAL_SCOPE, REVIEW_SCOPE) == ["add", "move"]

    # --- settings

    async def test_chat_settings(self, store: Store) -> None:
        async with store.write(DOMAIN, [CHAT, OTHER]) as write:
            await write.set_chat_setting(CHAT, "recall", "off", by=MING, at=NOON)
            await write.set_chat_setting(CHAT, "recall", "on", by=HONG, at=NOON)
            await write.set_chat_setting(CHAT, "dream", "off", by=MING, at=NOON)
            await write.set_chat_setting(OTHER, "recall", "off", by=MING, at=NOON)
            assert await write.chat_settings(CHAT) == {"dream": "off", "recall": "on"}
        view = store.view(DOMAIN, [CHAT])
        assert await view.chat_settings(CHAT) == {"dream": "off", "recall": "on"}
        assert await view.chat_settings(OTHER) == await view.chat_settings(GLOBAL_SCOPE) == {}

    async def test_account_settings(self, store: Store) -> None:
        async with store.write(DOMAIN, [CHAT, OTHER, GLOBAL_SCOPE]) as write:
            await write.set_account_setting(CHAT, MING, "memory", "off", at=NOON)
            await write.set_account_setting(CHAT, MING, "memory", "on", at=NOON)
            await write.set_account_setting(GLOBAL_SCOPE, MING, "memory", "off", at=NOON)
            await write.set_account_setting(OTHER, MING, "memory", "off", at=NOON)
            await write.set_account_setting(CHAT, HONG, "memory", "off", at=NOON)
        view = store.view(DOMAIN, [CHAT, GLOBAL_SCOPE])
        assert await view.account_settings(MING) == {CHAT: {"memory": "on"}, GLOBAL_SCOPE: {"memory": "off"}}
        assert await view.account_settings("qq:user:9") == {}

    # --- usage, commits

    async def test_usage_adds_up(self, store: Store) -> None:
        row = UsageRow("2026-03-01", CHAT, "extract", 1, 100, 10, False)
        async with store.write(DOMAIN, [CHAT, OTHER]) as write:
            await write.add_usage(row)
            await write.add_usage(dataclasses.replace(row, tokens_in=5, estimated=True))
            await write.add_usage(row)
            await write.add_usage(dataclasses.replace(row, purpose="dream"))
            await write.add_usage(dataclasses.replace(row, day="2026-03-02"))
            await write.add_usage(dataclasses.replace(row, scope=OTHER))
        assert await store.view(DOMAIN, [CHAT]).usage("2026-03-01") == [
            dataclasses.replace(row, purpose="dream"),
            UsageRow("2026-03-01", CHAT, "extract", 3, 205, 30, True),
        ]

    async def test_a_commit_is_made_once(self, store: Store) -> None:
        view = store.view(DOMAIN, [SESSION])
        assert await view.commit_result(CHAT_KEY, "c1") is None
        async with store.write(DOMAIN, [SESSION]) as write:
            assert await write.save_commit(CHAT_KEY, "c1", "first", at=NOON) is True
            assert await write.save_commit(CHAT_KEY, "c1", "second", at=NOON) is False
        assert await view.commit_result(CHAT_KEY, "c1") == "first"

    async def test_an_item_from_elsewhere_keeps_its_status(self, store: Store) -> None:
        [old] = await add(store, an_item("old", status="superseded", successor="next"))
        assert (await save(store, old)).status == "superseded"
