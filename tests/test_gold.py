"""The gold set is what its generator makes, holds what it should, and agrees with itself; and on its first days the
hard rules hold: nothing out of its chat, nothing that is forbidden, no secret."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from nonebot_plugin_scoped_memory.engine.engine import MemoryEngine
from nonebot_plugin_scoped_memory.engine.settings import EngineSettings
from nonebot_plugin_scoped_memory.engine.text import fold
from tests.data import cast_dev, cast_report, fillers_dev, fillers_report, gold, held_out_days
from tests.data.days import day_words, english_day_words
from tests.data.drawing import read_word
from tests.data.make_gold import FOLDER, SETS, files
from tests.data.traditional import traditional

SETS_BY_NAME = {one.name: one for one in SETS}
GOLD = {name: gold.load(name) for name in SETS_BY_NAME}
TURNS = {name: {(turn.session, turn.n): turn for turn in talk.turns} for name, talk in GOLD.items()}

INGREDIENTS = {
    # people and names
    "renamed": 5,
    "namesake": 40,
    "several_groups": 500,
    "anonymous": 2,
    "mention": 20,
    "silent": 3,
    # other people's words
    "reply": 60,
    "forward": 4,
    "quoted": 8,
    "bot_words": 6,
    "third_party": 8,
    "hearsay_health": 4,
    "hearsay_address": 3,
    "contact": 3,
    "pasted": 3,
    # not meant
    "joke": 10,
    "sarcasm": 8,
    "if": 6,
    "asked": 6,
    "denied": 5,
    "past": 4,
    "lyrics": 5,
    "roleplay": 3,
    "passing": 10,
    "injection": 6,
    "secret": 10,
    "recalled": 9,
    "command": 20,
    "trigger": 10,
    # how it is said
    "traditional": 60,
    "english": 8,
    "typo": 2,
    "voice": 10,
    "short": 100,
    "long": 4,
    "split": 4,
    # what is to be known
    **dict.fromkeys("name call birthday home origin job study language pet kin allergy diet health habit".split(), 3),
    **dict.fromkeys("like dislike fear favourite hobby wish todo plan remind note decision".split(), 3),
    **dict.fromkeys("procedure warning from_now_on group_todo".split(), 3),
    **dict.fromkeys("starting summary midnight lang_change moved taste_change call_change birthday_fix".split(), 2),
    **dict.fromkeys("job_change plan_change decision_change taken_back again shared_later".split(), 2),
    **dict.fromkeys("inferred_pet inferred_job inferred_allergy inferred_like mention_wish".split(), 2),
}

each_set = pytest.mark.parametrize("name", list(SETS_BY_NAME))


def said(name: str, truth: gold.Truth) -> str:
    """The words that a truth rests on."""
    return "\n".join(TURNS[name][truth.session, n].new.text for n in truth.turns)


@each_set
def test_the_generator_makes_the_files_byte_for_byte(name: str):
    for file, content in files(SETS_BY_NAME[name]).items():
        assert (FOLDER / file).read_bytes() == content.encode(), f"run python -m tests.data.make_gold ({file})"


@each_set
def test_it_is_as_large_as_it_should_be(name: str):
    talk = GOLD[name]
    days = {t.new.said_at.astimezone(gold.SHANGHAI).date() for t in talk.turns}
    speakers = {t.new.account for t in talk.turns if t.new.role == "user"} - {""}
    assert len(talk.turns) in range(1_500, 2_501)
    assert len(days) == 30
    assert len(speakers) == 12
    assert Counter(session.split(":")[1] for session in talk.sessions) == {"group": 4, "private": 8}


@each_set
def test_turns_are_numbered_in_the_order_in_which_they_were_said(name: str):
    by_session: dict[str, list[gold.Turn]] = defaultdict(list)
    for turn in GOLD[name].turns:
        by_session[turn.session].append(turn)
    for turns in by_session.values():
        assert [turn.n for turn in turns] == list(range(1, len(turns) + 1))
        assert all(a.new.said_at <= b.new.said_at and a.new.seq < b.new.seq for a, b in pairwise(turns))


@each_set
def test_it_has_every_ingredient(name: str):
    found = Counter(tag for turn in GOLD[name].turns for tag in turn.tags)
    assert {tag: found[tag] for tag, least in INGREDIENTS.items() if found[tag] < least} == {}


@each_set
def test_most_of_it_is_nothing_to_remember(name: str):
    turns = GOLD[name].turns
    assert sum("chatter" in turn.tags for turn in turns) >= 0.6 * len(turns)
    assert len({turn.new.text for turn in turns if "chatter" in turn.tags}) >= 500


@each_set
def test_most_of_what_is_expected_is_said_plainly(name: str):
    expected = GOLD[name].of("expected")
    assert len(expected) >= 250
    assert 0.65 <= sum(truth.level == "plain" for truth in expected) / len(expected) <= 0.75
    statuses = Counter(truth.status for truth in expected)
    assert all(statuses[status] >= 10 for status in ("active", "expired", "superseded"))


@each_set
def test_group_talk_runs_into_itself(name: str):
    turns = [turn for turn in GOLD[name].turns if ":group:" in turn.session]
    for session in {turn.session for turn in turns}:
        speakers = [turn.new.account for turn in turns if turn.session == session]
        changes = sum(a != b for a, b in pairwise(speakers))
        assert changes >= 0.6 * len(speakers)
        assert len(set(speakers)) >= 5


@each_set
def test_one_account_has_several_names_and_two_accounts_have_one(name: str):
    names: dict[tuple[str, str], set[str]] = defaultdict(set)
    bearers: dict[tuple[str, str], set[str]] = defaultdict(set)
    for turn in GOLD[name].turns:
        names[turn.session, turn.new.account].add(turn.new.name)
        bearers[turn.session, turn.new.name].add(turn.new.account)
    assert max(map(len, names.values())) >= 3
    assert sum(len(accounts) > 1 for accounts in bearers.values()) >= 3


@each_set
def test_everything_rests_on_turns_that_say_it(name: str):
    talk = GOLD[name]
    for truth in talk.truths:
        assert truth.turns, truth
        rests_on = [TURNS[name][truth.session, n] for n in truth.turns]
        if truth.what == "secret":
            assert any(truth.literal in turn.new.text for turn in rests_on), truth
        if truth.what != "expected":
            continue
        assert truth.scope == f"chat:{truth.session}"
        words = fold(said(name, truth))
        assert any(fold(word) in words for word in truth.all_of[0]), (truth, words)
        assert all(turn.state.value == "ordinary" and not turn.recalled for turn in rests_on), truth
        if truth.subject not in ("", "*"):
            assert truth.subject in {turn.new.account for turn in rests_on}, truth


@each_set
def test_nothing_is_both_expected_and_forbidden(name: str):
    talk = GOLD[name]
    lasting = [truth for truth in talk.of("allowed") if truth.valid_until is None]
    fine = [(truth, said(name, truth)) for truth in (*talk.of("expected"), *lasting)]
    for forbidden in talk.of("forbidden"):
        if not forbidden.anywhere:
            continue
        for truth, words in fine:
            subject = "qq:user:somebody" if truth.subject == "*" else truth.subject or ""
            assert not (forbidden.is_about(subject) and forbidden.worded(words)), (forbidden, truth)


@each_set
def test_two_expectations_of_one_slot_do_not_stand_side_by_side(name: str):
    slots = Counter(
        (truth.session, truth.subject, truth.kind, truth.key)
        for truth in GOLD[name].of("expected")
        if truth.key and truth.status == "active"
    )
    assert [slot for slot, count in slots.items() if count > 1] == []


@each_set
def test_days_lie_ahead(name: str):
    with_day = [truth for truth in GOLD[name].of("expected") if truth.valid_until or truth.valid_from]
    assert len(with_day) >= 40
    for truth in with_day:
        said_on = TURNS[name][truth.session, truth.turns[-1]].new.said_at.astimezone(gold.SHANGHAI).date()
        day = truth.valid_until or truth.valid_from
        assert day is not None
        assert 0 <= (day - said_on).days <= 60, truth


@each_set
def test_tomorrow_said_just_before_midnight_is_the_next_day(name: str):
    late = [truth for truth in GOLD[name].of("expected") if truth.tag == "midnight"]
    for truth in late:
        said_at = TURNS[name][truth.session, truth.turns[0]].new.said_at.astimezone(gold.SHANGHAI)
        assert (said_at.hour, said_at.minute) == (23, 59)
        assert truth.valid_until == said_at.date() + timedelta(days=1)


def test_the_reported_set_has_words_of_its_own():
    expected = GOLD["report"].of("expected")
    assert sum(truth.held_out for truth in expected) >= 0.5 * len(expected)
    assert not any(truth.held_out for truth in GOLD["dev"].of("expected"))
    for slot, words in fillers_dev.POOLS.items():
        common = _words(words) & _words(fillers_report.POOLS.get(slot, ""))
        assert {word for word in common if not word.startswith("*")} == set(), slot


def test_the_two_casts_have_nobody_in_common():
    accounts, names = [
        [{value(person) for person in cast.people} for cast in (cast_dev.CAST, cast_report.CAST)]
        for value in (lambda person: person.account, lambda person: person.profile["name"])
    ]
    assert accounts[0] & accounts[1] == set()
    assert names[0] & names[1] == set()


def _words(text: str) -> set[str]:
    return {read_word(one).words for line in text.splitlines() for one in line.split(" | ") if one.strip()}


@pytest.mark.parametrize(
    ("pool", "word", "day"),
    [
        ("both", "明天", (1, 14)),
        ("both", "大后天", (1, 16)),
        ("both", "3天后", (1, 16)),
        ("both", "下周三", (1, 20)),
        ("both", "这周五", (1, 15)),
        ("both", "月底", (1, 31)),
        ("both", "除夕", (2, 5)),
        ("dev", "周四", (1, 14)),
        ("dev", "下下周一", (1, 25)),
        ("dev", "下个月5号", (2, 5)),
        ("dev", "大年初三", (2, 8)),
    ],
)
def test_day_words_mean_what_they_say(pool: str, word: str, day: tuple[int, int]):
    wednesday = date(2027, 1, 13)
    assert dict(day_words(pool, wednesday, date(2027, 2, 6)))[word] == date(2027, *day)


def test_english_day_words_mean_what_they_say():
    wednesday = date(2027, 1, 13)
    assert dict(english_day_words("dev", wednesday)) == {
        "tomorrow": date(2027, 1, 14),
        "in 3 days": date(2027, 1, 16),
        "this Friday": date(2027, 1, 15),
        "on January 22": date(2027, 1, 22),
    }


def test_held_out_day_words_mean_what_they_say_and_are_in_no_other_pool():
    new_year = date(2027, 2, 6)
    said_on = held_out_days.CHECKED_ON
    words = dict(day_words("report", said_on, new_year)), dict(english_day_words("report", said_on))
    for found, checked in zip(words, (held_out_days.CHECKED, held_out_days.ENGLISH_CHECKED), strict=True):
        assert {word: found.get(word) for word in checked} == {word: date(2027, *day) for word, day in checked.items()}
    for n in range(30):
        said_on = cast_report.CAST.first_day + timedelta(days=n)
        new_year = cast_report.CAST.new_year
        seen = {word for pool in ("both", "dev") for word, _ in day_words(pool, said_on, new_year)}
        for own, others in (
            (day_words("report", said_on, new_year), seen),
            (english_day_words("report", said_on), {word for word, _ in english_day_words("dev", said_on)}),
        ):
            assert len(dict(own)) == len(set(own))
            assert others.isdisjoint(dict(own))


def test_traditional_characters_fold_back():
    for name in SETS_BY_NAME:
        for turn in GOLD[name].turns:
            assert fold(traditional(turn.new.text)) == fold(turn.new.text)


async def test_the_hard_rules_hold_on_the_first_days(tmp_path: Path):
    talk = GOLD["dev"].first_days(5)
    assert len(talk.turns) >= 200
    clock = gold.TurnClock()
    file = tmp_path / "memory.db"
    settings = EngineSettings(timezone=gold.SHANGHAI)
    async with MemoryEngine.open(f"sqlite:///{file.as_posix()}", clock=clock, settings=settings) as engine:
        await gold.play(engine, clock, talk.turns)
        known = await gold.stored(engine, talk.sessions)
    assert known
    assert gold.out_of_place(known) == []
    assert [(truth.why, one.item.content) for truth, one in gold.violations(talk, known)] == []
    assert gold.leaked(talk, file) == []
