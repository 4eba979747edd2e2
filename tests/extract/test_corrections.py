from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonebot_plugin_scoped_memory.engine.extract.corrections import (
    NO_REACTIONS,
    NO_WITHDRAWALS,
    REACTIONS,
    WITHDRAWALS,
    WITHDRAWALS_OF_ITSELF,
    WITHDRAWALS_OF_WORDS,
    Reaction,
    Withdrawal,
    match_reaction,
    match_withdrawal,
)
from nonebot_plugin_scoped_memory.engine.extract.rules import match_rules
from nonebot_plugin_scoped_memory.engine.models import TurnState
from nonebot_plugin_scoped_memory.engine.text import fold

from .making import BOT, HONG, turn


@pytest.mark.parametrize("text", WITHDRAWALS)
def test_what_was_said_before_is_taken_back(text: str) -> None:
    found = match_withdrawal(turn(1, text))
    assert found is not None
    assert found.what == "previous"


@pytest.mark.parametrize(("text", "words"), WITHDRAWALS_OF_WORDS)
def test_what_is_named_is_taken_back(text: str, words: str) -> None:
    assert match_withdrawal(turn(1, text)) == Withdrawal("words", fold(words))


@pytest.mark.parametrize("text", WITHDRAWALS_OF_ITSELF)
def test_what_is_said_in_the_same_message_is_taken_back(text: str) -> None:
    assert match_withdrawal(turn(1, text)) == Withdrawal("same")


@pytest.mark.parametrize("text", [*WITHDRAWALS, *(text for text, _ in WITHDRAWALS_OF_WORDS), *WITHDRAWALS_OF_ITSELF])
def test_a_message_that_takes_something_back_teaches_nothing(text: str) -> None:
    assert match_rules(turn(1, text)) == []


@pytest.mark.parametrize("text", NO_WITHDRAWALS)
def test_what_takes_nothing_back(text: str) -> None:
    assert match_withdrawal(turn(1, text)) is None


@pytest.mark.parametrize(("text", "count"), [("刚才那句别记", 1), ("刚才那两句别记", 2), ("我刚才说的都忘了吧", 5)])
def test_how_many_messages_are_meant(text: str, count: int) -> None:
    assert match_withdrawal(turn(1, text)) == Withdrawal("previous", count=count)


@pytest.mark.parametrize(("text", "reaction"), REACTIONS)
def test_objections(text: str, reaction: Reaction) -> None:
    assert match_reaction(turn(1, text)) is reaction


@pytest.mark.parametrize("text", NO_REACTIONS)
def test_what_is_no_objection(text: str) -> None:
    assert match_reaction(turn(1, text)) is None


@pytest.mark.parametrize(
    "said",
    [
        turn(1, "忘了吧", BOT),
        turn(1, "忘了吧", ""),
        turn(1, "忘了吧", state=TurnState.COMMAND),
        replace(turn(1, "忘了吧"), recalled=True),
        turn(1, "忘了吧" + "啊" * 500),
    ],
)
def test_who_does_not_count(said: object) -> None:
    assert match_withdrawal(said) is None  # pyright: ignore[reportArgumentType]
    assert match_reaction(said) is None  # pyright: ignore[reportArgumentType]


def test_names_at_the_beginning_do_not_count() -> None:
    assert match_withdrawal(turn(1, "@小忆 忘了吧", mentions=((HONG, "小忆"),))) == Withdrawal("previous")
    assert match_reaction(turn(1, "@小忆 你记错了", mentions=((HONG, "小忆"),))) is Reaction.WRONG


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["忘", "了", "记", "别", "刚才", "那句", "我", "，", "不", "说", "啊", "\ud83d"])).map(
        "".join
    )
)
def test_nothing_is_raised(text: str) -> None:
    match_withdrawal(turn(1, text))
    match_reaction(turn(1, text))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", ["忘", "刚才", "别记", "不，", "把我", "啊吧", "我没说", "算了"])
def test_odd_messages_cost_little(unit: str) -> None:
    for length in (40, 80, 20_000):
        match_withdrawal(turn(1, (unit * length)[:length]))
        match_reaction(turn(1, (unit * length)[:length]))
