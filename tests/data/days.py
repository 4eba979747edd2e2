"""Words for days, each with the day it means when said on a given one."""

from __future__ import annotations

import calendar
import random
from collections.abc import Callable, Sequence
from datetime import date, timedelta

Finder = Callable[[date], date | None]
"""The day that a word means when it is said on a day; None where nobody would say it then."""

_WEEKDAYS = "一二三四五六日"
_ENGLISH_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ENGLISH_MONTHS = ("January", "February", "March", "April")
_NUMERALS = {4: "四", 5: "五"}
_NEW_YEAR_DAYS = {3: "初三", 5: "初五"}


def day_words(pool: str, said_on: date, new_year: date) -> list[tuple[str, date]]:
    """What may be said for a day in ``pool`` (both, dev or report) on ``said_on``, with its meaning; soonest first.

    Weeks begin on Monday: 下周三 is the Wednesday of the next week, 这周五 and 周五 the one still to come in this.
    """
    words = {"both": _common, "dev": _for_dev, "report": _for_report}[pool](said_on, new_year)
    return [(word, day) for word, day in words if day is not None and day >= said_on]


def english_day_words(pool: str, said_on: date) -> list[tuple[str, date]]:
    """The same for English sentences."""
    friday = _this_week(said_on, 4)
    words: list[tuple[str, date | None]] = [("tomorrow", said_on + timedelta(days=1))]
    if pool == "report":
        words += [("in two days", said_on + timedelta(days=2)), ("by the end of the month", _month_end(said_on))]
    else:
        words += [("in 3 days", said_on + timedelta(days=3)), (f"this {_ENGLISH_WEEKDAYS[4]}", friday)]
        later = said_on + timedelta(days=9)
        words.append((f"on {_ENGLISH_MONTHS[later.month - 1]} {later.day}", later))
    return [(word, day) for word, day in words if day is not None]


def choose(words: Sequence[tuple[str, date]], chance: random.Random) -> tuple[str, date]:
    """One of ``words``, each kind alike."""
    return chance.choice(list(words))


def _common(said_on: date, new_year: date) -> list[tuple[str, date | None]]:
    after = {n: said_on + timedelta(days=n) for n in range(1, 11)}
    eve = new_year - timedelta(days=1)
    absolute = said_on + timedelta(days=6)
    return [
        ("明天", after[1]),
        ("后天", after[2]),
        ("大后天", after[3]),
        ("3天后", after[3]),
        *((f"下周{_WEEKDAYS[n]}", _next_week(said_on, n)) for n in (0, 2, 4)),
        *((f"这周{_WEEKDAYS[n]}", _this_week(said_on, n)) for n in (4, 5)),
        (f"{absolute.month}月{absolute.day}号", absolute),
        ("月底", _month_end(said_on)),
        ("除夕", eve if said_on < eve else None),
    ]


def _for_dev(said_on: date, new_year: date) -> list[tuple[str, date | None]]:
    third = new_year + timedelta(days=2)
    return [
        *((f"周{_WEEKDAYS[n]}", _this_week(said_on, n)) for n in (3, 4, 6)),
        (f"下周{_WEEKDAYS[1]}", _next_week(said_on, 1)),
        (f"下下周{_WEEKDAYS[0]}", _next_week(said_on + timedelta(days=7), 0)),
        ("五天后", said_on + timedelta(days=5)),
        ("今晚", said_on),
        ("明天下午三点", said_on + timedelta(days=1)),
        ("下个月5号", _next_month(said_on, 5)),
        ("情人节", _fixed(said_on, 2, 14)),
        (f"大年{_NEW_YEAR_DAYS[3]}", third if said_on < third else None),
    ]


def _for_report(said_on: date, new_year: date) -> list[tuple[str, date | None]]:
    eve, fifth, lanterns = (new_year + timedelta(days=n) for n in (-1, 4, 14))
    return [
        *((f"礼拜{_WEEKDAYS[n]}", _this_week(said_on, n)) for n in (3, 5)),
        *((f"下星期{_WEEKDAYS[n]}", _next_week(said_on, n)) for n in (1, 3)),
        (f"本周{_WEEKDAYS[5]}", _this_week(said_on, 5)),
        *((f"过{_NUMERALS[n]}天", said_on + timedelta(days=n)) for n in (4, 5)),
        ("一周后", said_on + timedelta(days=7)),
        ("十天后", said_on + timedelta(days=10)),
        ("后天晚上八点", said_on + timedelta(days=2)),
        ("今天晚上", said_on),
        ("下月10号", _next_month(said_on, 10)),
        ("年三十", eve if said_on < eve else None),
        (f"正月{_NEW_YEAR_DAYS[5]}", fifth if said_on < fifth else None),
        ("元宵节", lanterns),
    ]


def _this_week(said_on: date, weekday: int) -> date | None:
    """The weekday of this week if it is still to come."""
    day = said_on + timedelta(days=weekday - said_on.weekday())
    return day if day > said_on else None


def _next_week(said_on: date, weekday: int) -> date:
    return said_on + timedelta(days=7 + weekday - said_on.weekday())


def _month_end(said_on: date) -> date | None:
    """The last day of the month; within the last three days nobody calls it so."""
    last = said_on.replace(day=calendar.monthrange(said_on.year, said_on.month)[1])
    return last if (last - said_on).days >= 3 else None


def _next_month(said_on: date, day: int) -> date:
    return (said_on.replace(day=28) + timedelta(days=4)).replace(day=day)


def _fixed(said_on: date, month: int, day: int) -> date | None:
    """A date of this year that is still to come."""
    found = date(said_on.year, month, day)
    return found if found > said_on else None
