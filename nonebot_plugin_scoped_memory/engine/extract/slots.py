"""Names of slots: under which key two statements are about the same thing, so that the later one counts."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..text import fold

MAX_SLOT_CHARS = 24
"""What is longer is a sentence about a thing, not its name."""

_SIGNS = re.compile(r"(?<=\w)[+#]+")
_NOT_WORD = re.compile(r"[\W_]+")
_TASTE = re.compile(
    r"(?:现在|很|最|特别|非常|比较|已经|也|更|都|真的){0,2}(?:不(?:太|怎么|再)?)?"
    r"(?:喜欢|爱吃|爱喝|爱看|爱听|爱玩|讨厌|厌恶|反感|偏爱|热爱|爱)(?P<o>[^,。;、]{1,20}?)[了。!]*"
)
_SEVERAL = re.compile("[,，;；。]")
_EATING = re.compile(r"^[吃喝](?=..)")


def slot(key: str | None, groups: Mapping[str, str]) -> str | None:
    """``key`` with its groups filled in, as in ``like:{o}``; None if one is too long or empty."""
    if key is None or "{" not in key:
        return key
    filled = {name: normal(text) for name, text in groups.items()}
    used = re.findall(r"\{(\w+)\}", key)
    if not all(filled.get(name) for name in used):
        return None
    return key.format(**filled)


def normal(thing: str) -> str:
    """The name of a thing as a slot has it: 喝咖啡, 咖啡 and 「咖啡」 are one; C and C++ are two. Empty if it is
    none."""
    if _SEVERAL.search(thing):
        return ""
    name = _SIGNS.sub(lambda sign: f"s{ord(sign[0][0])}" * len(sign[0]), fold(thing))
    name = _EATING.sub("", _NOT_WORD.sub("", name).removesuffix("的"))
    return name if len(name) <= MAX_SLOT_CHARS else ""


def taste_slot(content: str, who: str) -> str | None:
    """The slot of a liking or dislike that somebody else worded: ``小明（10001）不喜欢咖啡`` is about ``like:咖啡``."""
    if not content.startswith(who):
        return None
    match = _TASTE.fullmatch(fold(content[len(who) :]).strip())
    return slot("like:{o}", match.groupdict()) if match else None
