"""Who is called first, and how many at once."""

from __future__ import annotations

import asyncio

import pytest

from nonebot_plugin_scoped_memory.engine.places import Places


class Line:
    """Callers that hold their place until they are let go."""

    def __init__(self, count: int) -> None:
        self.places = Places(count)
        self.inside: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def come(self, name: str, *, urgent: bool = False) -> None:
        self.gates[name] = asyncio.Event()

        async def call() -> None:
            async with self.places.take(urgent=urgent):
                self.inside.append(name)
                await self.gates[name].wait()
                self.inside.remove(name)

        self.tasks[name] = asyncio.create_task(call())
        await asyncio.sleep(0.001)

    async def leave(self, name: str) -> None:
        self.gates[name].set()
        await self.tasks[name]
        await asyncio.sleep(0.001)


async def test_a_chat_reply_goes_before_dreams_that_came_earlier() -> None:
    line = Line(1)
    await line.come("dream 1")
    await line.come("dream 2")
    await line.come("dream 3")
    await line.come("reply", urgent=True)
    assert line.inside == ["dream 1"]
    for name, then in (("dream 1", "reply"), ("reply", "dream 2"), ("dream 2", "dream 3")):
        await line.leave(name)
        assert line.inside == [then]
    await line.leave("dream 3")


async def test_dreams_leave_a_place_free_where_there_are_several() -> None:
    line = Line(2)
    await line.come("dream 1")
    await line.come("dream 2")
    assert line.inside == ["dream 1"]
    await line.come("reply 1", urgent=True)
    assert line.inside == ["dream 1", "reply 1"]
    await line.come("reply 2", urgent=True)
    assert line.inside == ["dream 1", "reply 1"]
    await line.leave("reply 1")
    assert line.inside == ["dream 1", "reply 2"]
    await line.leave("dream 1")
    assert line.inside == ["reply 2"]
    await line.leave("reply 2")
    assert line.inside == ["dream 2"]
    await line.leave("dream 2")


@pytest.mark.parametrize("urgent", [True, False])
async def test_who_goes_away_takes_no_place_along(urgent: bool) -> None:
    line = Line(1)
    await line.come("first", urgent=True)
    await line.come("gone", urgent=urgent)
    line.tasks["gone"].cancel()
    await line.come("next", urgent=urgent)
    await line.leave("first")
    assert line.inside == ["next"]
    line.tasks["next"].cancel()
    await asyncio.sleep(0.001)
    await line.come("last")
    assert line.inside[-1] == "last"
    await line.leave("last")


async def test_who_is_cancelled_in_the_moment_of_their_turn_gives_it_on() -> None:
    line = Line(1)
    await line.come("first")
    await line.come("second")
    await line.come("third")
    line.gates["first"].set()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    line.tasks["second"].cancel()
    await asyncio.sleep(0.001)
    await line.leave("third")
    await line.come("fourth")
    assert line.inside[-1] == "fourth"
    await line.leave("fourth")
