"""What the model reads: one line a turn, in which nobody can write another's line.

::

    [t17 2026-11-30 14:05 u2 小明] 我主要写 Python（引用 u3 小红："大家写什么语言？"）

``u1 u2 ...`` stand for accounts, in order of first appearance; ``bot`` is every bot; 匿名 is nobody in particular.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo

from ..models import MAX_TURN_CHARS, Item, Quote, Turn, TurnState
from ..text import clean, cut_with_note, shown_name
from .secrets import mask

MAX_LINE_CHARS = MAX_TURN_CHARS
"""A turn's own words beyond this are left out, and the line says so: those of a recorded one never are."""
MAX_QUOTE_CHARS = 400
"""The same for one quoted or forwarded message."""
MAX_QUOTES = 30
"""Quoted and forwarded messages of one turn that are shown."""
MAX_KNOWN = 60
"""Known items that are shown."""

BOT = "bot"
"""The placeholder of every bot."""

_ANONYMOUS = "匿名"
_QUOTE_LABELS = {"reply": "引用", "forward": "转发"}

INVISIBLE = "\\s\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff"
"""Characters that show nothing, for the inside of a character class."""
# Anything in a text that reads like the head of a line or like a quotation mark of ours.
_FORGED_HEAD = re.compile(rf"\[(?=[{INVISIBLE}]*[tTｔＴ][{INVISIBLE}]*\d)")
_FORGED_QUOTE = re.compile(rf"（(?=[{INVISIBLE}]*(?:引用|转发))")
_FORGED_PLACEHOLDER = re.compile(r"\((?=(?:u\d+|bot)\))")


@dataclass(frozen=True, slots=True)
class Transcript:
    """Turns as the model sees them.

    ``accounts`` maps placeholders to accounts (not ``bot``), ``names`` accounts to the latest name, ``turns`` the
    numbers of the shown turns to the turns. ``speakers`` maps them to the account that spoke, to ``BOT`` for any bot
    and to an empty text for an anonymous member. ``usable``: somebody with an account said something, so that there
    can be anything to learn.
    """

    text: str
    known_text: str
    accounts: Mapping[str, str]
    names: Mapping[str, str]
    turns: Mapping[int, Turn]
    speakers: Mapping[int, str]
    usable: bool
    timezone: tzinfo


def build_transcript(
    turns: Sequence[Turn],
    *,
    timezone: tzinfo,
    bots: frozenset[str],
    opted_out: frozenset[str] = frozenset(),
    known: Sequence[Item] = (),
) -> Transcript:
    """The transcript of ``turns`` in reading order, whatever order they come in.

    Left out: tool turns, turns that are not ordinary or do not stand, lines of ``opted_out`` accounts and quotes of
    them, quotes of a turn that does not stand, and turns that then have nothing to show. ``known`` are the items that
    were already stored from these turns.
    """
    people = _People(bots, opted_out)
    withheld = {(turn.account, turn.text.strip()) for turn in turns if not turn.stands}
    lines: list[str] = []
    shown: dict[int, Turn] = {}
    speakers: dict[int, str] = {}
    for turn in sorted(turns, key=lambda turn: (turn.said_at, turn.seq, turn.n)):
        if turn.role == "tool" or turn.state is not TurnState.ORDINARY or not turn.stands:
            continue
        if turn.account in opted_out:
            continue
        quotes = [
            quote
            for quote in turn.quotes
            if quote.account not in opted_out and (quote.account, quote.text.strip()) not in withheld
        ][:MAX_QUOTES]
        if not turn.text.strip() and not quotes:
            continue
        label = people.line_label(turn)
        said = turn.said_at.astimezone(timezone)
        words = "".join([people.with_mentions(turn), *(people.quoted(quote) for quote in quotes)])
        lines.append(f"[t{turn.n} {said:%Y-%m-%d %H:%M} {label}] {words}")
        shown[turn.n] = turn
        speakers[turn.n] = BOT if people.is_bot(turn) else turn.account
    return Transcript(
        text="\n".join(lines),
        known_text="\n".join(f"- {people.without_numbers(item.content)}" for item in known[:MAX_KNOWN]),
        accounts={placeholder: account for account, placeholder in people.placeholders.items()},
        names=people.names,
        turns=shown,
        speakers=speakers,
        usable=any(speaker and speaker != BOT for speaker in speakers.values()),
        timezone=timezone,
    )


