"""The connections to one SQLite file: a writer that takes one transaction at a time, and three readers.

WAL lets readers go on while the writer works. ``synchronous = NORMAL``: an acknowledged write survives the process; a
power loss may take the last commits, never the database.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

import aiosqlite

from ...errors import StoreError, StoreUnreachableError
from . import migrations
from .location import Location, remove_folder
from .rows import Row

T = TypeVar("T")

READERS = 3
"""With one shared reader a slow query makes everyone wait for it."""
BUSY_SECONDS = 5.0
"""How long a statement waits for another process's lock."""
_WAL_RETRY_SECONDS = 0.02
_COMMON = ("PRAGMA foreign_keys = ON", "PRAGMA cache_size = -16000", "PRAGMA temp_store = MEMORY")
_WRITER = (
    "PRAGMA synchronous = NORMAL",
    "PRAGMA secure_delete = ON",
    f"PRAGMA journal_size_limit = {64 * 2**20}",
    *_COMMON,
)
_READER = ("PRAGMA query_only = ON", *_COMMON)


async def finish(work: Awaitable[T]) -> T:
    """Wait until ``work`` has ended, even if the waiting task is cancelled; the cancellation is raised afterwards."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError:
                continue
        if not task.cancelled():
            task.exception()  # it has been looked at: asyncio need not report it
        raise


class Database:
    """Made by ``open``. Every method raises StoreUnreachableError if the file cannot be read or written, StoreError
    after ``close``."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._connections: list[aiosqlite.Connection] = []  # the writer first
        self._folder: Path | None = None
        self._readers: asyncio.Queue[aiosqlite.Connection] = asyncio.LifoQueue()  # the last one used is the warmest
        self._reader_count = 0
        self._lock = asyncio.Lock()
        self._owner: asyncio.Task[Any] | None = None
        self._closing: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, location: Location) -> Database:
        """Open, making folder, file and tables as needed.

        Raises StoreUnreachableError, StoreTooNewError, StoreError; nothing stays open then, or if it is cancelled.
        """
        database = cls(location.url)
        try:
            await finish(database._start(location))
        except BaseException:
            await database.close()
            raise
        return database

    async def _start(self, location: Location) -> None:
        path, self._folder = await asyncio.to_thread(location.prepare)
        with _translated(self.url, sqlite3.DatabaseError):
            writer = await self._connect(path)
            await _use_wal(writer)
            await _set_up(writer, _WRITER)
        await self._migrate()
        with _translated(self.url, sqlite3.DatabaseError):
            for _ in range(READERS):
                reader = await self._connect(path)
                await _set_up(reader, _READER)
                self._readers.put_nowait(reader)
                self._reader_count += 1

    async def _connect(self, path: Path) -> aiosqlite.Connection:
        connection = await aiosqlite.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        self._connections.append(connection)
        return connection

    async def _migrate(self) -> None:
        known = await asyncio.to_thread(migrations.load)
        for migration in known:
            async with self.transaction() as tx:  # where processes that start at once take turns
                found = (await tx.fetch("PRAGMA user_version"))[0][0]
                tables = (await tx.fetch("SELECT count(*) FROM sqlite_master"))[0][0]
                migrations.check(self.url, found, tables, known[-1].version)
                for statement in migration.statements if found < migration.version else ():
                    await tx.fetch(statement)
                # Written even if it is so already: a file that can only be read is found out now, not at the first
                # message (BEGIN IMMEDIATE is content with one).
                await tx.fetch(f"PRAGMA user_version = {max(found, migration.version)}")

    # --- reading

    async def read(self, sql: str, args: Sequence[Any] = ()) -> list[Row]:
        """The rows of one query, from a reader that nobody else uses meanwhile."""
        self._check_open()
        reader = await self._readers.get()
        try:
            return await fetch_all(self.url, reader, sql, args)
        except asyncio.CancelledError:
            await reader.interrupt()  # nobody waits for it any more, and the next query should not either
            raise
        finally:
            self._readers.put_nowait(reader)

    # --- writing

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        """``BEGIN IMMEDIATE`` ... ``COMMIT``; rolled back if the block raises or is cancelled.

        Waits for other transactions of this process. One inside another of the same task would wait for itself, so it
        raises StoreError.
        """
        async with self._writing() as writer:
            tx = Transaction(self.url, writer)
            try:
                await finish(fetch_all(self.url, writer, "BEGIN IMMEDIATE"))
                yield tx
                tx.ended = True
                await finish(fetch_all(self.url, writer, "COMMIT"))
            except BaseException as e:
                # First of all: a task that still uses it would otherwise write outside of any transaction.
                tx.ended = True
                await finish(self._roll_back(writer))
                if isinstance(e, sqlite3.IntegrityError):
                    raise StoreError(self.url, str(e)) from e
                raise

    async def checkpoint(self) -> None:
        """Move the write-ahead log into the database and empty it, so that nothing erased is left in either."""
        async with self._writing() as writer:
            await finish(fetch_all(self.url, writer, "PRAGMA wal_checkpoint(TRUNCATE)"))

    def check_not_writing(self) -> None:
        """Raises StoreError if the current task is inside a transaction, where a second one would wait forever."""
        if self._owner is not None and self._owner is asyncio.current_task():
            raise StoreError(self.url, "a write inside another write of the same task")

    @asynccontextmanager
    async def _writing(self) -> AsyncIterator[aiosqlite.Connection]:
        self.check_not_writing()
        async with self._lock:
            self._check_open()
            self._owner = asyncio.current_task()
            try:
                yield self._connections[0]
            finally:
                self._owner = None

    async def _roll_back(self, writer: aiosqlite.Connection) -> None:
        if not writer.in_transaction:
            return
        try:
            await fetch_all(self.url, writer, "ROLLBACK")
        except StoreError:
            # SQLite has rolled back by itself where it had to (full disk); anything else is still an error.
            if writer.in_transaction:
                raise

    # --- the end

    def _check_open(self) -> None:
        if self._closing is not None:
            raise StoreError(self.url, "is closed")

    async def close(self) -> None:
        """Wait for what is running, then close every connection. Can be called twice."""
        self.check_not_writing()
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        await finish(self._closing)

    async def _close(self) -> None:
        problems: list[BaseException | None] = []
        async with self._lock:
            for _ in range(self._reader_count):
                await self._readers.get()
            for connection in reversed(self._connections):  # the writer last: it empties the log
                problems += await asyncio.gather(connection.close(), return_exceptions=True)
        if self._folder is not None:
            await asyncio.to_thread(remove_folder, self._folder)
        for problem in filter(None, problems):
            raise StoreError(self.url, f"not closed properly: {problem}") from problem


