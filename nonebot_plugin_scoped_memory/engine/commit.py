"""What ``MemoryEngine.commit_turn`` takes and gives: the events of one turn as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any, cast

from .errors import InvalidItemError
from .extract.secrets import mask
from .models import MAX_ITEM_CHARS, MAX_TURN_CHARS, Kind, NewTurn, Proposal, Role, Turn
from .text import clean
from .writing import Outcome

_ROLES: Mapping[str, Role] = {"user": "user", "assistant": "bot", "bot": "bot", "tool": "tool"}
_CUT_NOTE = "…（后面还有 {left} 字，略）"
_LISTS: Mapping[str, Kind] = {
    "preferences": "preference",
    "facts": "fact",
    "tasks": "task",
    "decisions": "decision",
    "procedures": "procedure",
    "warnings": "warning",
    "summaries": "summary",
}


@dataclass(frozen=True, slots=True)
class TurnEvents:
    """Parsed events. ``proposals`` stand on the last user message of the commit, if there is one."""

    messages: tuple[NewTurn, ...]
    proposals: tuple[Proposal, ...]


@dataclass(frozen=True, slots=True)
class CommitResult:
    """``explain`` has one line a datum: what it was, what became of it, where and why. ``replayed``: this commit id was
    known, nothing was changed, and only ``explain`` is filled."""

    turns: tuple[Turn, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    explain: tuple[Mapping[str, str], ...] = ()
    replayed: bool = False


def parse_turn_events(events: Mapping[str, Any], *, account: str, now: datetime) -> TurnEvents:
    """``events`` holds ``messages`` and any of preferences, facts, tasks, decisions, procedures, warnings, summaries.

    A message is ``{"role": "user" | "assistant" | "tool", "content": str}`` with optional ``account``, ``name`` and
    ``time`` (datetime, or seconds since 1970); ``account`` (argument) is who a user message is from where it does not
    say. An entry of the other lists is a text or ``{"content": str, "subject", "key", "confidence", "importance",
    "valid_until", "audience"}``. Raises InvalidItemError naming the field.
    """
    if not isinstance(events, Mapping):
        raise InvalidItemError("turn_events", "not a mapping")
    unknown = set(events) - {"messages", *_LISTS}
    if unknown:
        raise InvalidItemError(sorted(map(str, unknown))[0], f"unknown; known are messages, {', '.join(_LISTS)}")
    messages = tuple(
        _message(entry, f"messages[{i}]", account, now) for i, entry in enumerate(_sequence(events, "messages"))
    )
    proposals = tuple(
        _proposal(entry, f"{name}[{i}]", kind)
        for name, kind in _LISTS.items()
        for i, entry in enumerate(_sequence(events, name))
    )
    return TurnEvents(messages, proposals)


def on_turns(proposals: Sequence[Proposal], turns: Sequence[Turn]) -> list[Proposal]:
    """``proposals`` with the commit's last user turn as evidence, where there is one."""
    numbers = [turn.n for turn in turns if turn.role == "user"]
    return [replace(proposal, evidence=tuple(numbers[-1:])) for proposal in proposals]


def _sequence(events: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = events.get(name, ())
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Sequence):
        raise InvalidItemError(name, "not a list")
    return value


def _message(entry: Any, field: str, account: str, now: datetime) -> NewTurn:
    if not isinstance(entry, Mapping):
        raise InvalidItemError(field, "not a mapping with role and content")
    entry = cast("Mapping[str, Any]", entry)
    role = _ROLES.get(str(entry.get("role")))
    if role is None:
        raise InvalidItemError(f"{field}.role", f"none of {', '.join(_ROLES)}")
    content = entry.get("content")
    if not isinstance(content, str):
        raise InvalidItemError(f"{field}.content", "not a text")
    return NewTurn(
        role=role,
        text=mask(_at_most(clean(content), MAX_TURN_CHARS)),
        said_at=_time(entry.get("time"), f"{field}.time", now),
        account=clean(str(entry.get("account") or (account if role == "user" else ""))),
        name=clean(str(entry.get("name") or "")),
    )


def _at_most(content: str, limit: int) -> str:
    left = len(content) - limit
    if left <= 0:
        return content
    note = _CUT_NOTE.format(left=left + len(_CUT_NOTE))  # about so many: the note takes room too
    return content[: limit - len(note)] + note


def _proposal(entry: Any, field: str, kind: Kind) -> Proposal:
    if isinstance(entry, str):
        entry = {"content": entry}
    if not isinstance(entry, Mapping):
        raise InvalidItemError(field, "neither a text nor a mapping")
    entry = cast("Mapping[str, Any]", entry)
    content = entry.get("content", "")
    if not isinstance(content, str):
        raise InvalidItemError(f"{field}.content", "not a text")
    content = clean(content).strip()
    if not content:
        raise InvalidItemError(f"{field}.content", "empty")
    if len(content) > MAX_ITEM_CHARS:
        raise InvalidItemError(f"{field}.content", f"over {MAX_ITEM_CHARS} characters")
    until = entry.get("valid_until")
    audience = entry.get("audience")
    if audience not in (None, "chat", "shared"):
        raise InvalidItemError(f"{field}.audience", "neither chat nor shared")
    return Proposal(
        kind=kind,
        content=content,
        subject=clean(str(entry.get("subject") or "")),
        key=clean(str(entry["key"])) if entry.get("key") else None,
        audience=audience,
        confidence=_share(entry.get("confidence", 0.9), f"{field}.confidence"),
        importance=_share(entry.get("importance", 0.5), f"{field}.importance"),
        valid_until=None if until is None else _time(until, f"{field}.valid_until", until),
        origin="api",
    )


def _share(value: Any, field: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InvalidItemError(field, "not a number from 0 to 1")
    return float(value)


def _time(value: Any, field: str, default: datetime) -> datetime:
    if value is None:
        return default
    if isinstance(value, datetime):
        return value if value.tzinfo is not None else value.replace(tzinfo=timezone.utc)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidItemError(field, "neither a datetime nor seconds")
    try:
        return datetime.fromtimestamp(value, timezone.utc)
    except (OverflowError, OSError, ValueError) as e:
        raise InvalidItemError(field, "out of range") from e
