"""What a model says that a conversation made obsolete: read leniently, then validated."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from ..errors import BadOutputError
from ..extract.answer import unwrap
from ..extract.schema import turn_numbers
from ..text import clean, cut

PURPOSE = "dream"
REASON_CHARS = 100
MOST_CHANGES = 50
"""Of one answer."""

REVIEW_SCHEMA: dict[str, object] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["changes"],
    "properties": {
        "changes": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["action", "item", "reason", "evidence", "content"],
                "properties": {
                    "action": {"type": "string", "enum": ["archive", "update"]},
                    "item": {"type": "string"},
                    "reason": {"type": "string"},
                    "evidence": {"type": "array", "items": {"type": "string"}},
                    "content": {"type": ["string", "null"]},
                },
            },
        }
    },
}


@dataclass(frozen=True, slots=True)
class Change:
    """One change as the model wrote it: ``item`` is the label that it was shown, ``evidence`` turn numbers."""

    action: Literal["archive", "update"]
    item: str
    reason: str
    evidence: tuple[int, ...]
    content: str


def parse(text: str) -> list[Change | str]:
    """The changes in an answer, and a word of code for each that is none: ``malformed``, ``too_many``.

    Raises BadOutputError if there is no list of changes in it; it names no part of the text.
    """
    entries = _entries(unwrap(text))
    changes: list[Change | str] = [_change(entry) for entry in entries[:MOST_CHANGES]]
    return changes + ["too_many"] * (len(entries) > MOST_CHANGES)


def _entries(text: str) -> list[object]:
    start, end = text.find("{"), text.rfind("}")
    for part in (text, text[start : end + 1]):
        try:
            value = json.loads(part, strict=False)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            value = value.get("changes")
        if isinstance(value, list):
            return value
    raise BadOutputError(PURPOSE, "no list of changes in the answer")


def _change(entry: object) -> Change | str:
    if not isinstance(entry, dict):
        return "malformed"
    action, item = entry.get("action"), entry.get("item")
    if action not in ("archive", "update") or not isinstance(item, str):
        return "malformed"
    content = entry.get("content")
    return Change(
        action=action,
        item=item.strip().strip("[]").lower(),
        reason=cut(clean(str(entry.get("reason") or "")), REASON_CHARS),
        evidence=tuple(dict.fromkeys(turn_numbers(entry.get("evidence")))),
        content=" ".join(clean(content).split()) if isinstance(content, str) else "",
    )
