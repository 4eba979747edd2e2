"""Dreams: runs and their operations, what a transaction changed, marks of a session, and who sees any of it."""

from __future__ import annotations

import dataclasses
from datetime import timedelta

import pytest

from nonebot_plugin_scoped_memory.engine.dream_records import DreamOperation, DreamRun, ItemChange
from nonebot_plugin_scoped_memory.engine.errors import InvalidScopeError, NotFoundError
from nonebot_plugin_scoped_memory.engine.models import TurnState
from nonebot_plugin_scoped_memory.engine.store.base import Store

from .making import (
    CHAT,
    CHAT_KEY,
    DOMAIN,
    NOON,
    OTHER,
    OTHER_KEY,
    OTHER_SESSION,
    SESSION,
    HandClock,
    OpenedStore,
    a_turn,
    add,
    an_item,
    evidence,
    say,
    words,
)


async def start(store: Store, session_key: str = CHAT_KEY, domain: str = DOMAIN) -> DreamRun:
    async with store.write(domain, [SESSION, OTHER_SESSION]) as write:
        run = await write.start_dream(session_key, at=NOON)
    assert run is not None
    return run


class DreamContract:
    # --- runs

    async def test_a_run_is_read_as_it_was_written(self, store: Store) -> None:
        [item] = await add(store, an_item("x", key="k", valid_until=NOON + timedelta(days=1)))
        run = await start(store)
        assert (run.domain_id, run.session_key, run.status, run.started_at) == (DOMAIN, CHAT_KEY, "running", NOON)
        archived = dataclasses.replace(item, status="archived", valid_to=NOON, version=2)
        first = DreamOperation("archive", "applied", item.id, "over", (3, 4), item, archived)
        second = DreamOperation("evidence", "waiting", item.id, evidence=(evidence(1, quote="q"),))
        third = DreamOperation("summary", "applied", before_text="旧", after_text="新")
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.add_dream_operations(run.id, [first], turns=4)
            await write.add_dream_operations(run.id, [second, third], turns=1)
            await write.end_dream(run.id, "failed", reason="timeout", at=NOON + timedelta(minutes=1))
        stored = await store.view(DOMAIN, [SESSION]).dream_run(run.id)
        assert stored is not None
        assert stored.operations == tuple(
            dataclasses.replace(operation, place=place) for place, operation in enumerate((first, second, third), 1)
        )
        assert (stored.status, stored.reason, stored.turns) == ("failed", "timeout", 5)
        assert stored.ended_at == NOON + timedelta(minutes=1)
        assert (stored.count("applied"), stored.count("waiting", "rejected")) == (2, 1)

    async def test_the_operations_of_some_actions_are_read_without_the_others(self, store: Store) -> None:
        runs: list[DreamRun] = []
        for _ in range(3):
            runs.append(await start(store))
            async with store.write(DOMAIN, [SESSION]) as write:
                added = [DreamOperation("add", "applied", "a"), DreamOperation("evidence", "applied", "b")]
                own = [DreamOperation("merge", "waiting", "c"), DreamOperation("archive", "undone", "d")]
                await write.add_dream_operations(runs[-1].id, [*added, *own])
                await write.end_dream(runs[-1].id, "done", at=NOON)
        view = store.view(DOMAIN, [SESSION])
        found = await view.dream_operations(CHAT_KEY, ("merge", "archive"), runs=2)
        assert list(found) == [runs[2].id, runs[1].id]
        for operations in found.values():
            assert [(one.action, one.state, one.item_id, one.place) for one in operations] == [
                ("merge", "waiting", "c", 3),
                ("archive", "undone", "d", 4),
            ]
        assert await view.dream_operations(CHAT_KEY, ("update",), runs=1) == {runs[2].id: []}
        assert await view.dream_operations(OTHER_KEY, ("merge",), runs=9) == {}
        assert await store.view("bot2", [SESSION]).dream_operations(CHAT_KEY, ("merge",), runs=9) == {}

    async def test_one_run_a_session_at_a_time(self, store: Store) -> None:
        run = await start(store)
        async with store.write(DOMAIN, [SESSION]) as write:
            assert await write.start_dream(CHAT_KEY, at=NOON) is None
        other = await start(store, OTHER_KEY)
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.end_dream(run.id, "done", at=NOON)
            with pytest.raises(NotFoundError):
                await write.add_dream_operations(run.id, [])
        again = await start(store)
        assert len({run.id, other.id, again.id}) == 3
        runs = await store.view(DOMAIN, [SESSION]).dream_runs(CHAT_KEY, limit=9)
        assert [one.id for one in runs] == [again.id, run.id]
        assert len(await store.view(DOMAIN, [SESSION]).dream_runs(CHAT_KEY, limit=1)) == 1

    async def test_a_foreign_run_is_not_found(self, store: OpenedStore) -> None:
        run = await start(store)
        for view in (store.view(DOMAIN, [OTHER_SESSION]), store.view(DOMAIN, [CHAT]), store.view("bot2", [SESSION])):
            assert await view.dream_run(run.id) is None
            assert await view.dream_runs(CHAT_KEY, limit=9) == []
        async with store.write(DOMAIN, [OTHER_SESSION]) as write:
            with pytest.raises(NotFoundError):
                await write.end_dream(run.id, "done", at=NOON)
            with pytest.raises(NotFoundError):
                await write.add_dream_operations(run.id, [])
            with pytest.raises(NotFoundError):
                await write.set_dream_operation(run.id, DreamOperation("add", "undone", place=1))
            with pytest.raises(InvalidScopeError):
                await write.start_dream(CHAT_KEY, at=NOON)
        assert await store.maintenance.dream_session(DOMAIN, run.id) == CHAT_KEY
        assert await store.maintenance.dream_session("bot2", run.id) is None
        assert await store.maintenance.dream_runs("bot2", limit=9) == []

    async def test_an_operation_is_decided_after_the_run(self, store: Store) -> None:
        run = await start(store)
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.add_dream_operations(run.id, [DreamOperation("archive", "waiting", "x", "over")])
            await write.end_dream(run.id, "done", at=NOON)
            decided = DreamOperation("archive", "skipped", "x", "gone", (7,), place=1)
            await write.set_dream_operation(run.id, decided)
            await write.add_dream_operations(run.id, [DreamOperation("add", "applied", "y")], running=False)
            stored = await write.dream_run(run.id)
            assert stored is not None
            assert stored.operations == (decided, DreamOperation("add", "applied", "y", place=2))
            with pytest.raises(NotFoundError):
                await write.set_dream_operation(run.id, dataclasses.replace(decided, place=3))

    async def test_operators_see_all_runs_of_a_domain(self, store: OpenedStore) -> None:
        runs = [await start(store), await start(store, OTHER_KEY)]
        await start(store, domain="bot2")
        found = await store.maintenance.dream_runs(DOMAIN, limit=9)
        assert [run.id for run in found] == [run.id for run in reversed(runs)]
        assert [run.id for run in await store.maintenance.dream_runs(DOMAIN, limit=1, offset=1)] == [runs[0].id]

    async def test_runs_that_a_dead_process_left(self, store: OpenedStore, clock: HandClock) -> None:
        left = await start(store)
        clock.advance(minutes=10)
        alive = await start(store, OTHER_KEY)
        at = clock.advance(minutes=1)
        assert await store.maintenance.interrupt_dreams(idle_since=NOON + timedelta(minutes=5), at=at) == 1
        stored = await store.view(DOMAIN, [SESSION]).dream_run(left.id)
        assert stored is not None
        assert (stored.status, stored.reason, stored.ended_at) == ("failed", "interrupted", at)
        other = await store.view(DOMAIN, [OTHER_SESSION]).dream_run(alive.id)
        assert other is not None
        assert other.status == "running"
        await start(store)

    # --- what a transaction changed

    async def test_changes_of_a_transaction(self, store: Store) -> None:
        [turn] = await say(store, "a")
        [old] = await add(store, an_item("old"))
        async with store.write(DOMAIN, [CHAT, SESSION]) as write:
            assert write.changes() == []
            once = await write.save_item(dataclasses.replace(old, importance=0.9), words("old"))
            twice = await write.save_item(dataclasses.replace(once, status="archived"), ())
            new = await write.add_item(an_item("new"), words("new"))
            await write.add_evidence(new.id, [evidence(turn.n)])
            await write.add_evidence(new.id, [evidence(turn.n)])
            assert write.changes() == [ItemChange(old, twice), ItemChange(None, new, (evidence(turn.n),))]

    async def test_evidence_alone_is_a_change_too_and_can_be_removed(self, store: Store) -> None:
        first, second = await say(store, "a", "b")
        [item] = await add(store, an_item("x"))
        async with store.write(DOMAIN, [CHAT, SESSION]) as write:
            await write.add_evidence(item.id, [evidence(first.n)])
        async with store.write(DOMAIN, [CHAT, SESSION]) as write:
            await write.add_evidence(item.id, [evidence(first.n), evidence(second.n)])
            assert write.changes() == [ItemChange(item, item, (evidence(second.n),))]
            assert await write.remove_evidence(item.id, [evidence(second.n), evidence(9)]) == 1
            assert await write.evidence([item.id]) == {item.id: [evidence(first.n)]}
            with pytest.raises(NotFoundError):
                await write.remove_evidence("nope", [])
        async with store.write(DOMAIN, [OTHER]) as write:
            with pytest.raises(NotFoundError):
                await write.remove_evidence(item.id, [evidence(first.n)])

    # --- marks of a session

    async def test_what_a_dream_has_looked_at(self, store: Store) -> None:
        await say(store, "a", "b")
        view = store.view(DOMAIN, [SESSION])
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.set_dream_failure(CHAT_KEY, 2, NOON + timedelta(hours=1))
        session = await view.session(CHAT_KEY)
        assert session is not None
        assert (session.dream_failures, session.dream_retry_at) == (2, NOON + timedelta(hours=1))
        assert (session.failures, session.retry_at) == (0, None)
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.set_dreamed(CHAT_KEY, 9)
            await write.set_dreamed(CHAT_KEY, 1)
        session = await view.session(CHAT_KEY)
        assert session is not None
        assert (session.dreamed, session.dream_failures, session.dream_retry_at, session.watermark) == (2, 0, None, 0)

    async def test_a_summary_goes_with_what_it_was_made_of(self, store: Store) -> None:
        await say(store, *"abcd")
        run = await start(store)

        async def summary() -> tuple[str, int]:
            session = await store.view(DOMAIN, [SESSION]).session(CHAT_KEY)
            assert session is not None
            return session.summary, session.summarised

        async with store.write(DOMAIN, [SESSION]) as write:
            await write.set_summary(CHAT_KEY, "about a to c", until=3)
            await write.add_dream_operations(run.id, [DreamOperation("summary", "applied", after_text="about a to c")])
            await write.mark_recalled(CHAT_KEY, 4)
        assert await summary() == ("about a to c", 3)
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.mark_suppressed(CHAT_KEY, [2])
        assert await summary() == ("", 0)
        stored = await store.view(DOMAIN, [SESSION]).dream_run(run.id)
        assert stored is not None
        assert (stored.operations[0].after_text, stored.operations[0].state) == ("", "skipped")

    # --- the second door

    async def test_which_sessions_may_be_dreamt_of(self, store: OpenedStore, clock: HandClock) -> None:
        await say(store, "a", "b", "c", a_turn("/x", state=TurnState.COMMAND))
        await say(store, "d", session_key=OTHER_KEY)

        async def found(min_turns: int = 3, **older: float) -> list[str]:
            backlog = await store.maintenance.dream_backlog(
                now=clock.now,
                quiet_before=clock.now - timedelta(minutes=10),
                older_than=clock.now - timedelta(**(older or {"days": 1})),
                min_turns=min_turns,
                limit=9,
            )
            return [one.session_key for one in backlog]

        assert await found() == []
        clock.advance(minutes=10)
        assert await found() == [CHAT_KEY]
        assert await found(4) == []
        assert await found(1) == [CHAT_KEY, OTHER_KEY]
        clock.advance(days=1)
        assert await found() == [CHAT_KEY, OTHER_KEY]
        async with store.write(DOMAIN, [SESSION, OTHER_SESSION]) as write:
            await write.set_watermark(CHAT_KEY, 3)  # extraction is not dreaming
            await write.set_dreamed(OTHER_KEY, 1)
        assert await found() == [CHAT_KEY]
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.set_dream_failure(CHAT_KEY, 1, clock.now + timedelta(minutes=1))
        assert await found() == []
        clock.advance(minutes=1)
        assert await found() == [CHAT_KEY]

    async def test_items_that_have_ended(self, store: OpenedStore, clock: HandClock) -> None:
        later, sooner, _, _ = await add(
            store,
            an_item("later", valid_until=NOON),
            an_item("sooner", valid_until=NOON - timedelta(days=1)),
            an_item("gone", valid_until=NOON, status="archived"),
            an_item("lasts"),
        )
        [foreign] = await add(store, an_item("x", OTHER, valid_until=NOON + timedelta(hours=1)), domain="bot2")
        assert await store.maintenance.ended_items(now=NOON, limit=9) == [(DOMAIN, sooner), (DOMAIN, later)]
        assert await store.maintenance.ended_items(now=NOON, limit=1) == [(DOMAIN, sooner)]
        clock.advance(hours=1)
        assert ("bot2", foreign) in await store.maintenance.ended_items(now=clock.now, limit=9)
