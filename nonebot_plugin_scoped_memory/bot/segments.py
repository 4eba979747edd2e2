"""OneBot v11 message segments as text: what was said stays as it is, everything else becomes a short placeholder.

Segments come from many clients and from strangers, so nothing here trusts their shape, and nothing raises.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from nonebot.adapters import MessageSegment

from .. import texts
from ..engine.models import MAX_TURN_CHARS
from ..engine.text import clean, cut, shown_name

ANONYMOUS_ID = 80000000
"""The user id that all anonymous members share."""

MAX_CARD_CHARS = 32_768
"""A card beyond this is not opened."""
MAX_LABEL_CHARS = 60

Data: TypeAlias = Mapping[str, Any]

_CQ_CODE = re.compile(r"\[CQ:(?P<type>[\w.-]+)(?P<data>(?:,[^\[\]]*)?)\]")
_ADDRESS = re.compile(r"\S*://\S*")
_MARKDOWN_IMAGE = re.compile(r"!\[[^\[\]]*\]\([^()]*(?:\)|$)")
_XML_TITLE = re.compile(r'\bbrief="([^"]*)"|<title\b[^<>]*>([^<]*)<')
_NUMBERED = re.compile(r"\((\d+)\)\s*$")
_BRACKETS = str.maketrans("[]", "【】")

_FORWARD_APP = "com.tencent.multimsg"
_FACES = frozenset({"face", "bface", "sface", "mface", "marketface", "market_face"})
_FILES = frozenset({"file", "onlinefile"})
_CARDS = frozenset({"json", "xml", "lightapp", "miniapp"})
_DICE = frozenset({"dice", "new_dice"})
_RPS = frozenset({"rps", "new_rps"})
_TITLED = frozenset({"share", "location", "music"})
_SILENT = frozenset({"reply", "anonymous"})  # a reply is a quote, not the speaker's words

# go-cqhttp numbers the hands from 0 (`value`), NTQQ clients from 1 the other way round (`result`, `id`).
_HANDS_FROM_0 = {0: texts.ROCK, 1: texts.SCISSORS, 2: texts.PAPER}
_HANDS_FROM_1 = {1: texts.PAPER, 2: texts.SCISSORS, 3: texts.ROCK}


@dataclass(frozen=True)
class Rendered:
    """A message as text; ``mentions`` are the (account, name) pairs in it, each account once."""

    text: str
    mentions: tuple[tuple[str, str], ...]


def number_of(value: object) -> int:
    """``value`` as a positive number that a database holds, 0 if it is none. Clients send ids as int or as text."""
    if isinstance(value, str) and len(value) <= 19 and value.isascii() and value.isdigit():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**63:
        return value
    return 0


def account_of(user_id: object) -> str:
    """``qq:user:10001``; empty for an anonymous member or no id at all."""
    number = number_of(user_id)
    return f"qq:user:{number}" if number not in (0, ANONYMOUS_ID) else ""


def name_of(*names: object) -> str:
    """The first name that shows something, empty if none does."""
    return next((shown for name in names if isinstance(name, str) and (shown := shown_name(name[:200]))), "")


def mentioned_ids(message: object) -> set[str]:
    """Who is mentioned anywhere in a message, as user ids."""
    return {str(number) for kind, data in _segments(message) if kind == "at" and (number := number_of(data.get("qq")))}


def forwards_in(message: object) -> list[Data]:
    """The data of each merged forward in a message, those that come as a card of QQ included."""
    found: list[Data] = []
    for kind, data in _segments(message):
        if kind in ("forward", "longmsg"):
            found.append(data)
        elif kind == "json" and isinstance(card := _card(data), Mapping) and card.get("app") == _FORWARD_APP:
            detail = card.get("meta", {}).get("detail") if isinstance(card.get("meta"), Mapping) else None
            if isinstance(detail, Mapping):
                found.append(detail)
    return found


def render(message: object, limit: int = MAX_TURN_CHARS, *, note: str = texts.TURN_CUT) -> Rendered:
    """A message as text of at most ``limit`` characters; text that was cut ends with ``note``.

    ``message`` is a message or segment of the adapter, a string with CQ codes, a segment as a dict, or a list of these.
    What lies beyond the limit is not looked at. Quotes are left out.
    """
    pieces: list[str] = []
    mentions: dict[str, str] = {}
    size = 0
    for kind, data in _segments(message):
        if kind == "at":
            piece = _mention(data, mentions)
        elif kind == "node" and pieces[-1:] == [_placeholder(texts.FORWARD)]:
            continue  # the parts of one forward
        else:
            piece = _piece(kind, data, limit + 1)
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            break
    text = clean("".join(pieces))
    if len(text) > limit:
        text = (text[: max(0, limit - len(note))] + note)[:limit]
    return Rendered(text, tuple(mentions.items()))


def plain(text: str) -> list[Data]:
    """A message of text in which CQ codes mean nothing."""
    return [{"type": "text", "data": {"text": text}}]


def _segments(message: object) -> Iterator[tuple[str, Data]]:
    if isinstance(message, str):
        yield from _cq_segments(message)
    elif isinstance(message, (MessageSegment, Mapping)):
        yield _segment(message)
    elif isinstance(message, Iterable):
        for part in message:
            yield _segment(part)


def _segment(part: object) -> tuple[str, Data]:
    if isinstance(part, str):
        return "text", {"text": part}
    if isinstance(part, MessageSegment):
        kind, data = part.type, part.data
    elif isinstance(part, Mapping):
        kind, data = part.get("type"), part.get("data")
    else:
        return "", {}
    return kind if isinstance(kind, str) else "", data if isinstance(data, Mapping) else {}


def _cq_segments(message: str) -> Iterator[tuple[str, Data]]:
    """A string with CQ codes, read lazily. The adapter's own parser does all of it before the first piece is used."""
    begin = 0
    for code in _CQ_CODE.finditer(message):
        if code.start() > begin:
            yield "text", {"text": _unescape(message[begin : code.start()])}
        pairs = (pair.partition("=") for pair in code["data"].split(",") if pair)
        yield code["type"], {key.strip(): _unescape(value) for key, _, value in pairs}
        begin = code.end()
    if begin < len(message):
        yield "text", {"text": _unescape(message[begin:])}


