"""How the memory starts and stops with the bot, and how the bot goes on where it cannot start."""

from __future__ import annotations

import importlib.util
import logging
import socket
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from nonebot_plugin_apscheduler import scheduler

from nonebot_plugin_scoped_memory import api, texts
from nonebot_plugin_scoped_memory.bot.jobs import PREFIX
from tests.bot.casting import GROUP, MING, OPERATOR, private, prompts, transcripts
from tests.conftest import RunningBot, wiring
from tests.fakes.openai_server import OpenAIServer
from tests.fresh import files_in, log_of, run_python, running_bot

ANSWERS_WITHIN = 60.0
"""Seconds that a bot in a process of its own may take: it imports its HTTP client for the first answer."""

DRIVERS = {
    # The store's check has a driver of its own: no server, and no hook is ever run.
    "fake": """
from nonebot.drivers import Driver as BaseDriver
class Driver(BaseDriver):
    @property
    def type(self): return "fake"
    @property
    def logger(self): return None
    def run(self, *args, **kwargs): raise RuntimeError("it never runs")
""",
    "~none": "",
}


def below_a_file(folder: Path) -> str:
    (folder / "plain").write_text("a file, not a folder")
    return "plain/memory.db"


def no_database(folder: Path) -> str:
    (folder / "memory.db").write_bytes(b"this is no database at all, but long enough to look like one" * 100)
    return "memory.db"


def of_another_program(folder: Path) -> str:
    _write(folder / "memory.db", "CREATE TABLE notes (text)")
    return "memory.db"


def of_a_newer_version(folder: Path) -> str:
    _write(folder / "memory.db", "PRAGMA user_version = 9999")
    return "memory.db"


def a_folder(folder: Path) -> str:
    (folder / "memory.db").mkdir()
    return "memory.db"


