"""Killed again and again: a process that hears, learns and dreams is ended at a random moment, and another one goes on.

``python soak_kills.py FILE FIRST LAST AT WHEN`` is such a process. It begins with message FIRST, prints the number of
each message that it has stored and classified, and ends by itself after LAST, or kills itself before or after its
AT-th commit.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

from measure import Figure, value

from nonebot_plugin_scoped_memory.engine.changing import Actor
from nonebot_plugin_scoped_memory.engine.engine import MemoryEngine
from nonebot_plugin_scoped_memory.engine.models import NewTurn, TurnState
from nonebot_plugin_scoped_memory.engine.settings import EngineSettings
from tests.engine.day import die
from tests.engine.dreaming import DreamModel, archive, changing, labels
from tests.engine.dying import dying
from tests.engine.small_talk import echo
from tests.soundness import doubled_items, doubled_turns, faults, interrupted_dreams, passed_over, turns_told

ZONE = ZoneInfo("Asia/Shanghai")
CHATS = 4
ROUND = 20
"""Messages in one chat before a dream of it, and before it is the next one's turn."""
AGAIN = 3
"""Messages that the platform sends a second time, beside those that were never acknowledged."""
COMMITS = 150
"""A process that dies at a commit dies within so many."""
SECONDS = 1.5
"""One that dies at any moment dies within so many, counted from its start or from when it is ready."""
PLENTY = 10**12
_START = datetime(2026, 1, 1, tzinfo=timezone.utc)
_OPERATOR = Actor("qq:user:10000", operator=True)


def message(n: int) -> tuple[str, str]:
    """(session, text) of a message: no two are alike, some mean the same as the one before, some end something."""
    session = f"qq:group:{20_001 + n // ROUND % CHATS}"
    words = {6: f"也收藏邮票{n - 1}", 13: f"邮票{n - 2}再说吧"}.get(n % ROUND, f"收藏邮票{n}")
    return session, words


# ------------------------------------------------------------------ one process


def _model() -> DreamModel:
    async def slow(answer: str) -> str:
        await asyncio.sleep(0.003)
        return answer

    def review(prompt: str) -> str:
        """What is said to be for later is archived."""
        over = re.search(r"^\[(t\d+) [^\]]*\] 邮票(\d+)再说吧$", prompt, re.MULTILINE)
        label = next(
            (name for name, words in labels(prompt).items() if over and words.endswith(f"邮票{over[2]}")), None
        )
        return changing(archive(label, over[1])) if over and label else json.dumps({"changes": []})

    return DreamModel(
        extract=lambda prompt: slow(echo(prompt)),
        review=lambda prompt: slow(review(prompt)),
        summary=lambda _: slow("大家在聊邮票"),
    )


async def live(path: Path, numbers: Iterator[int], at: int, when: str) -> None:
    """Hear messages, dream after each round, and take every third dream back."""
    url = f"sqlite:///{path.as_posix()}"
    settings = EngineSettings(timezone=ZONE, daily_tokens=PLENTY, chat_daily_tokens=PLENTY)
    async with MemoryEngine.open(url, llm=_model(), settings=settings) as engine:
        print("ready", flush=True)
        with dying(die, at, "before" if when == "before" else "after") if at >= 0 else nullcontext():
            for n in numbers:
                await _hear(engine, n)
                print(n, flush=True)
                if n % ROUND == ROUND - 1:
                    run = (await engine.dream_now(message(n)[0])).run
                    if run is not None and n // ROUND % 3 == 0:
                        await engine.undo_dream(run.id, _OPERATOR)


async def _hear(engine: MemoryEngine, n: int) -> None:
    session, said = message(n)
    account = f"qq:user:{10_001 + n // ROUND % 2}"
    ids = (("30001", str(n)),)
    turn = NewTurn("user", said, _START + timedelta(seconds=n), account, "小明", state=TurnState.OPEN, message_ids=ids)
    recorded = await engine.listener.record(engine.domain_id, session, turn)
    await engine.listener.settle(engine.domain_id, session, recorded.n, TurnState.ORDINARY)


# ------------------------------------------------------------------ who kills it


