"""What a person asks to remember: 记住…, 帮我记一下…, 别忘了…, remember that …

Here the person has decided that it matters; only its kind and its wording are left to find out.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo

from ..models import Kind, Proposal
from ..scope import GLOBAL_SCOPED_KINDS
from ..text import fold, person
from .checks import orders_the_bot
from .clauses import Folded, read
from .date_words import WHEN
from .dates import resolve
from .lazy_pattern import LazyPattern
from .matching import fill
from .rule_table import RULES
from .wording import about, first_to_third, join, report

CONFIDENCE = 0.95
IMPORTANCE = 0.7

_POLITE = r"(?:(?:请|麻烦你?|拜托你?|你一定要|你要|你得|你|一定要|务必|那|好|要)\s?){0,3}"
_ASKING = r"(?P<ask>(?:你|您)?(?:能不能|可不可以|能否|可以|能)\s?(?:请|帮我|帮忙)?\s?)?"
REQUEST = LazyPattern(
    rf"{_POLITE}{_ASKING}(?:"
    r"(?:帮我|帮忙|给我|替我|请)\s?(?:记住|记一下|记录一下|记下来|记下|记着|记好|记个|记)"
    r"|记住|记一下|记下来|记下|记好|记着|牢记|(?P<forget>别忘了?记?|不要忘了?记?|勿忘))"
    r"(?:一下|哦|啊|哈|呀)?(?!了|没(?:有|啊)?\s*$|吗|过|的|不[住了清得到]|得|性|录|号|者|忆|仇)(?P<sep>[\s:,]*)"
)
# A bare "remember that …" or "remember to …" is mostly advice; with please, or about oneself, it is a request.
_PLEASE = r"(?:please |pls |hey |(?:can|could) you (?:please )?)"
_REMEMBER = r"(?:remember|do not forget|don['’]t forget)"
REQUEST_EN = LazyPattern(
    rf"{_PLEASE}{_REMEMBER}\s+(?:that|(?P<todo>to))\s+"
    rf"|{_PLEASE}?{_REMEMBER}(?:\s?(?P<sep>:)\s*|(?:\s?,)?\s+(?:that\s+)?(?=(?:i|my|we|our|i['’]m)\b))"
)

_COURTESY = LazyPattern(
    r"[,\s]*(?:谢谢(?:你|啦)?|多谢|拜托了?|好吗|好不好|行吗|行不行|可以吗|ok吗?|(?:听到|知道|记住)了?(?:吗|没)|"
    r"thanks|thank you|please)[.!?。~\s]*$"
)
_PLACEHOLDER = LazyPattern(r"\[[^\[\]]{1,40}\]")  # a picture or the like: nothing that could be remembered
_LEADING = LazyPattern(r"[\s:,、。!]*(?:(?:这|那)(?:一)?(?:点|件事|个|条)?[:,\s]+)?")
_TRAILING = LazyPattern(r"[\s~!.。,、;:]+$")
_QUESTION = LazyPattern(
    r"[吗么呢?]$|^(?:什么|谁|哪|怎么|啥|为什么|when\b|how\b|what\b|who\b|the time\b)|"
    r"^我(?:喜欢|爱|叫|是|要|说|住)(?:的是)?(?:什么|啥|谁|哪)"
)
# What these mean is not in the sentence, so it would not be understood later.
_POINTS_ELSEWHERE = LazyPattern(
    r"(?:这|那|他|她|它|您|你(?!们?(?:以后|可以)?叫我))(?!样的|里的)|"
    r"(?:我|我说的(?:话)?|我的话|我刚.{0,4}|刚才.{0,4}|上面.{0,4}|以上.{0,4}|一切|所有|everything|me|it|this|that)$"
)

_TIME = (
    r"(?:\d{4}-\d{2}-\d{2}|(?:今|明|后|大后|昨|前)[天晚早日]|(?:下下|下|这|本|每)?(?:个)?(?:周|星期|"
    r"礼拜)[一二三四五六日天末]?|每[天月年晚]|(?:下|这|本)个?月|"
    r"\d{1,4}[年月日号点:./-]|[月年]底|早上|上午|中午|下午|晚上|今晚|以后|平时|现在|[前后内\d\s])"
)
_SELF = LazyPattern(rf"{_TIME}{{0,6}}(?:我(?!们|国|方)|(?:该|此|这位)?用户(?![名群组端体协数画权])|本人)")
_SELF_EN = LazyPattern(r"(?:i|i['’]m|my)\b")
_DECISION = LazyPattern(
    r"(?:我们|咱们?|大家).{0,4}(?:决定|定了|说好|约好|商量好|敲定)|(?:以后|今后)(?:我们|咱们?|大家)?都"
)
_PREFERENCE = LazyPattern(
    r"(?:[很最也都更太真超就还]|特别|非常|真的|一直|比较){0,3}(?:喜欢|爱吃|爱喝|爱看|爱听|爱玩|偏爱|"
    r"热爱|讨厌|厌恶|害怕|"
    r"不太?喜欢|不爱|不吃|不喝|怕|习惯|偏好|更想|希望|爱(?!人|情|豆|奇艺))"
)
_CHORE = (
    r"(?:要|得(?=[去交给把写做买带还取打])|记得|必须|该(?!用户|死)|还要|去|交|买|带|取|还(?!是|有|没)|"
    r"回(?!答|复)|完成|提交|"
    r"打电话|写|订|预约|缴|付|吃药|开会)"
)
_TASK_OF_SPEAKER = LazyPattern(rf"{_TIME}{{0,6}}{_CHORE}")
_TASK_WORDS = LazyPattern(
    rf"{_TIME}.*{_CHORE}|{_CHORE}.*{_TIME}|记得|截止|ddl|deadline|"
    r"(?:^|[^不重主只需想将快就还])要(?:去|交|买|带|取|还|完成|提交|打|写|做|开)"
)
_DATED_CHORE = LazyPattern(
    rf"(?P<when>{WHEN}(?:之前|以前|前)?(?:\s?(?:早上|上午|中午|下午|"
    rf"晚上)?\s?(?:[\d一二两三四五六七八九十]{{1,3}}点(?:半)?)?)?)(?:要|得|去)?"
    r"(?:[交去考洗拔换还给带取办报续录搬改买拿寄缴付签补接送](?!是|有|能)|面试|参加|体检|打疫苗|打针|"
    r"做(?:汇报|保养|检查|饭)|开会|答辩|出差|清|修)"
)
_WARNING = LazyPattern(r"(?:注意|小心|当心|千万(?:别|不要)|切记|不要|别(?!人|的|墅)|禁止|严禁|不能|不准|请勿|勿)")
_OBLIGATION = LazyPattern(r"要|得|必须|该|记得")
_HAS_I = LazyPattern(r"我(?!们|国|方)")


def content_of(folded: Folded, start: int, end: int, *, asked: bool, asks: bool) -> tuple[int, int] | None:
    """The positions of what is to be remembered; None if that is a question, or points to words outside.

    ``asked``: the request itself was put as a question (能帮我记一下…吗). ``asks``: it ends with a question mark.
    """
    start = _skip(_LEADING, folded.text, start, end)
    courtesy = _COURTESY.search(folded.text, start, end)
    if courtesy is not None:
        end = courtesy.start()
    elif asked and folded.text[start:end].endswith(("吗", "么")):
        end -= 1
    elif asks and not asked:
        return None
    if (trailing := _TRAILING.search(folded.text, start, end)) is not None:
        end = trailing.start()
    words = folded.text[start:end]
    if len(_PLACEHOLDER.sub("", words).strip()) < 2 or _QUESTION.search(words) or _POINTS_ELSEWHERE.match(words):
        return None
    return start, end


def _skip(pattern: LazyPattern, text: str, start: int, end: int) -> int:
    match = pattern.match(text, start, end)
    return match.end() if match else start


def explicit_proposal(
    content: str,
    *,
    account: str,
    name: str = "",
    mentions: Mapping[str, str] | None = None,
    said_at: datetime | None = None,
    zone: tzinfo | None = None,
    reminder: bool = False,
    evidence: tuple[int, ...] = (),
) -> Proposal:
    """``content`` as a person gave it, as a proposal that reads on its own; kind, subject and key from its words.

    First person becomes ``name`` and the account's number. What is not about the speaker is worded as the speaker's
    word: ``据小明（10001）说，…``; decisions and warnings have no speaker. ``mentions`` maps the names behind an @ to
    accounts. With ``said_at`` and ``zone``, 明天 and the like become dates, and a task ends with the last of them.
    ``reminder``: the sentence began with 别忘了 or "to".
    An ``account`` that is empty has no first person: the words stay as they are.
    """
    for label, mentioned in sorted((mentions or {}).items(), key=lambda pair: len(pair[0]), reverse=True):
        if label and mentioned:
            content = content.replace(f"@{label}", person(label, mentioned))
    content = " ".join(content.split())
    who = person(name, account) if account else ""
    kind, worded, subject, key = _worded(content, account, who, reminder=reminder)
    due: datetime | None = None
    if said_at is not None and zone is not None:
        # A name may read like a day.
        before, found, after = worded.partition(who) if who else ("", "", worded)
        if not found:
            before, after = "", worded
        after, due = resolve(after, said_at, zone, loosely=kind == "task")
        worded = before + found + after
    return Proposal(
        kind=kind,
        content=worded,
        subject=subject,
        key=key,
        confidence=CONFIDENCE,
        importance=IMPORTANCE,
        valid_until=due if kind == "task" and due is not None and said_at is not None and due > said_at else None,
        evidence=evidence,
        origin="rule",
        explicit=True,
    )


def _with_duty(content: str) -> str:
    """``content``, which begins with a day, with 要 after it."""
    match = _DATED_CHORE.match(fold(content))
    place = match.end("when") if match and len(fold(content)) == len(content) else 0
    return f"{content[:place]}要{content[place:].removeprefix('要')}"


def _worded(content: str, account: str, who: str, *, reminder: bool) -> tuple[Kind, str, str, str | None]:
    """(kind, content, subject, key)"""
    message = read(content)
    length = len(message.folded.text)
    for rule in RULES:
        shared = rule.common or rule.kind in GLOBAL_SCOPED_KINDS
        if who or shared:
            filled = fill(rule, message.folded, 0, length, who, lenient=True)
            if filled is not None:
                return rule.kind, filled.content, "" if shared else account, filled.key
    words = fold(content)
    if who and orders_the_bot(content) and not _SELF.match(words):
        return "preference", f"{who}希望机器人{first_to_third(content, who)}", account, None
    if _DECISION.match(words):
        return "decision", f"决定：{content}", "", None
    if who and _SELF.match(words):
        kind: Kind = "fact"
        if _PREFERENCE.match(_SELF.sub("", words, count=1)):
            kind = "preference"
        elif _TASK_WORDS.search(words):
            kind = "task"
        return kind, about(first_to_third(content, who), who), account, None
    if who and _SELF_EN.match(words):
        return "fact", report(content, who), account, None
    if who and _DATED_CHORE.match(words):
        return "task", join(who, content if _OBLIGATION.search(words) else _with_duty(content)), account, None
    if who and (_TASK_OF_SPEAKER.match(words) or (reminder and not _HAS_I.search(words))):
        if reminder and not _TASK_OF_SPEAKER.match(words) and not words.isascii():
            return "fact", report(content, who), "", None
        duty = content if _OBLIGATION.search(words) else f"要{content}" if not content[0].isascii() else f"要 {content}"
        return "task", join(who, duty), account, None
    if _WARNING.match(words) and not _HAS_I.search(words):
        return "warning", content, "", None
    if not who:
        return "fact", content, "", None
    return "fact", report(first_to_third(content, who), who), "", None
