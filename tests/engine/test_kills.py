"""Processes that are really killed, each at another commit: what they had acknowledged is there, nothing is there
twice, and the next process does the rest."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fresh import ROOT, STARTS_WITHIN, clean_environment
from tests.soundness import doubled_items, doubled_turns, faults, passed_over, turns_told

from .day import MESSAGES, PARTS, Part, morning, opened, work
from .dying import STEPS, Moment, what_is_known
from .helpers import GROUP, OTHER_GROUP, SHANGHAI

pytestmark = pytest.mark.timeout(180)

KILLS: dict[str, tuple[Part, int, Moment]] = {
    # A message is two commits: stored, then classified.
    "before a message is stored": ("talk", 20, "before"),
    "after a message is stored": ("talk", 20, "after"),
    "before a message is classified": ("talk", 131, "before"),
    "before a batch": ("batch", 0, "before"),
    "after extract": ("dream", STEPS.index("extract"), "after"),
    "before merge": ("dream", STEPS.index("merge"), "before"),
    "before review again": ("dream", STEPS.index("review again"), "before"),
    "after summary": ("dream", STEPS.index("summary"), "after"),
    "before end": ("dream", STEPS.index("end"), "before"),
    "before undo": ("undo", 0, "before"),
    "after undo": ("undo", 0, "after"),
}


@dataclass(frozen=True)
class Day:
    """A file in the morning, and what it comes to when nobody is killed. ``passed_over``: a few messages are too long
    to make an item of them."""

    file: Path
    passed_over: set[tuple[str, int]]
    known: dict[str, Counter[tuple[str, str]]]
    summaries: dict[str, str]


async def outcome(path: Path) -> tuple[dict[str, Counter[tuple[str, str]]], dict[str, str]]:
    """Items and summary of each chat."""
    async with opened(path) as memo:
        chats = (GROUP, OTHER_GROUP)
        known = {chat: what_is_known(await memo.items(chat, status=None)) for chat in chats}
        return known, {chat: (await memo.session(chat)).summary for chat in chats}


@pytest.fixture(scope="module")
async def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Day:
    folder = tmp_path_factory.mktemp("day")
    await morning(folder / "morning.db")
    evening = folder / "evening.db"
    shutil.copy(folder / "morning.db", evening)
    async with opened(evening) as memo:
        for part in PARTS:
            await work(memo, part)
        runs = {run.session_key: run.status for run in await memo.engine.dream_runs()}
        assert runs == {GROUP: "done", OTHER_GROUP: "undone"}
    assert faults(evening, SHANGHAI) == []
    return Day(folder / "morning.db", passed_over(evening), *(await outcome(evening)))


@pytest.mark.parametrize(("part", "at", "when"), KILLS.values(), ids=KILLS.keys())
async def test_a_killed_process_loses_nothing_and_the_next_one_doubles_nothing(
    tmp_path: Path, undisturbed: Day, part: Part, at: int, when: Moment
) -> None:
    path = tmp_path / "memory.db"
    shutil.copy(undisturbed.file, path)
    command = [sys.executable, "-m", "tests.engine.day", str(path), part, str(at), when]
    killed = subprocess.run(  # noqa: ASYNC221 - nothing else runs in this loop
        command, cwd=ROOT, env=clean_environment(), capture_output=True, encoding="utf-8", timeout=STARTS_WITHIN
    )
    assert killed.returncode != 0
    assert killed.stderr == ""
    acknowledged = [MESSAGES[int(n)] for n in killed.stdout.split()]
    assert (len(acknowledged) == len(MESSAGES)) == (part != "talk")

    # What it left
    assert faults(path, SHANGHAI) == []
    assert set(acknowledged) <= turns_told(path)
    assert passed_over(path) <= undisturbed.passed_over
    async with opened(path, hours=5) as memo:
        before = await memo.engine.dream_runs()
        assert sum(run.status == "running" for run in before) == (part == "dream" and at > 0)

        # The rest of the day
        for rest in PARTS:
            await work(memo, rest)
        runs = {run.id: run for run in await memo.engine.dream_runs()}
        for run in before:
            if run.status == "running":
                assert (runs[run.id].status, runs[run.id].reason) == ("failed", "interrupted")
                assert {one.item_id for one in run.operations} == {one.item_id for one in runs[run.id].operations}
        for session in (GROUP, OTHER_GROUP):
            state, last = await memo.session(session), len([one for one in MESSAGES if one[0] == session])
            assert (state.last_turn, state.watermark, state.dreamed, state.summarised) == (last,) * 4
    assert faults(path, SHANGHAI) == []
    assert turns_told(path) == set(MESSAGES)
    assert doubled_turns(path) == []
    assert doubled_items(path) == []
    assert passed_over(path) == undisturbed.passed_over
    assert await outcome(path) == (undisturbed.known, undisturbed.summaries)