@dataclass
class Tally:
    """What was found wrong so far, each thing once."""

    acknowledged: set[int] = field(default_factory=set)
    lost: set[int] = field(default_factory=set)
    doubled_turns: set[str] = field(default_factory=set)
    doubled_items: set[str] = field(default_factory=set)
    passed_over: set[tuple[str, int]] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)
    at_commits: int = 0
    problems: list[str] = field(default_factory=list)

    def check(self, path: Path) -> None:
        """Look at a copy: the file itself is left to the next process as it is."""
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            copy = Path(folder) / path.name
            for file in (path, path.with_name(f"{path.name}-wal")):
                if file.exists():
                    shutil.copy(file, copy.with_name(file.name))
            if not copy.exists() or (not self.acknowledged and copy.stat().st_size == 0):
                return
            told = turns_told(copy) if self.acknowledged else set()
            self.lost |= {n for n in self.acknowledged if message(n) not in told}
            if told:
                self.doubled_turns |= set(doubled_turns(copy))
                self.doubled_items |= set(doubled_items(copy))
                self.passed_over |= passed_over(copy)
                self.faults += faults(copy, ZONE)


def figures(kills: int, seed: int, folder: Path) -> list[Figure]:
    """Kill so many processes one after the other, check after each; the last one ends in peace."""
    path = folder / "kills.db"
    order = random.Random(seed)
    tally = Tally()
    for _ in range(kills):
        _one_life(path, tally, order)
        tally.check(path)
    first = _next(tally)
    last = first + 2 * ROUND
    done = subprocess.run(_command(path, first, last, -1, "after"), capture_output=True, encoding="utf-8", check=True)
    tally.acknowledged |= _numbers(done.stdout)
    tally.check(path)
    for problem in (*tally.faults, *tally.problems):
        print(problem)
    told = len(turns_told(path))
    return [
        value(f"processes killed, {tally.at_commits} of them at a commit", kills),
        value("dreams interrupted by that", interrupted_dreams(path)),
        value("messages acknowledged", len(tally.acknowledged)),
        value("acknowledged messages lost", len(tally.lost), target=1),
        value("messages stored twice", len(tally.doubled_turns) + max(0, told - last - 1), target=1),
        value("items stored twice", len(tally.doubled_items), target=1),
        value("messages that the watermark passed unread", len(tally.passed_over), target=1),
        value("faults of index, counts, numbers and dreams' records", len(tally.faults), target=1),
        value("processes that ended otherwise than killed", len(tally.problems), target=1),
    ]


def _one_life(path: Path, tally: Tally, order: random.Random) -> None:
    at_commit = order.random() < 0.5
    at, when = (order.randrange(COMMITS), order.choice(("before", "after"))) if at_commit else (-1, "after")
    delay, from_start = order.uniform(0, SECONDS), order.random() < 0.2
    tally.at_commits += at_commit
    process = subprocess.Popen(
        _command(path, _next(tally), 10**9, at, when),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdout is not None
    timer = threading.Timer(delay, process.kill)
    if not at_commit and from_start:
        timer.start()
    began = process.stdout.readline()
    if not at_commit and not from_start:
        timer.start()
    said, complaint = process.communicate()
    timer.cancel()
    tally.acknowledged |= _numbers(began + said)
    if complaint.strip():
        tally.problems.append(complaint.strip().splitlines()[-1])


def _next(tally: Tally) -> int:
    return max(0, max(tally.acknowledged, default=-1) + 1 - AGAIN)


def _numbers(lines: str) -> set[int]:
    """Complete lines only: the last one may have been cut."""
    return {int(line) for line in re.findall(r"^(\d+)$(?=\n)", lines, re.MULTILINE)}


def _command(path: Path, first: int, last: int, at: int, when: str) -> list[str]:
    return [sys.executable, __file__, str(path), str(first), str(last), str(at), when]


def _main() -> None:
    path, first, last, at, when = sys.argv[1:]
    numbers = itertools.takewhile(lambda n: n <= int(last), itertools.count(int(first)))
    asyncio.run(live(Path(path), numbers, int(at), when))


if __name__ == "__main__":
    _main()
