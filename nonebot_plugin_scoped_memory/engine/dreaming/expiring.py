"""What has ended by its own date, a task or a passing state, leaves the list: it is not recalled any more anyway."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import datetime

from ..changing import SOURCE_RETRACTED, SYSTEM, drop_waiting
from ..dream_records import DreamOperation
from ..errors import StoreUnreachableError
from ..models import Clock, Item, MemoryEvent
from ..scope import GLOBAL_SCOPE, ScopeRef
from ..store.base import MaintenanceStore, Store, View
from .patch import away
from .touching import is_learnt

logger = logging.getLogger(__name__)

AT_ONCE = 500
MOST_ITEMS = 5_000


async def ended(view: View, home: ScopeRef, now: datetime) -> list[DreamOperation]:
    """What ``home`` has that ended. A dream leaves alone what a person wrote; ``sweep`` does not."""
    found: list[Item] = []
    read = 0
    while read < MOST_ITEMS and (page := await view.list_items(limit=AT_ONCE, offset=read)):
        read += len(page)
        found += [item for item in page if item.scope == home and is_learnt(item) and _has_ended(item, now)]
    return [away("expire", item, now, "ended") for item in found]


async def sweep(store: Store, maintenance: MaintenanceStore, clock: Clock) -> int:
    """Archive what has ended in every scope. Returns how many. What fails for one item is that item's."""
    done = 0
    failed: set[str] = set()
    while True:
        now = clock()
        found = await maintenance.ended_items(now=now, limit=AT_ONCE + len(failed))
        fresh = [(domain, item) for domain, item in found if item.id not in failed]
        if not fresh:
            return done
        for domain_id, item in fresh:
            try:
                done += await _archive(store, domain_id, item, now)
            except StoreUnreachableError:
                raise
            except Exception as e:  # noqa: BLE001 - whatever it is, it is this item's
                logger.error("%s: item %s was not archived: %s", domain_id, item.id, type(e).__name__)
                failed.add(item.id)


async def _archive(store: Store, domain_id: str, item: Item, now: datetime) -> bool:
    async with store.write(domain_id, tuple(dict.fromkeys((item.scope, GLOBAL_SCOPE)))) as tx:
        current = next(iter(await tx.items((item.id,))), None)
        if current is None or current.status != "active" or not _has_ended(current, now):
            return False
        await tx.save_item(replace(current, status="archived", valid_to=current.valid_until, updated_at=now), ())
        await tx.add_event(
            MemoryEvent(current.scope, "archived", SYSTEM.account, now, item_id=current.id, reason="ended")
        )
        await drop_waiting(tx, current, now, SOURCE_RETRACTED)
        return True


def _has_ended(item: Item, now: datetime) -> bool:
    return item.valid_until is not None and item.valid_until <= now