def _unescape(text: str) -> str:
    return text.replace("&#44;", ",").replace("&#91;", "[").replace("&#93;", "]").replace("&amp;", "&")


def _mention(data: Data, mentions: dict[str, str]) -> str:
    target = data.get("qq")
    if target == "all":
        return f"@{texts.EVERYONE}"
    account = account_of(target)
    # Some clients put the sign into the name.
    given = data.get("name")
    name = name_of(given.removeprefix("@") if isinstance(given, str) else None)
    if account:
        number = account.rsplit(":", 1)[-1]
        if account not in mentions:
            mentions[account] = _told_apart(name, number, mentions.values())
        name = mentions[account]
    return f"@{name or texts.SOMEONE}"


def _told_apart(name: str, number: str, taken: Collection[str]) -> str:
    """``name`` as it means nobody else in this message: with a number if another one bears it too, and without a
    number that is not its own."""
    name = _NUMBERED.sub(lambda match: match[0] if match[1] == number else "", name).strip()
    labels = (name, f"{name}({number})") if name else ()
    return next((label for label in labels if label not in taken), number)


def _piece(kind: str, data: Data, limit: int) -> str:
    if kind == "text":
        return _text(data.get("text"), limit)
    if kind == "markdown":
        return _markdown(data.get("content"), limit)
    if kind in _SILENT:
        return ""
    if kind == "image":
        return _image(data)
    if kind in _CARDS:
        return _card_piece(data)
    if kind in texts.SEGMENT_NAMES:
        return _placeholder(texts.SEGMENT_NAMES[kind], _detail(kind, data))
    return _placeholder(re.sub(r"[^\w.-]", "", kind[:30]) or texts.UNKNOWN_SEGMENT)


def _placeholder(name: str, detail: str = "") -> str:
    return f"[{name}:{detail}]" if detail else f"[{name}]"


def _text(value: object, limit: int) -> str:
    if isinstance(value, str):
        return value[:limit]
    return str(value) if isinstance(value, (int, float)) and abs(value) < 10**18 else ""


