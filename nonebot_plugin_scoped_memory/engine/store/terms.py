"""How index terms are written into a store's text index: hashed together with their owner.

An owner is a scope of one domain (or a session, as its internal scope). The same word of two owners gives two unrelated
tokens, so a search can only ever meet postings of the owners it asked for, and the file holds no readable word.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable

from ..scope import ScopeRef

TOKEN_LENGTH = 13
"""Characters of a token, all of ``a-z2-7``: 4 from the owner alone, 9 (45 bits) from owner and term together."""

_OWNER_PART = 4


def owner_name(domain_id: str, scope: ScopeRef) -> str:
    """The owner as one string, different for every (domain, scope)."""
    # The length makes it unambiguous whatever a domain id holds; a scope type never contains a colon.
    return f"{len(domain_id)}:{domain_id}:{scope.type}:{scope.id}"


def composites(owner: str, terms: Iterable[str]) -> list[str]:
    """The tokens that stand for ``terms`` in the index of ``owner`` (an ``owner_name``), in order; about 1 µs each."""
    name = owner.encode("utf-8", "surrogatepass")
    # Tokens of one owner begin alike and so lie side by side in the index: a query touches few pages.
    # On 100,000 items this made the lookups of a query a quarter faster than as many characters of the joint hash.
    prefix = _letters(hashlib.blake2b(name, digest_size=10).digest())[:_OWNER_PART]
    start = hashlib.blake2b(len(name).to_bytes(4, "big") + name, digest_size=10)
    known: dict[str, str] = {}
    tokens: list[str] = []
    for term in terms:
        token = known.get(term)
        if token is None:
            joint = start.copy()
            joint.update(term.encode("utf-8", "surrogatepass"))
            token = known[term] = prefix + _letters(joint.digest())[: TOKEN_LENGTH - _OWNER_PART]
        tokens.append(token)
    return tokens


def _letters(digest: bytes) -> str:
    return base64.b32encode(digest).decode().lower()
