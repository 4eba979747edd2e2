"""Scope matrices in memory, least recently used out first."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from ..base import ScopeVectors

CACHE_BYTES = 128 * 2**20
_ID_BYTES = 64
"""A short str with its place in a tuple."""


@dataclass(frozen=True, slots=True)
class _Entry:
    version: int
    vectors: ScopeVectors
    size: int


class VectorCache:
    """Vectors by (model, scope row id). A scope belongs to one domain, and its row id is never used again.

    Each entry carries the scope's ``vector_version`` at which it was read. That number is committed together with the
    vectors and compared at every look-up, so an entry that a write (of this or another process) made old, or that was
    read while a write went on, is never returned.
    """

    def __init__(self, limit: int = CACHE_BYTES) -> None:
        self._limit = limit
        self._size = 0
        self._entries: OrderedDict[tuple[str, int], _Entry] = OrderedDict()

    def get(self, model: str, scope_id: int, version: int) -> ScopeVectors | None:
        """The vectors if they are those of this version."""
        entry = self._entries.get((model, scope_id))
        if entry is None or entry.version != version:
            return None
        self._entries.move_to_end((model, scope_id))
        return entry.vectors

    def put(self, model: str, scope_id: int, version: int, vectors: ScopeVectors) -> None:
        """Keep vectors unless they alone exceed the limit, or a newer version is there."""
        known = self._entries.get((model, scope_id))
        if known is not None and known.version > version:
            return
        size = vectors.data.nbytes + vectors.scales.nbytes + _ID_BYTES * len(vectors.item_ids)
        self.drop(model, scope_id)
        if size > self._limit:
            return
        self._entries[model, scope_id] = _Entry(version, vectors, size)
        self._size += size
        while self._size > self._limit:
            _, oldest = self._entries.popitem(last=False)
            self._size -= oldest.size

    def drop(self, model: str, scope_id: int) -> None:
        entry = self._entries.pop((model, scope_id), None)
        if entry is not None:
            self._size -= entry.size
