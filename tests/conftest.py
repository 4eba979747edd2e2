"""One NoneBot a test process, with the plugin loaded; ``bot`` runs it for real behind a port of its own.

A plugin cannot be loaded twice in one process, so settings that a test needs are set on the live configuration:
``@pytest.mark.settings(record__groups="all")`` sets them before the bot starts.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nonebot
import nonebot.matcher
import pytest
from nonebot.adapters.onebot.v11 import Adapter

from tests.fakes.onebot import OneBotClient
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.serving import Serving

if TYPE_CHECKING:
    # Not at run time: NoneBot must load the plugin before anything imports it.
    from nonebot_plugin_scoped_memory.engine.engine import MemoryEngine
    from nonebot_plugin_scoped_memory.engine.models import Item, ItemStatus, Turn

OPERATOR = 10000


def pytest_configure(config: pytest.Config) -> None:
    """Before any test module is imported: NoneBot must load the plugin first."""
    from nonebug import NONEBOT_START_LIFESPAN

    config.addinivalue_line("markers", "settings(**values): what the bot is configured with before it starts")
    config.stash[NONEBOT_START_LIFESPAN] = False
    nonebot.init(
        driver="~fastapi",
        log_level="WARNING",
        superusers={str(OPERATOR)},
        command_start={"/"},
        nickname={"小忆"},
        _env_file=None,
        scoped_memory={
            "llm": {"base_url": "http://127.0.0.1:9/v1", "api_key": "test", "timeout": 5},
            "embedding": {"provider": "none"},
        },
    )
    nonebot.get_driver().register_adapter(Adapter)
    nonebot.load_plugin("nonebot_plugin_scoped_memory")


@pytest.fixture
async def llm(settings: Callable[..., Any]) -> AsyncIterator[OpenAIServer]:
    """The endpoint that the bot's model is configured for."""
    async with OpenAIServer() as server:
        settings(llm__base_url=server.base_url)
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
        self.port = await self._stack.enter_async_context(serving())

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

    async def turns(self, session_key: str, domain_id: str = "default") -> list[Turn]:
        """All turns of a session in reading order, of any state, with those that were taken back."""
        from nonebot_plugin_scoped_memory.engine.scope import session_scope

        view = self.engine.store.view(domain_id, (session_scope(session_key),))
        turns = await view.turns_after(session_key, 0, limit=100_000)
        return sorted(turns, key=lambda turn: (turn.said_at, turn.seq, turn.n))

    async def items(
        self, session_key: str, domain_id: str = "default", status: ItemStatus | None = "active"
    ) -> list[Item]:
        """The items of a session's own chat, oldest first."""
        from nonebot_plugin_scoped_memory.engine.scope import home_scope

        found = await self.engine.list_items(read=[home_scope(session_key)], status=status, domain_id=domain_id)
        return found[::-1]


async def until(ready: Callable[[], object], timeout: float = 5.0) -> None:
    """Wait for what nobody announces. Raises TimeoutError after ``timeout`` seconds."""
    deadline = asyncio.get_running_loop().time() + timeout
    while not ready():
        if asyncio.get_running_loop().time() > deadline:
            raise TimeoutError("it did not happen")
        await asyncio.sleep(0.005)


@asynccontextmanager
async def serving() -> AsyncIterator[int]:
    """NoneBot's application behind a free port, which is yielded."""
    app = nonebot.get_driver().server_app  # pyright: ignore[reportAttributeAccessIssue]
    application = Serving(app, lifespan="on")
    await application.start()
    try:
        yield application.port
    finally:
        await application.stop()


@pytest.fixture
async def bot(
    llm: OpenAIServer, settings: Callable[..., Any], tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[RunningBot]:
    """A started bot on an empty database. The ``settings`` marker, or the fixture used first, sets it up otherwise."""
    settings(store__url=f"sqlite:///{(tmp_path / '记忆 data' / 'memory.db').as_posix()}")
    for mark in reversed(list(request.node.iter_markers("settings"))):  # the test's own last
        settings(**mark.kwargs)
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


@pytest.fixture
def rivals() -> Iterator[None]:
    """Matchers that a test registers, as another plugin would, are gone after it."""
    registered = nonebot.matcher.matchers

    def all_of_them() -> set[type[nonebot.matcher.Matcher]]:
        return {matcher for same_priority in registered.values() for matcher in same_priority}

    before = all_of_them()
    yield
    for matcher in all_of_them() - before:
        with suppress(ValueError):
            matcher.destroy()
