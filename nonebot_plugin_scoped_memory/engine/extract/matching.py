"""One rule against one clause: the match, its object trimmed and checked, the template filled."""

from __future__ import annotations

import re

from .clauses import HIDDEN, Folded
from .rule_table import Rule
from .wording import join

MAX_OBJECT_CHARS = 60
"""What somebody likes, is called and so on is short; a longer one is more than the rule understood."""
MAX_DECISION_CHARS = 300

_LATIN_OR_DIGIT = re.compile(r"[A-Za-z0-9]")
_TRAILING = re.compile(
    r"(?:[了啊哦呀啦哟喔噢嘞哈嘿~!.。,、:\s]|\[[^\[\]]{1,12}\]|\b(?:too|also|so much|a lot|very much)\b)+$"
)
_QUOTES = {"“": "”", "「": "」", "『": "』", '"': '"'}
# Whom or what these mean is not in the sentence.
_POINTS_ELSEWHERE = re.compile(
    r"[你您他她它谁啥咱]|这(?!么)|那(?!不勒斯)|什么|怎么|哪(?!吒|怕)|多少|吧$|某|"
    r"\b(?:you|your|him|his|her|it|its|them|their|this|that|these|those|what|who)\b"
)


def fill(rule: Rule, folded: Folded, start: int, end: int, who: str, *, lenient: bool = False) -> str | None:
    """The content that ``rule`` makes of folded positions ``start`` to ``end``; None if it does not match them whole.

    ``lenient`` is for what a person asked to remember: only the rule itself decides.
    """
    match = rule.pattern.fullmatch(folded.text, start, end)
    if match is None:
        return None
    name = "o" if match.groupdict().get("o") is not None else "o2"
    first, last = _trimmed(folded.text, *match.span(name))
    thing = folded.text[first:last]
    if (
        not thing
        or HIDDEN in thing
        or len(thing) > (MAX_DECISION_CHARS if rule.over == "sentence" else MAX_OBJECT_CHARS)
    ):
        return None
    if (not lenient or rule.over == "clause") and _POINTS_ELSEWHERE.search(thing):
        return None
    if rule.ban is not None and rule.ban.search(thing):
        return None
    groups = {key: folded.wording(*match.span(key)).strip() for key, value in match.groupdict().items() if value}
    groups["o"] = folded.wording(first, last)
    before, after = rule.template.split("{o}")
    return join(before.format(who=who, **groups), groups["o"]) + after.format(who=who, **groups)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """``start`` and ``end`` without spaces, particles and quotation marks around the words between them."""
    while start < end and text[start] in " ,:、":
        start += 1
    if (trailing := _TRAILING.search(text, start, end)) is not None and trailing.end() == end:
        end = trailing.start()
    if end - start > 2 and _QUOTES.get(text[start]) == text[end - 1]:
        start, end = start + 1, end - 1
    return start, end
