"""A provider over real HTTP, one server for the tests of a file, and a client of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.fakes.openai_server import OpenAIServer, run_in_thread

if TYPE_CHECKING:
    # Not at run time: NoneBot must load the plugin before anything imports it.
    from nonebot_plugin_scoped_memory.engine.llm import OpenAIChat

    from .helpers import HandClock


@pytest.fixture(scope="module")
def shared_server() -> Iterator[OpenAIServer]:
    with run_in_thread() as running:
        yield running


@pytest.fixture
def server(shared_server: OpenAIServer) -> OpenAIServer:
    """A chat answers 好的, a vector has 32 numbers, unless the test says otherwise."""
    shared_server.reset()
    shared_server.reply = lambda _: "好的"
    shared_server.dims = 32
    return shared_server


@pytest.fixture
def clock() -> HandClock:
    from .helpers import HandClock

    return HandClock()


@pytest.fixture
async def chat(server: OpenAIServer, clock: HandClock) -> AsyncIterator[OpenAIChat]:
    from nonebot_plugin_scoped_memory.engine.llm import OpenAIChat

    from .providers import KEY

    model = OpenAIChat(server.base_url, KEY, "fake-chat", timeout=5.0, clock=clock)
    yield model
    await model.close()
