"""Every error the memory raises. One small tree, ids inside, never a bare string::

ScopedMemoryError
├── InvalidAddressError      an address or session key that cannot be parsed
├── InvalidScopeError        a scope, or a set of scopes, that makes no sense
├── InvalidItemError         an item that must not be stored
├── NotFoundError            no such thing within the caller's scopes
├── NotAllowedError          the caller sees it, but may not change it
├── SlotTakenError           another active item holds the slot or the same content
├── UndoRefusedError         a dream cannot be undone: an item was changed since, or its place is taken
├── NoChatError              no current chat, and none was passed
├── StoreError               the database
│   ├── StoreUnreachableError
│   └── StoreTooNewError
└── ProviderError            a chat or embedding endpoint
    ├── ProviderTimeoutError
    ├── ProviderAuthError    401, 402 or a code like them: stays so until an operator acts
    ├── ProviderBusyError    429
    ├── ProviderDownError    5xx, or no connection
    ├── ProviderRefusedError the model declined
    └── BadOutputError       an answer that fits no schema
"""

from __future__ import annotations


class ScopedMemoryError(Exception):
    """Base of all errors of this package."""


class InvalidAddressError(ScopedMemoryError):
    """``text`` is no address or session key; ``problem`` says what is wrong."""

    def __init__(self, text: str, problem: str) -> None:
        self.text = text
        self.problem = problem
        super().__init__(f"invalid address {text[:200]!r}: {problem}")


class InvalidScopeError(ScopedMemoryError):
    """A scope or scope context breaks a rule; ``scope`` is the offender as text, ``problem`` the rule."""

    def __init__(self, scope: str, problem: str) -> None:
        self.scope = scope
        self.problem = problem
        super().__init__(f"invalid scope {scope[:200]!r}: {problem}")


class InvalidItemError(ScopedMemoryError):
    """An item that must not be stored; ``field`` names the part, ``problem`` the rule. Holds no content."""

    def __init__(self, field: str, problem: str) -> None:
        self.field = field
        self.problem = problem
        super().__init__(f"invalid item: {field}: {problem}")


class NotFoundError(ScopedMemoryError):
    """Nothing of this ``kind`` has this ``id`` within the caller's scopes. Whether it exists elsewhere is not told."""

    def __init__(self, kind: str, id: str) -> None:
        self.kind = kind
        self.id = id
        super().__init__(f"{kind} {id[:64]!r} not found")


class NotAllowedError(ScopedMemoryError):
    """``actor`` may see the item ``id`` but not do ``action`` to it; ``shared``: because everybody shares it."""

    def __init__(self, actor: str, action: str, id: str, *, shared: bool = False) -> None:
        self.actor = actor
        self.action = action
        self.id = id
        self.shared = shared
        super().__init__(f"{actor} may not {action} {id}")


class SlotTakenError(ScopedMemoryError):
    """``item_id`` cannot become active: ``holder_id`` has its slot or its content."""

    def __init__(self, item_id: str, holder_id: str) -> None:
        self.item_id = item_id
        self.holder_id = holder_id
        super().__init__(f"item {item_id} cannot become active: its place is held by {holder_id}")


class UndoRefusedError(ScopedMemoryError):
    """Dream ``run_id`` cannot be undone because of ``item_id``: it was ``changed`` since, or its place is ``taken`` by
    ``holder_id``."""

    def __init__(self, run_id: str, item_id: str, why: str, holder_id: str = "") -> None:
        self.run_id = run_id
        self.item_id = item_id
        self.why = why
        self.holder_id = holder_id
        super().__init__(f"dream {run_id} cannot be undone: item {item_id} is {why} {holder_id}".rstrip())


class NoChatError(ScopedMemoryError):
    """Called outside an event handler without an address."""

    def __init__(self, call: str) -> None:
        self.call = call
        super().__init__(f"{call}() was called outside an event handler: pass session=..., e.g. 'qq:private:10001'")


class StoreError(ScopedMemoryError):
    """The database could not do what was asked; ``url`` is without credentials."""

    def __init__(self, url: str, problem: str) -> None:
        self.url = url
        self.problem = problem
        super().__init__(f"store {url}: {problem}")


class StoreUnreachableError(StoreError):
    """The database cannot be opened, read or written."""


class StoreTooNewError(StoreError):
    """The database was written by a later version of this package."""

    def __init__(self, url: str, found: int, known: int) -> None:
        self.found = found
        self.known = known
        super().__init__(url, f"schema version {found} is newer than {known}, which this version knows")


class ProviderError(ScopedMemoryError):
    """A call to an endpoint failed; ``purpose`` is what it was for, ``status`` the HTTP status if there was one."""

    def __init__(self, purpose: str, problem: str, status: int | None = None) -> None:
        self.purpose = purpose
        self.problem = problem
        self.status = status
        super().__init__(f"{purpose}: {problem}" + (f" (HTTP {status})" if status else ""))


class ProviderTimeoutError(ProviderError):
    """No answer in time."""


class ProviderAuthError(ProviderError):
    """401, 402 or an error code like them: the key is wrong or the account out of credit."""


class ProviderBusyError(ProviderError):
    """429: too many requests."""


class ProviderDownError(ProviderError):
    """5xx, or the endpoint cannot be reached."""


class ProviderRefusedError(ProviderError):
    """The model declined to answer, or a content filter stopped it."""


class BadOutputError(ProviderError):
    """The answer is empty or fits no schema; ``problem`` says where, without the text."""
