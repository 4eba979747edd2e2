"""A recorded turn is classified, and the rules look at it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from .changing import SYSTEM, Actor
from .correcting import correct
from .evolving import end_what_is_over, replacements
from .extract.rules import match_rules
from .models import Proposal, Turn, TurnState
from .optout import opted_out
from .revising import let_fall
from .scope import ScopeContext, home_scope
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
    context: ScopeContext | None = None,
) -> list[tuple[Proposal, Outcome]]:
    """Say how these turns count; what the rules learn from ordinary ones is written at once, and what was learnt of one
    that is a command after all (another bot's handlers may take longer) is retracted.

    ``bots`` are the accounts of all connected bots, None where they are not known. With a ``context``, of a caller that
    names its scopes itself, nothing that is said changes what is stored already.
    """
    numbers = tuple(numbers)
    if state is TurnState.COMMAND:
        learnt = [turn.n for turn in await tx.turns(session_key, numbers) if turn.state is TurnState.ORDINARY]
        await tx.set_turn_state(session_key, numbers, state)
        if learnt:
            await let_fall(tx, session_key, learnt, SYSTEM, now, "is_command")
        return []
    turns = [turn for turn in await tx.turns(session_key, numbers) if turn.state is not TurnState.UNLEARNT]
    news = [turn.n for turn in turns if turn.state is not TurnState.ORDINARY]
    silent = await _said_opted_out(tx, session_key, turns) if state is TurnState.ORDINARY and context is None else []
    await tx.set_turn_state(session_key, [turn.n for turn in turns if turn.n not in silent], state)
    await tx.set_turn_state(session_key, silent, TurnState.UNLEARNT)
    learnt_now: list[tuple[Proposal, Outcome]] = []
    off = context is None and await memory_is_off(tx, session_key)
    if state is TurnState.ORDINARY and not off:
        for turn in await tx.turns(session_key, news):
            if context is None and await correct(tx, turn, now):
                continue
            if turn.state is TurnState.UNLEARNT:
                continue
            actor = Actor(turn.account)
            source = Source(session_key, {turn.n: turn}, actor, now, bots=bots or frozenset(), context=context)
            proposals = match_rules(turn, zone=settings.timezone, bots=bots, nicknames=settings.nicknames)
            if not proposals and context is None:
                proposals = await replacements(tx, turn)
            written = await write_proposals(tx, proposals, source, settings)
            if context is None:
                await end_what_is_over(tx, turn, written, now)
            learnt_now += zip(proposals, written, strict=True)
    return learnt_now


async def _said_opted_out(tx: Write, session_key: str, turns: Sequence[Turn]) -> list[int]:
    """The turns of people who did not want to be learnt about when they said them."""
    numbers: list[int] = []
    for turn in turns:
        if turn.role == "user" and await opted_out(tx, session_key, (turn.account,), turn.said_at):
            numbers.append(turn.n)
    return numbers
