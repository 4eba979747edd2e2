"""Where an item came from, and who may see it: only those whose own plan reaches that chat.

A shared item is read everywhere; the session, the words and the accounts behind it are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .errors import ScopedMemoryError
from .models import Item
from .scope import GLOBAL_SCOPE, REVIEW_SCOPE, ScopeRef, home_scope, session_scope


def sees_session(session_key: str, scopes: Sequence[ScopeRef]) -> bool:
    """Whether a reader of ``scopes`` may know what stands in this session."""
    if REVIEW_SCOPE in scopes:
        return True
    try:
        if session_scope(session_key) in scopes:
            return True
        home = home_scope(session_key)
    except ScopedMemoryError:  # no address, so nobody's
        return False
    # A legacy session has no chat: its plan is the shared scope, which everybody reads.
    return home != GLOBAL_SCOPE and home in scopes


def without_hidden_source(item: Item, scopes: Sequence[ScopeRef]) -> Item:
    """``item`` as a reader of ``scopes`` may have it."""
    if not item.source_session or sees_session(item.source_session, scopes):
        return item
    return replace(item, source_session="", owner="")
