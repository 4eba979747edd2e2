"""Who does not want to be learnt about, and what is left out because of it.

What somebody says while they are opted out is marked for good (TurnState.UNLEARNT): it stays in the history of its
chat, but is never extracted, also not after they came back. What stands before that and was not extracted yet is left
out as long as they are opted out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from .models import Turn, TurnState
from .scope import GLOBAL_SCOPE, ScopeRef, home_scope
from .store.base import View, Write

_NAME = "learning"
_ON, _OFF = "on", "off"


async def set_learning(
    tx: Write, scope: ScopeRef, account: str, *, on: bool, until: datetime | None = None, now: datetime
) -> None:
    """Whether ``account`` is learnt about in ``scope``: a chat, or everywhere (the shared scope). ``until``: it is off
    for that long only."""
    value = _ON if on else _OFF if until is None else until.isoformat()
    await tx.set_account_setting(scope, account, _NAME, value, at=now)


async def opted_out(view: View, session_key: str, accounts: Iterable[str], at: datetime) -> frozenset[str]:
    """Those of ``accounts`` who were opted out at this time, in the session's chat or everywhere.

    ``view`` must reach the session's chat and the shared scope.
    """
    here = {home_scope(session_key), GLOBAL_SCOPE}
    found: set[str] = set()
    for account in set(accounts) - {""}:
        settings = await view.account_settings(account)
        if any(_is_off(values.get(_NAME, _ON), at) for scope, values in settings.items() if scope in here):
            found.add(account)
    return frozenset(found)


def _is_off(value: str, at: datetime) -> bool:
    if value in (_ON, _OFF):
        return value == _OFF
    return at < datetime.fromisoformat(value)


def speakers(turns: Iterable[Turn]) -> set[str]:
    """Everyone whose words stand in ``turns``, also as a quote."""
    return {account for turn in turns for account in (turn.account, *(quote.account for quote in turn.quotes))}


def hidden(turns: Sequence[Turn], accounts: Collection[str]) -> list[Turn]:
    """``turns`` as they may be learnt from: those of ``accounts`` count as unlearnt, and so does what a bot answered to
    an unlearnt one; quotes of ``accounts`` are left out."""
    shown: list[Turn] = []
    answering = False
    for turn in turns:
        if turn.role == "bot":
            unlearnt = answering
        else:
            unlearnt = answering = turn.account in accounts or turn.state is TurnState.UNLEARNT
        if unlearnt and turn.state is TurnState.ORDINARY:
            turn = replace(turn, state=TurnState.UNLEARNT)
        if any(quote.account in accounts for quote in turn.quotes):
            turn = replace(turn, quotes=tuple(quote for quote in turn.quotes if quote.account not in accounts))
        shown.append(turn)
    return shown
