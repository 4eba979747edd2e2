"""Writing sessions and turns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from ...errors import NotFoundError
from ...models import NewTurn, Quote, Turn, TurnState
from . import index, recording
from .index import TURNS
from .rows import Row, chunks, marks, mentions_in, mentions_text, quotes_in, quotes_text, to_ms, turn_numbers
from .scoped import Writing
from .turns import QUOTES_OF

_INDEXED = frozenset(state.value for state in recording.INDEXED_STATES)


class TurnWrites(Writing):
    async def add_turns(self, session_key: str, turns: Sequence[tuple[NewTurn, Sequence[str]]]) -> list[Turn]:
        self.check_session(session_key)
        new = [(self._domain_id, session_key, turn, terms) for turn, terms in turns]
        entries = await recording.hash_entries(new)
        return await recording.record(self.tx, entries, now=self.context.now(), analyser=self.context.analyser)

    async def set_turn_state(self, session_key: str, numbers: Iterable[int], state: TurnState) -> None:
        indexed = state.value in _INDEXED
        changed = [row for row in await self._find(session_key, numbers) if row[2] != state.value]
        # Recalled and suppressed turns have no tokens left, so they neither leave nor enter.
        if not indexed:
            await index.leave(self.tx, TURNS, [row[0] for row in changed if row[2] in _INDEXED])
        await self._update("state = ?", state.value, [row[0] for row in changed])
        if indexed:
            await index.enter(self.tx, TURNS, [row[0] for row in changed if row[2] not in _INDEXED])

    async def add_to_turn(self, session_key: str, n: int, quotes: Sequence[Quote], names: Mapping[str, str]) -> None:
        self.check_session(session_key)
        found = await self.fetch(
            "SELECT t.id, t.quotes, t.mentions FROM sessions s JOIN turns t ON t.session_id = s.id"
            " WHERE s.domain_id = ? AND s.session_key = ? AND t.n = ?",
            (self._domain_id, session_key, n),
        )
        if not found:
            raise NotFoundError("turn", f"{session_key}#{n}")
        row, quotes_before, mentions_before = found[0]
        # As they are stored: those that reading leaves out keep their place.
        all_quotes = (*quotes_in(quotes_before), *quotes)
        mentions = [(account, names.get(account, name)) for account, name in mentions_in(mentions_before)]
        await self._update("quotes = ?", quotes_text(all_quotes), [row])
        await self._update("mentions = ?", mentions_text(mentions), [row])

    async def mark_recalled(self, session_key: str, n: int) -> None:
        found = await self._find(session_key, [n])
        if not found:
            raise NotFoundError("turn", f"{session_key}#{n}")
        await self._link_quotes(session_key, [n])
        await self._unindex(found)
        await self._update("recalled_at = coalesce(recalled_at, ?)", self.context.now(), [found[0][0]])
        await self._drop_summary(session_key, n)

    async def mark_quotes_recalled(self, session_key: str, self_id: str, message_id: str) -> list[int]:
        self.check_session(session_key)
        found = await self.fetch(
            "SELECT q.session_id, q.n FROM sessions s JOIN turn_quotes q ON q.session_id = s.id"
            " WHERE s.domain_id = ? AND s.session_key = ? AND q.self_id = ? AND q.message_id = ?"
            " AND q.quoted_n IS NULL ORDER BY q.n",
            (self._domain_id, session_key, self_id, message_id),
        )
        if found:
            await self.tx.fetch(
                "UPDATE turn_quotes SET recalled_at = coalesce(recalled_at, ?)"
                " WHERE session_id = ? AND self_id = ? AND message_id = ? AND quoted_n IS NULL",
                (self.context.now(), found[0][0], self_id, message_id),
            )
            await self._drop_summary(session_key, found[0][1])
        return sorted({n for _, n in found})

    async def mark_suppressed(self, session_key: str, numbers: Iterable[int]) -> None:
        found = await self._find(session_key, numbers)
        await self._link_quotes(session_key, [row[1] for row in found])
        await self._unindex(found)
        await self._update("suppressed_at = coalesce(suppressed_at, ?)", self.context.now(), [row[0] for row in found])
        if found:
            await self._drop_summary(session_key, found[0][1])

    async def set_watermark(self, session_key: str, n: int) -> None:
        await self._update_session(
            session_key, "watermark = max(watermark, min(?, last_turn)), failures = 0, retry_at = 0", n
        )

    async def set_failure(self, session_key: str, failures: int, retry_at: datetime) -> None:
        await self._update_session(session_key, "failures = ?, retry_at = ?", failures, to_ms(retry_at))

    async def start_history(self, session_key: str) -> None:
        await self._update_session(session_key, "history_start = last_turn")

    async def set_summary(self, session_key: str, summary: str, *, until: int = 0) -> None:
        await self._update_session(session_key, "summary = ?, summarised = ?", summary, until)

    async def _drop_summary(self, session_key: str, n: int) -> None:
        """The summary, and its copies in the records of dreams, if it covers a turn from ``n`` on: whatever was taken
        back may stand in it, and the next dream writes it anew."""
        session_id = await self.session_id(session_key)
        dropped = await self.tx.fetch(
            "UPDATE sessions SET summary = '', summarised = 0 WHERE id = ? AND summarised >= ? RETURNING 1",
            (session_id, n),
        )
        if dropped:
            await self.tx.fetch(
                "UPDATE dream_operations SET before_text = '', after_text = '', state = 'skipped'"
                " WHERE action = 'summary' AND run_id IN (SELECT id FROM dream_runs WHERE session_id = ?)",
                (session_id,),
            )

    async def _find(self, session_key: str, numbers: Iterable[int]) -> list[Row]:
        """(row id, number, state, whether it stands) of the turns that exist."""
        self.check_session(session_key)
        found: list[Row] = []
        for part in chunks(turn_numbers(numbers)):
            found += await self.fetch(
                "SELECT t.id, t.n, t.state, t.recalled_at IS NULL AND t.suppressed_at IS NULL"
                " FROM sessions s JOIN turns t ON t.session_id = s.id"
                f" WHERE s.domain_id = ? AND s.session_key = ? AND t.n IN {marks(len(part))} ORDER BY t.n",
                (self._domain_id, session_key, *part),
            )
        return found

    async def _link_quotes(self, session_key: str, numbers: Iterable[int]) -> None:
        for n in numbers:
            lines = await self.fetch(QUOTES_OF, (self._domain_id, session_key, n))
            await self.tx.many(
                "UPDATE turn_quotes SET quoted_n = ? WHERE session_id = ? AND n = ? AND place = ? AND self_id = ?",
                [(quoted, *key) for *key, quoted in lines],
            )

    async def _unindex(self, found: Sequence[Row]) -> None:
        await index.leave(self.tx, TURNS, [row[0] for row in found if row[2] in _INDEXED])
        await index.forget(self.tx, TURNS, [row[0] for row in found])

    async def _update(self, change: str, value: object, turn_rows: Iterable[int]) -> None:
        for part in chunks(turn_rows):
            await self.tx.fetch(f"UPDATE turns SET {change} WHERE id IN {marks(len(part))}", (value, *part))

    async def _update_session(self, session_key: str, change: str, *args: object) -> None:
        session_id = await self.session_id(session_key)
        await self.tx.fetch(
            f"UPDATE sessions SET {change}, updated_at = ? WHERE id = ?", (*args, self.context.now(), session_id)
        )
