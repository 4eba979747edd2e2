"""Recording turns: numbering, and recognising a message that another bot connection brought already.

Works on a whole batch, of one session or of many, in a fixed number of statements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ...models import NewTurn, Turn, TurnState
from ...scope import session_scope
from . import index, rows
from .connection import Transaction
from .index import TURNS, Tokens
from .rows import asked, flat, from_ms, mentions_text, quotes_text, to_ms
from .scoped import session_ids

BATCH = 200
INDEXED_STATES = frozenset({TurnState.OPEN, TurnState.ORDINARY, TurnState.UNLEARNT})
"""States in which a standing turn is in the text index."""

Likeness: TypeAlias = tuple[int, str, int, str]
"""Session, account, second and text: what two deliveries of one message have in common."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A turn to be recorded, with its hashed terms."""

    domain_id: str
    session_key: str
    turn: NewTurn
    tokens: Tokens

    @property
    def key(self) -> tuple[str, str]:
        return self.domain_id, self.session_key

    @property
    def message_ids(self) -> tuple[tuple[str, str], ...]:
        """Without empty ones: a platform that gives no id must not make all its messages look like one."""
        return tuple(pair for pair in self.turn.message_ids if pair[1])


async def hash_entries(new: Sequence[tuple[str, str, NewTurn, Sequence[str]]]) -> list[Entry]:
    """Entries of (domain, session key, turn, terms)."""
    tokens = await index.hash_many([(domain, session_scope(key), terms) for domain, key, _, terms in new])
    return [Entry(domain, key, turn, hashed) for (domain, key, turn, _), hashed in zip(new, tokens, strict=True)]


@dataclass(slots=True)
class _Batch:
    """What is known while a batch is worked through, kept in step with it.

    ``messages``: (session, self id, message id) -> number and likeness of the turn. ``seen_by``: likeness -> for each
    such user turn that came with a message id, by number: the self ids that saw it.
    """

    sessions: dict[tuple[str, str], int]
    last: dict[int, int] = field(default_factory=dict)
    messages: dict[tuple[int, str, str], tuple[int, Likeness]] = field(default_factory=dict)
    seen_by: dict[Likeness, dict[int, set[str]]] = field(default_factory=dict)

    def number_of(self, entry: Entry) -> int | None:
        """The turn that this message already is. An id alone is no proof: clients use hashes, and counters that begin
        anew, so an old id may name a new message."""
        session, likeness = self.sessions[entry.key], self.likeness(entry)
        known = (self.messages.get((session, *pair)) for pair in entry.message_ids)
        return next((turn[0] for turn in known if turn is not None and turn[1] == likeness), None)

    def partner_of(self, entry: Entry) -> int | None:
        """The first turn with the same account, second and text that none of this message's connections has seen."""
        own = {self_id for self_id, _ in entry.message_ids}
        if entry.turn.role != "user" or not own:
            return None
        partners = self.seen_by.get(self.likeness(entry), {})
        return next((n for n in sorted(partners) if not partners[n] & own), None)

    def likeness(self, entry: Entry) -> Likeness:
        second = to_ms(entry.turn.said_at) // 1000
        return self.sessions[entry.key], entry.turn.account, second, entry.turn.text

    def note(self, entry: Entry, n: int) -> None:
        """This message is turn ``n``."""
        session, likeness = self.sessions[entry.key], self.likeness(entry)
        self.messages.update({(session, *pair): (n, likeness) for pair in entry.message_ids})
        if entry.turn.role == "user" and entry.message_ids:
            seen = self.seen_by.setdefault(likeness, {}).setdefault(n, set())
            seen.update(self_id for self_id, _ in entry.message_ids)


async def record(tx: Transaction, entries: Sequence[Entry], *, now: int, analyser: int) -> list[Turn]:
    """Number and store the entries; for each the turn that it became or already was."""
    turns: list[Turn] = []
    for start in range(0, len(entries), BATCH):
        turns += await _record(tx, entries[start : start + BATCH], now, analyser)
    return turns


