"""A recorded turn is classified, and the rules look at it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from .changing import Actor
from .extract.rules import match_rules
from .models import TurnState
from .settings import EngineSettings
from .store.base import Write
from .writing import Outcome, Source, write_proposals


async def settle_turns(
    tx: Write,
    session_key: str,
    numbers: Iterable[int],
    state: TurnState,
    now: datetime,
    settings: EngineSettings,
    *,
    bots: frozenset[str] | None = None,
) -> list[Outcome]:
    """Say how these turns count; what the rules learn from ordinary ones is written at once.

    ``bots`` are the accounts of all connected bots, None where they are not known.
    """
    numbers = tuple(numbers)
    await tx.set_turn_state(session_key, numbers, state)
    outcomes: list[Outcome] = []
    if state is TurnState.ORDINARY:
        for turn in await tx.turns(session_key, numbers):
            source = Source(session_key, {turn.n: turn}, Actor(turn.account), now, bots=bots or frozenset())
            proposals = match_rules(turn, zone=settings.timezone, bots=bots)
            outcomes += await write_proposals(tx, proposals, source, settings)
    return outcomes
