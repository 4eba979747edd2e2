"""Words for days of the reported set alone, each with the day it means when said on a given one."""

from __future__ import annotations

from datetime import date, timedelta

from .reckoning import WEEKDAYS, fixed, last_of_month, month_end, next_month, next_week, this_week

_DIGITS = "零一二三四五六七八九"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SOON = 45
"""A feast that is further away than so many days is not named for a date."""


def report_day_words(said_on: date, new_year: date) -> list[tuple[str, date | None]]:
    """What may be said for a day; None for its meaning where nobody would say it then. A day of the month without a
    month is the next such; the twelfth month before ``new_year`` has 29 days, as in 2026 and 2027."""
    return [
        *_counted(said_on),
        *_weekdays(said_on),
        *_numbers(said_on),
        *_months(said_on),
        *_feasts(said_on, new_year),
    ]


def english_report_day_words(said_on: date) -> list[tuple[str, date | None]]:
    """The same for English sentences."""
    after = [said_on + timedelta(days=n) for n in range(16)]
    return [
        ("tomorrow night", after[1]),
        ("first thing tomorrow", after[1]),
        ("the day after tomorrow", after[2]),
        ("in a week", after[7]),
        ("a week from today", after[7]),
        ("in ten days", after[10]),
        ("two weeks from now", after[14]),
        ("Thursday evening", this_week(said_on, 3)),
        ("this Saturday", this_week(said_on, 5)),
        ("on Sunday", this_week(said_on, 6)),
        ("Tuesday of next week", next_week(said_on, 1)),
        (f"on the {_ordinal(after[5].day)}", after[5]),
        (f"on {_MONTHS[after[8].month - 1]} {_ordinal(after[8].day)}", after[8]),
        (f"on {_MONTHS[after[12].month - 1]}. {after[12].day}", after[12]),
        ("on the last day of the month", month_end(said_on)),
        ("on the 1st of next month", next_month(said_on, 1)),
    ]


def _counted(said_on: date) -> list[tuple[str, date | None]]:
    counted = {
        0: "今儿晚上",
        1: "明儿 明晚 明早八点 明天中午 明儿下午四点半",
        2: "后儿 后天一早 后天傍晚 两天后",
        3: "大后天上午 再过三天",
        4: "大大后天 四天后",
        6: "六天之后",
        7: "一个礼拜后 一星期后",
        8: "八天后",
        14: "两周后 俩礼拜以后",
    }
    return [(word, said_on + timedelta(days=n)) for n, words in counted.items() for word in words.split()]


def _weekdays(said_on: date) -> list[tuple[str, date | None]]:
    this = {
        2: "周三一早",
        3: "星期四 这个星期四",
        4: "星期五 周五下午两点",
        5: "这礼拜六 周六早上九点半",
        6: "星期天 周天 本周日 周日晚上",
    }
    coming = {
        0: "下礼拜一 下周一10点",
        1: "下个礼拜二",
        2: "下个星期三",
        3: "下周四晚上",
        4: "下礼拜五",
        5: "下周六上午",
        6: "下周日 下礼拜天",
    }
    words = [(word, this_week(said_on, day)) for day, many in this.items() for word in many.split()]
    words += [(word, next_week(said_on, day)) for day, many in coming.items() for word in many.split()]
    week_later = said_on + timedelta(days=7)
    return [*words, ("下下礼拜三", next_week(week_later, 2)), ("下下个星期六", next_week(week_later, 5))]


def _numbers(said_on: date) -> list[tuple[str, date | None]]:
    after = [said_on + timedelta(days=n) for n in range(20)]
    words: list[tuple[str, date | None]] = [
        (f"{after[3].day}号", after[3]),
        (f"{after[4].month}.{after[4].day}", after[4]),
        (f"{_numeral(after[5].day)}号", after[5]),
        (f"{after[5].day}号周{_weekday(after[5])}", after[5]),
        (f"{after[6].day}号晚上七点", after[6]),
        (f"周{_weekday(after[7])}（{after[7].day}号）", after[7]),
        (f"{after[8].month}/{after[8].day}", after[8]),
        (f"{after[9].month}.{after[9].day}号", after[9]),
        (f"{after[10].month}月{after[10].day}日", after[10]),
        (f"{after[11].month}月{after[11].day}", after[11]),
        (f"{_numeral(after[12].month)}月{_numeral(after[12].day)}号", after[12]),
        (f"{after[13].month}月{after[13].day}日星期{_weekday(after[13])}", after[13]),
        (f"{after[15].year}年{after[15].month}月{after[15].day}日", after[15]),
        (after[16].isoformat(), after[16]),
    ]
    if after[4].month == said_on.month:
        words.append((f"这个月{after[4].day}号", after[4]))
    if after[9].month == said_on.month:
        words.append((f"本月{after[9].day}日", after[9]))
    return words


