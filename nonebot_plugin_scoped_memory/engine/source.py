"""What a batch of proposals comes from, and what may be told of it elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from . import text
from .changing import Actor
from .models import Evidence, Turn
from .scope import ScopeContext

QUOTE_CHARS = 300
"""How much of a turn an item keeps as its evidence."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a batch of proposals comes from: a session, its turns as they stand now, and who is acting.

    ``names`` are names of accounts that no turn shows. ``context`` is given by callers that name their scopes
    themselves; it replaces the plan made from the session.
    """

    session_key: str
    turns: Mapping[int, Turn]
    actor: Actor
    now: datetime
    bots: frozenset[str] = frozenset()
    opted_out: frozenset[str] = frozenset()
    names: Mapping[str, str] = field(default_factory=dict)
    context: ScopeContext | None = None

    def names_of(self, account: str) -> set[str]:
        """Every name under which ``account`` may stand in a proposal."""
        spoken = {turn.name for turn in self.turns.values() if turn.account == account}
        mentioned = {name for turn in self.turns.values() for who, name in turn.mentions if who == account}
        return spoken | mentioned | {self.names.get(account, "")}

    def accounts(self) -> set[str]:
        """Everyone who may stand in a proposal."""
        turns = self.turns.values()
        mentioned = {account for turn in turns for account, _ in turn.mentions}
        quoted = {quote.account for turn in turns for quote in turn.quotes}
        return {turn.account for turn in turns} | mentioned | quoted | {self.actor.account} | set(self.names)

    def evidence(self, numbers: Sequence[int]) -> list[Evidence]:
        """The turns as evidence, each with the words it rests on."""
        return [
            Evidence(self.session_key, n, self.turns[n].account, text.cut(self.turns[n].text, QUOTE_CHARS))
            for n in numbers
            if n in self.turns
        ]

    def shareable(self, content: str) -> str:
        """``content`` as readers elsewhere may see it: without the numbers of people."""
        return text.without_numbers(content, self.accounts())
