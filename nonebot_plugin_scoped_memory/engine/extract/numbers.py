"""Whether the numbers and dates of an item come from what was said, or from the model.

Lenient on purpose: 三 is 3, 1.5万 is 15000, 下午三点 is 15:00, and 下周三 may be any date near. What is left are
figures that occur nowhere, which is where models invent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from ..models import Turn
from ..text import fold
from .lazy_pattern import LazyPattern

NEAR_DAYS = 400
"""A resolved date (明年三月) lies within so many days of the turn."""

_DIGITS = {
    c: v for v, cs in enumerate(("零〇", "一", "二两俩双", "三仨", "四", "五", "六", "七", "八", "九")) for c in cs
}
_UNITS = {"十": 10, "百": 100, "千": 1_000, "万": 10_000, "亿": 100_000_000}
_SCALES = {**_UNITS, "k": 1_000, "w": 10_000, "m": 1_000_000}
_ENGLISH = {
    word: value
    for value, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}

_RUN = "[零〇一二两俩双三仨四五六七八九十百千万亿]+"
_CHINESE = LazyPattern(_RUN)
_NUMBER = LazyPattern(r"(\d+(?:\.\d+)?)\s?([十百千万亿kwm](?![a-z]))?")
_WORD = LazyPattern(r"[a-z]+")
_THOUSANDS = LazyPattern(r"(?<=\d),(?=\d{3}(?!\d))")
_ACCOUNT = LazyPattern(r"（\d{5,12}）")
_CLOCK = LazyPattern(r"(?<!\d)(\d{1,2})(?::(\d{2})(?::\d{2})?(?!\d)|点(?:(\d{1,2})分?)?)")
_DATE = LazyPattern(
    r"(?<!\d)(?:(?P<y>\d{4})\s?[-/.年]\s?(?P<m>\d{1,2})(?!\d)(?:\s?[-/.月]\s?(?P<d>\d{1,2})(?!\d)\s?[日号]?|月)?"
    r"|(?P<m2>\d{1,2})月(?:(?P<d2>\d{1,2})(?!\d)[日号]?)?|(?P<m3>\d{2})-(?P<d3>\d{2})(?!\d)"
    r"|(?P<y4>\d{4})年|(?P<d5>\d{1,2})[日号])"
)
# Chinese numerals are looked at only before these: elsewhere they are mostly parts of words (一起, 万一, 三明治).
_COUNTED = LazyPattern(rf"({_RUN})(?=[岁元块只斤年月日号]|公斤|公里)")
_TIME_WORD = LazyPattern(
    r"[今明后昨前去当][天日晚早年]|大后天|周|星期|礼拜|月|号|日|天后|天内|天前|小时|分钟|点|年|节|除夕|春|夏|秋|冬|暑|寒假|生日"
    r"|最近|之前|以后|截止|到期|期限|开学|放假|早上|上午|中午|下午|晚|凌晨|刚"
    r"|tomorrow|today|tonight|yesterday|next|last|this|week|month|year|day|ago|until|deadline|christmas|easter"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
)


def invents_number(content: str, evidence: Sequence[Turn], names: Iterable[str] = ()) -> bool:
    """Whether ``content`` has a number, date or year that no evidence turn (own words or quotes) gives ground for.

    Ground is: the number itself in any notation; for a date, one of the turn's own day, or one within ``NEAR_DAYS`` of
    it if the words speak of time. Account numbers in （…） and ``names`` of people do not count.
    """
    content = _ACCOUNT.sub(" ", content)
    # A message may mention hundreds of people.
    borne = [name for name in names if name in content and any(ch.isdigit() for ch in name)]
    for name in sorted(borne, key=len, reverse=True):
        content = re.sub(rf"(?<!\d){re.escape(name)}(?!\d)", " ", content)
    content = _THOUSANDS.sub("", fold(content))
    said = _THOUSANDS.sub("", fold("\n".join(_words(turn) for turn in evidence)))
    values = _values(said)
    days = [turn.said_at.date() + timedelta(days=shift) for turn in evidence for shift in (-1, 0, 1)]
    timely = bool(_TIME_WORD.search(said))
    compact = re.sub(r"[\s-]", "", said)

    def grounded_clock(match: re.Match[str]) -> str:
        hour, minute = int(match[1]), int(match[2] or match[3] or 0)
        return " " if _clock_given(hour, minute, values, said) else match[0].replace(":", " ")

    def grounded_date(match: re.Match[str]) -> str:
        year, month, day = _parts(match)
        given = all(part in values for part in (year, month, day) if part is not None)
        return " " if given or _near(year, month, day, days, timely) else f" {match[0]} "

    content = _CLOCK.sub(grounded_clock, content)
    content = _DATE.sub(grounded_date, content)
    for match in _NUMBER.finditer(content):
        number, scale = float(match[1]), _SCALES.get(match[2] or "", 1)
        known = number == 1 or number in values or number * scale in values
        in_parts = "." in match[1] and all(float(part) in values for part in match[1].split("."))
        in_row = len(match[1]) >= 5 and match[1] in compact
        if not (known or in_parts or in_row):
            return True
    for match in _COUNTED.finditer(content):
        readings = _readings(match[1])
        dated = timely and content[match.end()] in "年月日号"
        if max(readings) > 2 and not dated and not readings & values:
            return True
    return False


def _words(turn: Turn) -> str:
    return "\n".join([turn.text, *(quote.text for quote in turn.quotes)])


def _parts(match: re.Match[str]) -> tuple[int | None, int | None, int | None]:
    found = match.groupdict()
    year, month, day = (
        next((int(found[name]) for name in group if found[name]), None)
        for group in (("y", "y4"), ("m", "m2", "m3"), ("d", "d2", "d3", "d5"))
    )
    return year, month, day


def _near(year: int | None, month: int | None, day: int | None, days: Sequence[date], timely: bool) -> bool:
    """Whether a date with these parts exists near one of ``days``: on it, or within NEAR_DAYS if ``timely``."""
    for said in days:
        years = (said.year - 1, said.year, said.year + 1) if year is None else (year,)
        for y in years:
            try:
                meant = date(y, month or said.month, day or said.day)
            except ValueError:
                continue
            if meant == said or (timely and abs((meant - said).days) <= NEAR_DAYS):
                return True
    return False


def _clock_given(hour: int, minute: int, values: frozenset[float], said: str) -> bool:
    hour_given = (
        hour in values or hour - 12 in values or (hour in (0, 12, 24) and bool(re.search("[中正]午|半夜|零点", said)))
    )
    minute_given = (
        minute == 0 or minute in values or (minute == 30 and "半" in said) or (minute % 15 == 0 and "刻" in said)
    )
    return hour_given and minute_given


def _values(text: str) -> frozenset[float]:
    """Every value that a number in ``text`` can mean."""
    values: set[float] = set()
    for match in _NUMBER.finditer(text):
        number = float(match[1])
        values |= {number, number * _SCALES.get(match[2] or "", 1), *(float(part) for part in match[1].split("."))}
        if len(match[1]) == 8 and match[1].isdigit():  # 20261201
            values |= {float(match[1][:4]), float(match[1][4:6]), float(match[1][6:])}
    for match in _CHINESE.finditer(text):
        values |= _readings(match[0])
    values.update(_ENGLISH[word] for word in _WORD.findall(text) if word in _ENGLISH)
    if "半" in text:
        values.add(0.5)
    return frozenset(values)


def _readings(run: str) -> set[float]:
    """What a run of Chinese numerals can mean: 二零二六 is 2026, 三百 is 300, 一万五 is 10005 or 15000."""
    run = run[:20]
    if not any(ch in _UNITS for ch in run):
        return {float("".join(str(_DIGITS[ch]) for ch in run)), *(float(_DIGITS[ch]) for ch in run)}
    total = section = digit = 0
    last_unit = 1
    for ch in run:
        if ch in _DIGITS:
            digit = _DIGITS[ch]
            continue
        unit = _UNITS[ch]
        if unit >= 10_000:
            total, section = (total + section + digit) * unit, 0
        else:
            section += (digit or 1) * unit
        digit, last_unit = 0, unit
    return {float(total + section + digit), float(total + section + digit * max(1, last_unit // 10))}
