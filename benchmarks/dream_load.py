"""What a dream costs those who wait for an answer meanwhile: the time from a question to its answer, with and without.

    uv run benchmarks/dream_load.py
    uv run benchmarks/dream_load.py --turns 400 --runs 2

An answer is ``compose_context`` and one chat call over HTTP. In a bot the question is also stored before and classified
after; both write, and have lines of their own. The model is a process of its own that takes 100 ms for everything it is
asked. The dream is of a backlog that no model has seen: extraction, review, summary, and the vectors of what it found.
Both use the same places at the model. Nothing is asserted and the exit code is 0.

``python dream_load.py --serve`` is the model.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpus
import filling
from measure import Figure, busyness, machine, percentile, table, value, write_json

from nonebot_plugin_scoped_memory.config import LLMConfig
from nonebot_plugin_scoped_memory.engine.dreaming.prompts import REVIEW_SYSTEM, SUMMARY_SYSTEM
from nonebot_plugin_scoped_memory.engine.engine import MemoryEngine
from nonebot_plugin_scoped_memory.engine.llm import OpenAIChat
from nonebot_plugin_scoped_memory.engine.models import NewItem, NewTurn, TurnState, utc_now
from nonebot_plugin_scoped_memory.engine.prompt import chat_messages
from nonebot_plugin_scoped_memory.engine.scope import home_scope
from nonebot_plugin_scoped_memory.engine.settings import EngineSettings
from tests.engine.small_talk import echo
from tests.fakes.openai_replies import ChatRequest
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.standin import standin_reply

if TYPE_CHECKING:
    from nonebot_plugin_scoped_memory.engine.embedding import Embedder

TARGET = 1.2
"""The reply p95 during a dream, over that without one."""
LATENCY = 0.1
LEARNT_EVERY = 4
"""The model makes an item of one line in so many."""
LIMITLESS = 10**12
PERSONA = "你是一个友好、简洁的 QQ 聊天助手。"
ASKING = "qq:private:10001"
_NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
_PEOPLE = ("qq:user:10001", "qq:user:10002", "qq:user:10003")


@dataclass(frozen=True, slots=True)
class Load:
    """How much there is: items in each chat, turns in each backlog, questions at least in one run, and runs."""

    items: int
    turns: int
    questions: int
    runs: int


@dataclass(frozen=True, slots=True)
class Answer:
    """Milliseconds: of composing and calling, and of storing and classifying the question too."""

    alone: float
    whole: float


async def figures(
    load: Load, words: corpus.Corpus, folder: Path, embedder: Embedder | None, base_url: str
) -> list[Figure]:
    """Runs with and without a dream in turn; of each kind the median over its runs."""
    url = f"sqlite:///{(folder / 'memory.db').as_posix()}"
    model = OpenAIChat(base_url, "key", "fake-chat", timeout=60.0, concurrency=LLMConfig().concurrency)
    settings = EngineSettings(daily_tokens=LIMITLESS, chat_daily_tokens=LIMITLESS, extract_every_turns=LIMITLESS)
    quiet: list[list[Answer]] = []
    dreaming: list[list[Answer]] = []
    stalls: list[float] = []
    seconds: list[float] = []
    try:
        async with MemoryEngine.open(url, llm=model, embedder=embedder, settings=settings) as engine:
            await _fill(engine, load, words)
            questions = itertools.cycle(words.questions)
            await _ask_until(engine, model, questions, lambda asked: asked >= 5)  # the first ones open connections
            for run in range(load.runs):
                began = time.perf_counter()
                dream = asyncio.create_task(_dream(engine, _backlog(run)))
                async with _watched() as gaps:
                    times = await _ask_until(engine, model, questions, lambda _, dream=dream: dream.done())
                await dream
                seconds.append(time.perf_counter() - began)
                dreaming.append(times)
                stalls.append(max(gaps, default=0.0))
                count = max(load.questions, len(times))
                quiet.append(await _ask_until(engine, model, questions, lambda asked, count=count: asked >= count))
    finally:
        await model.close()

    def line(name: str, runs: Sequence[Sequence[float]]) -> Figure:
        shares = {"p50": 0.5, "p95": 0.95, "max": 1.0}
        columns = {key: statistics.median(percentile(run, share) for run in runs) for key, share in shares.items()}
        return Figure(name, {**columns, "answers": statistics.median(map(len, runs))})

    lines: list[Figure] = []
    for what, of in (("answers", _alone), ("stored, answered and classified", _whole)):
        without = line(f"{what}, without a dream, ms", [list(map(of, run)) for run in quiet])
        during = line(f"{what}, during one, ms", [list(map(of, run)) for run in dreaming])
        ratio = during.columns["p95"] / without.columns["p95"]
        lines += [without, during, value("p95 during a dream over p95 without", ratio, target=TARGET)]
    return [
        *lines,
        value("the event loop's longest stop during a dream, ms", statistics.median(stalls)),
        value("a dream, seconds", statistics.median(seconds)),
    ]


def _alone(answer: Answer) -> float:
    return answer.alone


def _whole(answer: Answer) -> float:
    return answer.whole


def _backlog(run: int) -> str:
    return f"qq:group:{20_001 + run}"


async def _fill(engine: MemoryEngine, load: Load, words: corpus.Corpus) -> None:
    sessions = [ASKING, *(_backlog(run) for run in range(load.runs))]
    for number, session in enumerate(sessions):
        home = home_scope(session)
        start = number * (load.items + load.turns)
        items = [
            NewItem(home, "fact", words.sentence(start + n), subject=_PEOPLE[n % 3], origin="llm", valid_from=_NOW)
            for n in range(load.items)
        ]
        for first in range(0, len(items), filling.BATCH):
            await engine.add_items(items[first : first + filling.BATCH])
        count = 100 if session == ASKING else load.turns
        turns = [_turn(words.sentence(start + load.items + n), n) for n in range(count)]
        await asyncio.gather(*(engine.listener.record(engine.domain_id, session, turn) for turn in turns))
    await engine.drain()


def _turn(said: str, n: int) -> NewTurn:
    return NewTurn(
        "user",
        said,
        _NOW + timedelta(minutes=n + 1),
        account=_PEOPLE[n % 3],
        name=("小明", "小红", "小刚")[n % 3],
        state=TurnState.ORDINARY,
    )


async def _dream(engine: MemoryEngine, session: str) -> None:
    report = await engine.dream_now(session)
    if report.waiting:
        raise RuntimeError(f"the dream did not end: {report.waiting}")
    await engine.drain()  # the vectors of what it found


async def _ask_until(
    engine: MemoryEngine, model: OpenAIChat, questions: Iterator[str], enough: Callable[[int], bool]
) -> list[Answer]:
    """One question after the other."""
    times: list[Answer] = []
    while not enough(len(times)):
        question = NewTurn("user", next(questions), utc_now(), account=_PEOPLE[0], name="小明", state=TurnState.OPEN)
        began = time.perf_counter()
        turn = await engine.listener.record(engine.domain_id, ASKING, question)
        stored = time.perf_counter()
        package = await engine.compose_context(ASKING, turn.text, current=turn)
        messages = chat_messages(package, PERSONA, turn, group=False)
        await model.complete(messages, purpose="chat")
        answered = time.perf_counter()
        await engine.listener.settle(engine.domain_id, ASKING, turn.n, TurnState.ORDINARY)
        times.append(Answer((answered - stored) * 1000, (time.perf_counter() - began) * 1000))
    return times


@contextlib.asynccontextmanager
async def _watched(every: float = 0.005) -> AsyncIterator[list[float]]:
    """The milliseconds by which a task that wants to run every few of them came late."""
    late: list[float] = []

    async def watch() -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(every)
            late.append((time.perf_counter() - began - every) * 1000)

    task = asyncio.create_task(watch())
    try:
        yield late
    finally:
        task.cancel()
        await asyncio.wait({task})


# ------------------------------------------------------------------ the model, a process of its own


def _reply(request: ChatRequest) -> str:
    """Some lines become items; nothing is obsolete."""
    system, user = (str(message["content"]) for message in request.messages[:2])
    if system == REVIEW_SYSTEM:
        return json.dumps({"changes": []})
    if system == SUMMARY_SYSTEM:
        return "大家聊了很多事。"
    if not request.wants_json:
        return standin_reply(request.messages)
    lines = [line for line in user.splitlines() if line.startswith("[t")]
    return echo("\n".join(lines[::LEARNT_EVERY]))


async def _serve() -> None:
    async with OpenAIServer() as server:
        server.latency = LATENCY
        server.reply = _reply
        print(server.base_url, flush=True)
        await asyncio.to_thread(sys.stdin.read)


@contextlib.contextmanager
def model_process() -> Iterator[str]:
    """The address of a model that ends with the block."""
    command = [sys.executable, __file__, "--serve"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Answers while a dream is under way, beside the target.")
    parser.add_argument("--turns", type=int, default=2_000, help="the backlog of one dream")
    parser.add_argument("--items", type=int, default=500, help="items that each chat has already")
    parser.add_argument("--questions", type=int, default=50, help="at least so many in a run without a dream")
    parser.add_argument("--runs", type=int, default=5, help="of each kind, in turn; the median is shown")
    parser.add_argument("--vectors", choices=("auto", "random", "none"), default="auto")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", help=f"folder of the data sets (default: ${corpus.DATA_VARIABLE}, else shared/data)")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    parser.add_argument("--serve", action="store_true", help="be the model")
    options = parser.parse_args(arguments)
    if options.serve:
        asyncio.run(_serve())
        return 0
    words = corpus.load(corpus.find_data(options.data), options.seed)
    about: dict[str, Any] = {**machine(), "corpus": words.source, "before": busyness()}
    print(", ".join(f"{name}: {figure}" for name, figure in about.items()))
    embedder = None if options.vectors == "none" else filling.embedder(options.vectors)
    load = Load(options.items, options.turns, options.questions, options.runs)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, model_process() as base_url:
        found = asyncio.run(figures(load, words, Path(folder), embedder, base_url))
    title = f"Answers during a dream of {load.turns} messages (median of {load.runs} runs)"
    print(table(title, found))
    about["after"] = busyness()
    print(f"\nhow busy the machine was: before {about['before']}, after {about['after']}")
    if options.json:
        write_json(options.json, {title: found}, about)
    return 0


if __name__ == "__main__":
    sys.exit(main())
