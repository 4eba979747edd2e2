"""The made-up people of a set: accounts, names that change, chats, and what holds of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

BOT = ("qq:user:30001", "小忆")
ANONYMOUS_NAME = "匿名"


@dataclass(frozen=True, slots=True)
class Person:
    """``cards`` maps a group to its (first day, name) pairs; where there is none, ``nicknames`` hold. ``style`` is
    ``trad`` (writes Traditional characters), ``en`` (mixes English in), ``voice`` (dictates) or empty."""

    account: str
    nicknames: tuple[tuple[int, str], ...]
    groups: tuple[str, ...]
    private: bool
    style: str = ""
    cards: Mapping[str, tuple[tuple[int, str], ...]] = field(default_factory=dict)
    profile: Mapping[str, str] = field(default_factory=dict)

    @property
    def private_session(self) -> str:
        return f"qq:private:{self.account.rsplit(':', 1)[-1]}"

    def name(self, session: str, day: int) -> str:
        """How the chat shows this person on a day of the set, counted from 0."""
        known = self.cards.get(session) or self.nicknames
        return [name for first, name in known if first <= day][-1]


@dataclass(frozen=True, slots=True)
class Cast:
    """``groups`` maps a group's session key to its theme; ``new_year`` is the first day of the lunar year near by."""

    people: tuple[Person, ...]
    groups: Mapping[str, str]
    first_day: date
    new_year: date

    def members(self, session: str) -> list[Person]:
        if session in self.groups:
            return [person for person in self.people if session in person.groups]
        return [person for person in self.people if person.private_session == session]

    @property
    def sessions(self) -> list[str]:
        return [*self.groups, *(person.private_session for person in self.people if person.private)]


PROFILE_SLOTS = (
    "name call call2 birthday birthday2 city city2 origin job job2 major lang lang2 pet petname age mbti abroad"
).split()


def people_of(table: str, cards: Mapping[str, Mapping[str, Sequence[tuple[int, str]]]]) -> tuple[Person, ...]:
    """People from a table, one a line: ``number | nickname, day:nickname … | groups | private | style | profile``, the
    profile in the order of PROFILE_SLOTS."""
    people: list[Person] = []
    for line in table.strip().splitlines():
        number, names, groups, private, style, profile = (cell.strip() for cell in line.split("|", 5))
        account = f"qq:user:{number}"
        people.append(
            Person(
                account,
                tuple(_named(name) for name in names.split(",")),
                tuple(f"qq:group:{group}" for group in groups.split()),
                private == "private",
                style,
                {group: tuple(changes) for group, changes in cards.get(number, {}).items()},
                dict(zip(PROFILE_SLOTS, (cell.strip() for cell in profile.split(";")), strict=True)),
            )
        )
    return tuple(people)


def _named(text: str) -> tuple[int, str]:
    first, colon, name = text.strip().partition(":")
    return (int(first), name.strip()) if colon else (0, text.strip())
