"""The days that words such as 明天, 下周三 or 除夕 mean, seen from the moment they were said.

Weeks begin on Monday, so that 下周三 said on a Sunday is three days off; a weekday alone (周五) and a day without month
or year (5号, 12月3号, 除夕) is the next one, today included. "next Friday" is read as 下周五.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone, tzinfo

from .calendar_words import feast, lunar_new_year, next_feast
from .clauses import Folded
from .date_words import CERTAIN, ENGLISH_DAYS, ENGLISH_MONTHS, LIKELY, WEEKDAYS


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What a word means: the text in its place, and the last day it covers."""

    text: str
    last: date


def resolve(text: str, said_at: datetime, zone: tzinfo, *, loosely: bool = False) -> tuple[str, datetime | None]:
    """``text`` with words for days replaced by dates, and the end of the last day they mean, in UTC; None without any.

    What was said at ``said_at`` is seen from that moment in ``zone``, whenever it is read. ``loosely`` is for
    what is to be done: there 周五, 月底, 12月3号 and 除夕 mean one day, elsewhere they may be a habit or a birthday.

    >>> from datetime import timezone
    >>> resolve("明天要交报告", datetime(2026, 11, 30, 23, 59, tzinfo=timezone.utc), timezone.utc)[0]
    '2026-12-01要交报告'
    """
    local = said_at.astimezone(zone)
    folded = Folded.of(text)
    pieces: list[str] = []
    lasts: list[date] = []
    position = 0
    for match in (LIKELY if loosely else CERTAIN).finditer(folded.text):
        meaning = _meaning(match, local)
        if meaning is None:
            continue
        start, end = folded.places[match.start()], folded.places[match.end() - 1] + 1
        if start < position:
            continue
        pieces += [text[position:start], meaning.text or text[start:end]]
        lasts.append(meaning.last)
        position = end
    if not lasts:
        return text, None
    return "".join([*pieces, text[position:]]), end_of_day(max(lasts), zone)


def end_of_day(day: date, zone: tzinfo) -> datetime:
    """The last second of ``day`` in ``zone``, in UTC."""
    return datetime.combine(day, time(23, 59, 59), zone).astimezone(timezone.utc)


def _meaning(match: re.Match[str], local: datetime) -> _Meaning | None:
    kind = (match.lastgroup or "").removeprefix("k_")
    try:
        return _READERS[kind](match, local)
    except (ValueError, OverflowError):
        return None  # there is no such day


def _number(text: str) -> int:
    """An Arabic or Chinese number up to 999."""
    if text.isdigit():
        return int(text)
    digits = {ch: value for value, ch in enumerate("零一二三四五六七八九")} | {"两": 2}
    tens, found, units = text.partition("十")
    if not found:
        if len(text) != 1:
            raise ValueError(text)
        return digits[text]
    return (digits[tens] if tens else 1) * 10 + (digits[units] if units else 0)


def _on(day: date) -> _Meaning:
    return _Meaning(day.isoformat(), day)


def _month(year: int, month: int) -> tuple[int, int]:
    return year + (month - 1) // 12, (month - 1) % 12 + 1


def _month_end(year: int, month: int) -> date:
    return date(year, month, calendar.monthrange(year, month)[1])


def _later_month(day: date, months: int) -> date:
    year, month = _month(day.year, day.month + months)
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


def _iso(match: re.Match[str], _: datetime) -> _Meaning:
    return _Meaning("", date(int(match["iy"]), int(match["im"]), int(match["id"])))


_SHIFTS = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3}


def _shift(match: re.Match[str], local: datetime) -> _Meaning:
    day = local.date() + timedelta(days=_SHIFTS[match["far"]])
    part = {"晚": "晚上", "早": "早上"}.get(match["part"][0], "")
    return _Meaning(day.isoformat() + part, day)


