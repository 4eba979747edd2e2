"""Public ids: short, easy to type on a phone, unique over items, candidates and dreams."""

from __future__ import annotations

import secrets

from ...errors import StoreError
from ...models import IdSource
from .connection import Transaction

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""Lower-case letters and digits without the look-alikes 0 o, 1 l i."""
LENGTH = 6
_TRIES = 30


def random_id() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


async def new_id(tx: Transaction, ids: IdSource) -> str:
    """An id that no item, candidate or dream has. Raises StoreError if the source only yields taken ones."""
    for _ in range(_TRIES):
        id = ids()
        if not await taken(tx, id):
            return id
    raise StoreError(tx.url, f"no free id in {_TRIES} tries")


async def taken(tx: Transaction, id: str) -> bool:
    rows = await tx.fetch(
        "SELECT 1 FROM items WHERE public_id = ? UNION ALL SELECT 1 FROM candidates WHERE public_id = ?"
        " UNION ALL SELECT 1 FROM dream_runs WHERE public_id = ?",
        (id, id, id),
    )
    return bool(rows)
