"""Rows of the database as records, and back. Times are whole milliseconds since 1970 in UTC."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, TypeVar

from ...models import Candidate, Evidence, Item, MemoryEvent, Quote, Session, Turn, TurnState, UsageRow
from ...scope import SCOPE_TYPE_EXPERT, SCOPE_TYPE_GLOBAL, SCOPE_TYPE_PROJECT, ScopeRef

Row = tuple[Any, ...]
T = TypeVar("T")

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MILLISECOND = timedelta(milliseconds=1)

CHUNK = 500
"""Values that one statement names at most; longer lists are cut into several statements."""


def chunks(values: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    """``values`` in lists of at most ``size``."""
    everything = list(values)
    for start in range(0, len(everything), size):
        yield everything[start : start + size]


def marks(count: int) -> str:
    """``(?, ?, ?)`` for an IN list of ``count`` values."""
    return "(" + ", ".join("?" * count) + ")"


def values(count: int, width: int) -> str:
    """``VALUES (?, ?), (?, ?)``: ``count`` rows of ``width`` parameters."""
    return "VALUES " + ", ".join([marks(width)] * count)


def asked(columns: str, count: int) -> str:
    """``WITH asked (a, b) AS (VALUES ...)`` for columns ``a, b`` and ``count`` rows.

    Joined with CROSS JOIN, which SQLite never reorders: given ``(a, b) IN (VALUES ...)`` of several rows it may use the
    first column of an index alone, and read a whole session or domain.
    """
    return f"WITH asked ({columns}) AS ({values(count, columns.count(',') + 1)})"


def flat(rows: Iterable[Sequence[Any]]) -> tuple[Any, ...]:
    """The parameters of ``values``, in order."""
    return tuple(value for row in rows for value in row)


def count(number: int) -> int:
    """``number`` as SQLite takes it for LIMIT and OFFSET, where a negative one would mean everything."""
    return max(0, min(number, 2**63 - 1))


def to_ms(at: datetime) -> int:
    """Raises ValueError for a time without a zone: it would silently mean the machine's own."""
    if at.tzinfo is None:
        raise ValueError("a time without a time zone cannot be stored")
    return (at - _EPOCH) // _MILLISECOND


def from_ms(ms: int) -> datetime:
    return _EPOCH + ms * _MILLISECOND


def to_ms_or_none(at: datetime | None) -> int | None:
    return None if at is None else to_ms(at)


def from_ms_or_none(ms: int | None) -> datetime | None:
    return None if ms is None else from_ms(ms)


@functools.lru_cache(maxsize=4096)
def scope_ref(scope_type: str, external_id: str) -> ScopeRef:
    """A stored scope as a value; cached, because checking an address costs more than reading its row."""
    return ScopeRef(scope_type, external_id)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


SHARED_TYPES = f"('{SCOPE_TYPE_GLOBAL}', '{SCOPE_TYPE_PROJECT}', '{SCOPE_TYPE_EXPERT}')"
"""Types of scopes that several chats read, as SQL."""

# --- sessions and turns

SESSION_COLUMNS = (
    "s.domain_id, s.session_key, s.last_turn, s.watermark, s.history_start, s.summary, s.created_at, s.updated_at, "
    "s.failures, nullif(s.retry_at, 0), s.dreamed, s.dream_failures, nullif(s.dream_retry_at, 0), s.summarised"
)
TURN_COLUMNS = (
    "s.session_key, t.n, t.role, t.text, t.said_at, t.recorded_at, t.account, t.name, t.state, t.quotes, t.mentions, "
    "t.seq, t.by_operator, t.recalled_at IS NOT NULL, t.suppressed_at IS NOT NULL"
)
"""Of ``turns t JOIN sessions s``."""


def turn_numbers(numbers: Iterable[int]) -> list[int]:
    """The numbers that a turn can have, each once and in order."""
    return sorted({n for n in numbers if 0 < n < 2**63})


def session(row: Row) -> Session:
    *head, created_at, updated_at, failures, retry_at, dreamed, dream_failures, dream_retry_at, summarised = row
    return Session(
        *head,
        created_at=from_ms(created_at),
        updated_at=from_ms(updated_at),
        failures=failures,
        retry_at=from_ms_or_none(retry_at),
        dreamed=dreamed,
        dream_failures=dream_failures,
        dream_retry_at=from_ms_or_none(dream_retry_at),
        summarised=summarised,
    )


def turn(row: Row) -> Turn:
    return Turn(
        session_key=row[0],
        n=row[1],
        role=row[2],
        text=row[3],
        said_at=from_ms(row[4]),
        recorded_at=from_ms(row[5]),
        account=row[6],
        name=row[7],
        state=TurnState(row[8]),
        quotes=quotes_in(row[9]),
        mentions=mentions_in(row[10]),
        seq=row[11],
        by_operator=bool(row[12]),
        recalled=bool(row[13]),
        suppressed=bool(row[14]),
    )


def quotes_in(stored: str) -> tuple[Quote, ...]:
    return tuple(Quote(*quote) for quote in json.loads(stored)) if stored != "[]" else ()


def mentions_in(stored: str) -> tuple[tuple[str, str], ...]:
    return tuple((account, name) for account, name in json.loads(stored)) if stored != "[]" else ()


