"""Which items a dream leaves alone: what people wrote, asked for or edited, and what is pinned or under review."""

from __future__ import annotations

from ..extract.explicit import REQUEST, REQUEST_EN
from ..models import Item
from ..store.base import Write
from ..text import fold

DREAM = "dream"
"""The actor of a dream's changes."""

_LEARNT = frozenset({"rule", "llm", "dream"})
_OUR_ACTORS = frozenset({"system", DREAM})


def is_learnt(item: Item) -> bool:
    """Whether ``item`` was read from chat, rather than written by somebody, and is not pinned."""
    return item.origin in _LEARNT and item.tier != "dao_tian"


async def why_untouchable(tx: Write, item: Item) -> str:
    """Why a dream must leave ``item`` alone, as a word of code; empty if it need not."""
    if not is_learnt(item):
        return "of_a_person"
    for evidence in (await tx.evidence((item.id,))).get(item.id, ()):
        said = fold(evidence.quote)
        if REQUEST.search(said) or REQUEST_EN.search(said):
            return "asked_for"
    if any(event.action == "edited" and event.actor not in _OUR_ACTORS for event in await tx.events(item.id)):
        return "edited"
    if await tx.candidates_of_item(item.id):
        return "waits_for_approval"
    return ""
