"""Where memory is kept. ``open_store`` opens the store that a URL names; ``base`` says what every store does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..errors import StoreError

if TYPE_CHECKING:
    from ..models import Clock, IdSource
    from .sqlite import SqliteStore

__all__ = ["open_store"]


async def open_store(
    url: str, *, clock: Clock, ids: IdSource | None = None, analyser: int | None = None
) -> SqliteStore:
    """Open the store at ``url``: ``sqlite://`` (temporary), ``sqlite:///relative.db``, ``sqlite:////absolute.db``.

    ``analyser`` is the version of the index terms that will be passed, by default that of ``engine.text``.
    Raises StoreError for a URL that names no store, StoreUnreachableError if it cannot be opened, StoreTooNewError.
    """
    scheme = url.partition("://")[0]
    if scheme != "sqlite":
        raise StoreError(_without_credentials(url), f"unknown kind of store {scheme[:32]!r}; known: sqlite")
    # Imported here so that importing the plugin costs nothing of it.
    from ..text import ANALYSER_VERSION
    from .sqlite import open_sqlite

    return await open_sqlite(url, clock=clock, ids=ids, analyser=ANALYSER_VERSION if analyser is None else analyser)


def _without_credentials(url: str) -> str:
    return re.sub(r"//[^/@]*@", "//", url)[:200]
