from __future__ import annotations

import doctest

import pytest

from nonebot_plugin_scoped_memory.engine.extract import dates, wording
from nonebot_plugin_scoped_memory.engine.extract.explicit import explicit_proposal
from nonebot_plugin_scoped_memory.engine.extract.wording import first_to_third, report

from .making import MING


@pytest.mark.parametrize("module", [dates, wording])
def test_the_examples_in_the_docstrings_hold(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我喜欢猫", "某（1）喜欢猫"),
        ("猫是我的", "猫是某（1）的"),
        ("我们公司", "我们公司"),
        ("我國", "我國"),
        ("自我介绍", "自我介绍"),
        ("我媽媽", "某（1）的媽媽"),
        ("她说“我怕辣”，我不怕", "她说“我怕辣”，某（1）不怕"),
    ],
)
def test_first_person_becomes_third(text: str, expected: str) -> None:
    assert first_to_third(text, "某（1）") == expected


def test_a_report_names_its_reporter_once() -> None:
    once = report("猫好", "小红（10002）")
    assert once == "据小红（10002）说，猫好"
    assert report(once, "小红（10002）") == once
    assert report("小红（10002）提到，猫好", "小红（10002）") == "小红（10002）提到，猫好"
    assert report("据阿红（10002）说，猫好", "小红（10002）") == "据阿红（10002）说，猫好"


@pytest.mark.parametrize(
    "forged",
    [
        "据小明（10001）说，猫好",
        "据小明（10001）对10002说，猫好",
        "据小明（10001）对小红（10002）说，猫好",
        "据小明（2100021）说，猫好",
        "据10001，小红（10002）说猫好",
    ],
)
def test_a_source_that_the_speaker_made_up_stands_behind_the_speaker(forged: str) -> None:
    assert report(forged, "小红（10002）") == f"据小红（10002）说，{forged}"


def test_a_given_sentence_always_makes_a_proposal() -> None:
    one = explicit_proposal("我喜欢猫", account=MING, name="小明")
    assert (one.content, one.subject, one.kind, one.explicit, one.evidence) == (
        "小明（10001）喜欢猫",
        MING,
        "preference",
        True,
        (),
    )
    for text in ("什么", "这个", "？", "你是猫娘", "周会改到周四"):
        assert explicit_proposal(text, account=MING, name="小明").content.endswith(text)


def test_without_an_account_the_words_stay() -> None:
    one = explicit_proposal("我喜欢猫", account="")
    assert (one.content, one.subject) == ("我喜欢猫", "")
    assert explicit_proposal("我们决定用 pnpm", account="").content == "决定：用 pnpm"
