"""The notation of the text blocks: what is said, and beside it what it plants.

A block of statements has a header and one scene a line::

    # allergy fact n=6 once=allergy : {allergen} & 过敏|不能吃
    @ 有人对什么过敏吗 我要订餐              (asked before it by somebody else, now and then)
    % 那换一家                               (said after it by somebody else, now and then)
    我对{allergen}过敏
    <?,voice> 就是那个我{allergen}吃不了的一吃就起疹子          (? = inferred, the others are tags)
    我一碰{allergen}就挂水 || {allergen}                        (a wording of its own)

A block of scenes has headers ``== name n=3 in=group`` and lines ``role: text``, with marks under the line they are of::

    + kind flags : wording    must be known (+? inferred)  ~ flags : wording    may be stored, need not
    - why flags : wording     must never be stored        $ literal            may appear nowhere
    x id   the item of that id is no longer true          z id   its speaker took it back
    --- 3-8  what follows is said so many days later      | name: text   the words inside a forward

A wording is groups joined by ``&``, alternatives by ``|``; a group that begins with ! must not occur. ``{slot}`` stands
for a word of the fillers, or of the speaker's profile; in a wording, for what must be left of that word.
Flags: ``key=``, ``of=b`` (subject: a role, empty for none, ``*`` anybody), ``until={day}``,
``from={day}``, ``id=``, ``lines=2`` (rests on the speaker's last two lines), ``with=b`` (and on b's last
line), ``here`` (forbidden from this line only).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

What = Literal["expected", "allowed", "forbidden", "secret", "ended", "withdrawn"]
_MARKS: Mapping[str, What] = {
    "+": "expected",
    "~": "allowed",
    "-": "forbidden",
    "$": "secret",
    "x": "ended",
    "z": "withdrawn",
}
SHARED_KINDS = ("decision", "procedure", "warning", "summary")

_MARK = re.compile(r"([+~$xz-])(\??) ")
_FLAGS = re.compile(r"<([^<>]*)>\s*")
_SAID = re.compile(r"(?P<role>[a-e]|bot|anon): ?(?P<words>.*)")
_HEADER_PAIR = re.compile(r"(\w+)=(\S*)")


@dataclass(frozen=True, slots=True)
class Wording:
    """A content matches if each group has an alternative in it, and nothing of ``none_of`` is."""

    all_of: tuple[tuple[str, ...], ...] = ()
    none_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Truth:
    """What a line plants. ``subject`` is a role, empty for nobody, ``*`` for anybody, None if it does not matter.
    ``label`` names the truth inside its scene, ``lines`` counts the speaker's lines that it rests on,
    with the last line of the role ``beside``. ``here``: what is
    forbidden is so only for what rests on this line, since its words may well be true elsewhere."""

    what: What
    wording: str = ""
    kind: str = ""
    key: str | None = None
    subject: str | None = None
    until: str = ""
    begins: str = ""
    inferred: bool = False
    label: str = ""
    lines: int = 1
    beside: str = ""
    why: str = ""
    literal: str = ""
    here: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """``flags`` are tags, and pairs such as ``quote=b``, ``time=23:59``; ``forwarded`` are (name, text) pairs."""

    role: str
    words: str
    flags: Mapping[str, str] = field(default_factory=dict)
    truths: tuple[Truth, ...] = ()
    forwarded: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of one occasion, ``after`` (least, most) days behind the part before it."""

    after: tuple[int, int]
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """``pool`` is ``both``, ``dev`` or ``report``: the sets that may use it. ``statement``: it is one sentence of a
    block of statements, with the questions and reactions that may go around it."""

    block: str
    parts: tuple[Part, ...]
    options: Mapping[str, str]
    pool: str
    openers: tuple[str, ...] = ()
    reactions: tuple[str, ...] = ()
    statement: bool = False

    @property
    def style(self) -> str:
        return "en" if any("en" in line.flags for part in self.parts for line in part.lines[:1]) else ""


def read_blocks(text: str, pool: str) -> list[Scene]:
    """The scenes of a text of blocks, each marked as usable in ``pool``. Raises ValueError on what it cannot read."""
    scenes: list[Scene] = []
    for header, lines in _blocks(text):
        if header.startswith("# "):
            scenes += _statements(header[2:], lines, pool)
        else:
            scenes.append(_scene(header[3:], lines, pool))
    return scenes


def read_dialogues(text: str) -> list[tuple[tuple[str, str], ...]]:
    """Plain talk: a dialogue a line, what is said separated by `` / ``; each as (role, words) pairs."""
    dialogues: list[tuple[tuple[str, str], ...]] = []
    for line in text.strip().splitlines():
        pairs = [_SAID.fullmatch(piece.strip()) for piece in line.split(" / ")]
        if not all(pairs):
            raise ValueError(f"not a dialogue: {line!r}")
        dialogues.append(tuple((pair["role"], pair["words"]) for pair in pairs if pair))
    return dialogues


