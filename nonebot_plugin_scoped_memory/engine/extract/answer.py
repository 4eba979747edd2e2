"""The objects in a model's answer, whatever stands around them and wherever it was cut off."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ..errors import BadOutputError

PURPOSE = "extract"
"""The purpose named in calls and errors."""

MAX_OUTPUT_CHARS = 100_000
"""An answer is read up to here: several times what a full batch can need."""
_ROOT_KEYS = ("items", "facts", "memories", "results")
_MAX_STARTS = 2_000  # opening braces that are tried in a broken answer
_MAX_DEPTH = 6
_THOUGHTS = re.compile(r"^.*</think(?:ing)?>", re.DOTALL)
_FENCE = re.compile(r"^\s*```\w*[ \t]*\n(.*?)\n?\s*```\s*$", re.DOTALL)
_FLAT_OBJECT = re.compile(r"\{[^{}]{0,20000}\}")
_EMPTY_ANSWER = re.compile(rf"[\"']?(?:{'|'.join(_ROOT_KEYS)})[\"']?\s*:\s*\[\s*\]|(?:^|[\s:：])\[\s*\]\s*(?:```|$)")


def unwrap(text: str) -> str:
    """``text`` without a byte order mark, a reasoning model's thoughts and a fence around the whole."""
    text = text[:MAX_OUTPUT_CHARS].lstrip("\ufeff \t\r\n")
    if not text.startswith(("{", "[", "`")):
        text, thoughts = _THOUGHTS.subn("", text, count=1)
        if not thoughts and text.startswith("<think"):
            raise BadOutputError(PURPOSE, "the answer ends within the model's thoughts")
    fenced = _FENCE.match(text)
    return fenced[1] if fenced else text


def find_entries(text: str) -> tuple[list[object], list[str]]:
    """The candidates for items, and reasons for what was seen but cannot be one."""
    text = unwrap(text)
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        pass
    else:
        if isinstance(value, str):  # JSON inside a JSON string
            return find_entries(value)
        entries = _list_of_items(value)
        if entries is None:
            raise BadOutputError(PURPOSE, f"no list of items in a JSON {type(value).__name__}")
        return entries, []
    found, dropped = _salvage(text)
    if found or dropped:
        return list(found), dropped
    if _EMPTY_ANSWER.search(text):
        return [], []
    raise BadOutputError(PURPOSE, "no JSON in the answer" if text.strip() else "the answer is empty")


def _list_of_items(value: object) -> list[object] | None:
    """The list that a parsed answer is about; None if it has none."""
    if isinstance(value, list):
        wrapped = value and not any(isinstance(part, dict) and "content" in part for part in value)
        return (wrapped and list(_item_like(value))) or value
    if not isinstance(value, dict):
        return None
    for key in _ROOT_KEYS:
        if isinstance(value.get(key), list):
            return value[key]
    found = list(_item_like(value))
    return list(found) if found or not value else None


def _item_like(value: object, depth: int = 0) -> Iterator[dict[str, object]]:
    """Every object inside ``value`` that has a kind and a content."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, dict):
        if "kind" in value and "content" in value:
            yield value
            return
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _item_like(part, depth + 1)


def _salvage(text: str) -> tuple[list[dict[str, object]], list[str]]:
    """The complete items of a text that is not JSON as a whole: prose around it, an end cut off, wrong escapes.

    Reads object by object, so that prose never becomes an item and a half-written item is never completed.
    """
    decoder = json.JSONDecoder(strict=False)
    found: list[dict[str, object]] = []
    dropped: list[str] = []
    position = 0
    for _ in range(_MAX_STARTS):
        start = text.find("{", position)
        if start < 0:
            break
        position = start + 1
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            flat = _FLAT_OBJECT.match(text, start)
            if flat is None:
                # An item has no object inside: one that is never closed was being written when the answer ended.
                if text.find("{", start + 1) < 0 and _has_item_words(text[start:]):
                    dropped.append("cut_off")
                continue
            if repaired := _repair(flat[0]):
                found.append(repaired)
                position = flat.end()
        else:
            found.extend(_item_like(value))
            position = end
    return found, dropped


def _repair(text: str) -> dict[str, object] | None:
    """A closed object with small faults, as a dict with a kind and a content; None for anything else."""
    if not _has_item_words(text):
        return None
    import json_repair  # 40 ms that a well-behaved model never costs

    try:
        value = json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError, IndexError, TypeError, AttributeError):
        return None
    return value if isinstance(value, dict) and "kind" in value and "content" in value else None


def _has_item_words(text: str) -> bool:
    return "kind" in text and "content" in text
