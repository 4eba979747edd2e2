"""A decision that takes the place of another one."""

from __future__ import annotations

import re

from ..text import fold, topic_terms
from .changes import DAYS, thing_of
from .lazy_pattern import LazyPattern

_OVERTURNS = LazyPattern(
    r"作废|取消|推翻|不算数|不作数|改(?:成|为|到|在|用|去)|换(?:成|到)|调到|挪到|推迟到|提前到|重新(?:定|决定|商量)|最[后终](?:还是)?"
    r"(?:决定|定)|还是(?:决定|定|改)|不(?:行|成|去|用|要)了?[,\s]|instead of|changed? to"
)
_MOVES = LazyPattern(
    r"^(?:决定[:：]\s*)?(?P<x>[^,。]{2,14}?)(?:改(?:成|为|到|在)|换(?:成|到)|调到|挪到|推迟到|提前到)(?P<y>[^,。]{1,20})"
)


def overturns(message: str, new: str, old: str) -> bool:
    """Whether the decision ``new``, made in ``message``, takes the place of the decision ``old``: both give a day to
    the same thing; or the message says that something changes, and names all of the old one; or the new one moves what
    the old one was about."""
    said, after, before = fold(message), fold(new), fold(old)
    if after == before:
        return False
    dated = DAYS.search(after) is not None and DAYS.search(before) is not None
    if dated and len(thing_of(after)) > 1 and thing_of(after) == thing_of(before):
        return True
    if not _OVERTURNS.search(said):
        return False
    terms = topic_terms(_matter(old))
    if terms and terms <= topic_terms(said):
        return True
    moved = _MOVES.match(after)
    thing = topic_terms(moved["x"]) if moved is not None else frozenset()
    return bool(thing) and thing <= terms


def _matter(decision: str) -> str:
    return re.sub(r"^(?:决定|決定)\s*[:：]\s*", "", decision)
