"""One NoneBot a test process, with the plugin loaded; ``bot`` runs it for real behind a port of its own.

A plugin cannot be loaded twice in one process, so settings that a test needs are set on the live configuration before
the bot starts.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nonebot
import pytest
from nonebot.adapters.onebot.v11 import Adapter

from tests.fakes.onebot import OneBotClient
from tests.fakes.openai_server import OpenAIServer

if TYPE_CHECKING:
    from nonebot_plugin_scoped_memory.engine.engine import MemoryEngine

OPERATOR = 10000


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


LLM_PORT = free_port()


def pytest_configure(config: pytest.Config) -> None:
    """Before any test module is imported: NoneBot must load the plugin first."""
    from nonebug import NONEBOT_START_LIFESPAN

    config.stash[NONEBOT_START_LIFESPAN] = False
    nonebot.init(
        driver="~fastapi",
        log_level="WARNING",
        superusers={str(OPERATOR)},
        command_start={"/"},
        nickname={"小忆"},
        _env_file=None,
        scoped_memory={
            "llm": {"base_url": f"http://127.0.0.1:{LLM_PORT}/v1", "api_key": "test", "timeout": 5},
            "embedding": {"provider": "none"},
        },
    )
    nonebot.get_driver().register_adapter(Adapter)
    nonebot.load_plugin("nonebot_plugin_scoped_memory")


@pytest.fixture
async def llm() -> AsyncIterator[OpenAIServer]:
    """The endpoint that the bot's model is configured for."""
    async with OpenAIServer(port=LLM_PORT) as server:
        yield server


def wiring() -> Any:
    """The loaded plugin's parts."""
    import nonebot_plugin_scoped_memory

    return nonebot_plugin_scoped_memory._wiring


class RunningBot:
    """A bot that really serves, and the means to talk to it and to look inside."""

    def __init__(self, llm: OpenAIServer, config: Any) -> None:
        self.llm = llm
        self.config = config
        self.port = 0
        self._stack = AsyncExitStack()
        self._clients: AsyncExitStack = AsyncExitStack()

    @property
    def engine(self) -> MemoryEngine:
        from nonebot_plugin_scoped_memory import api

        engine = api.engine()
        assert engine is not None, "the memory is not open"
        return engine

    async def connect(self, self_id: str = "30001", **options: Any) -> OneBotClient:
        """Another bot account; closed with the bot."""
        return await self._clients.enter_async_context(OneBotClient(self.port, self_id=self_id, **options))

    async def start(self) -> None:
        self.port = free_port()
        await self._stack.enter_async_context(serving(self.port))

    async def stop(self) -> None:
        """Close the clients, then the bot, as an operator would."""
        await self._clients.aclose()
        await self._stack.aclose()
        self._clients, self._stack = AsyncExitStack(), AsyncExitStack()

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    async def settled(self) -> None:
        """Wait until all that was heard is stored, classified and, where due, extracted."""
        await wiring().recorder.settled()
        await self.engine.drain()


@asynccontextmanager
async def serving(port: int) -> AsyncIterator[None]:
    import uvicorn

    app = nonebot.get_driver().server_app  # pyright: ignore[reportAttributeAccessIssue]
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_config=None, lifespan="on"))
    server.install_signal_handlers = lambda: None  # pyright: ignore[reportAttributeAccessIssue]
    task = asyncio.create_task(server._serve() if hasattr(server, "_serve") else server.serve())
    try:
        yield
    finally:
        server.should_exit = True
        await asyncio.wait_for(task, 30)


@pytest.fixture
async def bot(llm: OpenAIServer, settings: Callable[..., Any], tmp_path: Path) -> AsyncIterator[RunningBot]:
    """A started bot on an empty database. ``settings`` is used first where a test needs other settings."""
    settings(store__url=f"sqlite:///{(tmp_path / '记忆 data' / 'memory.db').as_posix()}")
    running = RunningBot(llm, wiring().config)
    await running.start()
    try:
        yield running
    finally:
        await running.stop()


@pytest.fixture
def settings() -> Iterator[Callable[..., Any]]:
    """``settings(record__groups="all")``: set on the live configuration, undone after the test."""
    undo: list[tuple[Any, str, Any]] = []

    def change(**values: Any) -> Any:
        for path, value in values.items():
            *sections, name = path.split("__")
            section: Any = wiring().config
            for part in sections:
                section = getattr(section, part)
            undo.append((section, name, getattr(section, name)))
            setattr(section, name, value)
        return wiring().config

    yield change
    for section, name, value in reversed(undo):
        setattr(section, name, value)
