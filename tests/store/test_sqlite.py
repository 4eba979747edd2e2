"""The SQLite store fulfils the contract, and what its one file has to do with it."""

from __future__ import annotations

import asyncio
import dataclasses
import re
import shutil
import sqlite3
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nonebot_plugin_scoped_memory.engine.errors import SlotTakenError, StoreUnreachableError
from nonebot_plugin_scoped_memory.engine.models import IdSource
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE
from nonebot_plugin_scoped_memory.engine.store.sqlite import SqliteStore, connection, open_sqlite

from .contract import StoreContract
from .making import (
    CHAT,
    CHAT_KEY,
    DOMAIN,
    EVERYWHERE,
    MING,
    NOON,
    OTHER,
    SESSION,
    HandClock,
    OpenStore,
    a_candidate,
    a_turn,
    add,
    an_event,
    an_item,
    evidence,
    found_items,
    save,
    say,
    words,
)


class TestSqlite(StoreContract):
    @pytest.fixture
    async def open_store(self, tmp_path: Path) -> AsyncIterator[OpenStore]:  # pyright: ignore[reportIncompatibleMethodOverride]
        opened: list[SqliteStore] = []

        async def open_new(
            *, clock: HandClock | None = None, ids: IdSource | None = None, analyser: int = 1
        ) -> SqliteStore:
            url = f"sqlite:///{tmp_path / f'{len(opened)}.db'}"
            opened.append(await open_sqlite(url, clock=clock or HandClock(), ids=ids, analyser=analyser))
            return opened[-1]

        yield open_new
        for store in opened:
            await store.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    store = await open_sqlite(f"sqlite:///{path}", clock=HandClock())
    yield store
    await store.close()


def look(path: Path, sql: str) -> list[Any]:
    """The first column, through a connection of its own."""
    with sqlite3.connect(path) as other:
        found = [row[0] for row in other.execute(sql)]
    other.close()
    return found


# --- what stands in the file


async def test_the_index_holds_no_readable_word(store: SqliteStore, path: Path) -> None:
    await add(store, an_item("apple 苹果"))
    await say(store, "apple 苹果")
    held = [
        *look(path, "SELECT block FROM item_index_data"),
        *look(path, "SELECT block FROM turn_index_data"),
        *look(path, "SELECT term FROM item_index_idx"),
        *(
            terms.encode()
            for terms in look(path, "SELECT terms FROM item_terms UNION ALL SELECT terms FROM turn_terms")
        ),
    ]
    assert len(held) > 6
    assert not [value for value in held if b"apple" in bytes(value) or "苹".encode() in bytes(value)]


async def test_what_is_forgotten_leaves_no_bytes(store: SqliteStore, path: Path) -> None:
    secret = "xyzzy-" * 500 + "机密"  # long enough for pages of its own
    item, _ = await add(store, an_item(secret), an_item("kept"))

    def on_disk() -> bool:
        files = [file for file in path.parent.iterdir() if file.name.startswith(path.name)]
        return any(b"xyzzy" in file.read_bytes() or "机密".encode() in file.read_bytes() for file in files)

    assert on_disk()
    async with store.write(DOMAIN, [CHAT]) as write:
        await write.save_item(dataclasses.replace(item, content="", identity=""), [])
    await store.maintenance.tidy()
    assert not on_disk()


async def test_what_is_not_committed_does_not_survive_a_crash(store: SqliteStore, path: Path, tmp_path: Path) -> None:
    def crash(name: str) -> Path:
        """The files as a process that dies now would leave them."""
        left = tmp_path / name
        left.mkdir()
        for file in path.parent.glob("memory.db*"):
            shutil.copy(file, left / file.name)
        return left / path.name

    await add(store, an_item("acknowledged"))
    async with store.write(DOMAIN, [CHAT, SESSION]) as write:
        await write.add_item(an_item("in the middle"), words("in the middle"))
        await write.add_turns(CHAT_KEY, [(a_turn("in the middle"), ["in"])])
        half = crash("half")
    async with store.write(DOMAIN, [CHAT]) as write:
        await write.set_chat_setting(CHAT, "late", "yes", by="", at=NOON)
    whole = crash("whole")

    for left, contents, turns in ((half, ["acknowledged"], 0), (whole, ["in the middle", "acknowledged"], 1)):
        after = await open_sqlite(f"sqlite:///{left}", clock=HandClock())
        view = after.view(DOMAIN, [CHAT, SESSION])
        assert [item.content for item in await view.list_items()] == contents
        assert len(await found_items(after, "middle acknowledged")) == len(contents)
        assert len(await view.turns_after(CHAT_KEY, 0, limit=9)) == turns
        await after.close()


