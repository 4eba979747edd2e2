"""Which file a URL means."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ...errors import StoreError, StoreUnreachableError

_PREFIX = "sqlite://"


@dataclass(frozen=True, slots=True)
class Location:
    """``path`` is the database file, None for one that lives as long as it is open."""

    url: str
    path: Path | None

    @classmethod
    def parse(cls, url: str) -> Location:
        """Three forms::

            sqlite://                     a temporary file, deleted when the store is closed
            sqlite:///relative/path.db    also sqlite:///C:/Users/x/path.db on Windows
            sqlite:////absolute/path.db

        The path is taken as it stands: no percent escapes, no options. Raises StoreError for anything else.
        """
        rest = url.removeprefix(_PREFIX)
        if rest == url:
            raise StoreError(url, "expected sqlite:///path or sqlite://")
        # Every connection to :memory: would be a database of its own, so it is a temporary file too.
        if rest in ("", "/:memory:"):
            return cls(url, None)
        if not rest.startswith("/"):
            raise StoreError(url, "two slashes where a path needs three: sqlite:///path")
        if rest == "/" or "\0" in rest:
            raise StoreError(url, "no usable path after sqlite:///")
        return cls(url, Path(rest[1:]))

    def prepare(self) -> tuple[Path, Path | None]:
        """The file to open, its folder made if need be, and the folder to remove afterwards. Blocking.

        Raises StoreUnreachableError if the folder cannot be made.
        """
        try:
            if self.path is None:
                folder = Path(tempfile.mkdtemp(prefix="scoped-memory-"))
                return folder / "memory.db", folder
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as e:
            raise StoreUnreachableError(self.url, f"the folder cannot be made: {e}") from e
        return self.path, None


def remove_folder(folder: Path) -> None:
    """Remove a temporary database and its folder. Blocking."""
    # A virus scanner may still hold a file on Windows; the system's own clean-up takes what is left.
    shutil.rmtree(folder, ignore_errors=True)
