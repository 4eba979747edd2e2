"""Whose words an item is made of: its subject's own, or what somebody else said or is said to have said."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from ..models import Turn
from ..text import fold, topic_terms

_SENTENCE = re.compile(r"[^。!?\n;]+[。!?\n;]*")
_SAYS = re.compile(
    r"(?:说|讲|告诉|透露|表示|声称|提到|提过)(?:[我你他她您](?=[,:他她要想会在有去])|大家)?(?:过|了)?"
    r"(?P<direct>\s*[:,]?\s*[“「『\"]|\s*:)?"
    r"|\b(?:said|says|told (?:me|us)|claims)\b(?: that)?(?P<direct_en>\s*[:,]?\s*[“\"])?"
)
# 我说, 听说, 老实说, 对我来说, 比如说, 演讲, 报告诉求: nobody in particular says it, or the speaker does.
_NOBODY_BEFORE = re.compile(
    r"(?:^|[,:\s])(?:我|本人|俺|i)\s*$|(?:^|[我听话别瞒来理的虽再如比先不难演代报据实])$|一般$|^(?:我|本人|i\b)(?!的?[妈爸爷奶哥姐弟妹"
    r"叔姑姨舅]|的?(?:老[公婆师板]|女友|男友|同[学事]|朋友|室友|家人|家里))"
)
_NOTHING_AFTER = re.compile(r"起来|实话|不定|服|明|法|话|真的|到底|白了|笑|课|台|究|好|感谢|祝|歉")
_FIRST_PERSON = re.compile(r"我(?![们国])|本人|\b(?:i|my|me)\b")
_BACK_TO_ONESELF = re.compile(r",\s*(?=(?:我|本人|i\b))")
_AGREES = re.compile(r"也|一样|同|俺|\+1|附议|me too|same|\bso (?:do|am)\b")
_ASKS = re.compile(r"[?]|[吗呢么嘛]\s*$|什么|谁|哪|怎么|是不是|有没有|要不要|吧\s*$")


@dataclass(frozen=True, slots=True)
class _Shares:
    """Words of an item: those its subject said of their own, and those that only occur as others' words."""

    own: frozenset[str]
    retold: frozenset[str]
    others: frozenset[str]


def of_others(content: str, account: str, turns: Iterable[Turn], names: Collection[str] = ()) -> bool:
    """Whether ``content``, an item about ``account``, is made of what somebody else said or is said to have said.

    ``turns`` are its evidence, ``names`` how people are called: a name is no word of the matter.
    """
    turns = list(turns)
    shares = _shares(content, [t for t in turns if t.account == account], turns, names)
    if len(shares.retold) > len(shares.own):
        return True
    agrees = any(_AGREES.search(fold(turn.text)) for turn in turns if turn.account == account)
    return not shares.own and not agrees and len(shares.others) >= 2


def is_retold(content: str, turns: Sequence[Turn], names: Collection[str] = ()) -> bool:
    """Whether the speakers of ``turns`` only retell ``content``: it stands after their 小明说."""
    shares = _shares(content, turns, turns, names)
    return len(shares.retold) > len(shares.own)


def _shares(content: str, own_turns: Sequence[Turn], turns: Sequence[Turn], names: Collection[str]) -> _Shares:
    words = topic_terms(_without(content, names))
    own: set[str] = set()
    retold: set[str] = set()
    for turn in own_turns:
        said, passed_on = _split(fold(turn.text))
        own |= topic_terms(said) & words
        retold |= topic_terms(passed_on) & words
    others = {
        word
        for text in (
            *(fold(turn.text) for turn in turns if turn not in own_turns and turn.role == "user"),
            *(fold(quote.text) for turn in turns for quote in turn.quotes),
        )
        if not _ASKS.search(text)
        for word in topic_terms(text) & words
    }
    return _Shares(frozenset(own), frozenset(retold - own), frozenset(others - own))


def _split(text: str) -> tuple[str, str]:
    """A folded message as what its speaker says and what they say that somebody else said."""
    own: list[str] = []
    retold: list[str] = []
    for match in _SENTENCE.finditer(text):
        sentence = match[0]
        start, end = _retold(sentence)
        own += [sentence[:start], sentence[end:]]
        retold.append(sentence[start:end])
    return "\n".join(own), "\n".join(retold)


def _retold(sentence: str) -> tuple[int, int]:
    """Which part of a sentence its speaker passes on. 小明说我… is about the speaker, if nothing marks it as 小明's own
    words."""
    for says in _SAYS.finditer(sentence):
        who = sentence[: says.start()].rsplit(",", 1)[-1].strip()
        if not who or _NOBODY_BEFORE.search(who) or _NOTHING_AFTER.match(sentence, says.end()):
            continue
        back = _BACK_TO_ONESELF.search(sentence, says.end())
        end = back.start() if back is not None else len(sentence)
        if says["direct"] or says["direct_en"] or not _FIRST_PERSON.search(sentence, says.end(), end):
            return says.end(), end
    return len(sentence), len(sentence)


def _without(content: str, names: Collection[str]) -> str:
    for name in sorted((name for name in names if name and name in content), key=len, reverse=True):
        content = content.replace(name, " ")
    return content