def _months(said_on: date) -> list[tuple[str, date | None]]:
    last, first = month_end(said_on), next_month(said_on, 1)
    return [
        ("这个月底", last),
        ("月末", last),
        ("本月最后一天", last),
        ("下月1号", first),
        ("下个月三号", next_month(said_on, 3)),
        ("下月15日", next_month(said_on, 15)),
        ("下个月底", last_of_month(first)),
        (f"{first.month}月底", last_of_month(first)),
        (f"{_numeral(first.month)}月二十号", next_month(said_on, 20)),
    ]


def _feasts(said_on: date, new_year: date) -> list[tuple[str, date | None]]:
    of_moon = {
        "腊月二十七": -3,
        "年二十八": -2,
        "大年夜": -1,
        "大年三十": -1,
        "年初一": 0,
        "年初二": 1,
        "初七": 6,
        "正月十二": 11,
        "正月十五": 14,
        "龙抬头": 31,
    }
    words = {word: new_year + timedelta(days=n) for word, n in of_moon.items()}
    if said_on < new_year - timedelta(days=21):
        del words["初七"]  # the seventh of the twelfth month is still near
    of_sun = {"立春": (2, 4), "三八节": (3, 8), "植树节": (3, 12), "白色情人节": (3, 14)}
    found = [*words.items(), *((word, fixed(said_on, *day)) for word, day in of_sun.items())]
    return [(word, day) for word, day in found if day and 0 < (day - said_on).days <= _SOON]


def _weekday(day: date) -> str:
    return WEEKDAYS[day.weekday()]


def _numeral(number: int) -> str:
    """1 to 31 in Chinese numerals."""
    tens, ones = divmod(number, 10)
    before = {0: "", 1: "十"}.get(tens, f"{_DIGITS[tens]}十")
    return before + (_DIGITS[ones] if ones else "")


def _ordinal(number: int) -> str:
    ending = "th" if number in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


CHECKED_ON = date(2027, 1, 13)
CHECKED = {
    "今儿晚上": (1, 13),
    "明早八点": (1, 14),
    "后儿": (1, 15),
    "再过三天": (1, 16),
    "大大后天": (1, 17),
    "一个礼拜后": (1, 20),
    "俩礼拜以后": (1, 27),
    "星期四": (1, 14),
    "周五下午两点": (1, 15),
    "周天": (1, 17),
    "下礼拜一": (1, 18),
    "下礼拜天": (1, 24),
    "下下礼拜三": (1, 27),
    "下下个星期六": (1, 30),
    "16号": (1, 16),
    "1.17": (1, 17),
    "十八号": (1, 18),
    "18号周一": (1, 18),
    "周三（20号）": (1, 20),
    "1/21": (1, 21),
    "一月二十五号": (1, 25),
    "1月26日星期二": (1, 26),
    "2027-01-29": (1, 29),
    "本月22日": (1, 22),
    "月末": (1, 31),
    "下月1号": (2, 1),
    "2月底": (2, 28),
    "二月二十号": (2, 20),
    "年二十八": (2, 4),
    "大年三十": (2, 5),
    "年初二": (2, 7),
    "正月十五": (2, 20),
    "立春": (2, 4),
}
"""What some of the words mean on a Wednesday, 24 days before the new year; written down by hand."""
ENGLISH_CHECKED = {
    "first thing tomorrow": (1, 14),
    "the day after tomorrow": (1, 15),
    "this Saturday": (1, 16),
    "on Sunday": (1, 17),
    "Tuesday of next week": (1, 19),
    "on the 18th": (1, 18),
    "a week from today": (1, 20),
    "on Jan 21st": (1, 21),
    "on the last day of the month": (1, 31),
    "on the 1st of next month": (2, 1),
}
