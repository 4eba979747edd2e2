"""A busy bot's memory for minutes: messages at a steady rate over many chats, with questions, batches and dreams."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import corpus
from measure import Figure, percentile, value
from plugin_load import memory

from nonebot_plugin_scoped_memory.engine.engine import MemoryEngine
from nonebot_plugin_scoped_memory.engine.llm import Completion
from nonebot_plugin_scoped_memory.engine.models import NewTurn, TurnState, utc_now
from nonebot_plugin_scoped_memory.engine.settings import DreamSettings, EngineSettings
from tests.engine.dreaming import DreamModel
from tests.engine.small_talk import echo
from tests.soundness import doubled_turns, faults, turns_told

COMPOSE_TARGET = 40.0
"""Milliseconds, p95."""
GROWTH_TARGET = 1.1
"""The resident memory at the end over that in the middle."""
QUESTION_EVERY = 10
LEARNT_EVERY = 8
"""The model makes an item of one line in so many."""
MODEL_SECONDS = 0.2
SWEEP_SECONDS = 15.0
PLENTY = 10**12


@dataclass
class Heard:
    """What was sent, and how long things took in milliseconds."""

    sent: list[tuple[str, str]] = field(default_factory=list)
    stored: list[float] = field(default_factory=list)
    composed: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    dreams: int = 0


class _Model(DreamModel):
    """Takes its time, and keeps nothing of what it was asked: its memory is not what is measured."""

    answered = 0

    async def complete(self, *args: Any, **options: Any) -> Completion:
        await asyncio.sleep(MODEL_SECONDS)
        completion = await super().complete(*args, **options)
        self.calls.clear()
        self.answered += 1
        return completion


def _model() -> _Model:
    def extract(prompt: str) -> str:
        lines = prompt.splitlines()
        turns = [line for line in lines if line.startswith("[t")]
        return echo("\n".join(turns[::LEARNT_EVERY]))

    return _Model(extract=extract)


async def figures(seconds: float, rate: float, chats: int, words: corpus.Corpus, folder: Path) -> list[Figure]:
    """Everything that arrives within ``seconds``, ``rate`` messages in each of them."""
    path = folder / "load.db"
    settings = EngineSettings(
        daily_tokens=PLENTY, chat_daily_tokens=PLENTY, dream=DreamSettings(quiet=timedelta(seconds=2))
    )
    heard = Heard()
    model = _model()
    began = time.perf_counter()
    async with MemoryEngine.open(f"sqlite:///{path.as_posix()}", llm=model, settings=settings) as engine:
        sweeps = asyncio.create_task(_sweep(engine, heard))
        await _talk(engine, heard, int(seconds * rate), rate, chats, words)
        lasted = time.perf_counter() - began
        sweeps.cancel()
        with suppress(asyncio.CancelledError):
            await sweeps
        await engine.drain()
        heard.memory.append(memory())
    told = turns_told(path)
    for problem in sorted(set(heard.failed)):
        print(problem)
    start, middle, end = (heard.memory[round(share * (len(heard.memory) - 1))] for share in (0, 0.5, 1))
    return [
        value("messages sent", len(heard.sent)),
        value("messages a second", len(heard.sent) / lasted),
        value("messages lost", len(set(heard.sent) - told), target=1),
        value("messages stored twice", len(doubled_turns(path)), target=1),
        value("faults of index, counts, numbers and dreams' records", len(faults(path, settings.timezone)), target=1),
        value("calls that failed", len(heard.failed), target=1),
        value("resident memory at the start, MB", start),
        value("in the middle, MB", middle),
        value("at the end, MB", end),
        value("at the end over in the middle", end / middle if middle else 0.0, target=GROWTH_TARGET),
        value("compose_context p50, ms", percentile(heard.composed, 0.5)),
        value("compose_context p95, ms", percentile(heard.composed, 0.95), target=COMPOSE_TARGET),
        value("from its arrival until a message is stored and classified, p95, ms", percentile(heard.stored, 0.95)),
        value("batches and calls of dreams that the model answered", model.answered),
        value("dreams", heard.dreams),
    ]


async def _talk(engine: MemoryEngine, heard: Heard, count: int, rate: float, chats: int, words: corpus.Corpus) -> None:
    """Each message at its time, whether or not the ones before are done with."""
    began = time.perf_counter()
    running: set[asyncio.Task[None]] = set()
    marks = {round(count * share) for share in (0.1, 0.5)}
    for n in range(count):
        await asyncio.sleep(max(0.0, began + n / rate - time.perf_counter()))
        task = asyncio.create_task(_message(engine, heard, n, chats, words))
        running.add(task)
        task.add_done_callback(running.discard)
        if n in marks:
            heard.memory.append(memory())
    await asyncio.gather(*running)


async def _message(engine: MemoryEngine, heard: Heard, n: int, chats: int, words: corpus.Corpus) -> None:
    session = f"qq:group:{20_001 + n % chats}"
    said = f"{words.sentence(n)} #{n}"
    arrived = time.perf_counter()
    turn = NewTurn(
        "user",
        said,
        utc_now(),
        account=f"qq:user:{10_001 + n % (3 * chats)}",
        name=f"人{n % (3 * chats)}",
        state=TurnState.OPEN,
        message_ids=(("30001", str(n)),),
    )
    try:
        recorded = await engine.listener.record(engine.domain_id, session, turn)
        heard.sent.append((session, recorded.text))
        if n % QUESTION_EVERY == 0:
            asked = time.perf_counter()
            await engine.compose_context(session, words.questions[n % len(words.questions)], current=recorded)
            heard.composed.append((time.perf_counter() - asked) * 1000)
        await engine.listener.settle(engine.domain_id, session, recorded.n, TurnState.ORDINARY)
        heard.stored.append((time.perf_counter() - arrived) * 1000)
    except Exception as e:  # noqa: BLE001 - the run goes on, and says so
        heard.failed.append(f"{type(e).__name__}: {e}")


async def _sweep(engine: MemoryEngine, heard: Heard) -> None:
    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        report = await engine.sweep_dreams()
        heard.dreams += len(report.dreams)
