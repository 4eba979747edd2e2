"""Words out of the fillers, and the secrets that somebody posts: all drawn, none real."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from .grammar import read_pairs

_SURE = "ABCDEFGHJKMNPQRSTUVWXYZ"
_LOWER = "abcdefghjkmnpqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Word:
    """``words`` is said; ``need`` is what a wording must keep of it; ``beside`` are slots that go with it."""

    words: str
    need: str
    beside: Mapping[str, str] = field(default_factory=dict)


def read_word(text: str) -> Word:
    """``words => need @ slot=word``, the last two parts optional. ``@ for=theme`` says in which chats it fits; what
    goes with a word may have a need too, after ``->``. ``*slot`` stands for a word of another slot."""
    words, _, beside = text.partition(" @ ")
    words, _, need = words.partition(" => ")
    return Word(words.strip(), need.strip() or words.strip(), read_pairs(beside))


class Fillers:
    """Draws each word of a slot once before any comes again. ``exhausted`` counts how often a slot began anew."""

    def __init__(self, pools: Mapping[str, str], chance: random.Random) -> None:
        self._pools = {
            slot: [read_word(one) for line in text.splitlines() for one in line.split(" | ") if one.strip()]
            for slot, text in pools.items()
        }
        self._chance = chance
        self._waiting: dict[str, list[Word]] = {}
        self.exhausted: dict[str, int] = {}

    def __contains__(self, slot: str) -> bool:
        return slot in self._pools or slot in _MADE

    def take(self, slot: str, theme: str = "") -> Word:
        """A word, one of ``theme`` if there is one left. Raises KeyError for a slot that nobody filled."""
        if slot in _MADE:
            made = _MADE[slot](self._chance)
            return Word(made, made)
        waiting = self._waiting.get(slot)
        if not waiting:
            if waiting is not None:
                self.exhausted[slot] = self.exhausted.get(slot, 0) + 1
            waiting = self._waiting[slot] = list(self._pools[slot])
            self._chance.shuffle(waiting)
        fitting = [place for place, word in enumerate(waiting) if word.beside.get("for", theme) == theme]
        word = waiting.pop(fitting[-1] if fitting else -1)
        return self.take(word.words[1:], theme) if word.words.startswith("*") else word


def _password(chance: random.Random) -> str:
    letters = "".join(chance.choice(_LOWER) for _ in range(5))
    return f"{chance.choice(_SURE)}{letters}{chance.choice('!@#_')}{chance.randrange(100, 9999)}"


def _token(chance: random.Random) -> str:
    alphabet = _LOWER + _SURE + "23456789"
    return "sk-" + "".join(chance.choice(alphabet) for _ in range(32)) + "7"


def _identity_number(chance: random.Random) -> str:
    """Of no region that exists (99…), with the check character of GB 11643-1999."""
    digits = f"99{chance.randrange(1000, 9999)}19{chance.randrange(60, 99)}0{chance.randrange(1, 9)}"
    digits += f"1{chance.randrange(0, 9)}{chance.randrange(100, 999)}"
    return digits + "10X98765432"[sum(int(ch) * pow(2, 17 - place, 11) for place, ch in enumerate(digits)) % 11]


def _card_number(chance: random.Random) -> str:
    """Of no bank that exists (9999…), with the check digit of ISO/IEC 7812."""
    digits = "9999" + "".join(str(chance.randrange(10)) for _ in range(14))
    total = sum(sum(divmod(int(ch) * (2 - place % 2), 10)) for place, ch in enumerate(reversed(digits)))
    return digits + str(-total % 10)


def _code(chance: random.Random) -> str:
    return str(chance.randrange(100_000, 999_999))


def _phone(chance: random.Random) -> str:
    return f"199{chance.randrange(10_000_000, 99_999_999)}"


_MADE = {
    "password": _password,
    "token": _token,
    "idnumber": _identity_number,
    "card": _card_number,
    "code": _code,
    "phone": _phone,
}
