"""A line as it is said, and a truth as it is planted with it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timezone

from .cast import ANONYMOUS_NAME, BOT, Person
from .grammar import Scene, Truth, Wording

NOT_YET = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(eq=False)
class Said:
    """One line, ready to be numbered. ``quote`` is the line it answers. ``number`` is set when the talk is in order."""

    session: str
    day: int
    thread: int
    person: Person | None
    role: str
    words: str
    tags: list[str]
    time: str = ""
    mentions: tuple[tuple[str, str], ...] = ()
    quote: Said | None = None
    forwarded: tuple[tuple[str, str], ...] = ()
    command: bool = False
    recalled: bool = False
    number: int = 0
    said_at: datetime = NOT_YET


@dataclass
class Planted:
    """A truth with its scene's words in it. ``lines`` are what it rests on."""

    truth: Truth
    scene: Scene
    session: str
    subject: str | None
    wording: Wording
    lines: list[Said]
    until: date | None = None
    begins: date | None = None
    literal: str = ""
    status: str = "active"


def speaker_of(said: Said) -> tuple[str, str]:
    """(account, name at the time)"""
    if said.role == "bot":
        return BOT
    if said.person is None:
        return "", ANONYMOUS_NAME
    return said.person.account, said.person.name(said.session, said.day)
