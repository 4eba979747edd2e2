"""Whether two items say the same in almost the same words.

Only words that change nothing may differ: what remains must be equal, so that a negation, a number, a date, a name or
an order of words that differs keeps two statements apart. No model is asked.
"""

from __future__ import annotations

import re

from ..extract.lazy_pattern import LazyPattern
from ..models import Item
from ..text import fold

_AT_START = re.compile(r"^[^（]{0,40}（(\d{5,})）")
# 不是很喜欢 is not 不喜欢: after a negation the degree counts.
_DEGREE = LazyPattern(r"(?<![不没别未])(?:很|非常|特别|十分|挺|真的|蛮|比较|超级|一直|也|还|就|目前|现在|如今|平时)")
_PARTICLE = LazyPattern(r"[的了呢啊呀哦啦嘛哈]")
_SAME = (
    (LazyPattern(r"(?<!不)(?:喜爱|热爱|爱(?=[吃喝看听玩]))"), "喜欢"),
    (LazyPattern(r"喜欢喝"), "喜欢"),
    (LazyPattern(r"名字叫做?|名字是|名叫|叫做|叫作"), "叫"),
    (LazyPattern(r"居住在|居住于|住在"), "住"),
    (LazyPattern(r"厌恶"), "讨厌"),
)
_PUNCTUATION = LazyPattern(r"[\s,.!?;:、。~()\"'“”「」【】《》…]+(?![\d])|(?<![\d])[.,:]+")


def plain(item: Item) -> str:
    """What ``item`` says, without who it is about, punctuation, and words that change nothing."""
    content = item.content
    if item.subject:
        number = item.subject.rsplit(":", 1)[-1]
        match = _AT_START.match(content)
        if match is not None and match[1] == number:
            content = content[match.end() :]
    words = fold(content)
    for pattern, same in _SAME:
        words = pattern.sub(same, words)
    words = _PARTICLE.sub("", _DEGREE.sub("", words))
    return _PUNCTUATION.sub("", words)


def says_the_same(one: Item, other: Item) -> bool:
    """Whether the two are near-duplicates: of one scope, kind, subject and end, in wordings that are equal but for
    words that change nothing; their slots must not differ either."""
    return (
        (one.scope, one.kind, one.subject, one.valid_until, one.tier)
        == (other.scope, other.kind, other.subject, other.valid_until, other.tier)
        and (one.key is None or other.key is None or one.key == other.key)
        and plain(one) == plain(other) != ""
    )