def _markdown(value: object, limit: int) -> str:
    if not isinstance(value, str) or not value:
        return _placeholder("markdown")
    return _MARKDOWN_IMAGE.sub(_placeholder(texts.SEGMENT_NAMES["image"]), value[:limit])


def _image(data: Data) -> str:
    summary = data.get("summary")
    if data.get("emoji_id"):  # a shop emoticon, which some clients send as an image
        return _placeholder(texts.SEGMENT_NAMES["mface"], _emoticon(summary))
    sub_type = data.get("sub_type", data.get("subType"))
    animated = number_of(sub_type) == 1 or (isinstance(summary, str) and texts.ANIMATED in summary[:50])
    return _placeholder(texts.ANIMATED if animated else texts.SEGMENT_NAMES["image"])


def _detail(kind: str, data: Data) -> str:
    """What a placeholder says beside its name, empty if the client does not tell."""
    if kind in _FACES:
        raw = data.get("raw")
        return _emoticon(data.get("summary")) or _emoticon(raw.get("faceText") if isinstance(raw, Mapping) else None)
    if kind in _FILES:
        return next(
            (name for key in ("name", "file_name", "fileName", "file") if (name := _file_name(data.get(key)))), ""
        )
    if kind in _TITLED:
        return _label(data.get("title")) or _label(data.get("content"))
    if kind in _DICE:
        points = number_of(data.get("result")) or number_of(data.get("value")) or number_of(data.get("id"))
        return str(points) if 1 <= points <= 6 else ""
    return _hand(data) if kind in _RPS else ""


def _label(value: object, limit: int = MAX_LABEL_CHARS) -> str:
    """A title or file name on one line, without addresses and without the brackets that would end a placeholder."""
    if not isinstance(value, str) or "base64" in value[:500]:
        return ""
    return cut(clean(_ADDRESS.sub("", value[:500])), limit).translate(_BRACKETS)


def _file_name(value: object) -> str:
    """The name alone: a bot that sends a file may give its path."""
    if isinstance(value, str) and not any(sign in value[:500] for sign in ("://", "base64")):
        value = re.split(r"[/\\]", value[-500:])[-1]
    return _label(value)


def _emoticon(value: object) -> str:
    """``/捂脸`` and ``[捂脸]`` as 捂脸."""
    return _label(value.strip().strip("/[]")) if isinstance(value, str) else ""


def _hand(data: Data) -> str:
    value = data.get("value")
    if value in (0, "0"):
        return texts.ROCK
    if number_of(value):
        return _HANDS_FROM_0.get(number_of(value), "")
    return _HANDS_FROM_1.get(number_of(data.get("result")) or number_of(data.get("id")), "")


def _card_piece(data: Data) -> str:
    card = _card(data)
    if isinstance(card, str):
        is_forward = 'serviceID="35"' in card
        found: list[object] = [html.unescape(brief or title) for brief, title in _XML_TITLE.findall(card)[:4]]
    else:
        is_forward = card.get("app") == _FORWARD_APP
        found = [card.get("prompt"), *_body_titles(card.get("meta")), card.get("desc"), card.get("title")]
    if is_forward:  # some clients deliver a merged forward as the card that QQ shows for it
        return _placeholder(texts.FORWARD)
    labels: list[str] = []
    for label in map(_label, found):
        if label and not any(label in other or other in label for other in labels):
            labels.append(label)
    return _placeholder(texts.SEGMENT_NAMES["json"], " ".join(labels[:2]))


def _card(data: Data) -> Data | str:
    """A card's JSON, or its XML as text; empty if it is broken or too long."""
    value = data.get("data")
    if isinstance(value, Mapping):
        return value
    if not isinstance(value, str) or len(value) > MAX_CARD_CHARS:
        return {}
    if value.lstrip().startswith("<"):
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _body_titles(meta: object) -> list[object]:
    """Title and description in the first part of a card's ``meta``, whose name differs from app to app."""
    parts = meta.values() if isinstance(meta, Mapping) else ()
    body: Data = next((part for part in parts if isinstance(part, Mapping)), {})
    return [body.get("title"), body.get("desc")]
