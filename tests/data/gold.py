"""The gold set as a test or a benchmark uses it: read it, let an engine hear it, hold against it what that knows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from nonebot_plugin_scoped_memory.engine.engine import MemoryEngine
from nonebot_plugin_scoped_memory.engine.models import Evidence, Item, NewTurn, Quote, TurnState
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, GLOBAL_SCOPED_KINDS, home_scope
from nonebot_plugin_scoped_memory.engine.text import fold

FOLDER = Path(__file__).resolve().parent
SHANGHAI = timezone(timedelta(hours=8))
BOT_NUMBER = "30001"
BOTS = frozenset({f"qq:user:{BOT_NUMBER}"})
PASSES_WITHIN = timedelta(days=2)
"""A passing state may be stored if it ends so soon after the day it was true on."""

folded = lru_cache(maxsize=None)(fold)


@dataclass(frozen=True, slots=True)
class Turn:
    """One line of the talk. ``n`` counts from 1 in its session, as the engine will."""

    session: str
    n: int
    new: NewTurn
    state: TurnState
    recalled: bool
    tags: frozenset[str]


@dataclass(frozen=True, slots=True)
class Truth:
    """One row of the expected file; see ``make_gold`` for what its fields mean."""

    what: Literal["expected", "allowed", "forbidden", "secret"]
    id: str
    session: str
    turns: tuple[int, ...]
    all_of: tuple[tuple[str, ...], ...] = ()
    none_of: tuple[str, ...] = ()
    subject: str | None = None
    scope: str = ""
    kind: str = ""
    key: str | None = None
    valid_from: date | None = None
    valid_until: date | None = None
    status: str = ""
    level: str = ""
    tag: str = ""
    held_out: bool = False
    why: str = ""
    anywhere: bool = True
    literal: str = ""

    def worded(self, content: str) -> bool:
        """Whether ``content`` says it."""
        text = folded(content)
        return all(any(folded(word) in text for word in group) for group in self.all_of) and not any(
            folded(word) in text for word in self.none_of
        )

    def is_about(self, subject: str) -> bool:
        return self.subject is None or self.subject == subject or (self.subject == "*" and self._anybody(subject))

    def _anybody(self, subject: str) -> bool:
        # What a person asks to note may be theirs or nobody's; what is forbidden of anybody needs somebody.
        return self.what == "expected" or bool(subject)


@dataclass(frozen=True, slots=True)
class Gold:
    turns: tuple[Turn, ...]
    truths: tuple[Truth, ...]

    def of(self, what: str) -> list[Truth]:
        return [truth for truth in self.truths if truth.what == what]

    @property
    def sessions(self) -> list[str]:
        return list(dict.fromkeys(turn.session for turn in self.turns))

    @property
    def end(self) -> datetime:
        """Midnight after the last day."""
        last = self.turns[-1].new.said_at.astimezone(SHANGHAI)
        return datetime(last.year, last.month, last.day, tzinfo=SHANGHAI) + timedelta(days=1)

    def first_days(self, days: int) -> Gold:
        """The beginning of the talk, with all that is forbidden, and of the rest what rests on the beginning."""
        first = self.turns[0].new.said_at.astimezone(SHANGHAI).date()
        turns = [t for t in self.turns if (t.new.said_at.astimezone(SHANGHAI).date() - first).days < days]
        heard = {(turn.session, turn.n) for turn in turns}
        truths = [t for t in self.truths if all((t.session, n) in heard for n in t.turns)]
        return Gold(tuple(turns), tuple(truths))


@dataclass(frozen=True, slots=True)
class Stored:
    """An item and the turns that it rests on."""

    item: Item
    evidence: tuple[Evidence, ...]

    def rests_on(self, truth: Truth) -> bool:
        return any(one.session_key == truth.session and one.turn in truth.turns for one in self.evidence)


class TurnClock:
    """Shows the time at which the last turn was said."""

    def __init__(self) -> None:
        self.now = datetime(2020, 1, 1, tzinfo=timezone.utc)

    def __call__(self) -> datetime:
        return self.now


def load(name: str) -> Gold:
    """The set ``dev`` or ``report`` from its files."""
    turns = [_turn(row) for row in _rows(FOLDER / f"gold-{name}.jsonl")]
    truths = [_truth(row) for row in _rows(FOLDER / f"gold-{name}.expected.jsonl")]
    return Gold(tuple(turns), tuple(truths))


async def play(engine: MemoryEngine, clock: TurnClock, turns: Iterable[Turn], domain: str = "default") -> None:
    """Let ``engine`` hear ``turns`` at their own times. What is recalled is taken back after the chat's next turn."""
    taken_back: dict[str, Turn] = {}
    for turn in turns:
        clock.now = turn.new.said_at
        recorded = await engine.listener.record(domain, turn.session, turn.new)
        if recorded.n != turn.n:
            raise ValueError(f"{turn.session}: turn {turn.n} became {recorded.n}")
        await engine.listener.settle(domain, turn.session, recorded.n, turn.state, bots=BOTS)
        await engine.drain()
        if (before := taken_back.pop(turn.session, None)) is not None:
            await _take_back(engine, domain, before)
        if turn.recalled:
            taken_back[turn.session] = turn
    for turn in taken_back.values():
        await _take_back(engine, domain, turn)


