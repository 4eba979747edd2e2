"""OneBot v11 messages as the wire has them: lists of segments, or one string with CQ codes."""

import re
from collections.abc import Sequence
from typing import Any, TypeAlias

Segment: TypeAlias = dict[str, Any]
"""One part of a message: ``{"type": "text", "data": {"text": "hi"}}``."""

MessageLike: TypeAlias = str | Segment | Sequence[Segment]
"""A message as a test writes it: text, one segment or several."""

_CQ_CODE = re.compile(r"\[CQ:(?P<type>[\w.-]+)(?P<data>(?:,[\w.-]+=[^,\]]*)*)\]")


def text(value: str) -> Segment:
    """Return a text segment."""
    return {"type": "text", "data": {"text": value}}


def at(user_id: int | str) -> Segment:
    """Return a segment that mentions an account; ``"all"`` mentions everyone."""
    return {"type": "at", "data": {"qq": str(user_id)}}


def reply(message_id: int | str) -> Segment:
    """Return a segment that quotes a message by its id."""
    return {"type": "reply", "data": {"id": str(message_id)}}


def forward(forward_id: str) -> Segment:
    """Return a segment that stands for a merged forward, to be read with ``get_forward_msg``."""
    return {"type": "forward", "data": {"id": forward_id}}


def image(url: str = "http://127.0.0.1/a.jpg", summary: str = "") -> Segment:
    """Return an image segment with NapCat's fields."""
    return {"type": "image", "data": {"file": "a.jpg", "url": url, "summary": summary, "sub_type": 0}}


def to_segments(message: MessageLike, *, cq: bool = False) -> list[Segment]:
    """Return a message as a new list of segments; an empty string gives an empty list.

    A string becomes one text segment. With ``cq`` its CQ codes are read first, as a client does with what a bot sends.
    """
    if isinstance(message, str):
        if cq:
            return from_cq(message)
        return [text(message)] if message else []
    return [message] if isinstance(message, dict) else list(message)


def plain_text(segments: Sequence[Segment]) -> str:
    """Return the text segments of a message joined; all else is left out."""
    return "".join(str(segment["data"].get("text", "")) for segment in segments if segment["type"] == "text")


def to_cq(segments: Sequence[Segment]) -> str:
    """Return a message as a string with CQ codes, which is what ``raw_message`` holds."""
    return "".join(_cq_code(segment) for segment in segments)


def from_cq(message: str) -> list[Segment]:
    """Return the segments of a string with CQ codes. Text that is no code stays text."""
    segments: list[Segment] = []
    begin = 0
    for code in _CQ_CODE.finditer(message):
        if code.start() > begin:
            segments.append(text(_unescape(message[begin : code.start()])))
        pairs = (pair.split("=", 1) for pair in code["data"].split(",") if pair)
        segments.append({"type": code["type"], "data": {name: _unescape(value) for name, value in pairs}})
        begin = code.end()
    if message[begin:]:
        segments.append(text(_unescape(message[begin:])))
    return segments


def _cq_code(segment: Segment) -> str:
    data: dict[str, Any] = segment["data"]
    if segment["type"] == "text":
        return _escape(str(data.get("text", "")))
    pairs = (f"{name}={_escape(str(value)).replace(',', '&#44;')}" for name, value in data.items() if value is not None)
    return f"[CQ:{','.join([segment['type'], *pairs])}]"


def _escape(value: str) -> str:
    return value.replace("&", "&amp;").replace("[", "&#91;").replace("]", "&#93;")


def _unescape(value: str) -> str:
    return value.replace("&#44;", ",").replace("&#91;", "[").replace("&#93;", "]").replace("&amp;", "&")