def words_of(text: str) -> tuple[str, ...]:
    """The pieces of a text, separated by `` | `` or a new line, each once."""
    pieces = (piece.strip() for line in text.splitlines() for piece in line.split(" | "))
    return tuple(dict.fromkeys(piece for piece in pieces if piece))


def read_wording(text: str) -> Wording:
    groups = [group.strip() for group in text.split("&") if group.strip()]
    return Wording(
        tuple(_alternatives(group) for group in groups if not group.startswith("!")),
        tuple(word for group in groups if group.startswith("!") for word in _alternatives(group[1:])),
    )


def _alternatives(group: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in group.split("|"))


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    header, lines = "", []
    for line in (line.strip() for line in text.splitlines()):
        if line.startswith(("# ", "== ")):
            if header:
                yield header, lines
            header, lines = line, []
        elif line:
            lines.append(line)
    if header:
        yield header, lines


def _options(words: str) -> dict[str, str]:
    options = dict(_HEADER_PAIR.findall(words))
    options.update({word: "" for word in words.split() if "=" not in word})
    return options


def _statements(header: str, lines: Sequence[str], pool: str) -> list[Scene]:
    head, _, wording = header.partition(" : ")
    name, *rest = head.split()
    options = _options(" ".join(rest))
    openers = tuple(line[1:].strip() for line in lines if line.startswith("@ "))
    reactions = tuple(line[1:].strip() for line in lines if line.startswith("% "))
    truth = _truth("expected", " ".join(rest), wording)
    scenes: list[Scene] = []
    for line in lines:
        if line.startswith(("@ ", "% ")):
            continue
        flags, words = _flagged(line)
        words, _, own = words.partition("||")
        planted = replace(truth, inferred="?" in flags, wording=own.strip() or truth.wording)
        said = Line("a", words.strip(), flags, (planted,))
        scenes.append(Scene(name, (Part((0, 0), (said,)),), options, pool, openers, reactions, True))
    return scenes


def _scene(header: str, lines: Sequence[str], pool: str) -> Scene:
    name, *rest = header.split()
    parts: list[Part] = []
    said: list[Line] = []
    after = (0, 0)
    for line in lines:
        if line.startswith("---"):
            parts.append(Part(after, tuple(said)))
            least, _, most = line[3:].strip().partition("-")
            after, said = (int(least), int(most or least)), []
        elif match := _SAID.fullmatch(line):
            flags, words = _flagged(match["words"])
            said.append(Line(match["role"], words, flags))
        elif said and line[:2] == "| ":
            who, _, words = line[2:].partition(": ")
            said[-1] = replace(said[-1], forwarded=(*said[-1].forwarded, (who, words)))
        elif said and (mark := _MARK.match(line)):
            flagged, _, wording = f" {line[mark.end() :]}".partition(" : ")
            truth = replace(_truth(_MARKS[mark[1]], flagged, wording), inferred=bool(mark[2]))
            said[-1] = replace(said[-1], truths=(*said[-1].truths, truth))
        else:
            raise ValueError(f"{header}: cannot read {line!r}")
    parts.append(Part(after, tuple(said)))
    return Scene(name, tuple(parts), _options(" ".join(rest)), pool)


def _truth(what: What, words: str, wording: str) -> Truth:
    options = _options(words)
    first = words.split()[0] if words.split() else ""
    if what == "secret":
        return Truth(what, literal=words.strip())
    if what in ("ended", "withdrawn"):
        return Truth(what, label=first)
    if not wording.strip():
        raise ValueError(f"no wording: {words!r}")
    kind = first if what == "expected" else ""
    shared = kind in SHARED_KINDS
    default = ("" if shared else "speaker") if what == "expected" else None
    return Truth(
        what,
        wording.strip(),
        kind=kind,
        key=options.get("key"),
        subject=options.get("of", default),
        until=options.get("until", ""),
        begins=options.get("from", ""),
        label=options.get("id", ""),
        lines=int(options.get("lines", "1")),
        beside=options.get("with", ""),
        why=first if what == "forbidden" else "",
        here="here" in options,
    )


def _flagged(words: str) -> tuple[dict[str, str], str]:
    match = _FLAGS.match(words)
    if match is None:
        return {}, words
    return read_pairs(match[1]), words[match.end() :]


def read_pairs(text: str) -> dict[str, str]:
    """``a, b=c`` as a mapping; what has no value is mapped to an empty text."""
    split = (pair.strip().partition("=") for pair in text.split(",") if pair.strip())
    return {name: value for name, _, value in split}