class Transaction:
    """The writer's connection between BEGIN and COMMIT."""

    def __init__(self, url: str, writer: aiosqlite.Connection) -> None:
        self.url = url
        self.ended = False
        self._writer = writer

    async def fetch(self, sql: str, args: Sequence[Any] = ()) -> list[Row]:
        """Run one statement; its rows. Raises sqlite3.IntegrityError as it is: only the caller knows what it means."""
        self._check_open()
        return await fetch_all(self.url, self._writer, sql, args)

    async def many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement for each of ``rows``. Raises sqlite3.IntegrityError."""
        self._check_open()
        if not rows:
            return
        with _translated(self.url):
            await self._writer.executemany(sql, rows)

    def _check_open(self) -> None:
        if self.ended:
            raise StoreError(self.url, "this write has ended")


async def fetch_all(url: str, connection: aiosqlite.Connection, sql: str, args: Sequence[Any] = ()) -> list[Row]:
    """All rows at once: no cursor stays open while something else is awaited."""
    with _translated(url):
        return cast("list[Row]", await connection.execute_fetchall(sql, args))


async def _set_up(connection: aiosqlite.Connection, pragmas: Iterable[str]) -> None:
    for pragma in pragmas:
        await connection.execute_fetchall(pragma)


async def _use_wal(connection: aiosqlite.Connection) -> None:
    """Changing the journal of a file that someone else writes fails at once, whatever the timeout: SQLite does not
    wait where the other one could be waiting for us. So the waiting is done here."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + BUSY_SECONDS
    while True:
        try:
            await connection.execute_fetchall("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as e:
            if "locked" not in str(e) or loop.time() > deadline:
                raise
        await asyncio.sleep(_WAL_RETRY_SECONDS)


@contextmanager
def _translated(url: str, unreachable: type[sqlite3.Error] = sqlite3.OperationalError) -> Iterator[None]:
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except unreachable as e:
        raise StoreUnreachableError(url, str(e)) from e
    except sqlite3.DatabaseError as e:
        raise StoreError(url, str(e)) from e
