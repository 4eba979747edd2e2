"""Bring a database to the newest schema: numbered SQL files, each in one transaction, the version in user_version."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...errors import StoreError, StoreTooNewError

FOLDER = Path(__file__).parent.parent / "schema" / "sqlite"


@dataclass(frozen=True, slots=True)
class Migration:
    version: int
    statements: tuple[str, ...]


def load(folder: Path = FOLDER) -> tuple[Migration, ...]:
    """The migrations in ``folder``, by version. Blocking."""
    return tuple(
        Migration(int(path.name.partition("_")[0]), tuple(_statements(path.read_text(encoding="utf-8"))))
        for path in sorted(folder.glob("[0-9]*.sql"))
    )


def _statements(script: str) -> Iterator[str]:
    # sqlite3's executescript would commit the transaction that this runs in.
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement.strip()
            statement = ""


def check(url: str, found: int, tables: int, known: int) -> None:
    """Whether a database of version ``found`` with so many tables can be brought to version ``known``.

    Raises StoreTooNewError if it is newer, StoreError if it belongs to another program.
    """
    if found > known:
        raise StoreTooNewError(url, found, known)
    if found == 0 and tables:
        raise StoreError(url, "is a database of another program: it has tables, but none of this schema")
