from __future__ import annotations

import time
from datetime import date, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonebot_plugin_scoped_memory.engine.extract.calendar_words import FIRST_YEAR, LAST_YEAR, feast, lunar_new_year
from nonebot_plugin_scoped_memory.engine.extract.dates import resolve

from .making import SHANGHAI

NOON = datetime(2026, 11, 30, 12, tzinfo=SHANGHAI)  # a Monday


def resolved(text: str, said_at: datetime = NOON, *, loosely: bool = True) -> tuple[str, str]:
    """The text, and the day of the end as people in Shanghai read it."""
    content, due = resolve(text, said_at, SHANGHAI, loosely=loosely)
    assert due is None or due.astimezone(SHANGHAI).strftime("%H:%M:%S") == "23:59:59"
    return content, due.astimezone(SHANGHAI).strftime("%Y-%m-%d") if due else ""


@pytest.mark.parametrize(
    ("text", "content", "due"),
    [
        ("明天要交报告", "2026-12-01要交报告", "2026-12-01"),
        ("今晚开会", "2026-11-30晚上开会", "2026-11-30"),
        ("大前天和明早", "2026-11-27和2026-12-01早上", "2026-12-01"),
        ("後天交", "2026-12-02交", "2026-12-02"),
        ("大後天交", "2026-12-03交", "2026-12-03"),
        ("今日事", "2026-11-30事", "2026-11-30"),
        ("昨天买的", "2026-11-29买的", "2026-11-29"),
        ("下周三", "2026-12-09", "2026-12-09"),
        ("下禮拜三", "2026-12-09", "2026-12-09"),
        ("这周五", "2026-12-04", "2026-12-04"),
        ("本周日", "2026-12-06", "2026-12-06"),
        ("下下周一", "2026-12-14", "2026-12-14"),
        ("上周三", "2026-11-25", "2026-11-25"),
        ("下周", "2026-12-07至2026-12-13", "2026-12-13"),
        ("下个月", "2026年12月", "2026-12-31"),
        ("下个月5号", "2026-12-05", "2026-12-05"),
        ("下月底", "2026年12月底", "2026-12-31"),
        ("明年", "2027年", "2027-12-31"),
        ("明年三月", "2027年3月", "2027-03-31"),
        ("明年春节", "2027-02-06（春节）", "2027-02-06"),
        ("3天后", "2026-12-03", "2026-12-03"),
        ("两周后", "2026-12-14", "2026-12-14"),
        ("半个月后", "2026-12-15", "2026-12-15"),
        ("三个月后", "2027-02-28", "2027-02-28"),
        ("半小时后", "2026-11-30 12:30", "2026-11-30"),
        ("过两天", "2026-12-02", "2026-12-02"),
        ("过一周", "2026-12-07", "2026-12-07"),
        ("再过三天", "2026-12-03", "2026-12-03"),
        ("还有三天就考试", "2026-12-03就考试", "2026-12-03"),
        ("明儿搬家", "2026-12-01搬家", "2026-12-01"),
        ("三天内", "2026-12-03前", "2026-12-03"),
        ("2026-12-03", "2026-12-03", "2026-12-03"),
        ("tomorrow", "2026-12-01", "2026-12-01"),
        ("next Monday", "2026-12-07", "2026-12-07"),
        ("in 3 days", "2026-12-03", "2026-12-03"),
    ],
)
def test_words_that_can_only_mean_one_day(text: str, content: str, due: str) -> None:
    assert resolved(text, loosely=False) == (content, due)
    assert resolved(text) == (content, due)


@pytest.mark.parametrize(
    ("text", "content", "due"),
    [
        ("周五", "2026-12-04", "2026-12-04"),
        ("周一", "2026-11-30", "2026-11-30"),
        ("週末", "2026-12-05至2026-12-06", "2026-12-06"),
        ("月底", "2026年11月底", "2026-11-30"),
        ("月初", "2026年12月初", "2026-12-10"),
        ("年底", "2026年底", "2026-12-31"),
        ("12月3号", "2026-12-03", "2026-12-03"),
        ("十二月三号", "2026-12-03", "2026-12-03"),
        ("3月5号", "2027-03-05", "2027-03-05"),
        ("2月29号", "2028-02-29", "2028-02-29"),
        ("12.3", "2026-12-03", "2026-12-03"),
        ("5号", "2026-12-05", "2026-12-05"),
        ("二十五号", "2026-12-25", "2026-12-25"),
        ("十二月底", "2026年12月底", "2026-12-31"),
        ("12月初", "2026年12月初", "2026-12-10"),
        ("1月底", "2027年1月底", "2027-01-31"),
        ("正月十五", "2027-02-20（正月十五）", "2027-02-20"),
        ("双十二", "2026-12-12（双十二）", "2026-12-12"),
        ("31号", "2026-12-31", "2026-12-31"),
        ("元旦", "2027-01-01（元旦）", "2027-01-01"),
        ("春节", "2027-02-06（春节）", "2027-02-06"),
        ("除夕", "2027-02-05（除夕）", "2027-02-05"),
        ("大年初三", "2027-02-08（大年初三）", "2027-02-08"),
        ("元宵节", "2027-02-20（元宵节）", "2027-02-20"),
        ("清明节", "2027-04-05（清明节）", "2027-04-05"),
        ("端午", "2027-06-09（端午）", "2027-06-09"),
        ("七夕", "2027-08-08（七夕）", "2027-08-08"),
        ("中秋", "2027-09-15（中秋）", "2027-09-15"),
        ("國慶", "2027-10-01（国庆）", "2027-10-01"),
        ("圣诞节", "2026-12-25（圣诞节）", "2026-12-25"),
        ("on Friday", "2026-12-04", "2026-12-04"),
        ("on December 9", "2026-12-09", "2026-12-09"),
        ("by the end of the month", "2026年11月底", "2026-11-30"),
    ],
)
def test_words_that_mean_a_day_only_where_something_is_to_be_done(text: str, content: str, due: str) -> None:
    assert resolved(text) == (content, due)
    assert resolved(text, loosely=False) == (text, "")


