"""Writing items and their evidence."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from ...dream_records import ItemChange
from ...errors import InvalidItemError, NotFoundError, SlotTakenError
from ...models import Evidence, Item
from ...scope import ScopeRef
from ..base import ScopeVectors
from . import ids, index, rows, vectors
from .connection import Transaction
from .index import ITEMS
from .items import ItemReads
from .rows import asked, chunks, flat, from_ms, marks, to_ms, turn_numbers, values
from .scoped import Context, Writing

_FIELDS = rows.ITEM_FIELDS.split(", ")
_SET_FIELDS = ", ".join(f"{name} = ?" for name in _FIELDS)


class ItemWrites(Writing, ItemReads):
    hides_sources = False

    def __init__(self, context: Context, domain_id: str, scopes: Sequence[ScopeRef], tx: Transaction) -> None:
        super().__init__(context, domain_id, scopes, tx)
        self._changes: dict[str, ItemChange] = {}

    def changes(self) -> list[ItemChange]:
        return list(self._changes.values())

    def _note(self, before: Item | None, after: Item, evidence: Sequence[Evidence] = ()) -> None:
        known = self._changes.get(after.id)
        if known is not None:
            before, evidence = known.before, (*known.evidence, *evidence)
        self._changes[after.id] = ItemChange(before, after, tuple(evidence))

    async def vectors(self, model: str) -> Mapping[ScopeRef, ScopeVectors]:
        # Not cached: what this transaction sees may be rolled back.
        return await vectors.read(self.fetch, None, self.within, self.within_args, model)

    async def twin(self, scope: ScopeRef, kind: str, subject: str, identity: str) -> Item | None:
        return await self._active_in(scope, "i.kind = ? AND i.subject = ? AND i.identity = ?", kind, subject, identity)

    async def slot_holder(self, scope: ScopeRef, kind: str, key: str, subject: str) -> Item | None:
        return await self._active_in(scope, "i.kind = ? AND i.slot_key = ? AND i.subject = ?", kind, key, subject)

    async def add_item(self, item: Item, terms: Sequence[str]) -> Item:
        scope_id = await self.scope_id(item.scope)
        if not item.id:
            item = dataclasses.replace(item, id=await ids.new_id(self.tx, self.context.ids))
        elif await ids.taken(self.tx, item.id):
            raise InvalidItemError("id", f"{item.id!r} is taken")
        try:
            made = await self.tx.fetch(
                f"INSERT INTO items ({rows.ITEM_FIELDS}) VALUES {marks(len(_FIELDS))} RETURNING id",
                rows.item_values(item, scope_id),
            )
        except sqlite3.IntegrityError:
            await self._raise_if_taken(item, scope_id)
            raise
        await self._index(item, made[0][0], scope_id, terms)
        stored = _as_stored(item)
        self._note(None, stored)
        return stored

    async def save_item(self, item: Item, terms: Sequence[str]) -> Item:
        found = await self.fetch(
            f"SELECT i.id, i.scope_id, {rows.ITEM_COLUMNS} FROM items i JOIN scopes s ON s.id = i.scope_id"
            f" WHERE i.public_id = ? AND +i.scope_id IN {self.within}",
            (item.id, *self.within_args),
        )
        if not found:
            raise NotFoundError("item", item.id)
        row, old_scope, *columns = found[0]
        old = rows.item(tuple(columns))
        scope_id = await self.scope_id(item.scope)
        item = dataclasses.replace(item, version=old.version + 1)
        try:
            await self.tx.fetch(
                f"UPDATE items SET {_SET_FIELDS} WHERE id = ?", (*rows.item_values(item, scope_id), row)
            )
        except sqlite3.IntegrityError:
            await self._raise_if_taken(item, scope_id)
            raise
        if old.status == "active":
            await index.leave(self.tx, ITEMS, [row])
            await index.forget(self.tx, ITEMS, [row])
        await self._index(item, row, scope_id, terms)
        if item.status != "active" or item.identity != old.identity:
            await vectors.drop_item(self.tx, row)
        elif scope_id != old_scope:
            await vectors.move_item(self.tx, row, scope_id)
        stored = _as_stored(item)
        self._note(old, stored)
        return stored

    async def add_evidence(self, item_id: str, evidence: Iterable[Evidence]) -> int:
        row = await self._row_of(item_id)
        added: list[Evidence] = []
        for part in chunks(evidence, 100):
            session_ids = await self._sessions_of(part)
            lines = [(row, session_ids[e.session_key], e.turn, e.account, e.quote) for e in part]
            now = self.context.now()
            new = await self.tx.fetch(
                f"INSERT INTO evidence (item_id, session_id, n, account, quote, created_at) {values(len(lines), 6)}"
                " ON CONFLICT DO NOTHING RETURNING session_id, n",
                flat((*line, now) for line in lines),
            )
            places = set(new)
            added += [e for e in part if (session_ids[e.session_key], e.turn) in places]
        if added:
            (item,) = await self.items((item_id,))
            self._note(item, item, added)
        return len(added)

    async def remove_evidence(self, item_id: str, evidence: Iterable[Evidence]) -> int:
        row = await self._row_of(item_id)
        removed = 0
        for one in evidence:
            gone = await self.fetch(
                "DELETE FROM evidence WHERE item_id = ? AND n = ? AND session_id IN"
                " (SELECT id FROM sessions WHERE domain_id = ? AND session_key = ?) RETURNING 1",
                (row, one.turn, self._domain_id, one.session_key),
            )
            removed += len(gone)
        return removed

    async def _row_of(self, item_id: str) -> int:
        found = await self.fetch(
            f"SELECT id FROM items WHERE public_id = ? AND scope_id IN {self.within}", (item_id, *self.within_args)
        )
        if not found:
            raise NotFoundError("item", item_id)
        return found[0][0]

    async def _sessions_of(self, evidence: Sequence[Evidence]) -> dict[str, int]:
        """Row ids of the sessions. Raises NotFoundError for the first turn that does not exist in this domain."""
        turns = dict.fromkeys((e.session_key, e.turn) for e in evidence)
        possible = [turn for turn in turns if turn_numbers([turn[1]])] or [("", 0)]
        found = await self.fetch(
            f"{asked('session_key, n', len(possible))} SELECT s.session_key, t.n, s.id FROM asked"
            " CROSS JOIN sessions s ON s.domain_id = ? AND s.session_key = asked.session_key"
            " CROSS JOIN turns t ON t.session_id = s.id AND t.n = asked.n",
            (*flat(possible), self._domain_id),
        )
        known = {(key, n) for key, n, _ in found}
        for session_key, n in turns:
            if (session_key, n) not in known:
                raise NotFoundError("turn", f"{session_key}#{n}")
        return {key: id for key, _, id in found}

    async def _active_in(self, scope: ScopeRef, where: str, *args: str) -> Item | None:
        if scope not in self._scopes:
            return None
        found = await self._items(
            f"i.status = 'active' AND s.scope_type = ? AND s.external_id = ? AND {where}",
            (scope.type, scope.id, *args),
        )
        return found[0] if found else None

    async def _raise_if_taken(self, item: Item, scope_id: int) -> None:
        found = await self.fetch(
            "SELECT public_id FROM items WHERE scope_id = ? AND status = 'active' AND kind = ? AND subject = ?"
            " AND (identity = ? OR slot_key = ?) AND public_id <> ? ORDER BY identity = ? DESC LIMIT 1",
            (scope_id, item.kind, item.subject, item.identity, item.key, item.id, item.identity),
        )
        if found:
            raise SlotTakenError(item.id, found[0][0])

    async def _index(self, item: Item, row: int, scope_id: int, terms: Sequence[str]) -> None:
        if item.status != "active":
            return
        tokens = await index.hash_many([(self._domain_id, item.scope, terms)])
        await index.add(self.tx, ITEMS, [(row, scope_id, tokens[0])], self.context.analyser)
        await index.enter(self.tx, ITEMS, [row])


def _as_stored(item: Item) -> Item:
    """The item as reading returns it: times in whole milliseconds."""
    return dataclasses.replace(
        item,
        valid_from=from_ms(to_ms(item.valid_from)),
        created_at=from_ms(to_ms(item.created_at)),
        updated_at=from_ms(to_ms(item.updated_at)),
        valid_to=rows.from_ms_or_none(rows.to_ms_or_none(item.valid_to)),
        valid_until=rows.from_ms_or_none(rows.to_ms_or_none(item.valid_until)),
    )
