"""What the model is asked to return, and how its answer is read.

Servers ignore bounds and models ignore schemas, so everything is read leniently and then validated. What cannot be
used is dropped with a reason; only an answer of which nothing can be understood is an error.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from ..errors import BadOutputError
from ..models import KINDS, Kind
from ..text import clean
from .answer import PURPOSE, find_entries

_WORDS_FOR_NOTHING = frozenset({"", "none", "null", "n/a", "nil", "无", "空", "没有", "undefined"})
_TURN_NUMBER = re.compile(r"[tTｔ]\s*(\d{1,9})(?!\d)")
_PLAIN_NUMBER = re.compile(r"(?<!\d)\d{1,9}(?!\d)")
_PLACEHOLDER = re.compile(r"(?<![0-9A-Za-z])(u\d{1,6}|bot)(?![0-9A-Za-z])", re.IGNORECASE)
_KEY = re.compile(r"[\w.\-]{1,40}")

EXTRACTION_SCHEMA: dict[str, object] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["items"],
    "properties": {
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": [
                    "kind",
                    "content",
                    "subject",
                    "evidence",
                    "confidence",
                    "importance",
                    "key",
                    "audience",
                    "valid_until",
                ],
                "properties": {
                    "kind": {"type": "string", "enum": list(KINDS)},
                    "content": {"type": "string"},
                    "subject": {"type": ["string", "null"]},
                    "evidence": {"type": "array", "items": {"type": "string"}},
                    "confidence": {"type": "number"},
                    "importance": {"type": "number"},
                    "key": {"type": ["string", "null"]},
                    "audience": {"type": ["string", "null"], "enum": ["chat", "shared", None]},
                    "valid_until": {"type": ["string", "null"]},
                },
            },
        }
    },
}
"""JSON schema within what OpenAI's strict ``json_schema`` mode accepts: all properties required, none additional, no
bounds."""


class RawItem(BaseModel):
    """One item as the model wrote it, in the types it should have had.

    ``subject`` is a placeholder such as ``u2``, ``bot``, empty for nobody, or whatever else the model wrote.
    ``evidence`` are turn numbers.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    kind: Kind
    content: str
    subject: str = ""
    evidence: tuple[int, ...] = ()
    confidence: float = 0.7
    importance: float = 0.5
    key: str | None = None
    audience: Literal["chat", "shared"] | None = None
    valid_until: str | None = None

    @field_validator("kind", mode="before")
    @classmethod
    def _read_kind(cls, value: object) -> object:
        return value.strip().casefold() if isinstance(value, str) else value

    @field_validator("content", mode="before")
    @classmethod
    def _read_content(cls, value: object) -> object:
        text = _as_text(value)
        return value if text is None else " ".join(text.split())

    @field_validator("subject", mode="before")
    @classmethod
    def _read_subject(cls, value: object) -> str:
        text = _something(value)
        found = _PLACEHOLDER.search(text)
        return found[1].lower() if found else text

    @field_validator("evidence", mode="before")
    @classmethod
    def _read_evidence(cls, value: object) -> tuple[int, ...]:
        return tuple(dict.fromkeys(turn_numbers(value)))

    @field_validator("confidence", "importance", mode="before")
    @classmethod
    def _read_share(cls, value: object, info: Any) -> float:
        default: float = cls.model_fields[info.field_name].default
        text = (_as_text(value) or "").strip()
        try:
            share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
        except ValueError:
            return default
        return min(1.0, max(0.0, share)) if math.isfinite(share) else default

    @field_validator("key", mode="before")
    @classmethod
    def _read_key(cls, value: object) -> str | None:
        key = "_".join(_something(value).casefold().split())
        return key if _KEY.fullmatch(key) else None

    @field_validator("audience", mode="before")
    @classmethod
    def _read_audience(cls, value: object) -> str | None:
        word = _something(value).casefold()
        return word if word in ("chat", "shared") else None

    @field_validator("valid_until", mode="before")
    @classmethod
    def _read_valid_until(cls, value: object) -> str | None:
        return _something(value) or None


@dataclass(frozen=True, slots=True)
class Parsed:
    """What an answer held: usable items, and for each that was dropped a reason (a word of code, no text of it)."""

    items: tuple[RawItem, ...]
    dropped: tuple[str, ...] = ()


def parse_output(text: str, *, turns: int) -> Parsed:
    """The items in a model's answer about ``turns`` turns; at most ``max(8, 3 * turns)`` are kept.

    Reasons: ``not_an_object``, ``no_content``, ``unknown_kind``, ``malformed``, ``cut_off``, ``too_many``. An empty
    list is an answer. Raises BadOutputError if nothing of the text can be understood; it names no part of the text.
    """
    entries, dropped = find_entries(text)
    items: list[RawItem] = []
    limit = max(8, 3 * turns)
    for entry in entries:
        if len(items) >= limit:
            dropped.append("too_many")
            continue
        read = _read_item(entry)
        if isinstance(read, str):
            dropped.append(read)
        else:
            items.append(read)
    if not items and dropped and "unknown_kind" not in dropped:
        raise BadOutputError(PURPOSE, f"nothing usable in the answer: {', '.join(sorted(set(dropped)))}")
    return Parsed(tuple(items), tuple(dropped))


def _read_item(entry: object) -> RawItem | str:
    if not isinstance(entry, dict):
        return "not_an_object"
    if not (_as_text(entry.get("content")) or "").strip():
        return "no_content"
    try:
        return RawItem.model_validate(entry)
    except ValidationError as error:
        return "unknown_kind" if any(part["loc"][:1] == ("kind",) for part in error.errors()) else "malformed"


def _as_text(value: object) -> str | None:
    """A text or number as text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    try:
        return clean(str(value))
    except ValueError:  # an integer of more digits than Python prints
        return None


def _something(value: object) -> str:
    text = (_as_text(value) or "").strip()
    return "" if text.casefold() in _WORDS_FOR_NOTHING else text


def turn_numbers(value: object, depth: int = 0) -> list[int]:
    """Turn numbers in ``"t17"``, ``17``, ``"[t17], [t18]"``, ``{"turn": 17}`` or a list of such."""
    if depth > 3:
        return []
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [number for part in value[:200] for number in turn_numbers(part, depth + 1)]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = (_as_text(value) or "")[:2_000]
    found = _TURN_NUMBER.findall(text) or _PLAIN_NUMBER.findall(text)
    return [int(number) for number in found]