async def _record(tx: Transaction, entries: Sequence[Entry], now: int, analyser: int) -> list[Turn]:
    batch = _Batch(await session_ids(tx, list(dict.fromkeys(entry.key for entry in entries)), now))
    next_id = await _load_numbers(tx, batch)
    await _load_messages(tx, batch, entries)
    await _load_partners(tx, batch, entries)
    numbers: list[int] = []
    new: dict[tuple[int, int], Turn] = {}
    turn_lines: list[rows.Row] = []
    message_lines: list[rows.Row] = []
    quote_lines: list[rows.Row] = []
    recall_lines: list[rows.Row] = []
    term_lines: list[tuple[int, int, Tokens]] = []
    indexed: list[int] = []
    for entry in entries:
        session = batch.sessions[entry.key]
        n = batch.number_of(entry)
        if n is None:
            n = batch.partner_of(entry)
            if n is None:
                n = batch.last[session] = batch.last[session] + 1
                new[session, n] = _turn(entry, n, now)
                turn_lines.append((next_id, session, n, *_values(entry.turn), now))
                recall_lines += [(session, n, i, *recalled) for i, recalled in enumerate(entry.turn.recalled)]
                quote_lines += _quote_lines(entry, session, n, len(entry.turn.quotes))
                term_lines.append((next_id, session, entry.tokens))
                if entry.turn.state in INDEXED_STATES:
                    indexed.append(next_id)
                next_id += 1
            message_lines += [(session, *pair, n) for pair in dict.fromkeys(entry.message_ids)]
            batch.note(entry, n)
        numbers.append(n)
    await _insert(tx, turn_lines, message_lines, quote_lines, recall_lines)
    await index.add(tx, TURNS, term_lines, analyser)
    await index.enter(tx, TURNS, indexed)
    touched = {session for session, _ in new}
    await tx.many(
        "UPDATE sessions SET last_turn = ?, updated_at = ? WHERE id = ?",
        [(batch.last[session], now, session) for session in touched],
    )
    places = [(batch.sessions[entry.key], n) for entry, n in zip(entries, numbers, strict=True)]
    known = await _load_turns(tx, [place for place in places if place not in new])
    await _insert_quotes(
        tx,
        [
            line
            for entry, place in zip(entries, places, strict=True)
            if place not in new
            for line in _quote_lines(entry, *place, len(known[place].quotes))
        ],
    )
    return [new.get(place) or known[place] for place in places]


async def _load_numbers(tx: Transaction, batch: _Batch) -> int:
    """Fill in the sessions' last numbers; returns the next row id of a turn (the transaction has the write lock)."""
    ids = list(batch.sessions.values())
    found = await tx.fetch(
        "SELECT id, last_turn, (SELECT coalesce(max(id), 0) FROM turns) FROM sessions"
        f" WHERE id IN {rows.marks(len(ids))}",
        ids,
    )
    batch.last = {id: last for id, last, _ in found}
    return found[0][2] + 1


