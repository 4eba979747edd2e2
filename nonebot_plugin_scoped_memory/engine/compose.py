"""Puts together what one prompt may hold: a session's history and what was recalled for its plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from .models import ScoredItem, Turn
from .prompt import Budget, ContextDebug, ContextPackage, RecalledItem, fit_history
from .recall import Recall
from .scope import ScopeRef
from .settings import EngineSettings
from .store.base import View

HISTORY_TURNS = 120
"""Turns looked at for the history of one prompt; its token budget decides how many of them are kept."""


@dataclass(frozen=True, slots=True)
class History:
    """A session's summary and its latest turns; ``whole`` if there are no older ones in this conversation."""

    summary: str = ""
    turns: tuple[Turn, ...] = ()
    whole: bool = True


async def read_history(view: View, session_key: str) -> History:
    """What was said last in a session; ``view`` is over the session's own scope."""
    session = await view.session(session_key)
    if session is None:
        return History()
    turns = await view.recent_turns(session_key, limit=HISTORY_TURNS, after=session.history_start)
    return History(session.summary, tuple(turns), len(turns) < HISTORY_TURNS)


def compose(
    session_key: str,
    plan: Sequence[ScopeRef],
    found: Recall,
    history: History,
    settings: EngineSettings,
    *,
    current: Turn | None = None,
    warnings: tuple[str, ...] = (),
) -> ContextPackage:
    """The package of a prompt; ``found`` was recalled for ``plan``.

    ``current`` and what people said after it are left out of the history. Answers are not: the one before it may have
    been sent when ``current`` was on its way.
    """
    turns = history.turns
    if current is not None:
        turns = [turn for turn in turns if turn.role == "bot" or _order(turn) < _order(current)]
    shown, used = fit_history(turns, settings.history_tokens, whole=history.whole)
    stats = {
        str(scope): {
            "found": found.scope_hits.get(scope, 0),
            "shown": sum(one.item.scope == scope for one in found.items),
        }
        for scope in plan
    }
    return ContextPackage(
        session_key=session_key,
        summary=history.summary,
        turns=shown,
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
