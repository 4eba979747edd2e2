"""The table of rules says what comes out of its examples, and which slot each statement takes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from nonebot_plugin_scoped_memory.engine.extract.rule_table import RULES
from nonebot_plugin_scoped_memory.engine.extract.rules import match_rules
from nonebot_plugin_scoped_memory.engine.models import Proposal
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPED_KINDS

from .making import MING, SHANGHAI, turn
from .ruling import rules


def as_in_table(rule: Any, text: str) -> list[Proposal]:
    """As the table has it: at noon of Monday 2026-11-30 in Shanghai, in a private chat if the rule is about the bot."""
    said = turn(7, text)
    if rule.to_bot:
        said = replace(said, session_key="qq:private:10001")
    return match_rules(said, zone=SHANGHAI)


KEYS = {
    *("", "name", "nickname", "birthday", "home", "language", "like", "favourite"),
    *("age", "job", "major", "mbti", "origin", "school", "workplace"),
}
EXAMPLES = [(rule, *example) for rule in RULES for example in rule.examples]
COUNTEREXAMPLES = [(rule, text) for rule in RULES for text in rule.counterexamples]


@pytest.mark.parametrize(
    ("rule", "text", "expected"), EXAMPLES, ids=[f"{rule.name}: {text}" for rule, text, _ in EXAMPLES]
)
def test_the_table_says_what_comes_out(rule: Any, text: str, expected: str) -> None:
    first = as_in_table(rule, text)[0]
    shared = rule.common or rule.kind in GLOBAL_SCOPED_KINDS
    assert first.content == expected
    assert (first.kind, first.importance) == (rule.kind, rule.importance)
    assert (first.key or "").split(":")[0] == (rule.key or "").split(":")[0]
    assert first.subject == ("" if shared else MING)
    assert first.evidence == (7,)
    assert (first.origin, first.confidence, first.explicit, first.audience) == ("rule", 0.9, False, None)
    assert (first.valid_until is not None) == (rule.kind == "task")


@pytest.mark.parametrize(
    ("rule", "text"), COUNTEREXAMPLES, ids=[f"{rule.name}: {text}" for rule, text in COUNTEREXAMPLES]
)
def test_the_table_says_what_must_not_match(rule: Any, text: str) -> None:
    assert as_in_table(rule, text) == [], rule.name


def test_every_rule_has_examples_of_both_kinds_and_a_name_of_its_own() -> None:
    assert all(rule.examples and rule.counterexamples for rule in RULES)
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert {(rule.key or "").split(":")[0] for rule in RULES} == KEYS


def slots(text: str) -> set[tuple[str, str | None]]:
    return {(one.kind, one.key) for one in rules(text)}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("我喜欢咖啡", "我不喜欢咖啡了"),
        ("我爱喝咖啡", "我现在不喜欢咖啡了"),
        ("我不喜欢香菜", "我最近爱上香菜了"),
        ("我討厭蟑螂", "我喜欢蟑螂"),
        ("我喜欢 C++", "我讨厌C++"),
        ("I like tea", "I don't like tea anymore"),
        ("我主要写 Python", "不对，我现在用 Rust 了"),
        ("我住在杭州", "我搬家了 现在住在成都"),
        ("我是程序员", "我转行了 现在做产品经理"),
        ("叫我小王就好", "别叫我小王了 以后叫我老王吧"),
        ("我生日是5月20日", "打错了 我生日是5月21日"),
        ("我最喜欢的电影是三体", "我最喜欢的电影是流浪地球"),
    ],
)
def test_a_change_takes_the_slot_of_what_it_changes(before: str, after: str) -> None:
    assert slots(before) == slots(after) != set()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("我喜欢猫", "我喜欢狗"),
        ("我喜欢 C", "我喜欢 C++"),
        ("我最喜欢的电影是三体", "我最喜欢的小说是三体"),
        ("我喜欢猫", "我最喜欢的动物是猫"),
    ],
)
def test_what_is_about_two_things_stands_side_by_side(one: str, other: str) -> None:
    assert slots(one) != slots(other)