async def test_the_file_passes_sqlites_own_checks(store: SqliteStore, path: Path) -> None:
    items = [(await add(store, an_item(f"red {i}", key=f"k{i}")))[0] for i in range(20)]
    await say(store, *(a_turn(f"red {i}") for i in range(20)))
    for item in items[:10]:
        await save(store, dataclasses.replace(item, status="archived"))
    async with store.write(DOMAIN, [SESSION]) as write:
        await write.mark_suppressed(CHAT_KEY, range(5, 10))
    assert look(path, "PRAGMA integrity_check") == ["ok"]
    assert look(path, "PRAGMA foreign_key_check") == []
    await store.maintenance.tidy()
    assert look(path, "PRAGMA integrity_check") == ["ok"]


async def test_a_vectors_place_is_never_used_again(store: SqliteStore, path: Path) -> None:
    a, b, c = await add(store, an_item("a"), an_item("b"), an_item("c"))
    vector = np.array([1.0, 0.0], dtype=np.float32)
    await store.put_vectors(DOMAIN, "m", {a.id: vector, b.id: vector})
    await save(store, dataclasses.replace(b, status="archived"))
    await store.put_vectors(DOMAIN, "m", {a.id: vector, c.id: vector})
    assert look(path, "SELECT n FROM vectors ORDER BY n") == [3, 4]


# --- a full disk, another process


async def test_a_full_disk(store: SqliteStore, path: Path) -> None:
    await add(store, an_item("before"))
    pages = look(path, "PRAGMA page_count")[0]

    async def limit(count: int) -> None:
        async with store._database._writing() as writer:
            await writer.execute_fetchall(f"PRAGMA max_page_count = {count}")

    await limit(pages + 2)
    long = an_item("x" * 900)
    with pytest.raises(StoreUnreachableError):
        await add(store, *(dataclasses.replace(long, identity=str(i)) for i in range(100)))
    results = await asyncio.gather(*(say(store, "y" * 3000) for _ in range(30)), return_exceptions=True)
    assert all(isinstance(result, StoreUnreachableError) for result in results)
    assert await found_items(store, "before")
    await limit(100_000)
    [turn] = await say(store, "there is room again")
    assert turn.n == 1
    assert [item.content for item in await store.view(DOMAIN, [CHAT]).list_items()] == ["before"]


async def test_a_locked_database(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "BUSY_SECONDS", 0.01)
    store = await open_sqlite(f"sqlite:///{path}", clock=HandClock())
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnreachableError, match="locked"):
        await add(store, an_item("x"))
    assert await store.view(DOMAIN, [CHAT]).list_items() == []
    other.execute("ROLLBACK")
    other.close()
    await add(store, an_item("x"))
    await store.close()


async def test_two_processes_on_one_file(store: SqliteStore, path: Path) -> None:
    """Each has its own connections and its own vector cache."""
    other = await open_sqlite(f"sqlite:///{path}", clock=HandClock())
    results = await asyncio.gather(
        *(add(which, an_item(str(i), identity="same")) for i, which in enumerate([store, other] * 5)),
        return_exceptions=True,
    )
    assert sum(isinstance(result, SlotTakenError) for result in results) == 9
    turns = await asyncio.gather(*(say(which, str(i)) for i, which in enumerate([store, other] * 5)))
    assert sorted(turn.n for (turn,) in turns) == list(range(1, 11))

    [item] = await store.view(DOMAIN, [CHAT]).list_items()
    await store.put_vectors(DOMAIN, "m", {item.id: np.array([1.0, 0.0], dtype=np.float32)})
    assert len((await other.view(DOMAIN, [CHAT]).vectors("m"))[CHAT].item_ids) == 1
    await save(store, dataclasses.replace(item, status="archived"))
    assert await other.view(DOMAIN, [CHAT]).vectors("m") == {}
    await other.close()


async def test_a_scope_made_again_has_no_vectors_of_the_old_one(store: SqliteStore, path: Path) -> None:
    async def read() -> set[str]:
        found = await store.view(DOMAIN, [CHAT]).vectors("m")
        return {id for vectors in found.values() for id in vectors.item_ids}

    [old] = await add(store, an_item("old"))
    vector = np.array([1.0, 0.0], dtype=np.float32)
    await store.put_vectors(DOMAIN, "m", {old.id: vector})
    assert await read() == {old.id}
    with sqlite3.connect(path, isolation_level=None) as eraser:
        for table in ("vectors", "item_terms", "items", "scopes"):
            eraser.execute(f"DELETE FROM {table}")
    eraser.close()
    [new] = await add(store, an_item("new"))
    await store.put_vectors(DOMAIN, "m", {new.id: vector})
    assert await read() == {new.id}


# --- how it is read


