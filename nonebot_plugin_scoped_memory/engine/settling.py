"""A recorded turn is classified, and the rules look at it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from .changing import SYSTEM, Actor
from .correcting import correct
from .evolving import end_what_is_over, replacements
from .extract.rules import match_rules
from .models import TurnState
from .revising import let_fall
from .scope import home_scope
from .settings import EngineSettings
from .store.base import View, Write
from .writing import Outcome, Source, write_proposals


async def memory_is_off(view: View, session_key: str) -> bool:
    """Whether this chat's memory is switched off: nothing is learnt there, whatever was recorded before."""
    return (await view.chat_settings(home_scope(session_key))).get("memory") == "off"


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
    """Say how these turns count; what the rules learn from ordinary ones is written at once, and what was learnt of one
    that is a command after all (another bot's handlers may take longer) is retracted.

    ``bots`` are the accounts of all connected bots, None where they are not known.
    """
    numbers = tuple(numbers)
    if state is TurnState.COMMAND:
        learnt = [turn.n for turn in await tx.turns(session_key, numbers) if turn.state is TurnState.ORDINARY]
        await tx.set_turn_state(session_key, numbers, state)
        if learnt:
            await let_fall(tx, session_key, learnt, SYSTEM, now, "is_command")
        return []
    news = [turn.n for turn in await tx.turns(session_key, numbers) if turn.state is not TurnState.ORDINARY]
    await tx.set_turn_state(session_key, numbers, state)
    outcomes: list[Outcome] = []
    if state is TurnState.ORDINARY and not await memory_is_off(tx, session_key):
        for turn in await tx.turns(session_key, news):
            if await correct(tx, turn, now):
                continue
            source = Source(session_key, {turn.n: turn}, Actor(turn.account), now, bots=bots or frozenset())
            proposals = match_rules(turn, zone=settings.timezone, bots=bots, nicknames=settings.nicknames)
            if not proposals:
                proposals = await replacements(tx, turn)
            written = await write_proposals(tx, proposals, source, settings)
            await end_what_is_over(tx, turn, written, now)
            outcomes += written
    return outcomes