async def _load_messages(tx: Transaction, batch: _Batch, entries: Sequence[Entry]) -> None:
    columns = "session_id, self_id, message_id"
    messages = [(batch.sessions[entry.key], *pair) for entry in entries for pair in entry.message_ids]
    for part in rows.chunks(messages):
        found = await tx.fetch(
            f"{asked(columns, len(part))} SELECT {columns}, n, account, said_at, text"
            f" FROM asked CROSS JOIN turn_messages USING ({columns}) CROSS JOIN turns USING (session_id, n)",
            flat(part),
        )
        for session, self_id, id, n, account, said_at, text in found:
            batch.messages[session, self_id, id] = n, (session, account, said_at // 1000, text)


async def _load_partners(tx: Transaction, batch: _Batch, entries: Sequence[Entry]) -> None:
    likenesses = dict.fromkeys(
        batch.likeness(entry)[:3] for entry in entries if entry.turn.role == "user" and entry.message_ids
    )
    for part in rows.chunks(likenesses):
        found = await tx.fetch(
            f"{asked('session_id, account, second', len(part))}"
            " SELECT t.session_id, t.account, asked.second, t.text, t.n, m.self_id FROM asked"
            " CROSS JOIN turns t ON t.session_id = asked.session_id AND t.account = asked.account AND t.role = 'user'"
            " AND t.said_at BETWEEN asked.second * 1000 AND asked.second * 1000 + 999"
            " CROSS JOIN turn_messages m ON m.session_id = t.session_id AND m.n = t.n",
            flat(part),
        )
        for *likeness, n, self_id in found:
            batch.seen_by.setdefault(tuple(likeness), {}).setdefault(n, set()).add(self_id)


async def _load_turns(tx: Transaction, places: Sequence[tuple[int, int]]) -> dict[tuple[int, int], Turn]:
    if not places:
        return {}
    found = await tx.fetch(
        f"{asked('session_id, n', len(places))} SELECT s.id, {rows.TURN_COLUMNS} FROM asked"
        " CROSS JOIN turns t ON t.session_id = asked.session_id AND t.n = asked.n"
        " JOIN sessions s ON s.id = t.session_id",
        flat(places),
    )
    return {(row[0], row[2]): rows.turn(row[1:]) for row in found}


def _quote_lines(entry: Entry, session: int, n: int, kept: int) -> list[rows.Row]:
    """Rows for the messages that turn ``n`` quotes, which has ``kept`` quotes, as this connection names them."""
    if not entry.message_ids:
        return []
    self_id = entry.message_ids[0][0]
    quotes = enumerate(entry.turn.quotes[:kept])
    return [(session, n, i, self_id, quote.message_id) for i, quote in quotes if quote.message_id]


async def _insert_quotes(tx: Transaction, lines: list[rows.Row]) -> None:
    await tx.many(
        "INSERT OR IGNORE INTO turn_quotes (session_id, n, place, self_id, message_id, quoted_n)"
        " SELECT a.*, m.n FROM (SELECT ? AS session_id, ? AS n, ? AS place, ? AS self_id, ? AS message_id) a"
        " LEFT JOIN turn_messages m USING (session_id, self_id, message_id)",
        lines,
    )


async def _insert(
    tx: Transaction,
    turn_lines: list[rows.Row],
    message_lines: list[rows.Row],
    quote_lines: list[rows.Row],
    recall_lines: list[rows.Row],
) -> None:
    await tx.many(
        "INSERT INTO turns (id, session_id, n, role, account, name, text, quotes, mentions, state, by_operator,"
        f" said_at, seq, recorded_at) VALUES {rows.marks(14)}",
        turn_lines,
    )
    await tx.many(
        "INSERT INTO turn_messages (session_id, self_id, message_id, n) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (session_id, self_id, message_id) DO UPDATE SET n = excluded.n",
        message_lines,
    )
    await _insert_quotes(tx, quote_lines)
    await tx.many(
        "INSERT INTO turn_recalls (session_id, n, place, item_id, score) VALUES (?, ?, ?, ?, ?)", recall_lines
    )


def _values(turn: NewTurn) -> rows.Row:
    return (
        turn.role,
        turn.account,
        turn.name,
        turn.text,
        quotes_text(turn.quotes),
        mentions_text(turn.mentions),
        turn.state.value,
        turn.by_operator,
        to_ms(turn.said_at),
        turn.seq,
    )


def _turn(entry: Entry, n: int, now: int) -> Turn:
    """The turn as reading would return it."""
    turn = entry.turn
    return Turn(
        session_key=entry.session_key,
        n=n,
        role=turn.role,
        text=turn.text,
        said_at=from_ms(to_ms(turn.said_at)),
        recorded_at=from_ms(now),
        account=turn.account,
        name=turn.name,
        state=turn.state,
        quotes=turn.quotes,
        mentions=turn.mentions,
        seq=turn.seq,
        by_operator=turn.by_operator,
    )
