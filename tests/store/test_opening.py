"""Opening and closing: which file a URL means, what cannot be opened, and that nothing stays open."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nonebot_plugin_scoped_memory.engine.errors import StoreError, StoreTooNewError, StoreUnreachableError
from nonebot_plugin_scoped_memory.engine.store import open_store
from nonebot_plugin_scoped_memory.engine.store.sqlite import connection, migrations, open_sqlite
from nonebot_plugin_scoped_memory.engine.store.sqlite.connection import Database
from nonebot_plugin_scoped_memory.engine.store.sqlite.location import Location
from nonebot_plugin_scoped_memory.engine.store.sqlite.migrations import Migration
from nonebot_plugin_scoped_memory.engine.text import ANALYSER_VERSION

from .making import CHAT, DOMAIN, HandClock, add, an_item

CLOCK = HandClock()


@pytest.fixture(autouse=True)
def nothing_stays_open() -> Iterator[None]:
    """A connection that is left open has a thread, and that keeps the interpreter from ending."""
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        if not thread.name.startswith("asyncio_"):  # the loop's own pool, ended with it
            thread.join(timeout=5)
            assert not thread.is_alive(), thread


async def open_and_close(url: str) -> None:
    await (await open_store(url, clock=CLOCK)).close()


def inside(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


# --- which file


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///memory.db", "memory.db"),
        ("sqlite:///data/x y/记忆.db", "data/x y/记忆.db"),
        ("sqlite:////var/lib/memory.db", "/var/lib/memory.db"),
        ("sqlite:///C:/Users/x y/中文.db", "C:/Users/x y/中文.db"),
        ("sqlite:///100%25.db", "100%25.db"),
    ],
)
def test_urls(url: str, path: str) -> None:
    assert Location.parse(url).path == Path(path)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:"])
def test_urls_of_a_temporary_file(url: str) -> None:
    assert Location.parse(url).path is None


@pytest.mark.parametrize(
    "url", ["sqlite:///", "sqlite://memory.db", "sqlite:/memory.db", "memory.db", "", "sqlite:///a\0b"]
)
async def test_urls_that_name_no_file(url: str) -> None:
    with pytest.raises(StoreError):
        await open_sqlite(url, clock=CLOCK)


@pytest.mark.parametrize("url", ["mysql://u:hunter2@h/db", "postgresql+x://u:hunter2@h/db", "memory.db", ""])
async def test_unknown_kinds_of_store(url: str) -> None:
    with pytest.raises(StoreError, match="unknown kind of store") as e:
        await open_store(url, clock=CLOCK)
    assert "hunter2" not in str(e.value)


@pytest.mark.parametrize("name", ["memory.db", "a folder/memory.db", "记忆 库/深/中文 名.db", "it's #1?.db"])
async def test_folder_and_file_are_made(tmp_path: Path, name: str) -> None:
    url = f"sqlite:///{(tmp_path / name).as_posix()}"
    store = await open_store(url, clock=CLOCK)
    assert store.url == url
    [item] = await add(store, an_item("x"))
    await store.close()
    assert (tmp_path / name).is_file()
    assert inside((tmp_path / name).parent) == [Path(name).name]
    store = await open_store(url, clock=CLOCK)
    assert await store.view(DOMAIN, [CHAT]).list_items() == [item]
    await store.close()


async def test_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    await open_and_close("sqlite:///data/memory.db")
    assert (tmp_path / "data" / "memory.db").is_file()


async def test_a_temporary_file_goes_when_it_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    one, two = await open_store("sqlite://", clock=CLOCK), await open_store("sqlite://", clock=CLOCK)
    await add(one, an_item("x"))
    assert len(inside(tmp_path)) == 2
    assert await two.view(DOMAIN, [CHAT]).list_items() == []
    await one.close()
    await two.close()
    await two.close()
    assert inside(tmp_path) == []


async def test_the_analyser_is_that_of_the_text_module() -> None:
    store = await open_store("sqlite://", clock=CLOCK)
    await add(store, an_item("x"))
    assert await store.maintenance.outdated_terms(ANALYSER_VERSION, limit=9) == []
    await store.close()


# --- what cannot be opened


async def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreUnreachableError, match="folder"):
        await open_and_close(f"sqlite:///{tmp_path}/file/memory.db")


async def test_a_path_that_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(StoreUnreachableError):
        await open_and_close(f"sqlite:///{tmp_path}")


async def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_text("not a database, " * 100)
    with pytest.raises(StoreUnreachableError, match="not a database"):
        await open_and_close(f"sqlite:///{tmp_path}/memory.db")
    assert (tmp_path / "memory.db").read_text().startswith("not a database")


async def test_a_file_that_can_only_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found out when the bot starts, not at the first message."""
    url = f"sqlite:///{tmp_path}/memory.db"
    await open_and_close(url)
    plain = connection.aiosqlite.connect

    def read_only(path: Path, **options: Any) -> Any:
        return plain(f"file:{path}?mode=ro", uri=True, **options)

    monkeypatch.setattr(connection.aiosqlite, "connect", read_only)
    with pytest.raises(StoreUnreachableError):
        await open_and_close(url)