def _write(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.close()


@pytest.fixture
async def broken(llm: OpenAIServer, settings: Callable[..., Any]) -> AsyncIterator[Callable[[str], Any]]:
    """Starts a bot whose database is at a URL that may be of no use. It has started when it is returned."""
    running = RunningBot(llm, wiring().config)

    async def start(url: str) -> RunningBot:
        settings(store__url=url)
        await running.start()
        await running.connect("30002")
        return running

    yield start
    await running.stop()


@pytest.mark.parametrize("spoil", [below_a_file, no_database, of_another_program, of_a_newer_version, a_folder])
async def test_without_its_database_the_bot_runs_without_memory(
    broken: Callable[[str], Any], tmp_path: Path, caplog: pytest.LogCaptureFixture, spoil: Callable[[Path], str]
) -> None:
    url = f"sqlite:///{(tmp_path / spoil(tmp_path)).as_posix()}"
    bot = await broken(url)
    (line,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert line.getMessage().startswith(texts.LOG_STORE_FAILED.split("{")[0])
    assert url in line.getMessage()
    assert api.engine() is None

    qq = await bot.connect()
    for command in ("", "list", "add 我喜欢手冲咖啡", "status", "什么"):
        assert await qq.ask_private(MING, f"/memory {command}") == texts.MEMORY_UNAVAILABLE
    assert await qq.ask_group(GROUP, OPERATOR, "/memory review") == texts.MEMORY_UNAVAILABLE
    assert await qq.ask_private(MING, "你好")
    assert [message["content"] for message in prompts(bot)[-1].messages[1:]] == ["你好"]
    assert transcripts(bot) == []


@pytest.mark.parametrize("url", ["postgresql://u:secret@h/db", "memory.db", "sqlite:///"])
async def test_a_store_url_that_makes_no_sense_is_logged(
    broken: Callable[[str], Any], caplog: pytest.LogCaptureFixture, url: str
) -> None:
    await broken(url)
    (line,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert line.getMessage().startswith(texts.LOG_STORE_FAILED.split("{")[0])
    assert "secret" not in caplog.text


async def test_the_memory_comes_back_with_a_start_on_a_good_database(
    broken: Callable[[str], Any], settings: Callable[..., Any], tmp_path: Path
) -> None:
    bot = await broken(f"sqlite:///{(tmp_path / below_a_file(tmp_path)).as_posix()}")
    settings(store__url=f"sqlite:///{(tmp_path / 'good.db').as_posix()}")
    await bot.restart()
    qq = await bot.connect()
    assert await qq.ask_private(MING, "/memory list") == texts.LIST_EMPTY


async def test_an_embedder_that_cannot_be_had_is_said_once_and_done_without(
    broken: Callable[[str], Any],
    settings: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    settings(embedding__provider="local")
    bot = await broken("sqlite://")
    lines = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert [line.startswith(texts.LOG_EMBEDDING_FAILED.split("{")[0]) for line in lines] == [True]
    qq = await bot.connect()
    await qq.ask_private(MING, "记住我喜欢手冲咖啡", nickname="小明")
    assert "手冲咖啡" in await qq.ask_private(MING, "/memory search 咖啡")
    assert texts.STATUS_VECTORS_NONE in await qq.ask_private(MING, "/memory status")


def jobs() -> list[str]:
    return sorted(job.id for job in scheduler.get_jobs() if job.id.startswith(PREFIX))


def threads() -> set[threading.Thread]:
    """Threads that belong to somebody: the event loop and the HTTP server keep pools of idle ones."""
    return {thread for thread in threading.enumerate() if not thread.name.startswith(("asyncio_", "AnyIO worker"))}


async def test_restarts_leave_one_job_of_each_and_no_thread_lock_or_port(
    llm: OpenAIServer, settings: Callable[..., Any], tmp_path: Path
) -> None:
    database = tmp_path / "记忆 data" / "一 二" / "memory.db"
    settings(store__url=f"sqlite:///{database.as_posix()}")
    before = threads()
    bot = RunningBot(llm, wiring().config)
    for n in range(3):
        await bot.start()
        qq = await bot.connect()
        assert jobs() == [f"{PREFIX}.{name}" for name in ("dream", "embed", "expire", "extract", "tidy")]
        assert await qq.ask_private(MING, f"这是第{n}次启动")
        await bot.stop()
        assert api.engine() is None
        for thread in threads() - before:
            thread.join(5)  # a closed connection's thread is on its way out
        assert threads() == before
        # Nobody holds the database: it can be locked as a whole, and its log is folded in.
        connection = sqlite3.connect(database, timeout=0)
        connection.execute("BEGIN EXCLUSIVE")
        assert connection.execute("SELECT count(*) FROM turns").fetchone()[0] == 2 * (n + 1)
        connection.close()
        assert files_in(tmp_path) == [database]
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", bot.port)).close()


async def test_the_rules_are_compiled_once_the_bot_has_started(
    llm: OpenAIServer, settings: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(store__url="sqlite://")
    compiling, ended = threading.Event(), threading.Event()

    def compile_all() -> int:
        compiling.wait(10)
        assert threading.current_thread() is not threading.main_thread()
        ended.set()
        return 0

    monkeypatch.setattr("nonebot_plugin_scoped_memory.bot.lifecycle.compile_all", compile_all)
    bot = RunningBot(llm, wiring().config)
    await bot.start()
    try:
        # Nobody waits for it.
        qq = await bot.connect()
        assert await qq.ask_private(MING, "/memory list") == texts.LIST_EMPTY
        assert not ended.is_set()
    finally:
        compiling.set()
        await bot.stop()
    assert ended.is_set()


async def test_what_was_heard_when_the_bot_stops_is_stored(bot: RunningBot) -> None:
    qq = await bot.connect()
    bot.llm.hold()
    await qq.private(MING, "最后一句话")
    await bot.llm.wait_chats(1)
    await bot.restart()
    assert [turn.text for turn in await bot.turns(private(MING))] == ["最后一句话"]


async def test_switched_off_in_this_process_nothing_is_opened(
    llm: OpenAIServer, settings: Callable[..., Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings(enabled=False, store__url=f"sqlite:///{(tmp_path / 'memory.db').as_posix()}")
    bot = RunningBot(llm, wiring().config)
    await bot.start()
    try:
        qq = await bot.connect()
        assert texts.LOG_DISABLED in caplog.text
        assert api.engine() is None
        assert await qq.ask_private(MING, "记住我喜欢手冲咖啡")
    finally:
        await bot.stop()
    assert files_in(tmp_path) == []


async def test_switched_off_the_chat_works_and_no_file_is_made(llm: OpenAIServer, tmp_path: Path) -> None:
    dotenv = {
        "SCOPED_MEMORY__ENABLED": "false",
        "SCOPED_MEMORY__LLM__BASE_URL": llm.base_url,
        "SCOPED_MEMORY__LLM__API_KEY": "123456",
    }
    async with running_bot(tmp_path, dotenv) as qq:
        # A prefix makes it a command all the same: nobody answers, not even the chat.
        await qq.private(MING, "/memory list")
        assert await qq.ask_private(MING, "我的猫叫豆豆", ANSWERS_WITHIN)
        assert await qq.ask_private(MING, "我的猫叫什么？", ANSWERS_WITHIN)
    assert len(llm.chat_requests) == 2
    assert "豆豆" not in llm.chat_requests[-1].text
    assert llm.chat_requests[0].headers["authorization"] == "Bearer 123456"
    assert texts.LOG_DISABLED in log_of(tmp_path)
    assert files_in(tmp_path, "*.db*") == []


async def test_a_bot_of_its_own_logs_in_chinese_among_nonebots_lines(llm: OpenAIServer, tmp_path: Path) -> None:
    dotenv = {
        "COMMAND_START": '[""]',
        "SCOPED_MEMORY__LLM__BASE_URL": llm.base_url,
        "SCOPED_MEMORY__LLM__API_KEY": "test",
        "SCOPED_MEMORY__EMBEDDING__PROVIDER": "none",
    }
    async with running_bot(tmp_path, dotenv) as qq:
        # With an empty COMMAND_START a message that only begins like the command is none.
        assert await qq.ask_private(MING, "记忆", ANSWERS_WITHIN) == texts.HELP.format(prefix="")
        assert await qq.ask_private(MING, "记忆 list", ANSWERS_WITHIN) == texts.LIST_EMPTY
        assert await qq.ask_private(MING, "memory list", ANSWERS_WITHIN) == texts.LIST_EMPTY
        assert llm.chat_requests == []
        for text in ("记忆力不好怎么办", "memory2 是什么", "记忆list"):
            await qq.ask_private(MING, text, ANSWERS_WITHIN)
            assert llm.chat_requests[-1].messages[-1]["content"] == text
    url = f"sqlite:///{(tmp_path / 'data' / 'nonebot_plugin_scoped_memory' / 'memory.db').as_posix()}"
    lines = [line for line in log_of(tmp_path).splitlines() if texts.LOG_OPENED.format(url=url) in line]
    assert len(lines) == 1
    assert "[INFO]" in lines[0]


@pytest.mark.parametrize("driver", DRIVERS)
def test_it_loads_without_a_server_and_without_opening_anything(tmp_path: Path, driver: str) -> None:
    (tmp_path / "fake.py").write_text(DRIVERS[driver])
    code = f"""
import sys; sys.path.insert(0, ".")
import nonebot
nonebot.init(driver={driver!r})
plugin = nonebot.load_plugin("nonebot_plugin_scoped_memory")
assert plugin is not None
print(plugin.metadata.name, plugin.metadata.type, sorted(plugin.metadata.supported_adapters))
import threading
assert threading.active_count() == 1, threading.enumerate()
"""
    done = run_python(code, tmp_path, dotenv={"LOCALSTORE_USE_CWD": "true"})
    assert done.returncode == 0, done.stderr
    assert "聊天记忆 application ['nonebot.adapters.onebot.v11']" in done.stdout or "~onebot.v11" in done.stdout
    made = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if "__pycache__" not in path.parts}
    assert made <= {".env", "fake.py", "data", "data/nonebot_plugin_scoped_memory"}