def _later(match: re.Match[str], local: datetime) -> _Meaning:
    unit, half = match["lu"], match["ln"] == "半"
    number = 0.5 if half else float(_number(match["ln"]))
    if unit in ("小时", "钟头", "分钟"):
        moment = local + timedelta(minutes=number * (1 if unit == "分钟" else 60))
        return _Meaning(f"{moment:%Y-%m-%d %H:%M}{'前' if match['lw'] == '内' else ''}", moment.date())
    if unit == "天":
        day = local.date() + timedelta(days=number)
    elif unit in ("周", "星期", "礼拜"):
        day = local.date() + timedelta(days=7 * number)
    elif half:
        day = local.date() + timedelta(days=15 if unit == "月" else 182)
    else:
        day = _later_month(local.date(), int(number) * (1 if unit == "月" else 12))
    return _Meaning(day.isoformat() + ("前" if match["lw"] == "内" else ""), day)


def _past(match: re.Match[str], local: datetime) -> _Meaning:
    return _on(local.date() + timedelta(days=_number(match["pn"]) * (1 if match["pu"] == "天" else 7)))


def _week_shift(prefix: str) -> int:
    return {"下下": 2, "下": 1, "上": -1, "上上": -2}.get(prefix.rstrip("个"), 0)


def _week(match: re.Match[str], local: datetime) -> _Meaning:
    monday = local.date() + timedelta(days=7 * _week_shift(match["wp"]) - local.weekday())
    return _days_of_week(monday, match["wd"] or "")


def _days_of_week(monday: date, weekday: str) -> _Meaning:
    sunday = monday + timedelta(days=6)
    if not weekday:
        return _Meaning(f"{monday}至{sunday}", sunday)
    if weekday == "末":
        return _Meaning(f"{monday + timedelta(days=5)}至{sunday}", sunday)
    return _on(monday + timedelta(days=6 if weekday == "天" else WEEKDAYS.index(weekday)))


def _month_word(match: re.Match[str], local: datetime) -> _Meaning:
    year, month = _month(local.year, local.month + _week_shift(match["mp"]))
    if match["md"]:
        return _on(date(year, month, _number(match["md"])))
    edge = match["me"] or ""
    last = {"初": date(year, month, 10), "中旬": date(year, month, 20)}.get(edge, _month_end(year, month))
    return _Meaning(f"{year}年{month}月{'底' if edge == '末' else edge}", last)


def _year(match: re.Match[str], local: datetime) -> _Meaning | None:
    year = local.year + {"今": 0, "明": 1, "后": 2, "去": -1, "前": -2}[match["yp"]]
    if match["yf"]:
        day = feast(match["yf"], year)
        return day and _Meaning(f"{day}（{match['yf']}）", day)
    if match["ym"]:
        month = _number(match["ym"])
        if match["yd"]:
            return _on(date(year, month, _number(match["yd"])))
        return _Meaning(f"{year}年{month}月", _month_end(year, month))
    return _Meaning(f"{year}年{'底' if match['ye'] else ''}", date(year, 12, 31))


def _near(match: re.Match[str], local: datetime) -> _Meaning:
    shift = {"tomorrow": 1, "the day after tomorrow": 2}.get(match["en"], 0)
    return _on(local.date() + timedelta(days=shift))


_ENGLISH_NUMBERS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "ten": 10,
}


def _in(match: re.Match[str], local: datetime) -> _Meaning:
    number = _ENGLISH_NUMBERS.get(match["inn"]) or int(match["inn"])
    if match["inu"] in ("minute", "hour"):
        moment = local + timedelta(minutes=number * (1 if match["inu"] == "minute" else 60))
        return _Meaning(f"{moment:%Y-%m-%d %H:%M}", moment.date())
    if match["inu"] == "month":
        return _on(_later_month(local.date(), number))
    return _on(local.date() + timedelta(days=number * (7 if match["inu"] == "week" else 1)))


def _next(match: re.Match[str], local: datetime) -> _Meaning:
    shift = match["np"] == "next"
    if match["nd"] == "month":
        year, month = _month(local.year, local.month + shift)
        return _Meaning(f"{year}年{month}月", _month_end(year, month))
    monday = local.date() + timedelta(days=7 * shift - local.weekday())
    weekday = "" if match["nd"] == "week" else WEEKDAYS[ENGLISH_DAYS.index(match["nd"])]
    return _days_of_week(monday, weekday)


