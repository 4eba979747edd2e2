"""From an item as the model wrote it to a proposal: placeholders become people, line numbers become evidence.

Only what the transcript itself can decide is decided here; whether the evidence still stands is for ``checks``.
"""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta, timezone, tzinfo

from ..models import Proposal, Turn
from ..scope import GLOBAL_SCOPED_KINDS
from ..text import fold, person, shown_name
from .dates import end_of_day, resolve
from .lazy_pattern import LazyPattern
from .schema import RawItem
from .slots import taste_slot
from .transcript import BOT, Transcript
from .wording import about

_PLACEHOLDER = LazyPattern(r"(?<![0-9A-Za-z])u\d{1,6}(?![0-9A-Za-z])")
_DATE = LazyPattern(
    r"\s*(\d{4})\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})\s?[日号]?"
    r"(?:[T\s]\s?(\d{1,2})[:：点](\d{1,2})?(?:[:：](\d{1,2})(?:\.\d+)?)?分?\s?(Z|[+-]\d{2}:?\d{2})?)?\s*"
)
_LATEST_YEAR = 2199
_NUMBER_OF_PERSON = LazyPattern(r"（(\d{5,})）")
# What is over by tomorrow. Only whole predicates: 在开会 passes, 在开公司 does not.
_PASSING = LazyPattern(
    r"(?:）|正|刚|在|去|要)(?:正在|在|刚|去|要|先)?(?:洗澡|洗头|吃饭|吃(?:早|午|晚)饭|睡觉|睡了|午睡|"
    r"上厕所|开会|打游戏|排队|堵车|等车|等人|赶路|路上|地铁上|"
    r"公交上|车上|取快递|拿快递|拿外卖|遛弯|遛狗|下楼|出门|充电|加班|上课|下班|做饭|看电影|健身房|"
    r"洗碗|刷牙)(?:了|中|呢)?(?:[。!,，]|$)"
    r"|(?:今天|现在|此刻|目前).{0,4}(?:有点|很|好|太)?(?:感冒|发烧|头疼|头痛|困|累|饿|渴|心情不好|"
    r"难受|不舒服|没电)|(?:有点|很|好|太)(?:困|累|饿|渴|想睡)"
)
_GAP_BEFORE_HAN = r"(?:[ \t]{1,3}(?=[\u4e00-\u9fff，。、；：]))?"
_SPACE_BEFORE_PERSON = LazyPattern(r"(?<=[\u4e00-\u9fff，。、；：]) (?=[^ （\n]{1,40}（\d{5,}）)")


def to_proposal(raw: RawItem, transcript: Transcript) -> Proposal | str:
    """The proposal that ``raw`` makes, or why it makes none.

    Reasons: ``no_evidence``, ``bot_as_evidence``, ``bot_as_subject``, ``unknown_subject``, ``unknown_placeholder``,
    ``unknown_account``.
    """
    evidence = tuple(number for number in raw.evidence if number in transcript.turns)
    if not evidence:
        return "no_evidence"
    if all(transcript.speakers[number] == BOT for number in evidence):
        return "bot_as_evidence"
    # A shared kind is about the chat, whoever it names.
    placeholder = "" if raw.kind in GLOBAL_SCOPED_KINDS else raw.subject
    if placeholder == BOT:
        return "bot_as_subject"
    subject = transcript.accounts.get(placeholder, "") if placeholder else ""
    if placeholder and not subject:
        return "unknown_subject"
    content = _with_people(raw.content, transcript, evidence)
    if content is None:
        return "unknown_placeholder"
    if subject:
        name = transcript.names.get(subject, "")
        content = about(content, person(name, subject), name)
    if not _known_accounts(content, transcript, evidence):
        return "unknown_account"
    key = raw.key
    if raw.kind == "preference" and key is None and subject:
        key = taste_slot(content, person(transcript.names.get(subject, ""), subject))
    latest = max(transcript.turns[number].said_at for number in evidence)
    valid_until = parse_valid_until(raw.valid_until, transcript.timezone)
    # An end before the words were said is a slip of the model's calendar.
    if valid_until is None or valid_until <= latest:
        valid_until = _end(raw.kind, content, transcript, evidence)
    return Proposal(
        kind=raw.kind,
        content=content,
        subject=subject,
        key=key,
        audience=raw.audience,
        confidence=raw.confidence,
        importance=raw.importance,
        valid_until=valid_until,
        evidence=evidence,
        origin="llm",
    )


