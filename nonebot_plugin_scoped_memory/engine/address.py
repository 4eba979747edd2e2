"""Where a chat happens, and the session keys made from it.

Three forms of key exist::

    qq:private:10001             an address: platform, type, id
    qq:private:10001:cron:abc    a session derived from an address
    milky:10001[:cron:x]         legacy: no type word, and so no scope of its own

Anything else is an error. A key that merely looks odd must never end up in a scope that others read.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal

from .errors import InvalidAddressError

AddressType = Literal["private", "group", "channel", "thread"]
ADDRESS_TYPES: frozenset[str] = frozenset({"private", "group", "channel", "thread"})
DERIVED_KINDS: frozenset[str] = frozenset({"cron", "subagent"})
"""What a legacy key may name after its id. Typed keys take any suffix."""
MAX_PART_LENGTH = 128
"""Characters that one part of a key may have."""

# Words that mark a mistyped address when they stand where a platform or a legacy id belongs.
_RESERVED = ADDRESS_TYPES | {"unknown", "user"}


@dataclass(frozen=True, slots=True)
class Address:
    """One chat. ``chat_key`` is its text form, equal for everyone in that chat."""

    platform: str
    type: AddressType
    id: str

    def __post_init__(self) -> None:
        _check_parts(self.chat_key, (self.platform, self.type, self.id))
        if self.type not in ADDRESS_TYPES:
            raise InvalidAddressError(self.chat_key, f"type {self.type!r} is none of {sorted(ADDRESS_TYPES)}")
        if any(":" in part for part in (self.platform, self.id)):
            raise InvalidAddressError(self.chat_key, "a part contains ':'")
        if self.platform.casefold() in _RESERVED:
            raise InvalidAddressError(self.chat_key, f"{self.platform!r} stands where the platform belongs")
        if self.id.casefold() in _RESERVED:
            raise InvalidAddressError(self.chat_key, f"{self.id!r} stands where the id belongs")

    @property
    def chat_key(self) -> str:
        return f"{self.platform}:{self.type}:{self.id}"

    @classmethod
    def parse(cls, text: str) -> Address:
        """The address that ``text`` is, without any suffix.

        >>> Address.parse("qq:group:20001").type
        'group'

        Raises InvalidAddressError for everything else, derived and legacy keys included.
        """
        key = SessionKey.parse(text)
        if key.address is None or key.suffix:
            raise InvalidAddressError(text, "expected platform:type:id")
        return key.address


@dataclass(frozen=True, slots=True)
class SessionKey:
    """A parsed session key. ``address`` is None for a legacy key; ``suffix`` is what a derived session adds."""

    text: str
    address: Address | None
    suffix: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> SessionKey:
        """
        >>> SessionKey.parse("qq:private:10001:cron:abc").suffix
        ('cron', 'abc')
        >>> SessionKey.parse("milky:10001").address is None
        True

        Raises InvalidAddressError, naming the text and what is wrong.
        """
        if not isinstance(text, str):
            raise InvalidAddressError(repr(text), "not a string")
        parts = tuple(text.split(":"))
        _check_parts(text, parts)
        if len(parts) < 2:
            raise InvalidAddressError(text, "one part; expected platform:type:id")
        if len(parts) >= 3 and parts[1] in ADDRESS_TYPES:
            return cls(text, Address(parts[0], parts[1], parts[2]), parts[3:])  # pyright: ignore[reportArgumentType]
        return cls._legacy(text, parts)

    @classmethod
    def _legacy(cls, text: str, parts: tuple[str, ...]) -> SessionKey:
        for part, place in ((parts[0], "platform"), (parts[1], "id")):
            if part.casefold() in _RESERVED:
                raise InvalidAddressError(text, f"{part!r} stands where the {place} belongs")
        if len(parts) == 3:
            raise InvalidAddressError(text, f"type {parts[1]!r} is none of {sorted(ADDRESS_TYPES)}")
        # Anything but a known kind of derived session there means a mistyped type.
        if len(parts) > 3 and parts[2] not in DERIVED_KINDS:
            raise InvalidAddressError(text, f"{parts[2]!r} stands where a suffix such as 'cron' belongs")
        return cls(text, None, parts[2:])


def _check_parts(text: str, parts: tuple[str, ...]) -> None:
    for number, part in enumerate(parts, start=1):
        if not part:
            raise InvalidAddressError(text, "empty" if len(parts) == 1 else f"part {number} is empty")
        if len(part) > MAX_PART_LENGTH:
            raise InvalidAddressError(text, f"part {number} has more than {MAX_PART_LENGTH} characters")
        if any(ch.isspace() or unicodedata.category(ch)[0] == "C" for ch in part):
            raise InvalidAddressError(text, f"part {number} has a space, control or invisible character")


def private_account(address: Address) -> str | None:
    """The account that a private chat is with (``qq:user:10001``), None for every other type."""
    return f"{address.platform}:user:{address.id}" if address.type == "private" else None
