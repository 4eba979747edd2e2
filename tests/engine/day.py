"""A day's work of an engine, which any process can take up where another one died: two chats talk, one is looked at by
a batch, both are dreamt of, and an operator takes a dream back.

Run as a program it is such a process, which kills itself on the way: ``python -m tests.engine.day FILE PART AT WHEN``.
It prints the number of each message that it has stored and classified before it goes on.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from datetime import timedelta
from pathlib import Path
from typing import Literal, get_args

from .dying import TALK, Moment, dying, eventful, known_before
from .helpers import GROUP, HONG, MING, NOON, OPERATOR, OTHER_GROUP, HandClock, Memory, memory

OTHER_TALK = ("haskell 放弃了", *(f"闲话{n}" for n in range(2, 15)))
MESSAGES = (*((GROUP, text) for text in TALK), *((OTHER_GROUP, text) for text in OTHER_TALK))
"""(session, text) in the order in which they arrive."""

Part = Literal["talk", "batch", "dream", "undo"]
PARTS: tuple[Part, ...] = get_args(Part)


@asynccontextmanager
async def opened(path: Path, *, hours: int = 4) -> AsyncIterator[Memory]:
    """An engine over the file, so many hours after noon."""
    clock = HandClock()
    clock.move(hours=hours)
    url = f"sqlite:///{path.as_posix()}"
    plenty = {"daily_tokens": 10**9, "chat_daily_tokens": 10**9}
    async with memory(url, clock=clock, llm=eventful(), extract_every_turns=10_000, **plenty) as memo:
        yield memo


async def morning(path: Path) -> None:
    """What is in the file when the day begins."""
    async with opened(path, hours=0) as memo:
        for session in (GROUP, OTHER_GROUP):
            memo.clock.now = NOON - timedelta(hours=6)
            await known_before(memo, session)


async def work(memo: Memory, part: Part, said: Callable[[int], None] = lambda _: None) -> None:
    """One part of the day. What is done already is not done again: the platform sends a message again under its own
    id, and a dream that was taken back is left so. ``said`` hears of each message once it is stored and classified."""
    if part == "talk":
        for n, (session, text) in enumerate(MESSAGES):
            at = NOON + timedelta(seconds=n)
            ids = (("30001", str(n)),)
            await memo.speak(text, HONG if n % 2 else MING, session, said_at=at, message_ids=ids)
            said(n)
    elif part == "batch":
        await memo.extract(OTHER_GROUP)
    elif part == "dream":
        for session in (GROUP, OTHER_GROUP):
            report = await memo.engine.dream_now(session)
            assert report.waiting == "", report
    else:
        for run in await memo.engine.dream_runs():
            applied = any(operation.state == "applied" for operation in run.operations)
            if run.session_key == OTHER_GROUP and run.status in ("done", "failed") and applied:
                await memo.engine.undo_dream(run.id, OPERATOR)


def die() -> None:
    """At once, with nothing closed and nothing said."""
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))  # on Windows the latter ends it as hard


async def live(path: Path, last: Part, at: int, when: Moment) -> None:
    """The day up to part ``last``, in which the process dies."""
    async with opened(path) as memo:
        for part in PARTS[: PARTS.index(last) + 1]:
            with dying(die, at, when) if part == last else nullcontext():
                await work(memo, part, lambda n: print(n, flush=True))


if __name__ == "__main__":
    file, part, at, when = sys.argv[1:]
    asyncio.run(live(Path(file), part, int(at), when))  # pyright: ignore[reportArgumentType]
