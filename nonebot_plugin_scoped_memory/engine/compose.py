"""Puts together what one prompt may hold: a session's history and what was recalled for its plan."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from .models import ScoredItem, Turn
from .prompt import Budget, ContextDebug, ContextPackage, RecalledItem, fit_history
from .recall import Recall
from .scope import ScopeRef
from .settings import EngineSettings
from .store.base import View

HISTORY_TURNS = 120
"""Turns looked at for the history of one prompt; its token budget decides how many of them are kept."""


async def compose(
    view: View,
    session_key: str,
    plan: Sequence[ScopeRef],
    found: Recall,
    settings: EngineSettings,
    *,
    current: Turn | None = None,
    warnings: tuple[str, ...] = (),
) -> ContextPackage:
    """``view`` is over the session's own scope; ``found`` was recalled for ``plan``.

    ``current`` and what people said after it are left out of the history. Answers are not: the one before it may have
    been sent when ``current`` was on its way.
    """
    session = await view.session(session_key)
    start = session.history_start if session is not None else 0
    turns = await view.recent_turns(session_key, limit=HISTORY_TURNS, after=start)
    whole = len(turns) < HISTORY_TURNS
    if current is not None:
        turns = [turn for turn in turns if turn.role == "bot" or _order(turn) < _order(current)]
    history, used = fit_history(turns, settings.history_tokens, whole=whole)
    stats = {
        str(scope): {
            "found": found.scope_hits.get(scope, 0),
            "shown": sum(one.item.scope == scope for one in found.items),
        }
        for scope in plan
    }
    return ContextPackage(
        session_key=session_key,
        summary=session.summary if session is not None else "",
        turns=history,
        evidence=tuple(_recalled(one) for one in found.items),
        budget=Budget(found.tokens, settings.recall_tokens, used, settings.history_tokens),
        debug=ContextDebug(tuple(plan), stats, found.shadowed, found.dropped, warnings),
        timezone=settings.timezone,
    )


def nothing(session_key: str, settings: EngineSettings, why: str) -> ContextPackage:
    """The package of a caller who may read nothing."""
    budget = Budget(0, settings.recall_tokens, 0, settings.history_tokens)
    return ContextPackage(session_key, "", (), (), budget, ContextDebug(warnings=(why,)), settings.timezone)


def _order(turn: Turn) -> tuple[datetime, int, int]:
    return turn.said_at, turn.seq, turn.n


def _recalled(one: ScoredItem) -> RecalledItem:
    item = one.item
    return RecalledItem(item, item.scope, item.subject, item.source_session, one.score, one.why)
