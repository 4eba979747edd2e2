"""Reading items, their evidence and their vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...models import Evidence, Item, ItemStatus, LexicalCandidates, ScopeSize
from ...scope import ScopeRef
from ...visibility import sees_session, without_hidden_source
from ..base import ScopeVectors
from . import rows, vectors
from .index import ITEMS
from .rows import Row, asked, chunks, count, flat, marks, scope_ref
from .scoped import Scoped
from .search import Owner, candidates, search

_NEWEST_FIRST = "ORDER BY i.created_at DESC, i.id DESC"


class ItemReads(Scoped):
    hides_sources = True
    """Reading hides where shared items came from; a transaction needs them whole, to write them back."""

    async def items(self, ids: Iterable[str]) -> list[Item]:
        wanted = list(dict.fromkeys(ids))
        found: dict[str, Item] = {}
        for part in chunks(wanted):
            for item in await self._items(f"i.public_id IN {marks(len(part))}", part, by_id=True):
                found[item.id] = item
        return [found[id] for id in wanted if id in found]

    async def list_items(
        self,
        *,
        status: ItemStatus | None = "active",
        kind: str | None = None,
        limit: int = 1000,
        offset: int = 0,
    ) -> list[Item]:
        where, args = _filters(status, kind)
        return await self._items(f"{where} {_NEWEST_FIRST} LIMIT ? OFFSET ?", (*args, count(limit), count(offset)))

    async def count_items(
        self, *, status: ItemStatus | None = "active", kind: str | None = None, scope: ScopeRef | None = None
    ) -> int:
        where, args = _filters(status, kind)
        one = ""
        if scope is not None:
            one = " AND i.scope_id IN (SELECT id FROM scopes WHERE scope_type = ? AND external_id = ?)"
            args = [*args, scope.type, scope.id]
        found = await self.fetch(
            f"SELECT count(*) FROM items i WHERE i.scope_id IN {self.within} AND {where}{one}",
            (*self.within_args, *args),
        )
        return found[0][0]

    async def pinned_items(self) -> list[Item]:
        return await self._items(f"i.status = 'active' AND i.tier = 'dao_tian' {_NEWEST_FIRST}")

    async def slot_items(self, slots: Iterable[tuple[str, str, str]]) -> list[Item]:
        found: list[Item] = []
        for part in chunks(dict.fromkeys(slots)):
            lines = await self.fetch(
                f"{asked('kind, slot_key, subject', len(part))} SELECT {rows.ITEM_COLUMNS} FROM asked"
                f" CROSS JOIN items i ON i.scope_id IN {self.within} AND i.status = 'active' AND i.kind = asked.kind"
                " AND i.slot_key = asked.slot_key AND i.subject = asked.subject JOIN scopes s ON s.id = i.scope_id"
                f" {_NEWEST_FIRST}",
                (*flat(part), *self.within_args),
            )
            found += map(self._shown, lines)
        return found

    async def item_candidates(self, terms: Sequence[str]) -> LexicalCandidates:
        scopes = await self.fetch(
            f"SELECT id, scope_type, external_id, item_count, term_count FROM scopes WHERE id IN {self.within}",
            self.within_args,
        )
        owners = [Owner(row, scope_ref(kind, id), ScopeSize(*size)) for row, kind, id, *size in scopes]

        async def load(ids: list[int]) -> list[Row]:
            # +: without it SQLite walks through the whole scope to find these few rows.
            return await self.fetch(
                "SELECT x.item_id, i.public_id, i.scope_id, x.length, x.terms FROM item_terms x"
                " JOIN items i ON i.id = x.item_id AND i.scope_id = x.scope_id"
                f" WHERE x.item_id IN {marks(len(ids))} AND +i.scope_id IN {self.within} AND i.status = 'active'",
                (*ids, *self.within_args),
            )

        found = await search(self.fetch, ITEMS, self._domain_id, owners, terms, load)
        return candidates(found, self._scopes, owners)

    async def vectors(self, model: str) -> Mapping[ScopeRef, ScopeVectors]:
        return await vectors.read(self.fetch, self.context.vectors, self.within, self.within_args, model)

    async def evidence(self, item_ids: Iterable[str]) -> dict[str, list[Evidence]]:
        wanted = list(dict.fromkeys(item_ids))
        found: dict[str, list[Evidence]] = {}
        for part in chunks(wanted):
            lines = await self.fetch(
                "SELECT i.public_id, s.session_key, e.n, e.account, e.quote FROM items i"
                " LEFT JOIN evidence e ON e.item_id = i.id LEFT JOIN sessions s ON s.id = e.session_id"
                f" WHERE i.public_id IN {marks(len(part))} AND i.scope_id IN {self.within}"
                " ORDER BY e.created_at, s.session_key, e.n",
                (*part, *self.within_args),
            )
            for id, *line in lines:
                of_item = found.setdefault(id, [])
                if line[0] is not None and (not self.hides_sources or sees_session(line[0], self._scopes)):
                    of_item.append(Evidence(*line))
        return {id: found[id] for id in wanted if id in found}

    async def items_on_turn(self, session_key: str, n: int) -> list[Item]:
        return await self._items(
            "i.status = 'active' AND i.id IN (SELECT e.item_id FROM evidence e JOIN sessions o ON o.id = e.session_id"
            f" WHERE o.domain_id = ? AND o.session_key = ? AND e.n = ?) {_NEWEST_FIRST}",
            (self._domain_id, session_key, n),
        )

    async def _items(self, where: str, args: Sequence[Any] = (), *, by_id: bool = False) -> list[Item]:
        """``by_id``: the + keeps SQLite from walking through whole scopes to find the few rows whose ids are given."""
        found = await self.fetch(
            f"SELECT {rows.ITEM_COLUMNS} FROM items i JOIN scopes s ON s.id = i.scope_id"
            f" WHERE {'+' if by_id else ''}i.scope_id IN {self.within} AND {where}",
            (*self.within_args, *args),
        )
        return [self._shown(row) for row in found]

    def _shown(self, row: Row) -> Item:
        item = rows.item(row)
        return without_hidden_source(item, self._scopes) if self.hides_sources else item


def _filters(status: ItemStatus | None, kind: str | None) -> tuple[str, list[Any]]:
    filters = [(column, value) for column, value in (("i.status", status), ("i.kind", kind)) if value is not None]
    return " AND ".join(["1", *(f"{column} = ?" for column, _ in filters)]), [value for _, value in filters]
