"""Work that shares the event loop: two waits at once, and long work that lets others have their turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterable
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")

AT_ONCE = 50
"""Of anything that takes some ten microseconds or more, so many between two turns of the others."""


async def together(first: Awaitable[A], second: Awaitable[B]) -> tuple[A, B]:
    """Both results. Where one raises, or this is cancelled, the other is cancelled and waited for first."""
    tasks = asyncio.ensure_future(first), asyncio.ensure_future(second)
    try:
        await asyncio.gather(*tasks)
        return tasks[0].result(), tasks[1].result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def in_turns(things: Iterable[A]) -> AsyncIterator[A]:
    """``things`` one by one; after each ``AT_ONCE`` of them whatever else is ready goes first."""
    for n, thing in enumerate(things, 1):
        yield thing
        if n % AT_ONCE == 0:
            await asyncio.sleep(0)
