"""One rule against one clause: the match, its object trimmed and checked, the template filled."""

from __future__ import annotations

from dataclasses import dataclass

from ..scope import GLOBAL_SCOPED_KINDS
from .clauses import HIDDEN, Folded
from .lazy_pattern import LazyPattern
from .rule_words import Rule
from .slots import slot
from .wording import first_to_third, join

MAX_OBJECT_CHARS = 60
"""What somebody likes, is called and so on is short; a longer one is more than the rule understood."""
MAX_DECISION_CHARS = 300

_TRAILING = LazyPattern(
    r"(?:[了啊哦呀啦哟喔噢嘞哈嘿捏诶耶欸哩咯嗷惹~!.。,、:\s]|"
    r"\[[^\[\]]{1,12}\]|\b(?:too|also|so much|a lot|very much)\b)+$"
)
_QUOTES = {"“": "”", "「": "」", "『": "』", '"': '"'}
# Whom or what these mean is not in the sentence.
_POINTS_ELSEWHERE = LazyPattern(
    r"[你您她它谁啥咱]|(?<!吉)(?<!其)他|这(?!么|[个]?(?:周|星期|礼拜|月))|那(?!不勒斯)|什么|怎么|"
    r"哪(?!吒|怕)|多少|吧$|某|"
    r"\b(?:you|your|him|his|her|it|its|them|their|this(?! \w+day| week| month)|that|these|those|what|who)\b"
)


# The clause went on to something else without a comma: nobody can tell where its object ends.
_RUNS_ON = LazyPattern(
    r"是假的|就好了?$|那是|不可能|像是|的话你|用英语|怎么说|都是骗|以为|(?<!不)但(?!丁|书|凡)|所以|结果[退被坏没]|给我[妈爸]|[^特]好紧张|谢谢|的事$|"
    r"笑死|救命|还没|手感|离谱|服了|无语|今晚.+|怎么办"
)

# Words before or behind a thing that make it none: of the past, dreamt, denied, asked.
_NOT_SO = LazyPattern(
    r"^(?:难道|莫非|以前(?!的)|曾经|小时候|当年|那会儿?|假装|梦[到见]|昨晚做梦|做梦|以为|本来|听说|据说|好想|多希望|想象|"
    r"大学(?:的时候|时)|高中(?:的时候|时)|游戏里|歌里|台词|面试官|好像|并?不是|万一|假如)|(?<!全)(?<!都)是假的?$"
)

# A warning or a procedure may speak of 那个链接: the chat knows which.
_POINTS_AT_SOMEBODY = LazyPattern(r"[你您她它谁啥]|(?<!吉)(?<!其)他|这样|这么|那样|那么|什么|怎么|多少|吧$")


@dataclass(frozen=True, slots=True)
class Filled:
    """What a rule made of a clause."""

    content: str
    key: str | None


def fill(rule: Rule, folded: Folded, start: int, end: int, who: str, *, lenient: bool = False) -> Filled | None:
    """What ``rule`` makes of folded positions ``start`` to ``end``; None if it does not match them whole.

    ``lenient`` is for what a person asked to remember: only the rule itself decides.
    """
    match = rule.pattern.fullmatch(folded.text, start, end)
    if match is None:
        return None
    name = next((name for name in ("o", "o2", "o3", "o4") if match.groupdict().get(name) is not None), "o")
    first, last = _trimmed(folded.text, *match.span(name))
    thing = folded.text[first:last]
    if (
        not thing
        or HIDDEN in thing
        or len(thing) > (MAX_DECISION_CHARS if rule.over == "sentence" else MAX_OBJECT_CHARS)
    ):
        return None
    if (not lenient or rule.over == "clause") and _points_elsewhere(rule, thing):
        return None
    if not lenient and rule.over == "clause" and rule.kind not in GLOBAL_SCOPED_KINDS and _RUNS_ON.search(thing):
        return None
    if not lenient and _NOT_SO.search(thing):
        return None
    if rule.ban is not None and rule.ban.search(thing):
        return None
    groups = dict.fromkeys("vt", "")
    for key, value in match.groupdict().items():
        if value:
            groups[key.rstrip("234")] = folded.wording(*match.span(key)).strip()
    groups["o"] = folded.wording(first, last)
    if who and rule.kind not in GLOBAL_SCOPED_KINDS:
        groups["o"] = first_to_third(groups["o"], who)
    before, after = rule.template.split("{o}")
    content = join(before.format(who=who, **groups).rstrip(), groups["o"])
    after = after.format(who=who, **groups)
    if after and content[-1].isascii() and content[-1].isalnum() and not after[0].isascii():
        content += " "
    return Filled(content + after, slot(rule.key, groups))


def _points_elsewhere(rule: Rule, thing: str) -> bool:
    pattern = _POINTS_AT_SOMEBODY if rule.dates == "due" or rule.kind in ("warning", "procedure") else _POINTS_ELSEWHERE
    return pattern.search(thing) is not None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """``start`` and ``end`` without spaces, particles and quotation marks around the words between them."""
    while start < end and text[start] in " ,:、":
        start += 1
    if (trailing := _TRAILING.search(text, start, end)) is not None and trailing.end() == end:
        end = trailing.start()
    if end - start > 2 and _QUOTES.get(text[start]) == text[end - 1]:
        start, end = start + 1, end - 1
    return start, end
