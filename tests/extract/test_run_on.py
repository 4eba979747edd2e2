"""An object ends where the clause turns to something else."""

from __future__ import annotations

import pytest

from .ruling import contents


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("我对花生过敏所以别买", "小明（10001）对花生过敏"),
        ("我对芒果过敏，千万别给我点", "小明（10001）对芒果过敏"),
    ],
)
def test_what_follows_without_a_comma_is_left_out(text: str, content: str) -> None:
    assert contents(text) == [content]


@pytest.mark.parametrize(
    "text",
    [
        "我喜欢过年但不喜欢走亲戚这种话每年都有人说",
        "我主要写 Python 但最近不写了",
        "我买了iPhone 结果退了",
        "我最喜欢的电影是和前男友一起看的",
        "我是学计算机的朋友推荐来的",
        "我养猫三年了还是过敏",
        "以后周会都在线上开行不行",
    ],
)
def test_what_cannot_be_cut_makes_nothing(text: str) -> None:
    assert contents(text) == []
