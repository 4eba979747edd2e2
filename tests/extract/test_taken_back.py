"""A message that takes back what it says, or that is not its writer's own, teaches nothing."""

from __future__ import annotations

import pytest

from .ruling import contents


@pytest.mark.parametrize(
    "text",
    [
        "我喜欢猫，我编的",
        "我喜欢猫 纯属虚构",
        "我喜欢猫 个鬼",
        "我喜欢猫（假的",
        "我喜欢猫，怎么可能",
        "我喜欢猫？不存在的",
        "我喜欢猫，你信吗",
        "我喜欢猫，信不信",
        "我喜欢猫 你猜真假",
        "我喜欢猫，对吧？",
    ],
)
def test_what_is_made_up_or_only_asked(text: str) -> None:
    assert contents(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "我住在杭州，不过那是好几年前的事了",
        "我住在杭州 那都是以前了",
        "我养了两只猫，现在早不养了，那是以前的事",
        "我喜欢猫，现在早不了",
    ],
)
def test_what_was_so_long_ago(text: str) -> None:
    assert contents(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "我喜欢猫，这是我妈的原话",
        "我喜欢猫 这是他说的",
        "我喜欢猫——鲁迅",
        "我喜欢猫 ——某不知名网友",
        "我喜欢猫 这句话英文怎么写",
        "如题，我喜欢猫",
        "[小红] 我喜欢猫",
        "刚刷到一条评论 我喜欢猫",
        "RT @某人 我喜欢猫",
        "翻译一下：我喜欢猫，我怕狗",
        "角色设定：我喜欢猫，我怕狗",
    ],
)
def test_what_somebody_else_said(text: str) -> None:
    assert contents(text) == []


@pytest.mark.parametrize(
    "text",
    ["我明天要去体检，不过取消了", "我周五要交报告 延期了不用交了", "我下周要去北京出差，刚通知不去了"],
)
def test_what_was_called_off_in_the_same_breath(text: str) -> None:
    assert contents(text) == []


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("我喜欢猫，现在养了两只", "小明（10001）喜欢猫"),
        ("我不喜欢取消别人的约", "小明（10001）不喜欢取消别人的约"),
        ("我喜欢猫，不是狗", "小明（10001）喜欢猫"),
        ("[图片] 我喜欢猫", "小明（10001）喜欢猫"),
        ("聚餐取消了，我怕蛇", "小明（10001）怕蛇"),
    ],
)
def test_words_that_only_look_so_take_nothing_back(text: str, content: str) -> None:
    assert content in contents(text)
