"""Near-duplicates of one chat become one item, with the evidence of all."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ..dream_records import DreamOperation
from ..models import Item
from ..scope import ScopeRef
from ..store.base import View
from ..together import in_turns
from .patch import away
from .touching import is_learnt
from .wording import plain, says_the_same

PAGE = 1_000
MOST_ITEMS = 5_000
"""Of a scope, so many of its newest items are compared."""


async def near_duplicates(view: View, home: ScopeRef, now: datetime) -> list[DreamOperation]:
    """The merges that ``home`` calls for. ``view`` must be over that scope alone."""
    items: list[Item] = []
    while len(items) < MOST_ITEMS and (page := await view.list_items(limit=PAGE, offset=len(items))):
        items += page
    groups: dict[tuple[str, str, str], list[Item]] = {}
    async for item in in_turns(items):
        if item.scope == home:
            groups.setdefault((item.kind, item.subject, plain(item)), []).append(item)
    return [merge for group in groups.values() if len(group) > 1 for merge in _merges(group, now)]


def _rank(item: Item) -> tuple[bool, bool, datetime, int, str]:
    return is_learnt(item), item.key is None, item.created_at, len(item.content), item.id


def _merges(group: Sequence[Item], now: datetime) -> list[DreamOperation]:
    """What a person wrote is kept, then what holds a slot, then what was known first."""
    ordered = sorted(group, key=_rank)
    kept: list[Item] = []
    merges: list[DreamOperation] = []
    for item in ordered:
        same = next((one for one in kept if says_the_same(one, item)), None)
        if same is None or not is_learnt(item):
            kept.append(item)
        else:
            merges.append(away("merge", item, now, "says_the_same", successor=same.id))
    return merges