async def test_no_read_walks_through_a_table(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each read of a view, and each query of a write, finds its rows by an index on all that it knows."""
    plans: dict[str, list[str]] = {}
    plain = connection.fetch_all

    async def explained(url: str, conn: Any, sql: str, args: Sequence[Any] = ()) -> list[Any]:
        if re.match(r"SELECT|WITH|UPDATE|DELETE", sql) and sql not in plans:
            plans[sql] = [row[3] for row in await plain(url, conn, f"EXPLAIN QUERY PLAN {sql}", args)]
        return await plain(url, conn, sql, args)

    monkeypatch.setattr(connection, "fetch_all", explained)
    seen = [a_turn(f"red {i}", message_ids=(("A", str(i)), ("B", str(i)))) for i in range(3)]
    vector = np.array([1.0, 0.0], dtype=np.float32)
    async with store.write(DOMAIN, EVERYWHERE) as write:
        await write.add_turns(CHAT_KEY, [(turn, ["red"]) for turn in [*seen, *seen]])
        items = [await write.add_item(an_item(f"red {i}", key=f"k{i}"), ["red"]) for i in range(3)]
        await write.add_evidence(items[0].id, [evidence(1), evidence(2)])
        await write.add_event(an_event(items[0].id))
        candidate = await write.add_candidate(a_candidate("c"))
        await write.decide_candidate(candidate.id, "rejected", reason="", by="", at=NOON)
        await write.same_candidates(CHAT, "fact", "", "x")
        await write.candidates_of_item("x")
        await write.twin(CHAT, "fact", "", "x")
        await write.slot_holder(CHAT, "fact", "k", "")
        await write.mark_suppressed(CHAT_KEY, [1, 2])
        await write.set_watermark(CHAT_KEY, 1)
    await store.put_vectors(DOMAIN, "m", {item.id: vector for item in items})
    await save(store, dataclasses.replace(items[0], scope=OTHER), CHAT)
    view = store.view(DOMAIN, EVERYWHERE)
    everyone = [item.id for item in items]
    await view.session(CHAT_KEY)
    await view.recent_turns(CHAT_KEY, limit=3)
    await view.turns_after(CHAT_KEY, 0, limit=3)
    await view.turns(CHAT_KEY, [1, 2])
    await view.turn_number(CHAT_KEY, "A", "1")
    await view.turn_candidates(CHAT_KEY, ["red", "green"])
    await view.items(everyone)
    await view.list_items()
    await view.count_items()
    await view.pinned_items()
    await view.slot_items([("fact", "k1", ""), ("fact", "k2", "")])
    await view.item_candidates(["red", "green"])
    await view.vectors("m")
    await view.evidence(everyone)
    await view.items_on_turn(CHAT_KEY, 1)
    await view.candidate(candidate.id)
    await view.list_candidates()
    await view.events(items[0].id)
    await view.chat_settings(CHAT)
    await view.account_settings(MING)
    await view.usage("day")
    await view.commit_result(CHAT_KEY, "c")

    harmless = re.compile(r"SCAN (asked|part|\(subquery|(\d+ )?CONSTANT ROW)|VIRTUAL TABLE INDEX \d+:M")
    partial = re.compile(r"(scopes|sessions|s|turns|t|turn_messages|m) USING .*\((domain_id|session_id)=\?\)")
    assert len(plans) > 40
    for sql, plan in plans.items():
        for step in plan:
            assert not (step.startswith("SCAN") and not harmless.search(step)), (step, sql)
            assert not partial.search(step), (step, sql)


async def test_a_slow_reader_does_not_hold_up_the_others(store: SqliteStore) -> None:
    await add(store, an_item("x"))
    go_on = threading.Event()
    readers = store._database._readers
    reader = await readers.get()
    await reader.create_function("until_told", 0, go_on.wait)
    readers.put_nowait(reader)
    reading = asyncio.create_task(store._database.read("SELECT until_told()"))
    await asyncio.sleep(0)
    for _ in range(5):
        assert await store.view(DOMAIN, [CHAT]).count_items() == 1
    assert not reading.done()
    go_on.set()
    assert await reading == [(1,)]


async def test_a_read_that_nobody_waits_for_is_stopped(store: SqliteStore) -> None:
    endless = "WITH RECURSIVE n (i) AS (SELECT started() UNION ALL SELECT 1 FROM n) SELECT count(*) FROM n"
    started = threading.Event()
    reader = await store._database._readers.get()
    await reader.create_function("started", 0, started.set)
    store._database._readers.put_nowait(reader)
    reading = asyncio.create_task(store._database.read(endless))
    assert await asyncio.to_thread(started.wait, 30)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    await asyncio.gather(*(store.view(DOMAIN, [CHAT]).count_items() for _ in range(9)))
    await store.close()


async def test_readers_cannot_write(store: SqliteStore) -> None:
    with pytest.raises(StoreUnreachableError, match="readonly"):
        await store._database.read("DELETE FROM items")


async def test_a_broken_commit_rolls_back(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = connection.fetch_all

    async def failing(url: str, conn: Any, sql: str, args: Sequence[Any] = ()) -> list[Any]:
        if sql == "COMMIT":
            raise StoreUnreachableError(url, "disk I/O error")
        return await plain(url, conn, sql, args)

    with monkeypatch.context() as broken:
        broken.setattr(connection, "fetch_all", failing)
        with pytest.raises(StoreUnreachableError, match="disk"):
            await add(store, an_item("x", GLOBAL_SCOPE))
    await add(store, an_item("y", GLOBAL_SCOPE))
    assert [item.content for item in await store.view(DOMAIN, [GLOBAL_SCOPE]).list_items()] == ["y"]
