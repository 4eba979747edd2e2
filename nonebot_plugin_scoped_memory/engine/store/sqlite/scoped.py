"""What every part of a view shares: one domain, its scopes, and the way to the database."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import InvalidScopeError
from ...models import Clock, IdSource
from ...scope import SCOPE_TYPE_SESSION, ScopeRef, session_scope
from .connection import Transaction
from .rows import Row, asked, flat, to_ms
from .vectorcache import VectorCache

Fetch = Callable[[str, Sequence[Any]], Awaitable[list[Row]]]


@dataclass(frozen=True, slots=True)
class Context:
    """What the parts of one store have in common."""

    clock: Clock
    ids: IdSource
    analyser: int
    vectors: VectorCache

    def now(self) -> int:
        return to_ms(self.clock())


def check_domain(domain_id: str) -> None:
    """Raises InvalidScopeError for an empty domain: it would be a wall around nothing."""
    if not isinstance(domain_id, str) or not domain_id:
        raise InvalidScopeError(repr(domain_id), "the domain is empty")


def check_scopes(scopes: Sequence[ScopeRef]) -> tuple[ScopeRef, ...]:
    """``scopes`` without repetitions. Raises InvalidScopeError if there are none, or if one is something else."""
    refs = tuple(dict.fromkeys(scopes))
    if not refs:
        raise InvalidScopeError("", "no scopes: empty never means everything")
    for ref in refs:
        if not isinstance(ref, ScopeRef):
            raise InvalidScopeError(repr(ref), "not a ScopeRef")
    return refs


class Scoped:
    """Base of the parts of a view. ``within`` and ``within_args`` are the one gate: the row ids of the view's scopes,
    resolved inside the statement that reads, so that a scope which does not exist simply matches nothing."""

    def __init__(self, context: Context, domain_id: str, scopes: Sequence[ScopeRef], fetch: Fetch) -> None:
        check_domain(domain_id)
        self.context = context
        self._domain_id = domain_id
        self._scopes = check_scopes(scopes)
        self._sessions = frozenset(ref.id for ref in self._scopes if ref.type == SCOPE_TYPE_SESSION)
        self._fetch = fetch
        self.within = (
            f"({asked('scope_type, external_id', len(self._scopes))} SELECT id FROM asked CROSS JOIN scopes"
            " USING (scope_type, external_id) WHERE domain_id = ?)"
        )
        self.within_args: tuple[Any, ...] = (*flat((ref.type, ref.id) for ref in self._scopes), domain_id)

    @property
    def domain_id(self) -> str:
        return self._domain_id

    @property
    def scopes(self) -> tuple[ScopeRef, ...]:
        return self._scopes

    async def fetch(self, sql: str, args: Sequence[Any] = ()) -> list[Row]:
        """The rows of a query. Half a character, or a number beyond 64 bits, cannot be stored and so is not found."""
        try:
            return await self._fetch(sql, args)
        except (UnicodeEncodeError, OverflowError):
            return []

    def reads_session(self, session_key: str) -> bool:
        """Whether the turns of this session lie in the view's scopes."""
        return session_key in self._sessions


class Writing(Scoped):
    """Base of the parts of a write: a view over its own transaction, where scopes and sessions are made on first use.

    Naming a scope or session outside the view raises InvalidScopeError; an id outside it is not found.
    """

    def __init__(self, context: Context, domain_id: str, scopes: Sequence[ScopeRef], tx: Transaction) -> None:
        super().__init__(context, domain_id, scopes, tx.fetch)
        self.tx = tx
        self._scope_ids: dict[ScopeRef, int] = {}
        self._session_ids: dict[str, int] = {}

    async def scope_id(self, ref: ScopeRef) -> int:
        """The row id of a scope of this view, made if need be. Raises InvalidScopeError for any other scope."""
        if ref not in self._scopes:
            raise InvalidScopeError(str(ref), "not among the scopes of this write")
        if ref not in self._scope_ids:
            key = (self._domain_id, ref.type, ref.id)
            lookup = "SELECT id FROM scopes WHERE domain_id = ? AND scope_type = ? AND external_id = ?"
            rows = await self.fetch(lookup, key)
            if not rows:
                await ensure_domain(self.tx, self._domain_id, self.context.now())
                rows = await self.tx.fetch(
                    "INSERT INTO scopes (domain_id, scope_type, external_id, created_at) VALUES (?, ?, ?, ?)"
                    " RETURNING id",
                    (*key, self.context.now()),
                )
            self._scope_ids[ref] = rows[0][0]
        return self._scope_ids[ref]

    def check_session(self, session_key: str) -> None:
        """Raises InvalidScopeError if the session lies outside the view."""
        if not self.reads_session(session_key):
            raise InvalidScopeError(str(session_scope(session_key)), "not among the scopes of this write")

    async def session_id(self, session_key: str) -> int:
        """The row id of a session of this view, made if need be. Raises InvalidScopeError for any other session."""
        self.check_session(session_key)
        if session_key not in self._session_ids:
            found = await session_ids(self.tx, [(self._domain_id, session_key)], self.context.now())
            self._session_ids[session_key] = found[self._domain_id, session_key]
        return self._session_ids[session_key]


async def ensure_domain(tx: Transaction, domain_id: str, now: int) -> None:
    await tx.fetch("INSERT INTO domains (id, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING", (domain_id, now))


async def session_ids(tx: Transaction, keys: Sequence[tuple[str, str]], now: int) -> dict[tuple[str, str], int]:
    """The row id of each (domain, session key); those that do not exist yet are made."""
    columns = "domain_id, session_key"
    lookup = f"{asked(columns, len(keys))} SELECT {columns}, id FROM asked CROSS JOIN sessions USING ({columns})"
    found = {(domain, key): id for domain, key, id in await tx.fetch(lookup, flat(keys))}
    missing = [key for key in dict.fromkeys(keys) if key not in found]
    for domain, session_key in missing:
        await ensure_domain(tx, domain, now)
        made = await tx.fetch(
            "INSERT INTO sessions (domain_id, session_key, created_at, updated_at) VALUES (?, ?, ?, ?) RETURNING id",
            (domain, session_key, now, now),
        )
        found[domain, session_key] = made[0][0]
    return found
