"""The days that words such as 明天 mean, seen from the day they were said on."""

from __future__ import annotations

import re
from datetime import date, timedelta

_SHIFTS = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "後": 2, "大后": 3, "大後": 3}
_PART_OF_DAY = {"天": "", "日": "", "晚": "晚上", "早": "早上"}
# 日 only where it cannot begin a word, 后天 not where it means "acquired".
_DAY_WORD = re.compile(r"(大前|大[后後]|[前昨今明后後])(天(?!的努力|性|气|氣)|晚上?|早上?|日(?![本语語常记記]))")


def resolve_days(text: str, said_on: date) -> tuple[str, date | None]:
    """``text`` with day words replaced by ISO dates, and the latest of these days; None if it has no such word.

    >>> resolve_days("明天交报告", date(2026, 11, 30))
    ('2026-12-01交报告', datetime.date(2026, 12, 1))
    """
    days: list[date] = []

    def resolved(match: re.Match[str]) -> str:
        day = said_on + timedelta(days=_SHIFTS[match[1]])
        days.append(day)
        return day.isoformat() + _PART_OF_DAY[match[2][0]]

    text = _DAY_WORD.sub(resolved, text)
    return text, max(days, default=None)