async def test_a_database_of_another_program(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE theirs (x)")
    other.close()
    with pytest.raises(StoreError, match="another program"):
        await open_and_close(f"sqlite:///{tmp_path}/other.db")


async def test_a_newer_database_is_left_alone(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/memory.db"
    await open_and_close(url)
    known = migrations.load()[-1].version
    with sqlite3.connect(tmp_path / "memory.db") as later:
        later.execute(f"PRAGMA user_version = {known + 1}")
    later.close()
    before = (tmp_path / "memory.db").read_bytes()
    with pytest.raises(StoreTooNewError) as e:
        await open_and_close(url)
    assert (e.value.found, e.value.known) == (known + 1, known)
    assert (tmp_path / "memory.db").read_bytes() == before


# --- migrations


def test_migrations_are_numbered_without_gaps() -> None:
    assert [migration.version for migration in migrations.load()] == list(range(1, len(migrations.load()) + 1))


async def test_an_older_database_is_brought_forward_or_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path}/memory.db"
    store = await open_store(url, clock=CLOCK)
    await add(store, an_item("kept"))
    await store.close()
    first = migrations.load()

    def state() -> tuple[int, int]:
        with sqlite3.connect(tmp_path / "memory.db") as look:
            version = look.execute("PRAGMA user_version").fetchone()[0]
            tables = look.execute("SELECT count(*) FROM sqlite_master WHERE name LIKE 'later%'").fetchone()[0]
        look.close()
        return version, tables

    broken = Migration(2, ("CREATE TABLE later (x)", "CREATE TABLE later (x)"))
    monkeypatch.setattr(migrations, "load", lambda: (*first, broken))
    with pytest.raises(StoreUnreachableError, match="later"):
        await open_and_close(url)
    assert state() == (1, 0)

    good = [Migration(2, ("CREATE TABLE later (x)",)), Migration(3, ("CREATE TABLE later_still (x)",))]
    monkeypatch.setattr(migrations, "load", lambda: (*first, *good))
    store = await open_store(url, clock=CLOCK)
    assert [item.content for item in await store.view(DOMAIN, [CHAT]).list_items()] == ["kept"]
    await store.close()
    assert state() == (3, 2)


def test_statements_are_split_where_they_end(tmp_path: Path) -> None:
    (tmp_path / "0001_x.sql").write_text(
        "-- a comment; with a semicolon\nCREATE TABLE a (x);\n\nCREATE TRIGGER t AFTER INSERT ON a BEGIN\n"
        "  DELETE FROM a;\n  DELETE FROM a;\nEND;\n",
        encoding="utf-8",
    )
    (tmp_path / "notes.txt").write_text("not a migration")
    [migration] = migrations.load(tmp_path)
    assert migration.version == 1
    assert [statement.splitlines()[-1] for statement in migration.statements] == ["CREATE TABLE a (x);", "END;"]


async def test_a_new_file_that_another_process_is_writing_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A write lock on a file that is not yet in WAL mode: SQLite refuses to change the mode without waiting.
    other = sqlite3.connect(tmp_path / "memory.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    plain = asyncio.sleep

    async def until_then(seconds: float) -> None:
        if other.in_transaction:
            other.execute("ROLLBACK")
        await plain(seconds)

    monkeypatch.setattr(connection.asyncio, "sleep", until_then)
    store = await open_store(f"sqlite:///{tmp_path}/memory.db", clock=CLOCK)
    other.close()
    await add(store, an_item("x"))
    await store.close()


async def test_two_that_open_a_new_file_at_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/memory.db"
    stores = await asyncio.gather(*(open_store(url, clock=CLOCK) for _ in range(4)))
    await add(stores[0], an_item("x"))
    for store in stores:
        assert await store.view(DOMAIN, [CHAT]).count_items() == 1
        await store.close()


# --- nothing stays open (the fixture looks after each test)


@pytest.mark.parametrize("nth", range(1, 5))
async def test_opening_that_fails_half_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nth: int) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    plain, calls = Database._connect, []

    async def failing(self: Database, path: Path) -> Any:
        calls.append(path)
        if len(calls) == nth:
            raise sqlite3.OperationalError("too many open files")
        return await plain(self, path)

    monkeypatch.setattr(Database, "_connect", failing)
    with pytest.raises(StoreUnreachableError, match="too many"):
        await open_store("sqlite://", clock=CLOCK)
    assert inside(tmp_path) == []


@pytest.mark.parametrize("steps", [0, 1, 2, 5, 20, 60])
async def test_opening_that_is_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    opening = asyncio.create_task(open_store("sqlite://", clock=CLOCK))
    for _ in range(steps):
        await asyncio.sleep(0)
    opening.cancel()
    await asyncio.wait({opening})
    if not opening.cancelled():
        await opening.result().close()
    assert inside(tmp_path) == []


async def test_closing_that_is_cancelled_still_closes(tmp_path: Path) -> None:
    store = await open_store(f"sqlite:///{tmp_path}/memory.db", clock=CLOCK)
    closing = asyncio.create_task(store.close())
    await asyncio.sleep(0)
    closing.cancel()
    await asyncio.wait({closing})
    await store.close()
    shutil.rmtree(tmp_path)
