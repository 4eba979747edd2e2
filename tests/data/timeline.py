"""From lines to turns: times of day, so that threads of one chat run into each other, numbers, and rows to write."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta, timezone
from typing import Any

from .cast import Cast
from .saying import Planted, Said, speaker_of

SHANGHAI = timezone(timedelta(hours=8))
_EPISODES = ("08:25", "10:40", "12:10", "15:30", "18:45", "21:20", "22:40")
_PAUSE = timedelta(minutes=2)
_ENGLISH = re.compile(r"[A-Za-z]{2,}(?:['’]?[a-z]*[ ,.]+[A-Za-z]+){2,}")

Row = dict[str, Any]


def put_in_order(said: Sequence[Said], cast: Cast, chance: random.Random) -> list[Said]:
    """``said`` with times and numbers, in the order of time. Threads of one episode begin within minutes; with the bot
    alone one talks of one thing after the other."""
    starts: dict[tuple[str, int, int], datetime] = {}
    episodes: dict[tuple[str, int], list[str]] = {}
    clocks: dict[tuple[str, int, int], datetime] = {}
    for one in said:
        thread = (one.session, one.day, one.thread)
        if thread not in starts:
            of_day = episodes.setdefault((one.session, one.day), chance.sample(_EPISODES, chance.randint(2, 4)))
            begins = one.time or chance.choice(of_day)
            day = cast.first_day + timedelta(days=one.day)
            start = datetime.combine(day, time.fromisoformat(begins), SHANGHAI)
            start += timedelta(seconds=chance.randint(0, 50 if one.time else 420))
            if one.session not in cast.groups:
                ends = [clock for place, clock in clocks.items() if place[:2] == thread[:2] and clock >= start - _PAUSE]
                start = max([start, *(end + _PAUSE for end in ends if end - start < _PAUSE * 6)])
            starts[thread] = clocks[thread] = start
        else:
            clocks[thread] += timedelta(seconds=chance.randint(4, 65))
        one.said_at = clocks[thread]
    places = {id(one): place for place, one in enumerate(said)}
    ordered = sorted(said, key=lambda one: (one.said_at, places[id(one)]))
    numbers: dict[str, int] = defaultdict(int)
    for one in ordered:
        numbers[one.session] += 1
        one.number = numbers[one.session]
    return ordered


def turn_rows(ordered: Sequence[Said], cast: Cast, chance: random.Random) -> list[Row]:
    """One row a turn, with the tags that its words and its place give it."""
    sequence = {session: chance.randint(1_000, 9_000) for session in cast.sessions}
    last_name: dict[tuple[str, str], str] = {}
    rows: list[Row] = []
    for one in ordered:
        account, name = speaker_of(one)
        sequence[one.session] += chance.randint(1, 3)
        tags = [*one.tags, *_more_tags(one, cast)]
        if last_name.setdefault((one.session, account), name) != name:
            tags.append("renamed")
            last_name[one.session, account] = name
        rows.append(
            {
                "session": one.session,
                "n": one.number,
                "account": account,
                "name": name,
                "said_at": one.said_at.isoformat(),
                "seq": sequence[one.session],
                "text": one.words,
                "quotes": _quotes(one),
                "mentions": [{"account": mentioned, "name": called} for mentioned, called in one.mentions],
                "role": "bot" if one.role == "bot" else "user",
                "state": "command" if one.command else "ordinary",
                "recalled": one.recalled,
                "tags": list(dict.fromkeys(tags)),
            }
        )
    return rows


def truth_rows(planted: Sequence[Planted], cast: Cast, days: int) -> list[Row]:
    """What must be known, may be stored, must never be, and the literals that may be nowhere: one row each."""
    last_day = cast.first_day + timedelta(days=days - 1)
    rows: list[Row] = []
    for number, one in enumerate(planted, 1):
        withdrawn = one.status == "withdrawn"
        what = "forbidden" if withdrawn else one.truth.what
        row: Row = {"what": what, "id": f"{what[0]}{number:03}", "session": one.session}
        row["turns"] = [said.number for said in one.lines]
        if what == "secret":
            row["literal"] = one.literal
        else:
            row["all_of"] = [list(group) for group in one.wording.all_of]
            row["none_of"] = list(one.wording.none_of)
            row["subject"] = None if withdrawn else one.subject
        if what == "forbidden":
            row["why"] = "withdrawn" if withdrawn else one.truth.why
            row["anywhere"] = not (withdrawn or one.truth.here)
        if what in ("expected", "allowed"):
            row["scope"] = f"chat:{one.session}"
            row["valid_from"] = one.begins.isoformat() if one.begins else None
            row["valid_until"] = one.until.isoformat() if one.until else None
        if what == "expected":
            expired = one.status == "active" and one.until is not None and one.until <= last_day
            row["kind"], row["key"] = one.truth.kind, one.truth.key
            row["status"] = "expired" if expired else one.status
            row["level"] = "inferred" if one.truth.inferred else "plain"
            row["tag"], row["held_out"] = one.scene.block, one.scene.pool == "report"
        rows.append(row)
    return rows


def _quotes(one: Said) -> list[Mapping[str, str]]:
    quotes: list[Mapping[str, str]] = []
    if one.quote is not None:
        account, name = speaker_of(one.quote)
        quotes.append({"account": account, "name": name, "text": one.quote.words, "kind": "reply"})
    for name, words in one.forwarded:
        stranger = f"qq:user:{800_000 + sum(map(ord, name)) % 100_000}"
        quotes.append({"account": stranger, "name": name, "text": words, "kind": "forward"})
    return quotes


def _more_tags(one: Said, cast: Cast) -> list[str]:
    tags: list[str] = []
    if one.person is not None:
        namesakes = [
            other
            for other in cast.members(one.session)
            if other is not one.person and other.name(one.session, one.day) == one.person.name(one.session, one.day)
        ]
        tags += ["namesake"] * bool(namesakes) + ["traditional"] * (one.person.style == "trad")
        tags += ["several_groups"] * (one.session in cast.groups and len(one.person.groups) > 1)
    tags += ["english"] * bool(_ENGLISH.search(one.words)) + ["long"] * (len(one.words) > 150)
    tags += ["short"] * (len(one.words) <= 2) + ["reply"] * (one.quote is not None) + ["forward"] * bool(one.forwarded)
    return [*tags, *["mention"] * bool(one.mentions), *["recalled"] * one.recalled, *["command"] * one.command]