def _end(kind: str, content: str, transcript: Transcript, evidence: tuple[int, ...]) -> datetime | None:
    """When an item ends of which the model did not say so: a task with its day, a passing state with the day it was
    said on."""
    turns = [transcript.turns[number] for number in evidence]
    if kind in ("fact", "preference") and _PASSING.search(fold(content)):
        last = max(turn.said_at.astimezone(transcript.timezone).date() for turn in turns)
        return end_of_day(last, transcript.timezone)
    if kind != "task":
        return None
    latest = max(turn.said_at for turn in turns)
    dues = [resolve(turn.text, turn.said_at, transcript.timezone, loosely=True)[1] for turn in turns]
    later = [due for due in dues if due is not None and due > latest]
    return max(later, default=None)


def _known_accounts(content: str, transcript: Transcript, evidence: tuple[int, ...]) -> bool:
    """Whether every number that names somebody, as in 小明（10001）, is one of the transcript's or was said so."""
    known = {account.rsplit(":", 1)[-1] for account in transcript.accounts.values()}
    said = "\n".join(_all_words(transcript.turns[number]) for number in evidence)
    return all(number in known or number in said for number in _NUMBER_OF_PERSON.findall(content))


def _with_people(content: str, transcript: Transcript, evidence: tuple[int, ...]) -> str | None:
    """``content`` with ``u2``, ``u2（小明）``, ``小明(u2)`` and the like replaced by ``小明（10001）``.

    None if it has a placeholder that stands for nobody and that the evidence does not contain as a word of its own.
    """
    said = "\n".join(_all_words(transcript.turns[number]) for number in evidence)
    people: dict[str, str] = {}
    forms: list[str] = []
    for placeholder in sorted(set(_PLACEHOLDER.findall(content))):
        account = transcript.accounts.get(placeholder)
        if account is not None:
            people[placeholder] = person(transcript.names.get(account, ""), account)
            forms.append(_forms(placeholder, _names_of(account, transcript)))
        elif placeholder not in said:
            return None
    if not people:
        return content
    # All in one pass: a person may be called "u3".
    mention = re.compile(rf"(?:{'|'.join(forms)}){_GAP_BEFORE_HAN}")
    content = mention.sub(lambda match: people[match.lastgroup or ""], content)
    return _SPACE_BEFORE_PERSON.sub("", content).strip()


def _forms(placeholder: str, names: set[str]) -> str:
    """A pattern for the ways to write one person, as a group of the placeholder's name."""
    name = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    alone = rf"(?<![0-9A-Za-z]){placeholder}(?![0-9A-Za-z])"
    return (
        rf"(?P<{placeholder}>@?(?:{name})\s?[（(]\s?{placeholder}\s?[）)]"
        rf"|{alone}(?:\s?[（(]\s?(?:{name})\s?[）)]|\s?(?:{name}))?)"
    )


def _names_of(account: str, transcript: Transcript) -> set[str]:
    """Every name that ``account`` bears in the transcript, and its number, which stands where it has none."""
    names = {transcript.names.get(account, ""), account.rsplit(":", 1)[-1]}
    names.update(shown_name(turn.name) for turn in transcript.turns.values() if turn.account == account)
    return names - {""}


def _all_words(turn: Turn) -> str:
    return "\n".join([turn.text, *(quote.text for quote in turn.quotes)])


def parse_valid_until(text: str | None, zone: tzinfo) -> datetime | None:
    """The UTC time that an ISO date or datetime (also with / or 年月日) means in ``zone``; None for anything else.

    A date means the end of that day, a time without an offset the local one.
    """
    match = _DATE.fullmatch(text or "")
    if match is None or int(match[1]) > _LATEST_YEAR:
        return None
    year, month, day = int(match[1]), int(match[2]), int(match[3])
    try:
        if match[4] is None:
            local = datetime.combine(datetime(year, month, day, tzinfo=zone).date(), time(23, 59, 59), zone)
        else:
            hour, minute, second = int(match[4]), int(match[5] or 0), int(match[6] or 0)
            local = datetime(year, month, day, hour, minute, second, tzinfo=_offset(match[7]) or zone)
        return local.astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return None


def _offset(text: str | None) -> tzinfo | None:
    if not text:
        return None
    if text == "Z":
        return timezone.utc
    sign = -1 if text[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(text[1:3]), minutes=int(text[-2:])))
