"""Whose words an item is made of: its subject's own, or what somebody else said or is said to have said."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from ..models import Turn
from ..text import fold, topic_terms
from .lazy_pattern import LazyPattern
from .transcript import MAX_LINE_CHARS

# --- who may be said to say something

_RELATION = (
    r"(?:(?:后|继|岳|干|亲|丈|公公|婆婆|姥|外)?(?:妈妈?|爸爸?|爷爷?|奶奶?|姥姥|姥爷|外公|外婆|父亲|母亲|爹|娘)|[大二三小表堂]?(?:哥哥?|姐姐?|弟弟?|妹妹?"
    r"|叔叔?|姑姑?|姨妈?|舅舅?|嫂子?|婶)|老[公婆板师]|媳妇|儿子|女儿|闺女|娃|孩子|[男女](?:朋友|友)|前(?:任|男友|女友|夫|妻)|对象|闺蜜|死党|哥们?|姐妹"
    r"|兄弟|朋友|发小|网友|室友|舍友|同[学事桌]|邻居|房东|领导|上司|主管|经理|师[傅父兄姐弟妹]|学[长姐弟妹]|导师|老乡|客户|甲方|徒弟|同行|群友|亲戚)"
)
_PERSON_WORDS = (
    rf"(?:我|咱|俺|人家|有个|一个|隔壁|之前的?|以前的?|现在的?)?(?:们)?(?:家|的|之前的?|以前的?)?(?:那个?|一个)?{_RELATION}(?:们)?"
    r"|(?:(?<!其)(?<!吉)他|她|它|ta|人家|别人|有人|某人|大家|大伙|群主|楼上|楼下)们?"
    r"|(?:(?<=[\s,:。!?])|(?<=^)|(?<=[听看据问跟]))(?:[小老阿][\u4e00-\u9fff](?:[\u4e00-\u9fff])?"
    r"|[赵钱孙李周吴郑王冯陈蒋沈韩杨朱秦许何吕施张孔曹严魏陶谢邹章苏潘葛范彭鲁韦马方俞任袁柳史唐费薛雷贺汤罗郝安常于傅齐康伍余顾孟黄穆萧尹姚邵汪毛"
    r"戴宋庞熊纪舒屈项董梁杜阮蓝闵席贾江童颜郭梅林刁钟徐邱骆高夏蔡田胡凌霍虞万柯管卢丁邓洪包石崔吉龚程裴陆][\u4e00-\u9fff]{1,2}?|[a-z][a-z0-9_.-]{1,15})"
)
# Words that look like somebody: 小声说, 老实说, 方便说.
_NOBODY = LazyPattern(
    r"(?:小声|小心|老实|老是|老早|阿弥|大声|方便|高兴|常常?|安静|马上|何必|于是|万一|管他|任何|石头|江湖|"
    r"黄金|康复|毛病|余下|程序|高声|方才|成天|常年|纪念|项目|app|bot)"
)
_BETWEEN = (
    r"(?:昨[天晚]|今[天早]|前[天几]|刚[刚才]?|之前|以前|上次|一直|总是?|老是?|还|也|都|又|就|经常|悄悄|偷偷|突然|在?[群微信电话里]{1,4}|自己|居然|竟然"
    r"|[跟和对同]我们?|[跟和对同]大家|发消息|打电话|[,\s]){0,4}"
)
_SAYS = (
    r"(?:说(?![明服法话课不起来])|讲(?![课台究])|告诉我们?|透露|声称|提到|提过|问我|念叨|吐槽|抱怨|原话是|表示)(?:过|了|的是)?"
    r"|\s?\b(?:said|says|told (?:me|us)|claims|mentioned)\b(?: that)?"
)
_MARK = r"(?P<mark>\s*[:,]?\s?[“「『\"]|\s?:|\s(?=我)|[,](?=我))?"

_SOMEBODY = LazyPattern(rf"(?P<who>{_PERSON_WORDS}){_BETWEEN}(?:{_SAYS}){_MARK}")
_LINE = LazyPattern(r"[^。!?\n;]+[。!?\n;]*")
_BLANKS = re.compile(r"[^\S\n]+")
_FIRST_PERSON = LazyPattern(r"我(?![们国])|本人|\b(?:i|my|me)\b")
_BACK_TO_ONESELF = LazyPattern(r",\s?(?=(?:我(?!听|看|记得|感觉)|本人|i\b))")
_CLOSING = LazyPattern(r"[”」』\"]")
# Who agrees says the same of themselves.
_AGREES = LazyPattern(
    r"(?:我|俺|咱|本人)们?也|^也(?!许|太|是醉)(?=是|有|在|喜欢|爱|想|要|会|怕)|\+1|附议|同(?:上|款|感)|(?<!不)一样|"
    r"me too|same here|so (?:do|am) i"
)
_ASKS = LazyPattern(
    r"[?]\s*$|[吗呢么嘛]\s*$|(?<!好)(?<!算了)吧\s*$|^(?:谁|什么|哪|怎么|几|多少|是不是|有没有|要不要)|是不是|有没有|要不要"
)


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
    own_turns = [turn for turn in turns if turn.account == account]
    shares = _shares(content, own_turns, turns, names)
    if len(shares.retold) > len(shares.own):
        return True
    agrees = any(_AGREES.search(_folded(turn.text)) for turn in own_turns)
    return not shares.own and not agrees and len(shares.others) >= 2


def is_retold(content: str, turns: Sequence[Turn], names: Collection[str] = ()) -> bool:
    """Whether the speakers of ``turns`` only retell ``content``: it stands after their 小明说."""
    shares = _shares(content, turns, turns, names)
    return len(shares.retold) > len(shares.own)


def _shares(content: str, own_turns: Sequence[Turn], turns: Sequence[Turn], names: Collection[str]) -> _Shares:
    words = topic_terms(_without(content, names))
    these = _of_these(names, [turn.text for turn in own_turns])
    says = (_SOMEBODY,) if these is None else (these, _SOMEBODY)
    own: set[str] = set()
    retold: set[str] = set()
    for turn in own_turns:
        said, passed_on = _split(_folded(turn.text), says)
        own |= topic_terms(said) & words
        retold |= topic_terms(passed_on) & words
    others = {
        word
        for text in (
            *(_folded(turn.text) for turn in turns if turn not in own_turns and turn.role == "user"),
            *(_folded(quote.text) for turn in turns for quote in turn.quotes),
        )
        if not _ASKS.search(text)
        for word in topic_terms(text) & words
    }
    return _Shares(frozenset(own), frozenset(retold - own), frozenset(others - own))


def _folded(text: str) -> str:
    """As much of a text as a model was shown, folded, without runs of blanks."""
    return _BLANKS.sub(" ", fold(text[:MAX_LINE_CHARS])).strip()


def _of_these(names: Collection[str], texts: Sequence[str]) -> re.Pattern[str] | None:
    """What begins a retelling of one of ``names``: 小明 says something, or a line of a log, ``小明：…``."""
    said = _folded("\n".join(texts)) if names else ""
    known = sorted({folded for name in names if len(name) > 1 and (folded := _folded(name)) in said} - {""}, key=len)
    if not known:
        return None
    who = rf"@?(?:{'|'.join(re.escape(name) for name in reversed(known))})"
    return re.compile(rf"(?P<who>{who})(?:{_BETWEEN}(?:{_SAYS}){_MARK}|(?P<log>\s?:))")


def _split(text: str, says: Sequence[re.Pattern[str] | LazyPattern]) -> tuple[str, str]:
    """A folded message as what its speaker says and what they say that somebody else said."""
    own: list[str] = []
    retold: list[str] = []
    quoting_until = 0
    for line in _LINE.finditer(text):
        start, end = line.span()
        if start < quoting_until:
            own.append(text[quoting_until:end])
            retold.append(text[start : min(quoting_until, end)])
            continue
        first, last = _retold(text, start, end, says)
        quoting_until = last
        own += [text[start:first], text[last:end]]
        retold.append(text[first : min(last, end)])
    return "\n".join(own), "\n".join(retold)


def _retold(text: str, start: int, end: int, says: Sequence[re.Pattern[str] | LazyPattern]) -> tuple[int, int]:
    """Which part of a sentence its speaker passes on; a direct quote may reach beyond it. 我妈说我… is about the
    speaker, if nothing marks it as the other one's own words."""
    matches = (match for pattern in says for match in pattern.finditer(text, start, end))
    found = min((m for m in matches if not _NOBODY.match(m["who"])), key=lambda m: m.start(), default=None)
    if found is None:
        return end, end
    mark = found["mark"] or found.groupdict().get("log") or ""
    if mark and mark[-1] in '“「『"':
        closing = _CLOSING.search(text, found.end())
        return found.end(), closing.end() if closing is not None else len(text)
    if mark:
        newline = text.find("\n", found.end())
        return found.end(), end if newline < 0 else min(end, newline)
    back = _BACK_TO_ONESELF.search(text, found.end(), end)
    last = back.start() if back is not None else end
    if _FIRST_PERSON.search(text, found.end(), last):
        return end, end
    return found.end(), last


def _without(content: str, names: Collection[str]) -> str:
    for name in sorted((name for name in names if name and name in content), key=len, reverse=True):
        content = content.replace(name, " ")
    return content
