"""Who shares an item. The only place that spells scope types and the id of the shared scope."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from .address import Address, SessionKey
from .errors import InvalidAddressError, InvalidScopeError

SCOPE_TYPE_GLOBAL = "global"
SCOPE_TYPE_CHAT = "chat"
SCOPE_TYPE_PROJECT = "project"
SCOPE_TYPE_EXPERT = "expert"
SCOPE_TYPE_TASK = "task"
SCOPE_TYPE_SESSION = "session"
SCOPE_ID_GLOBAL = "__global__"

SCOPE_TYPES: tuple[str, ...] = (
    SCOPE_TYPE_GLOBAL,
    SCOPE_TYPE_CHAT,
    SCOPE_TYPE_PROJECT,
    SCOPE_TYPE_EXPERT,
    SCOPE_TYPE_TASK,
    SCOPE_TYPE_SESSION,
)
CONFLICT_PRIORITY: tuple[str, ...] = (
    SCOPE_TYPE_TASK,
    SCOPE_TYPE_CHAT,
    SCOPE_TYPE_PROJECT,
    SCOPE_TYPE_EXPERT,
    SCOPE_TYPE_GLOBAL,
    SCOPE_TYPE_SESSION,
)
"""Whose item wins a slot, most specific first."""

CHAT_SCOPED_KINDS: frozenset[str] = frozenset({"preference", "fact", "task"})
GLOBAL_SCOPED_KINDS: frozenset[str] = frozenset({"decision", "procedure", "warning", "summary"})

MAX_SCOPE_ID_LENGTH = 512


@dataclass(frozen=True, slots=True, order=True)
class ScopeRef:
    """A scope as a value: ``ScopeRef("chat", "qq:group:20001")``. Raises InvalidScopeError if it makes no sense."""

    type: str
    id: str

    def __post_init__(self) -> None:
        if self.type not in SCOPE_TYPES:
            raise InvalidScopeError(f"{self.type}:{self.id}", f"type {self.type!r} is none of {list(SCOPE_TYPES)}")
        if not isinstance(self.id, str) or not self.id:
            raise InvalidScopeError(f"{self.type}:{self.id}", "the id is empty")
        if len(self.id) > MAX_SCOPE_ID_LENGTH:
            raise InvalidScopeError(str(self), f"the id has more than {MAX_SCOPE_ID_LENGTH} characters")
        if any(unicodedata.category(ch) in ("Cc", "Cs") for ch in self.id):
            raise InvalidScopeError(str(self), "the id has a control character")
        if self.type == SCOPE_TYPE_GLOBAL and self.id != SCOPE_ID_GLOBAL:
            raise InvalidScopeError(str(self), f"the id of a global scope is {SCOPE_ID_GLOBAL!r}")
        if self.type == SCOPE_TYPE_CHAT:
            try:
                Address.parse(self.id)
            except InvalidAddressError as e:
                raise InvalidScopeError(str(self), f"the id of a chat scope is an address: {e.problem}") from e

    def __str__(self) -> str:
        return f"{self.type}:{self.id}"


GLOBAL_SCOPE = ScopeRef(SCOPE_TYPE_GLOBAL, SCOPE_ID_GLOBAL)


@dataclass(frozen=True, slots=True)
class ScopeContext:
    """What one call may read and write.

    ``read`` is non-empty and without duplicates, ``write`` a part of it, ``default_write`` a part of ``write``.
    ``write`` left out means only ``default_write``; both left out, the call may write nothing.
    Raises InvalidScopeError, naming the scope that breaks the rule.
    """

    read: tuple[ScopeRef, ...]
    write: tuple[ScopeRef, ...] | None = None
    default_write: ScopeRef | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "read", tuple(self.read))
        if self.write is None:
            object.__setattr__(self, "write", (self.default_write,) if self.default_write is not None else ())
        else:
            object.__setattr__(self, "write", tuple(self.write))
        if not self.read:
            raise InvalidScopeError("", "read is empty")
        for ref in (*self.read, *self.writable):
            if not isinstance(ref, ScopeRef):
                raise InvalidScopeError(repr(ref), "not a ScopeRef")
        for name, refs in (("read", self.read), ("write", self.writable)):
            seen: set[ScopeRef] = set()
            for ref in refs:
                if ref in seen:
                    raise InvalidScopeError(str(ref), f"{name} names it twice")
                seen.add(ref)
        for ref in self.writable:
            if ref not in self.read:
                raise InvalidScopeError(str(ref), "write names it but read does not")
        if self.default_write is not None and self.default_write not in self.writable:
            raise InvalidScopeError(str(self.default_write), "default_write is not in write")

    @property
    def writable(self) -> tuple[ScopeRef, ...]:
        """``write`` after its default was filled in."""
        return self.write or ()


def resolve_scope_from_session(session_id: str) -> tuple[str, str]:
    """The (type, id) of the scope that owns what is said in a session.

    >>> resolve_scope_from_session("milky:private:10001:cron:abc")
    ('chat', 'milky:private:10001')

    A legacy key has no chat of its own and resolves to the shared scope. Raises InvalidAddressError.
    """
    key = SessionKey.parse(session_id)
    if key.address is None:
        return SCOPE_TYPE_GLOBAL, SCOPE_ID_GLOBAL
    return SCOPE_TYPE_CHAT, chat_scope_id(key.address)


def scope_for_kind(kind: str) -> str:
    """The scope type that a kind belongs to by default. Raises InvalidScopeError for an unknown kind."""
    if kind in CHAT_SCOPED_KINDS:
        return SCOPE_TYPE_CHAT
    if kind in GLOBAL_SCOPED_KINDS:
        return SCOPE_TYPE_GLOBAL
    raise InvalidScopeError(kind, "unknown kind")


def chat_scope_id(address: Address) -> str:
    """The id of the chat scope at ``address``."""
    return address.chat_key


def session_scope(session_key: str) -> ScopeRef:
    """The internal scope of one session's turns."""
    return ScopeRef(SCOPE_TYPE_SESSION, session_key)


REVIEW_SCOPE = session_scope("__review__")
"""An operator's eyes: no session has this key and no plan holds this scope. With it a view sees where shared items and
waiting candidates came from."""


def home_scope(session_key: str) -> ScopeRef:
    """``resolve_scope_from_session`` as a value."""
    return ScopeRef(*resolve_scope_from_session(session_key))


def plan_for_session(session_key: str) -> tuple[ScopeRef, ...]:
    """The ordered scopes that a question in this session may read: its chat, then the shared scope."""
    home = home_scope(session_key)
    return (home,) if home == GLOBAL_SCOPE else (home, GLOBAL_SCOPE)


def writing_scopes(session_key: str) -> tuple[ScopeRef, ...]:
    """The scopes that a change coming from this session may touch: its turns, its chat, and the shared scope."""
    plan = plan_for_session(session_key)
    return session_scope(session_key), *plan
