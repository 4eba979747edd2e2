"""Reading sessions and turns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from ...models import LexicalCandidates, ScopeSize, Session, Turn
from ...scope import session_scope
from . import rows
from .index import TURNS
from .rows import Row, chunks, count, marks, turn_numbers
from .scoped import Scoped
from .search import Owner, candidates, search

_FEW = 1_000
QUOTES_OF = (
    "SELECT q.session_id, q.n, q.place, q.self_id, t.n AS quoted_n FROM sessions s"
    " CROSS JOIN turns t ON t.session_id = s.id CROSS JOIN turn_messages m ON m.session_id = s.id AND m.n = t.n"
    " CROSS JOIN turn_quotes q ON q.session_id = s.id AND q.self_id = m.self_id AND q.message_id = m.message_id"
    " AND q.quoted_n IS NULL CROSS JOIN turns o ON o.session_id = s.id AND o.n = q.n AND o.said_at >= t.said_at"
    " WHERE s.domain_id = ? AND s.session_key = ? AND t.n = ?"
)
"""Quotes of a turn that was stored after they were, and so is not linked to them yet. What was said later than the
quoting turn only bears the same name."""
_STANDS = "t.recalled_at IS NULL AND t.suppressed_at IS NULL"


class TurnReads(Scoped):
    async def session(self, session_key: str) -> Session | None:
        if not self.reads_session(session_key):
            return None
        found = await self.fetch(
            f"SELECT {rows.SESSION_COLUMNS} FROM sessions s WHERE s.domain_id = ? AND s.session_key = ?",
            (self._domain_id, session_key),
        )
        return rows.session(found[0]) if found else None

    async def recent_turns(self, session_key: str, *, limit: int, after: int = 0) -> list[Turn]:
        session = await self.session(session_key)
        if session is None:
            return []
        # Few turns are found by number and sorted; many are walked in reading order, newest first, which the plus sign
        # asks for: it keeps the index by number out of the choice.
        n = "t.n" if session.last_turn - after <= _FEW else "+t.n"
        where = f"{n} > ? AND t.state IN ('ordinary', 'unlearnt') AND {_STANDS}"
        newest_first = "ORDER BY t.said_at DESC, t.seq DESC, t.n DESC LIMIT ?"
        return (await self._turns(session_key, f"{where} {newest_first}", (after, count(limit))))[::-1]

    async def turns_after(self, session_key: str, n: int, *, limit: int) -> list[Turn]:
        return await self._turns(session_key, "t.n > ? ORDER BY t.n LIMIT ?", (n, count(limit)))

    async def turns(self, session_key: str, numbers: Iterable[int]) -> list[Turn]:
        found: list[Turn] = []
        for part in chunks(turn_numbers(numbers)):
            found += await self._turns(session_key, f"t.n IN {marks(len(part))} ORDER BY t.n", part)
        return found

    async def turn_number(self, session_key: str, self_id: str, message_id: str) -> int | None:
        if not self.reads_session(session_key):
            return None
        found = await self.fetch(
            "SELECT m.n FROM turn_messages m JOIN sessions s ON s.id = m.session_id"
            " WHERE s.domain_id = ? AND s.session_key = ? AND m.self_id = ? AND m.message_id = ?",
            (self._domain_id, session_key, self_id, message_id),
        )
        return found[0][0] if found else None

    async def turns_quoting(self, session_key: str, n: int) -> list[int]:
        if not self.reads_session(session_key):
            return []
        found = await self.fetch(
            f"SELECT n FROM ({QUOTES_OF}) UNION SELECT q.n FROM sessions s JOIN turn_quotes q ON q.session_id = s.id"
            " WHERE s.domain_id = ? AND s.session_key = ? AND q.quoted_n = ? ORDER BY n",
            (self._domain_id, session_key, n) * 2,
        )
        return [row[0] for row in found]

    async def recalled_items(self, session_key: str, n: int) -> list[tuple[str, float]]:
        if not self.reads_session(session_key):
            return []
        found = await self.fetch(
            "SELECT r.item_id, r.score FROM turn_recalls r JOIN sessions s ON s.id = r.session_id"
            " WHERE s.domain_id = ? AND s.session_key = ? AND r.n = ? ORDER BY r.place",
            (self._domain_id, session_key, n),
        )
        return [(item_id, score) for item_id, score in found]

    async def turn_candidates(self, session_key: str, terms: Sequence[str]) -> LexicalCandidates:
        if not self.reads_session(session_key):
            return LexicalCandidates((), {}, {})
        scope = session_scope(session_key)
        key = (self._domain_id, session_key)
        sessions = await self.fetch(
            "SELECT id, turn_count, term_count FROM sessions WHERE domain_id = ? AND session_key = ?", key
        )
        owners = [Owner(row, scope, ScopeSize(*size)) for row, *size in sessions]

        async def load(ids: list[int]) -> list[Row]:
            return await self.fetch(
                "SELECT x.turn_id, t.n, x.session_id, x.length, x.terms FROM turn_terms x JOIN turns t"
                f" ON t.id = x.turn_id JOIN sessions s ON s.id = t.session_id WHERE x.turn_id IN {marks(len(ids))}"
                " AND s.domain_id = ? AND s.session_key = ?"
                f" AND t.state IN ('open', 'ordinary', 'unlearnt') AND {_STANDS}",
                (*ids, *key),
            )

        found = await search(self.fetch, TURNS, self._domain_id, owners, terms, load)
        return candidates(found, [scope], owners)

    async def _turns(self, session_key: str, where: str, args: Sequence[Any]) -> list[Turn]:
        if not self.reads_session(session_key):
            return []
        found = await self.fetch(
            f"SELECT {rows.TURN_COLUMNS} FROM sessions s JOIN turns t ON t.session_id = s.id"
            f" WHERE s.domain_id = ? AND s.session_key = ? AND {where}",
            (self._domain_id, session_key, *args),
        )
        turns = [rows.turn(row) for row in found]
        quoting = [turn.n for turn in turns if any(quote.message_id for quote in turn.quotes)]
        gone = await self._quotes_taken_back(session_key, quoting)
        return [without_quotes(turn, gone.get(turn.n, ())) for turn in turns]

    async def _quotes_taken_back(self, session_key: str, numbers: Sequence[int]) -> dict[int, set[int]]:
        """By turn, the places of quotes whose own message was recalled or suppressed."""
        gone: dict[int, set[int]] = {}
        for part in chunks(numbers):
            found = await self.fetch(
                "SELECT q.n, q.place FROM sessions s CROSS JOIN turn_quotes q ON q.session_id = s.id"
                " LEFT JOIN turns t ON t.session_id = s.id AND t.n = q.quoted_n"
                f" WHERE s.domain_id = ? AND s.session_key = ? AND q.n IN {marks(len(part))} AND"
                " (q.recalled_at IS NOT NULL OR t.recalled_at IS NOT NULL OR t.suppressed_at IS NOT NULL)",
                (self._domain_id, session_key, *part),
            )
            for n, place in found:
                gone.setdefault(n, set()).add(place)
        return gone


def without_quotes(turn: Turn, places: Collection[int]) -> Turn:
    """``turn`` without its quotes at ``places``."""
    if not places:
        return turn
    return replace(turn, quotes=tuple(quote for i, quote in enumerate(turn.quotes) if i not in places))