def _coming(local: datetime, weekday: int) -> date:
    return local.date() + timedelta(days=(weekday - local.weekday()) % 7)


def _weekday(match: re.Match[str], local: datetime) -> _Meaning:
    if match["bd"] == "末":
        sunday = _coming(local, 6)
        return _Meaning(f"{sunday - timedelta(days=1)}至{sunday}", sunday)
    return _on(_coming(local, 6 if match["bd"] == "天" else WEEKDAYS.index(match["bd"])))


def _edge(match: re.Match[str], local: datetime) -> _Meaning:
    if match["be"][0] == "年":
        return _Meaning(f"{local.year}年底", date(local.year, 12, 31))
    if match["be"] != "月初":
        return _Meaning(f"{local.year}年{local.month}月底", _month_end(local.year, local.month))
    year, month = _month(local.year, local.month + (local.day > 10))
    return _Meaning(f"{year}年{month}月初", date(year, month, 10))


def _month_ending(match: re.Match[str], local: datetime) -> _Meaning:
    """12月底: the coming one, this month included."""
    month = _number(match["fm"])
    year = local.year + (month < local.month)
    edge = match["fe"]
    last = {"初": date(year, month, 10), "中旬": date(year, month, 20)}.get(edge, _month_end(year, month))
    return _Meaning(f"{year}年{month}月{'底' if edge == '末' else edge}", last)


def _lunar(match: re.Match[str], local: datetime) -> _Meaning | None:
    for year in (local.year, local.year + 1):
        first = lunar_new_year(year)
        if first is not None:
            day = first + timedelta(days=_number(match["lunar_day"] or match["lunar_late"]) - 1)
            if day >= local.date():
                return _Meaning(f"{day}（{match[0]}）", day)
    return None


def _coming_day(local: datetime, month: int, day: int) -> _Meaning:
    for year in range(local.year, local.year + 9):
        try:
            found = date(year, month, day)
        except ValueError:  # 29 February
            continue
        if found >= local.date():
            return _on(found)
    raise ValueError(month, day)


def _coming_number(match: re.Match[str], local: datetime) -> _Meaning:
    number = _number(match["nn"])
    for shift in range(3):
        year, month = _month(local.year, local.month + shift)
        if number <= calendar.monthrange(year, month)[1] and date(year, month, number) >= local.date():
            return _on(date(year, month, number))
    raise ValueError(number)


def _feast(match: re.Match[str], local: datetime) -> _Meaning | None:
    day = next_feast(match["feast"], local.date())
    return day and _Meaning(f"{day}（{match['feast']}）", day)


def _english_month(match: re.Match[str], local: datetime) -> _Meaning:
    month = next(n for n, name in enumerate(ENGLISH_MONTHS, 1) if name.startswith(match["em"][:3]))
    return _coming_day(local, month, int(match["ed"]))


_READERS: dict[str, Callable[[re.Match[str], datetime], _Meaning | None]] = {
    "iso": _iso,
    "shift": _shift,
    "later": _later,
    "past": _past,
    "week": _week,
    "month": _month_word,
    "year": _year,
    "near": _near,
    "in": _in,
    "next": _next,
    "weekday": _weekday,
    "edge": _edge,
    "lunar": _lunar,
    "day": lambda match, local: _coming_day(local, _number(match["dm"]), _number(match["dd"])),
    "ending": _month_ending,
    "dotted": lambda match, local: _coming_day(local, int(match["tm"]), int(match["td"])),
    "number": _coming_number,
    "feast": _feast,
    "english": lambda match, local: _on(_coming(local, ENGLISH_DAYS.index(match["ew"]))),
    "months": _english_month,
    "end": lambda _, local: _Meaning(f"{local.year}年{local.month}月底", _month_end(local.year, local.month)),
}
