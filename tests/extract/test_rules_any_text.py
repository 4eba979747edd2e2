"""No text whatever raises, and none costs much."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonebot_plugin_scoped_memory.engine.extract.rules import match_rules

from .making import HONG, SHANGHAI, turn
from .ruling import rules

PIECES = [
    "我",
    "喜欢",
    "记住",
    "不",
    "叫",
    "我们决定",
    "以后都用",
    "，",
    "。",
    "？",
    "“",
    "”",
    "《",
    "\n",
    " ",
    "@小红",
    "猫",
    "的",
    "i like ",
    "remember ",
    "密码是 a1b2",
    "\ud83d",
    "\x00",
    "ﷺ",
    "㎏",
    "e\u0301",
]


@settings(deadline=None)
@given(st.one_of(st.text(st.characters()), st.lists(st.sampled_from(PIECES), max_size=40).map("".join)))
def test_nothing_is_raised_on_any_text(text: str) -> None:
    for one in match_rules(turn(1, text, name=text, mentions=((HONG, text[:10]),)), zone=SHANGHAI):
        one.content.encode()
        assert one.content.strip()


@pytest.mark.parametrize(
    "text",
    [
        " ".join(f"我喜欢word{n}" for n in range(3_000)),
        "我" * 20_000,
        "我喜欢" * 180,
        "我" + "也" * 480,
        "记住" * 250,
        "记住：" + "今天" * 400,
        "我喜欢" + "了啊" * 240,
        "“我" * 240,
        " " * 500,
        "我 " * 240,
        "a,b\" * NEAR( -x:y",
        "我叫" + "a " * 240,
        "以后" + "都用" * 240,
        "\n".join("我喜欢猫" for _ in range(100)),
    ],
)  # fmt: skip
def test_case_22_odd_and_huge_messages_cost_little(text: str) -> None:
    rules(text)


UNITS = [
    "我",
    "我喜欢",
    "我每天",
    "我对",
    "明天",
    "我明天要",
    "先",
    "先再",
    "注意",
    "流程",
    "以后",
    "我在",
    "不是",
    "我是",
    "最后决定",
    "我就是",
    "从小就",
    "我现在已经",
    "一直都",
    "刚刚",
    "我叫",
    "我家",
    "别",
    "大家",
    "第一步",
    "周五",
    "的学生",
    "最最",
    "学",
]


@pytest.mark.timeout(60)  # milliseconds each; what is quadratic takes minutes
@pytest.mark.parametrize("unit", [*UNITS, "i need to ", "，", " ", "我 ", "[表情]", "（"])
@pytest.mark.parametrize("length", [480, 20_000])
def test_time_is_linear(unit: str, length: int) -> None:
    match_rules(turn(1, (unit * length)[:length]), zone=SHANGHAI)
