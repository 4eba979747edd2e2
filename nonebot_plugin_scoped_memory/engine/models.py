"""The engine's records: plain frozen values, no behaviour beyond what their own fields say.

Times are timezone-aware UTC datetimes. Accounts are text such as ``qq:user:10001``; empty means nobody in particular.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Literal

from .scope import ScopeRef

Kind = Literal["preference", "fact", "task", "decision", "procedure", "warning", "summary"]
KINDS: tuple[Kind, ...] = ("preference", "fact", "task", "decision", "procedure", "warning", "summary")

Tier = Literal["dao_tian", "dao_ren", "shu", "qi", "evidence"]
TIERS: tuple[str, ...] = ("dao_tian", "dao_ren", "shu", "qi", "evidence")
"""Highest first."""

ItemStatus = Literal["active", "superseded", "archived", "demoted", "retracted"]
CandidateStatus = Literal["pending", "applied", "duplicate", "rejected"]
Role = Literal["user", "bot", "tool"]
Origin = Literal["rule", "llm", "command", "api", "approval", "dream", "import"]
"""What made an item: a rule, the model, a person's command, another plugin, an approval, a dream, an import."""

Clock = Callable[[], datetime]
IdSource = Callable[[], str]
"""Yields short ids, easy to type on a phone; the store asks again when one is taken."""

MAX_TURN_CHARS = 20_000
"""A longer message is cut here, and its text says so."""
MAX_ITEM_CHARS = 1_000
"""An item is one statement; a longer one is refused."""


class TurnState(str, enum.Enum):
    """How a turn counts. Only ORDINARY turns are extracted; they and UNLEARNT ones are shown as history."""

    OPEN = "open"  # recorded, its handlers still run
    ORDINARY = "ordinary"
    COMMAND = "command"  # for a bot command or another plugin
    UNLEARNT = "unlearnt"  # said by somebody who was opted out at the time
    UNPROCESSABLE = "unprocessable"  # the model refuses this one, alone


def utc_now() -> datetime:
    return datetime.now(timezone.utc)


@dataclass(frozen=True, slots=True)
class Quote:
    """Someone else's words inside a turn. ``kind`` is ``reply`` or ``forward``.

    ``message_id`` is the platform's id of what a reply quotes, as the bot that heard the turn knows it; where that
    message was taken back, the quote is not read any more.
    """

    account: str
    name: str
    text: str
    kind: Literal["reply", "forward"] = "reply"
    message_id: str = ""


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A message to be recorded.

    ``text`` is the speaker's own words only. ``seq`` is the platform's sequence number, 0 where it has none; it orders
    turns of one second. ``message_ids`` are (self id, message id) pairs, one for each bot connection that saw it.
    ``mentions`` are (account, name at the time) pairs. ``by_operator``: the speaker is an operator of the bot.
    ``recalled``: (item id, score) of what the answer was made with, best first.
    """

    role: Role
    text: str
    said_at: datetime
    account: str = ""
    name: str = ""
    state: TurnState = TurnState.ORDINARY
    quotes: tuple[Quote, ...] = ()
    mentions: tuple[tuple[str, str], ...] = ()
    seq: int = 0
    message_ids: tuple[tuple[str, str], ...] = ()
    by_operator: bool = False
    recalled: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """A recorded message. ``n`` counts arrivals in its session from 1; reading order is (said_at, seq, n)."""

    session_key: str
    n: int
    role: Role
    text: str
    said_at: datetime
    recorded_at: datetime
    account: str = ""
    name: str = ""
    state: TurnState = TurnState.ORDINARY
    quotes: tuple[Quote, ...] = ()
    mentions: tuple[tuple[str, str], ...] = ()
    seq: int = 0
    by_operator: bool = False
    recalled: bool = False
    suppressed: bool = False

    @property
    def stands(self) -> bool:
        """Whether it may be shown or used as evidence."""
        return not self.recalled and not self.suppressed


@dataclass(frozen=True, slots=True)
class Session:
    """``last_turn`` is the highest turn number, ``watermark`` the last one processed by the model,
    ``history_start`` the last one before the current conversation began. After ``failures`` failed calls in a row
    the next one waits until ``retry_at``. ``dreamed`` is the last turn that a dream has looked at, with failures and a
    waiting time of its own; ``summarised`` the last one that ``summary`` covers."""

    domain_id: str
    key: str
    last_turn: int
    watermark: int
    history_start: int
    summary: str
    created_at: datetime
    updated_at: datetime
    failures: int = 0
    retry_at: datetime | None = None
    dreamed: int = 0
    dream_failures: int = 0
    dream_retry_at: datetime | None = None
    summarised: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """One turn that an item rests on. ``quote`` is what the turn said, kept when the turn's text is pruned."""

    session_key: str
    turn: int
    account: str
    quote: str