def quotes_text(quotes: Iterable[Quote]) -> str:
    return _compact([[quote.account, quote.name, quote.text, quote.kind, quote.message_id] for quote in quotes])


def mentions_text(mentions: Iterable[tuple[str, str]]) -> str:
    return _compact([list(mention) for mention in mentions])


# --- items

ITEM_COLUMNS = (
    "i.public_id, s.scope_type, s.external_id, i.kind, i.content, i.subject, i.owner, i.slot_key, i.tier, i.status, "
    "i.confidence, i.importance, i.identity, i.origin, i.source_session, i.valid_from, i.created_at, i.updated_at, "
    "i.valid_to, i.valid_until, i.successor, i.prompt_version, i.version"
)
"""Of ``items i JOIN scopes s``."""

ITEM_FIELDS = (
    "public_id, scope_id, kind, content, subject, owner, slot_key, tier, status, confidence, importance, identity, "
    "origin, source_session, valid_from, created_at, updated_at, valid_to, valid_until, successor, prompt_version, "
    "version"
)
"""Columns that ``item_values`` fills, in its order."""


def item(row: Row) -> Item:
    return Item(
        id=row[0],
        scope=scope_ref(row[1], row[2]),
        kind=row[3],
        content=row[4],
        subject=row[5],
        owner=row[6],
        key=row[7],
        tier=row[8],
        status=row[9],
        confidence=row[10],
        importance=row[11],
        identity=row[12],
        origin=row[13],
        source_session=row[14],
        valid_from=from_ms(row[15]),
        created_at=from_ms(row[16]),
        updated_at=from_ms(row[17]),
        valid_to=from_ms_or_none(row[18]),
        valid_until=from_ms_or_none(row[19]),
        successor=row[20],
        prompt_version=row[21],
        version=row[22],
    )


def item_values(item: Item, scope_id: int) -> Row:
    return (
        item.id,
        scope_id,
        item.kind,
        item.content,
        item.subject,
        item.owner,
        item.key,
        item.tier,
        item.status,
        item.confidence,
        item.importance,
        item.identity,
        item.origin,
        item.source_session,
        to_ms(item.valid_from),
        to_ms(item.created_at),
        to_ms(item.updated_at),
        to_ms_or_none(item.valid_to),
        to_ms_or_none(item.valid_until),
        item.successor,
        item.prompt_version,
        item.version,
    )


# --- candidates, events, usage

CANDIDATE_COLUMNS = (
    "c.public_id, s.scope_type, s.external_id, c.source_session, c.kind, c.content, c.subject, c.slot_key, c.identity, "
    "c.status, c.reason, c.origin, c.confidence, c.importance, c.created_at, c.item_id, c.valid_until, c.decided_at, "
    "c.decided_by, c.evidence, c.prompt_version"
)
"""Of ``candidates c JOIN scopes s``."""

CANDIDATE_FIELDS = (
    "public_id, scope_id, source_session, kind, content, subject, slot_key, identity, status, reason, origin, "
    "confidence, importance, created_at, item_id, valid_until, decided_at, decided_by, evidence, prompt_version"
)


def candidate(row: Row) -> Candidate:
    return Candidate(
        id=row[0],
        scope=scope_ref(row[1], row[2]),
        source_session=row[3],
        kind=row[4],
        content=row[5],
        subject=row[6],
        key=row[7],
        identity=row[8],
        status=row[9],
        reason=row[10],
        origin=row[11],
        confidence=row[12],
        importance=row[13],
        created_at=from_ms(row[14]),
        item_id=row[15],
        valid_until=from_ms_or_none(row[16]),
        decided_at=from_ms_or_none(row[17]),
        decided_by=row[18],
        evidence=tuple(Evidence(*entry) for entry in json.loads(row[19])),
        prompt_version=row[20],
    )


def candidate_values(candidate: Candidate, scope_id: int) -> Row:
    return (
        candidate.id,
        scope_id,
        candidate.source_session,
        candidate.kind,
        candidate.content,
        candidate.subject,
        candidate.key,
        candidate.identity,
        candidate.status,
        candidate.reason,
        candidate.origin,
        candidate.confidence,
        candidate.importance,
        to_ms(candidate.created_at),
        candidate.item_id,
        to_ms_or_none(candidate.valid_until),
        to_ms_or_none(candidate.decided_at),
        candidate.decided_by,
        _compact([[e.session_key, e.turn, e.account, e.quote] for e in candidate.evidence]),
        candidate.prompt_version,
    )


EVENT_COLUMNS = "s.scope_type, s.external_id, e.action, e.actor, e.at, e.item_id, e.candidate_id, e.reason, e.before"
"""Of ``events e JOIN scopes s``."""


def event(row: Row) -> MemoryEvent:
    return MemoryEvent(scope_ref(row[0], row[1]), row[2], row[3], from_ms(row[4]), *row[5:])


def usage(row: Row) -> UsageRow:
    day, scope_type, external_id, purpose, calls, tokens_in, tokens_out, estimated = row
    ref = scope_ref(scope_type, external_id)
    return UsageRow(day, ref, purpose, calls, tokens_in, tokens_out, bool(estimated))