@dataclass
class _People:
    """The placeholders and names given out so far."""

    bots: frozenset[str]
    opted_out: frozenset[str]
    placeholders: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def is_bot(self, turn: Turn) -> bool:
        return turn.role == "bot" or turn.account in self.bots

    def placeholder(self, account: str) -> str:
        if account in self.bots:
            return BOT
        return self.placeholders.setdefault(account, f"u{len(self.placeholders) + 1}")

    def line_label(self, turn: Turn) -> str:
        if self.is_bot(turn):
            return BOT
        if not turn.account:
            return _ANONYMOUS
        if name := shown_name(turn.name):
            self.names[turn.account] = name
        return f"{self.placeholder(turn.account)} {_label(turn.name, turn.account)}"

    def quoted(self, quote: Quote) -> str:
        if quote.account in self.bots:
            who = BOT
        elif not quote.account:
            who = _inert(shown_name(quote.name)) or _ANONYMOUS
        else:
            self._heard_of(quote.account, quote.name)
            who = f"{self.placeholder(quote.account)} {_label(quote.name, quote.account)}"
        # The mark that ends a quotation must not occur inside it.
        words = _one_line(quote.text, MAX_QUOTE_CHARS).replace('"', "＂")
        return f'（{_QUOTE_LABELS[quote.kind]} {who}："{words}"）'

    def with_mentions(self, turn: Turn) -> str:
        """The turn's words, with ``(u3)`` after each ``@name`` of a member who is mentioned."""
        text = _one_line(turn.text, MAX_LINE_CHARS)
        labels: dict[str, list[str]] = {}
        for account, name in turn.mentions:
            if not account or account in self.opted_out:
                continue
            placeholder = self.placeholder(account)
            if placeholder != BOT:
                self._heard_of(account, name)
            for label in {clean(name).strip(), _inert(name), _label(name, account), account.rsplit(":", 1)[-1]} - {""}:
                labels.setdefault(label, []).append(placeholder)
        if not labels:
            return text
        longest_first = sorted(labels, key=len, reverse=True)

        def mark(match: re.Match[str]) -> str:
            waiting = labels[match[1]]
            return f"{match[0]}({waiting.pop(0) if len(waiting) > 1 else waiting[0]})"

        return re.sub(f"@({'|'.join(map(re.escape, longest_first))})", mark, text)

    def without_numbers(self, content: str) -> str:
        """A known item as one line, with placeholders in place of the numbers of people who appear here."""
        line = _one_line(content, MAX_LINE_CHARS)
        for account, placeholder in self.placeholders.items():
            line = line.replace(f"（{account.rsplit(':', 1)[-1]}）", f"（{placeholder}）")
        return line

    def _heard_of(self, account: str, name: str) -> None:
        if shown := shown_name(name):
            self.names.setdefault(account, shown)


def _label(name: str, account: str) -> str:
    return _inert(shown_name(name)) or account.rsplit(":", 1)[-1]


def _inert(text: str) -> str:
    """A name that can neither close its own brackets nor open others."""
    return " ".join(clean(text).translate(str.maketrans("[]（）", "［］()")).split())


def _one_line(text: str, limit: int) -> str:
    """Stranger's text as one line of at most ``limit`` characters in which nothing reads like our own marks."""
    text = cut_with_note(mask(clean(text)), limit)
    line = " / ".join(part.strip() for part in text.splitlines() if part.strip())
    line = _FORGED_HEAD.sub("［", line)
    line = _FORGED_QUOTE.sub("(", line)
    return _FORGED_PLACEHOLDER.sub("（", line)