@pytest.mark.parametrize(
    "text",
    [
        *("没有日子", "后天性格", "每周三开会", "每年春节", "周一到周五", "初三", "三点", "第5号"),
        *("5号线", "Python 3.11", "v12.3", "3.5万", "10/10/10", "一天", "三天没睡", "不过三天的事", "日语"),
        *("2026-13-40", "十三月三号", "2月30号", "2041年后", "yesterdays", "someday", "Mondays", ""),
    ],
)  # fmt: skip
def test_case_35_no_day_in_the_text_none_invented(text: str) -> None:
    assert resolved(text) == (text, "")


def test_a_word_that_ends_in_ben_is_no_this_week() -> None:
    assert resolved("副本周五打", loosely=False) == ("副本周五打", "")


def test_case_33_tomorrow_at_23_59_is_the_day_after_whenever_it_is_read() -> None:
    late = datetime(2026, 11, 30, 23, 59, tzinfo=SHANGHAI)
    assert resolved("明天交报告", late) == ("2026-12-01交报告", "2026-12-01")
    assert resolved("明天交报告", late + timedelta(minutes=6)) == ("2026-12-02交报告", "2026-12-02")


def test_the_zone_decides_which_day_it_is() -> None:
    moment = datetime(2026, 11, 30, 20, tzinfo=timezone.utc)  # the 1st in Shanghai
    assert resolve("明天", moment, timezone.utc)[0] == "2026-12-01"
    assert resolve("明天", moment, SHANGHAI)[0] == "2026-12-02"


def test_on_a_sunday_the_next_week_begins_tomorrow() -> None:
    sunday = datetime(2026, 12, 6, 12, tzinfo=SHANGHAI)
    assert resolved("下周三", sunday) == ("2026-12-09", "2026-12-09")
    assert resolved("这周三", sunday) == ("2026-12-02", "2026-12-02")
    assert resolved("周三", sunday) == ("2026-12-09", "2026-12-09")


def test_the_table_of_feasts_is_sound() -> None:
    for year in range(FIRST_YEAR, LAST_YEAR + 1):
        first = lunar_new_year(year)
        assert first is not None
        assert date(year, 1, 21) <= first <= date(year, 2, 20)
        for name, months in (("端午", (4, 5)), ("七夕", (6, 7)), ("中秋", (7, 8)), ("重阳", (8, 9))):
            day = feast(name, year)
            assert day is not None
            ordinal = {"端午": 5, "七夕": 7, "中秋": 15, "重阳": 9}[name]
            moons = ((day - first).days - (ordinal - 1)) / 29.53
            assert abs(moons - round(moons)) < 0.06
            assert round(moons) in months
        clear = feast("清明节", year)
        assert clear is not None
        assert (clear.month, clear.day) in ((4, 4), (4, 5), (4, 6))
    assert feast("春节", LAST_YEAR + 1) is None
    assert feast("国庆", LAST_YEAR + 1) == date(LAST_YEAR + 1, 10, 1)


PIECES = [
    "明",
    "天",
    "下",
    "周",
    "三",
    "5",
    "号",
    "月",
    "年",
    "半",
    "后",
    "除夕",
    "12.3",
    "on ",
    "in ",
    " ",
    "ﷺ",
    "\ud83d",
]


@settings(deadline=None)
@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=30).map("".join)), st.datetimes())
def test_nothing_is_raised(text: str, said_at: datetime) -> None:
    said_at = said_at.replace(year=min(max(said_at.year, 1990), 2100), tzinfo=timezone.utc)
    resolve(text, said_at, SHANGHAI, loosely=True)


@pytest.mark.parametrize("unit", ["明天", "下下", "过三", "3月", "一", "12.", "on ", "in 3 ", "大年", "每周", "2026-"])
def test_time_is_linear(unit: str) -> None:
    text = (unit * 20_000)[:20_000]
    start = time.perf_counter()
    resolve(text, NOON, SHANGHAI, loosely=True)
    assert time.perf_counter() - start < 2.0