async def stored(engine: MemoryEngine, sessions: Sequence[str], domain: str = "default") -> list[Stored]:
    """Every item of these sessions' chats and of the shared scope, of any status, oldest first."""
    scopes = [*dict.fromkeys(home_scope(session) for session in sessions), GLOBAL_SCOPE]
    items = await engine.list_items(read=scopes, status=None, limit=100_000, domain_id=domain)
    evidence = await engine.store.view(domain, scopes).evidence([item.id for item in items])
    return [Stored(item, tuple(evidence.get(item.id, ()))) for item in reversed(items)]


def stands(item: Item, at: datetime) -> bool:
    """Whether it would still be recalled."""
    return item.status == "active" and (item.valid_until is None or item.valid_until > at)


def is_shared(kind: str) -> bool:
    """The class of a kind: what is personal, and what is a chat's."""
    return kind in GLOBAL_SCOPED_KINDS


def violations(gold: Gold, known: Iterable[Stored]) -> list[tuple[Truth, Stored]]:
    """Items that stand at the end and must not: what is forbidden, and who says so."""
    found: list[tuple[Truth, Stored]] = []
    forbidden = gold.of("forbidden")
    for one in known:
        if not stands(one.item, gold.end):
            continue
        for truth in forbidden:
            in_place = truth.anywhere or one.rests_on(truth)
            if in_place and truth.is_about(one.item.subject) and truth.worded(one.item.content):
                found.append((truth, one))
                break
    return found


def out_of_place(known: Iterable[Stored]) -> list[Stored]:
    """Items in another scope than that of the chat they were said in. Nothing in the set may go to the shared scope."""
    return [
        one
        for one in known
        if any(home_scope(evidence.session_key) != one.item.scope for evidence in one.evidence) or not one.evidence
    ]


def leaked(gold: Gold, file: Path) -> list[Truth]:
    """The secrets whose bytes are in a database file or beside it (``-wal``, ``-journal``)."""
    content = b"".join(path.read_bytes() for path in file.parent.glob(f"{file.name}*"))
    return [truth for truth in gold.of("secret") if truth.literal.encode() in content]


async def _take_back(engine: MemoryEngine, domain: str, turn: Turn) -> None:
    self_id, message_id = turn.new.message_ids[0]
    if not await engine.listener.take_back(domain, turn.session, self_id, message_id, by=turn.new.account):
        raise ValueError(f"{turn.session}: turn {turn.n} is not known by its message id")


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _turn(row: dict[str, Any]) -> Turn:
    new = NewTurn(
        role=row["role"],
        text=row["text"],
        said_at=datetime.fromisoformat(row["said_at"]),
        account=row["account"],
        name=row["name"],
        state=TurnState.OPEN,
        quotes=tuple(Quote(**quote) for quote in row["quotes"]),
        mentions=tuple((mention["account"], mention["name"]) for mention in row["mentions"]),
        seq=row["seq"],
        message_ids=((BOT_NUMBER, f"{row['session']}#{row['n']}"),),
    )
    return Turn(row["session"], row["n"], new, TurnState(row["state"]), row["recalled"], frozenset(row["tags"]))


def _truth(row: dict[str, Any]) -> Truth:
    dates = {key: row[key] and date.fromisoformat(row[key]) for key in ("valid_from", "valid_until") if key in row}
    fields: dict[str, Any] = row | dates | {"turns": tuple(row["turns"])}
    if "all_of" in row:
        fields |= {"all_of": tuple(map(tuple, row["all_of"])), "none_of": tuple(row["none_of"])}
    return Truth(**fields)
