"""What is put right, what is over, and what is decided anew."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonebot_plugin_scoped_memory.engine.extract.change_examples import (
    ENDINGS,
    NO_ENDINGS,
    NO_REPLACEMENTS,
    REPLACEMENTS,
)
from nonebot_plugin_scoped_memory.engine.extract.changes import (
    ends,
    match_endings,
    match_replacement,
)
from nonebot_plugin_scoped_memory.engine.extract.overturning import overturns
from nonebot_plugin_scoped_memory.engine.models import Item

from .making import item, turn

WHO = "小明（10001）"


@pytest.mark.parametrize(("text", "old", "new"), REPLACEMENTS)
def test_what_is_put_in_place_of_what(text: str, old: str, new: str) -> None:
    found = match_replacement(turn(1, text))
    assert found is not None
    assert (found.old, found.new) == (old, new)


@pytest.mark.parametrize("text", NO_REPLACEMENTS)
def test_what_replaces_nothing(text: str) -> None:
    assert match_replacement(turn(1, text)) is None


def test_a_slip_is_one_that_is_called_so() -> None:
    slips = [match_replacement(turn(1, text)) for text in ("不是杭州，是苏州，打错了", "不是杭州，是苏州")]
    assert [found and found.slip for found in slips] == [True, False]


def of_kind(kind: Any, content: str) -> Item:
    return replace(item(content if kind == "decision" else WHO + content), kind=kind)


@pytest.mark.parametrize(("kind", "text", "content"), ENDINGS)
def test_what_is_over(kind: str, text: str, content: str) -> None:
    assert any(ends(clause, of_kind(kind, content), WHO) for clause in match_endings(turn(1, text)))


@pytest.mark.parametrize(("kind", "text", "content"), NO_ENDINGS)
def test_what_goes_on(kind: str, text: str, content: str) -> None:
    assert not any(ends(clause, of_kind(kind, content), WHO) for clause in match_endings(turn(1, text)))


def test_a_name_is_no_word_of_the_matter() -> None:
    (clause, *_) = match_endings(turn(1, "小明我退坑了"))
    assert not ends(clause, of_kind("fact", "在玩原神"), WHO)


@pytest.mark.parametrize(
    ("message", "new", "old"),
    [
        ("上次说的城堡副本周五打作废，我们改成城堡副本周六打", "决定：城堡副本周六打", "决定：城堡副本周五打"),
        ("周会定在周四不行 最后决定周会定在周五", "决定：周会定在周五", "决定：周会定在周四"),
        ("我们决定周会改到周五", "决定：周会改到周五", "决定：周会定在周四"),
        ("我們決定週會改到週五", "决定：週會改到週五", "决定：周会定在周四"),
    ],
)
def test_a_decision_takes_the_place_of_another(message: str, new: str, old: str) -> None:
    assert overturns(message, new, old)


@pytest.mark.parametrize(
    ("message", "new", "old"),
    [
        ("我们决定周会定在周五", "决定：周会定在周五", "决定：露营住木屋"),
        ("我们决定周会改到周五", "决定：周会改到周五", "决定：露营住木屋"),
        ("我们决定露营带帐篷", "决定：露营带帐篷", "决定：露营住木屋"),
        ("我们决定周会改到周五", "决定：周会改到周五", "决定：周会改到周五"),
    ],
)
def test_another_decision_stands_beside_it(message: str, new: str, old: str) -> None:
    assert not overturns(message, new, old)


@settings(max_examples=300)
@given(st.text(alphabet="不是，我早就写了 Haskell退坑把猫送人?。"))
def test_nothing_is_raised_on_any_text(text: str) -> None:
    match_replacement(turn(1, text))
    match_endings(turn(1, text))


@pytest.mark.parametrize("unit", ["不是", "是不是", "不是a是", "早就", "我把", "了", ",", "我早早", "已经不"])
def test_time_is_bounded(unit: str) -> None:
    long = replace(turn(1, ""), text=unit * 40_000)
    match_replacement(long)
    match_endings(long)
    short = replace(turn(1, ""), text=(unit * 80)[:80])
    match_replacement(short)
    match_endings(short)