@dataclass(frozen=True, slots=True)
class NewItem:
    """An item to be stored as given. ``valid_until`` is when it stops being recalled."""

    scope: ScopeRef
    kind: Kind
    content: str
    subject: str = ""
    owner: str = ""
    key: str | None = None
    tier: Tier = "evidence"
    confidence: float = 1.0
    importance: float = 0.5
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    origin: Origin = "api"
    evidence: tuple[Evidence, ...] = ()
    source_session: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """One memory. ``identity`` is the digest of its normalised content: equal for two wordings of one statement.

    ``valid_to`` is when it stopped being true (set when superseded); ``valid_until`` when it is due to.
    ``source_session`` is the session it came from, shown only where the reader's own plan reaches it.
    ``version`` goes up with each change.
    """

    id: str
    scope: ScopeRef
    kind: Kind
    content: str
    subject: str
    owner: str
    key: str | None
    tier: Tier
    status: ItemStatus
    confidence: float
    importance: float
    identity: str
    origin: Origin
    source_session: str
    valid_from: datetime
    created_at: datetime
    updated_at: datetime
    valid_to: datetime | None = None
    valid_until: datetime | None = None
    successor: str = ""
    prompt_version: str = ""
    version: int = 1


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposed item with its decision. ``item_id`` is the item it became, or its active copy in the source chat."""

    id: str
    scope: ScopeRef
    source_session: str
    kind: Kind
    content: str
    subject: str
    key: str | None
    identity: str
    status: CandidateStatus
    reason: str
    origin: Origin
    confidence: float
    importance: float
    created_at: datetime
    item_id: str = ""
    valid_until: datetime | None = None
    decided_at: datetime | None = None
    decided_by: str = ""
    evidence: tuple[Evidence, ...] = ()
    prompt_version: str = ""


@dataclass(frozen=True, slots=True)
class MemoryEvent:
    """One change of an item or candidate. ``before`` is its earlier content where an undo needs it."""

    scope: ScopeRef
    action: str
    actor: str
    at: datetime
    item_id: str = ""
    candidate_id: str = ""
    reason: str = ""
    before: str = ""


@dataclass(frozen=True, slots=True)
class ScopeSize:
    """How many active items (or turns) an owner has in the text index, and how many terms together."""

    documents: int
    terms: int


@dataclass(frozen=True, slots=True)
class LexicalDocument:
    """An index row: ``counts`` maps each query term it holds to its number of occurrences, ``length`` is in terms.

    ``ref`` is an item id (text) or a turn number (int).
    """

    ref: str | int
    owner: ScopeRef
    length: int
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class LexicalCandidates:
    """What the text index found: ``frequency`` is each query term's document count over all owners asked (capped)."""

    documents: tuple[LexicalDocument, ...]
    sizes: Mapping[ScopeRef, ScopeSize]
    frequency: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class UsageRow:
    """Tokens of one day (local date ``YYYY-MM-DD``), scope and purpose."""

    day: str
    scope: ScopeRef
    purpose: str
    calls: int
    tokens_in: int
    tokens_out: int
    estimated: bool


@dataclass(frozen=True, slots=True)
class ScoredItem:
    """A found item. ``score`` is in 0..1; ``why`` names the signals, e.g. ``{"lexical": 0.8, "vector": 0.4}``."""

    item: Item
    score: float
    why: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ScoredTurn:
    turn: Turn
    score: float


@dataclass(frozen=True, slots=True)
class Proposal:
    """What an extractor or a person proposes to remember, before any check.

    ``evidence`` are turn numbers of the session it comes from. ``audience``: ``chat`` keeps a shared kind in its chat,
    ``shared`` and None leave it to the kind. ``explicit``: a person asked for exactly this to be remembered.
    """

    kind: Kind
    content: str
    subject: str = ""
    key: str | None = None
    audience: Literal["chat", "shared"] | None = None
    confidence: float = 0.9
    importance: float = 0.5
    valid_until: datetime | None = None
    evidence: tuple[int, ...] = ()
    origin: Origin = "llm"
    explicit: bool = False
    prompt_version: str = ""
