"""Feast days by name. Lunar ones and the solar terms move, so theirs stand in a table of our own.

The table was made once with the ``lunar-python`` library; beyond its years a moving feast is left unresolved.
"""

from __future__ import annotations

from datetime import date, timedelta

_FIXED = {
    "元旦": (1, 1),
    "情人节": (2, 14),
    "妇女节": (3, 8),
    "劳动节": (5, 1),
    "五一": (5, 1),
    "儿童节": (6, 1),
    "六一": (6, 1),
    "教师节": (9, 10),
    "国庆": (10, 1),
    "万圣节": (10, 31),
    "双十一": (11, 11),
    "双11": (11, 11),
    "双十二": (12, 12),
    "双12": (12, 12),
    "跨年夜": (12, 31),
    "平安夜": (12, 24),
    "圣诞": (12, 25),
}
_SPRING = {
    "除夕": -1,
    "年三十": -1,
    "大年三十": -1,
    "年三十儿": -1,
    "春节": 0,
    "大年初一": 0,
    "元宵": 14,
}
_COLUMNS: tuple[str, ...] = ("春节", "清明", "端午", "七夕", "中秋", "重阳", "冬至")
_MOVING: dict[int, dict[str, str]] = {
    int(row.split()[0]): dict(zip(_COLUMNS, row.split()[1:], strict=True))
    for row in """
        2024 02-10 04-04 06-10 08-10 09-17 10-11 12-21
        2025 01-29 04-04 05-31 08-29 10-06 10-29 12-21
        2026 02-17 04-05 06-19 08-19 09-25 10-18 12-22
        2027 02-06 04-05 06-09 08-08 09-15 10-08 12-22
        2028 01-26 04-04 05-28 08-26 10-03 10-26 12-21
        2029 02-13 04-04 06-16 08-16 09-22 10-16 12-21
        2030 02-03 04-05 06-05 08-05 09-12 10-05 12-22
        2031 01-23 04-05 06-24 08-24 10-01 10-24 12-22
        2032 02-11 04-04 06-12 08-12 09-19 10-12 12-21
        2033 01-31 04-04 06-01 08-01 09-08 10-01 12-21
        2034 02-19 04-05 06-20 08-20 09-27 10-20 12-22
        2035 02-08 04-05 06-10 08-10 09-16 10-09 12-22
        2036 01-28 04-04 05-30 08-28 10-04 10-27 12-21
        2037 02-15 04-04 06-18 08-17 09-24 10-17 12-21
        2038 02-04 04-05 06-07 08-07 09-13 10-07 12-22
        2039 01-24 04-05 05-27 08-26 10-02 10-26 12-22
        2040 02-12 04-04 06-14 08-14 09-20 10-14 12-21
        """.strip().splitlines()
}
FIRST_YEAR, LAST_YEAR = min(_MOVING), max(_MOVING)

_NAMES = sorted({*_FIXED, *_SPRING, *_COLUMNS}, key=len, reverse=True)
FEAST = rf"(?:{'|'.join(_NAMES)})(?:节)?"
"""A pattern for their names, on folded text. 初三 needs 大年 or 正月 before it: alone it is a school year."""


def feast(name: str, year: int) -> date | None:
    """The day of a feast in ``year``; None where the table ends. 除夕 is the eve of that year's 春节."""
    name = name if name in _FIXED or name in _SPRING else name.removesuffix("节")
    if name in _FIXED:
        return date(year, *_FIXED[name])
    row = _MOVING.get(year)
    if row is None:
        return None
    column, shift = ("春节", _SPRING[name]) if name in _SPRING else (name, 0)
    return date.fromisoformat(f"{year}-{row[column]}") + timedelta(days=shift)


def lunar_new_year(year: int) -> date | None:
    return feast("春节", year)


def next_feast(name: str, said_on: date) -> date | None:
    """The next such day from ``said_on`` on."""
    for year in (said_on.year, said_on.year + 1):
        day = feast(name, year)
        if day is not None and day >= said_on:
            return day
    return None
