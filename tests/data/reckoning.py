"""Days reckoned from the one on which somebody speaks; weeks begin on Monday."""

from __future__ import annotations

import calendar
from datetime import date, timedelta

WEEKDAYS = "一二三四五六日"


def this_week(said_on: date, weekday: int) -> date | None:
    """The weekday of this week if it is still to come."""
    day = said_on + timedelta(days=weekday - said_on.weekday())
    return day if day > said_on else None


def next_week(said_on: date, weekday: int) -> date:
    return said_on + timedelta(days=7 + weekday - said_on.weekday())


def month_end(said_on: date) -> date | None:
    """The last day of the month; within the last three days nobody calls it so."""
    last = last_of_month(said_on)
    return last if (last - said_on).days >= 3 else None


def last_of_month(day: date) -> date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def next_month(said_on: date, day: int) -> date:
    return (said_on.replace(day=28) + timedelta(days=4)).replace(day=day)


def fixed(said_on: date, month: int, day: int) -> date | None:
    """A date of this year that is still to come."""
    found = date(said_on.year, month, day)
    return found if found > said_on else None
