"""What a message says of things that were so: 不是 7 月 9 号，是 19 号; Haskell 早不写了; 上次说的作废，改成….

A statement that fills a slot anew (我现在用 Rust) needs none of this. Each table has sentences that count and sentences
that do not (separated by |); the tables are the test.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..models import Item, Turn
from ..text import clean, fold, topic_terms
from .clauses import Folded, read
from .lazy_pattern import LazyPattern
from .rule_words import each

MAX_CHARS = 80
"""A correction is short; in a longer message 不是…，是… is mostly part of a story."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """``new`` stands where ``old`` stood, both as written. ``slip``: the speaker says that it was a slip."""

    old: str
    new: str
    slip: bool


@dataclass(frozen=True, slots=True)
class Ending:
    """``words``, as something the speaker did or had, are over. ``fits`` says of which statements that can be said."""

    words: str
    fits: LazyPattern


_PART = r"[^,。!?;:\s]{1,20}?"
_TAIL = r"[啊呀哦啦哈哒的了]{0,2}[~!。.]*"
_SLIP = LazyPattern(
    r"手滑|口误|(?:说|打|写|记|搞|看|发)[错混]|笔误|更正|纠正|订正|脑子瓦特|嘴瓢|抱歉|不好意思|typo|sorry"
)
_SWAPS = (
    LazyPattern(
        rf"(?:^|[,。!\s])(?:我)?(?:的)?不是(?P<old>{_PART})[,\s]*(?:而是|应该是|是)(?P<new>{_PART}){_TAIL}(?=$|[,。!\s])"
    ),
    LazyPattern(rf"(?:^|[,。!:\s])(?:应该)?是(?P<new>{_PART})[,\s]*不是(?P<old>{_PART}){_TAIL}(?=$|[,。!\s])"),
    LazyPattern(
        rf"(?:^|[,。!\s])(?P<old>{_PART})(?:说|打|写|记)错了?[,\s]*(?:应该|其实)?是(?P<new>{_PART}){_TAIL}(?=$|[,。!\s])"
    ),
    LazyPattern(r"\bnot (?P<old>[\w' -]{1,30}?),? (?:but|it['’]?s|i meant) (?P<new>[\w' -]{1,30}?)[.!]?(?=$|[,.!])"),
)
_NO_PART = LazyPattern(r"[你我他她它谁]|这|那|什么|怎么|因为|所以|说|人家|别人|就是|只是|一直|有点|真的|吗|吧$|不")

REPLACEMENTS: tuple[tuple[str, str, str], ...] = (
    ("不是7月9号，是7月19号，我手滑", "7月9号", "7月19号"),
    ("打错了，不是杭州是苏州", "杭州", "苏州"),
    ("不是Java，是JavaScript啦", "Java", "JavaScript"),
    ("更正：是周四，不是周三", "周三", "周四"),
    ("三岁说错了，是四岁", "三岁", "四岁"),
    ("不對，不是豆豆，是逗逗", "豆豆", "逗逗"),
)
NO_REPLACEMENTS = each(
    "不是我，是他 | 不是这个是那个 | 不是吧 | 不是说好了吗，是谁改的 | 我不是不喜欢，是没时间 | 不是你的错，是我的",
    "是不是杭州",
)

_LEAD = r"(?:别问我|别提了|唉|哎|害|嗐|对了|说起来|其实|话说|现在|后来|不过|但是|可是|可)?[,\s]*"
_SINCE = (
    r"(?:早就|早|已经|现在|后来|最近|前阵子|上个?月|上周|去年|今年|昨天|刚刚|刚|终于|都|也|就|再也|彻底|全|给){0,3}"
)
_END = r"(?:了|啦|咯|哦|喽)+[~!。.]*"
_THING = r"(?P<x>(?:吉他|[^,。!?;:\s我你他她它]){1,14}?)"
_OWN_THING = rf"{_LEAD}(?:我(?:的|家的?|那[只个台辆条])?)?{_THING}(?:我)?{_SINCE}"
_OVER: tuple[tuple[LazyPattern, LazyPattern], ...] = tuple(
    (LazyPattern(pattern), LazyPattern(fits))
    for verbs, fits in (
        ("写|用|敲", "写|用|语言"),
        ("玩|打", "玩|打|喜欢|爱"),
        ("养", "养|宠物|猫|狗"),
        ("吃", "吃|喜欢|爱"),
        ("喝", "喝|喜欢|爱"),
        ("看|追|听|刷", "看|追|听|刷|喜欢|爱|粉"),
        ("学|练|弹|拉|画|跑|跳|健身", "学|练|弹|拉|画|跑|跳|健身|喜欢|爱"),
        ("住|待|在", "住|家|在"),
        ("做|干|上班", "做|干|工作|职业|上班|是"),
        ("去|参加|考|办", "要|去|考|办|参加|打算|计划"),
    )
    for pattern in (
        rf"{_OWN_THING}(?:不|没)(?:再|怎么)?(?:{verbs}){_END}",
        rf"{_LEAD}我?{_SINCE}(?:不|没)(?:再|怎么)?(?:{verbs})(?:在)?{_THING}{_END}",
    )
) + tuple(
    (LazyPattern(pattern), LazyPattern(fits))
    for verbs, fits in (
        ("扔|弃|丢|弃坑|放弃|脱坑|退坑", "写|用|玩|打|追|学|练|喜欢|爱|粉"),
        ("卖|卖掉|送人|送走", "有|养|买|开|骑|用"),
        ("戒|戒掉", ""),
        ("退|辞|辞职|离职", "上班|工作|做|是|读|学|参加|会员"),
        ("取消|黄|吹|泡汤|作罢|不办", "要|去|考|办|参加|打算|计划|约"),
        ("死|走丢|跑丢|去世|过世|喵星|汪星", "养|宠物|猫|狗|兔|鱼|鸟|龟|鼠"),
    )
    for pattern in (
        rf"{_OWN_THING}(?:被)?(?:{verbs}){_END}",
        rf"{_LEAD}我{_SINCE}(?:把)?(?:{verbs}){_THING}{_END}",
        rf"{_LEAD}我{_SINCE}把{_THING}{_SINCE}(?:{verbs}){_END}",
    )
)  # fmt: skip

ENDINGS: tuple[tuple[str, str, str], ...] = (
    ("别问我 Haskell早扔了", "haskell", "主要写 Haskell"),
    ("我早就不写Java了", "java", "主要写 Java"),
    ("原神我退坑了", "原神", "在玩原神"),
    ("我把猫送人了", "猫", "养了一只猫"),
    ("爬山取消了", "爬山", "2026-12-05要去爬山"),
    ("去日本不去了 取消了", "去日本", "2026-12-05要去日本"),
    ("我戒烟了", "烟", "喜欢抽烟"),
    ("早就不住杭州了", "杭州", "住在杭州"),
    ("吉他後來不彈了", "吉他", "在学弹吉他"),
    ("我已经不喝奶茶了", "奶茶", "喜欢喝奶茶"),
)  # fmt: skip
NO_ENDINGS: tuple[tuple[str, str], ...] = (
    ("猫不吃了", "养了一只猫"),
    ("猫不玩了", "养了一只猫"),
    ("Haskell不写了吗", "主要写 Haskell"),
    ("你不写Haskell了", "主要写 Haskell"),
    ("他把猫送人了", "养了一只猫"),
    ("如果我不住杭州了", "住在杭州"),
    ("杭州下雨了", "住在杭州"),
    ("今天不去杭州了", "住在杭州"),
)

_OVERTURNS = LazyPattern(
    r"作废|取消|推翻|不算数|不作数|改(?:成|为|到|在|用|去)|换(?:成|到)|调到|挪到|推迟到|提前到|重新(?:定|决定|商量)|最[后终](?:还是)?"
    r"(?:决定|定)|还是(?:决定|定|改)|不(?:行|成|去|用|要)了?[,\s]|instead of|changed? to"
)
_MOVED = LazyPattern(
    r"^(?:决定[:：]\s*)?(?P<x>[^,。]{2,14}?)(?:改(?:成|为|到|在)|换(?:成|到)|调到|挪到|推迟到|提前到)(?P<y>[^,。]{1,20})"
)


def match_replacement(turn: Turn) -> Replacement | None:
    """What ``turn`` puts in place of what; None if it corrects nothing so. Never raises."""
    text = clean(turn.text)
    if len(text) > MAX_CHARS:
        return None
    folded = Folded.of(text)
    if "?" in folded.text:
        return None
    for pattern in _SWAPS:
        match = pattern.search(folded.text)
        if match is None:
            continue
        parts = [match["old"].strip(), match["new"].strip()]
        if parts[0] == parts[1] or not all(parts) or any(_NO_PART.search(part) for part in parts):
            continue
        old, new = (folded.wording(*match.span(name)).strip() for name in ("old", "new"))
        return Replacement(old, new, bool(_SLIP.search(folded.text)))
    return None


def match_endings(turn: Turn) -> list[Ending]:
    """What ``turn`` says to be over for its speaker. Never raises."""
    text = clean(turn.text)
    if len(text) > MAX_CHARS:
        return []
    message = read(text)
    if message.openly_joking:
        return []
    clauses = [
        message.folded.text[clause.start : clause.end].strip()
        for sentence in message.sentences
        for clause in sentence.clauses
        if not clause.doubtful and not sentence.asks
    ]
    parts = dict.fromkeys(part for clause in clauses for part in (clause, *clause.split()))
    return [
        Ending(match["x"], fits)
        for part in parts
        for pattern, fits in _OVER
        if (match := pattern.fullmatch(part)) is not None
    ]


def ends(ending: Ending, item: Item, name: str) -> bool:
    """Whether ``item`` is what ``ending`` says to be over. ``name``: how the item names its subject."""
    content = fold(item.content.replace(name, ""))
    wanted = topic_terms(ending.words)
    return bool(wanted) and wanted <= topic_terms(content) and bool(ending.fits.search(content))


def overturns(message: str, new: str, old: str) -> bool:
    """Whether the decision ``new``, made in ``message``, takes the place of the decision ``old``: the message says that
    something changes, and names all of the old one; or the new one moves what the old one was about."""
    said = fold(message)
    if not _OVERTURNS.search(said) or fold(new) == fold(old):
        return False
    before = topic_terms(_matter(old))
    if before and before <= topic_terms(said):
        return True
    moved = _MOVED.match(fold(new))
    thing = topic_terms(moved["x"]) if moved is not None else frozenset()
    return bool(thing) and thing <= before


def _matter(decision: str) -> str:
    return re.sub(r"^(?:决定|決定)\s*[:：]\s*", "", decision)
