"""Vectors: int8 rows in the database, float32 unit vectors outside, matrices by scope in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...errors import StoreError
from ...scope import ScopeRef
from ..base import ScopeVectors
from .connection import Transaction
from .rows import Row, chunks, marks, scope_ref
from .scoped import Fetch
from .vectorcache import VectorCache

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class Quantised:
    """A vector as it is stored: value = scale * byte."""

    scale: float
    data: bytes


def quantise(vectors: Mapping[str, np.ndarray]) -> dict[str, Quantised]:
    """int8 with one scale a vector (its largest value / 127). Blocking.

    Raises ValueError for a vector that is not one row of finite numbers.
    """
    import numpy as np

    quantised: dict[str, Quantised] = {}
    for id, vector in vectors.items():
        row = np.asarray(vector, dtype=np.float32)
        if row.ndim != 1 or not row.size or not np.isfinite(row).all():
            raise ValueError(f"the vector of {id!r} is not one row of finite numbers")
        scale = float(np.abs(row).max()) / 127
        # A zero vector stays zero: it resembles nothing.
        data = np.rint(row / scale) if scale else row
        quantised[id] = Quantised(scale, data.astype(np.int8).tobytes())
    return quantised


def _matrix(found: Sequence[Row]) -> ScopeVectors:
    import numpy as np

    data = np.frombuffer(b"".join(row[3] for row in found), dtype=np.int8).reshape(len(found), -1)
    scales = np.array([row[2] for row in found], dtype=np.float32)
    scales.flags.writeable = False  # shared by everyone who asks the cache
    return ScopeVectors(tuple(row[1] for row in found), data, scales)


async def read(
    fetch: Fetch, cache: VectorCache | None, within: str, within_args: Sequence[Any], model: str
) -> dict[ScopeRef, ScopeVectors]:
    """Vectors of active items by scope, from the cache where it is current. Without a cache all are read afresh."""
    scopes = await fetch(
        "SELECT s.id, s.scope_type, s.external_id, s.vector_version FROM scopes s"
        f" WHERE s.id IN {within} AND EXISTS (SELECT 1 FROM vectors v WHERE v.model = ? AND v.scope_id = s.id)",
        (*within_args, model),
    )
    result: dict[ScopeRef, ScopeVectors] = {}
    for scope_id, scope_type, external_id, version in scopes:
        vectors = cache.get(model, scope_id, version) if cache else None
        if vectors is None:
            # The version is read by the same statement as the rows: it is the version of exactly these.
            found = await fetch(
                "SELECT s.vector_version, i.public_id, v.scale, v.data FROM vectors v"
                " JOIN items i ON i.id = v.item_id AND i.scope_id = v.scope_id JOIN scopes s ON s.id = v.scope_id"
                f" WHERE v.model = ? AND v.scope_id = ? AND i.scope_id IN {within} AND i.status = 'active'"
                " ORDER BY v.n",
                (model, scope_id, *within_args),
            )
            if not found:
                continue
            vectors = await asyncio.to_thread(_matrix, found)
            if cache is not None:
                cache.put(model, scope_id, found[0][0], vectors)
        result[scope_ref(scope_type, external_id)] = vectors
    return result


async def put(
    tx: Transaction, domain_id: str, model: str, vectors: Mapping[str, Quantised], identities: Mapping[str, str]
) -> int:
    """Store the vectors whose item is active and, where an identity is given, still has it; returns how many.

    Raises StoreError if their dimensions are not the model's.
    """
    await _check_dimensions(tx, model, {len(vector.data) for vector in vectors.values()})
    stored = 0
    for part in chunks(vectors):
        items = await tx.fetch(
            "SELECT i.id, i.public_id, i.scope_id, i.identity FROM items i JOIN scopes s ON s.id = i.scope_id"
            f" WHERE s.domain_id = ? AND i.status = 'active' AND i.public_id IN {marks(len(part))} ORDER BY i.id",
            (domain_id, *part),
        )
        items = [row for row in items if identities.get(row[1], row[3]) == row[3]]
        if not items:
            continue
        await tx.many("DELETE FROM vectors WHERE item_id = ? AND model = ?", [(row[0], model) for row in items])
        await _insert(
            tx,
            [
                (model, scope_id, item_id, identity, vectors[public_id].scale, vectors[public_id].data)
                for item_id, public_id, scope_id, identity in items
            ],
        )
        stored += len(items)
    return stored


async def dimensions_of(tx: Transaction, model: str) -> int | None:
    """The model's number of dimensions as far as it is known."""
    found = await tx.fetch(
        "SELECT dimensions FROM embedding_models WHERE model = ?"
        " UNION ALL SELECT * FROM (SELECT length(data) FROM vectors WHERE model = ? LIMIT 1)",
        (model, model),
    )
    return found[0][0] if found else None


async def _check_dimensions(tx: Transaction, model: str, found: set[int]) -> None:
    known = await dimensions_of(tx, model)
    if len(found | ({known} if known else set())) > 1:
        raise StoreError(tx.url, f"model {model!r} has {known or 'one number of'} dimensions, not {sorted(found)}")


async def _insert(tx: Transaction, vectors: Sequence[tuple[str, int, int, str, float, bytes]]) -> None:
    """Add (model, scope id, item id, identity, scale, data), each at its scope's next place."""
    scope_ids = sorted({vector[1] for vector in vectors})
    numbers = dict(await tx.fetch(f"SELECT id, next_vector FROM scopes WHERE id IN {marks(len(scope_ids))}", scope_ids))
    lines: list[Row] = []
    for model, scope_id, *rest in vectors:
        lines.append((model, scope_id, numbers[scope_id], *rest))
        numbers[scope_id] += 1
    await tx.many(
        "INSERT INTO vectors (model, scope_id, n, item_id, identity, scale, data) VALUES (?, ?, ?, ?, ?, ?, ?)", lines
    )
    await tx.many(
        "UPDATE scopes SET next_vector = ?, vector_version = vector_version + 1 WHERE id = ?",
        [(number, scope_id) for scope_id, number in numbers.items()],
    )


async def drop_item(tx: Transaction, item_row: int) -> None:
    """Delete an item's vectors, of every model."""
    dropped = await tx.fetch("DELETE FROM vectors WHERE item_id = ? RETURNING scope_id", (item_row,))
    await _changed(tx, {row[0] for row in dropped})


async def move_item(tx: Transaction, item_row: int, scope_id: int) -> None:
    """Give an item's vectors new places in another scope."""
    moved = await tx.fetch(
        "DELETE FROM vectors WHERE item_id = ? RETURNING scope_id, model, identity, scale, data", (item_row,)
    )
    if moved:
        await _changed(tx, {row[0] for row in moved})
        await _insert(tx, [(row[1], scope_id, item_row, row[2], row[3], row[4]) for row in moved])


async def drop_model(tx: Transaction, model: str) -> None:
    """Delete every vector of a model."""
    await tx.fetch(
        "UPDATE scopes SET vector_version = vector_version + 1"
        " WHERE id IN (SELECT DISTINCT scope_id FROM vectors WHERE model = ?)",
        (model,),
    )
    await tx.fetch("DELETE FROM vectors WHERE model = ?", (model,))


async def _changed(tx: Transaction, scope_ids: set[int]) -> None:
    for scope_id in scope_ids:
        await tx.fetch("UPDATE scopes SET vector_version = vector_version + 1 WHERE id = ?", (scope_id,))
