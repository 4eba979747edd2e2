"""Words for days, each with the day it means when said on a given one."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, timedelta

from .held_out_days import english_report_day_words, report_day_words
from .reckoning import WEEKDAYS, fixed, month_end, next_month, next_week, this_week

_ENGLISH_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ENGLISH_MONTHS = ("January", "February", "March", "April")


def day_words(pool: str, said_on: date, new_year: date) -> list[tuple[str, date]]:
    """What may be said for a day in ``pool`` (both, dev or report) on ``said_on``, with its meaning; soonest first.

    Weeks begin on Monday: 下周三 is the Wednesday of the next week, 这周五 and 周五 the one still to come in this.
    """
    words = {"both": _common, "dev": _for_dev, "report": report_day_words}[pool](said_on, new_year)
    return [(word, day) for word, day in words if day is not None and day >= said_on]


def english_day_words(pool: str, said_on: date) -> list[tuple[str, date]]:
    """The same for English sentences."""
    if pool == "report":
        words = english_report_day_words(said_on)
    else:
        later = said_on + timedelta(days=9)
        words = [
            ("tomorrow", said_on + timedelta(days=1)),
            ("in 3 days", said_on + timedelta(days=3)),
            (f"this {_ENGLISH_WEEKDAYS[4]}", this_week(said_on, 4)),
            (f"on {_ENGLISH_MONTHS[later.month - 1]} {later.day}", later),
        ]
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
        *((f"下周{WEEKDAYS[n]}", next_week(said_on, n)) for n in (0, 2, 4)),
        *((f"这周{WEEKDAYS[n]}", this_week(said_on, n)) for n in (4, 5)),
        (f"{absolute.month}月{absolute.day}号", absolute),
        ("月底", month_end(said_on)),
        ("除夕", eve if said_on < eve else None),
    ]


def _for_dev(said_on: date, new_year: date) -> list[tuple[str, date | None]]:
    third = new_year + timedelta(days=2)
    return [
        *((f"周{WEEKDAYS[n]}", this_week(said_on, n)) for n in (3, 4, 6)),
        (f"下周{WEEKDAYS[1]}", next_week(said_on, 1)),
        (f"下下周{WEEKDAYS[0]}", next_week(said_on + timedelta(days=7), 0)),
        ("五天后", said_on + timedelta(days=5)),
        ("今晚", said_on),
        ("明天下午三点", said_on + timedelta(days=1)),
        ("下个月5号", next_month(said_on, 5)),
        ("情人节", fixed(said_on, 2, 14)),
        ("大年初三", third if said_on < third else None),
    ]
