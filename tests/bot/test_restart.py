"""The real bot in a process of its own: killed without warning, and asked to stop. What it had answered is there."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from nonebot_plugin_scoped_memory import texts
from tests.bot.casting import MING
from tests.fakes.onebot import OneBotClient
from tests.fakes.openai_server import OpenAIServer

pytestmark = [
    pytest.mark.timeout(90),
    pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals"),
]

ROOT = Path(__file__).parents[2]
STARTS_WITHIN = 40.0


class BotProcess:
    """``bot.py`` in a folder of its own, which keeps its ``.env`` and its data."""

    def __init__(self, folder: Path, llm: OpenAIServer, **settings: str) -> None:
        self.folder = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._process: asyncio.subprocess.Process | None = None
        lines = {
            "DRIVER": "~fastapi",
            "PORT": str(self.port),
            "SUPERUSERS": json.dumps(["10000"]),
            "LOCALSTORE_USE_CWD": "true",
            "SCOPED_MEMORY__LLM__BASE_URL": llm.base_url,
            "SCOPED_MEMORY__LLM__API_KEY": "test",
            "SCOPED_MEMORY__EMBEDDING__PROVIDER": "none",
            **settings,
        }
        (folder / ".env").write_text("".join(f"{name}={value}\n" for name, value in lines.items()), encoding="utf-8")

    @asynccontextmanager
    async def running(self) -> AsyncIterator[OneBotClient]:
        """A connected client of the running bot. The process is gone afterwards."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SCOPED_MEMORY__")}
        with (self.folder / "bot.log").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                str(ROOT / "bot.py"),
                cwd=self.folder,
                env={**environment, "PYTHONPATH": str(ROOT)},
                stdout=log,
                stderr=log,
            )
        try:
            async with OneBotClient(self.port, self_id="30001", patience=STARTS_WITHIN) as qq:
                yield qq
        finally:
            if self._process.returncode is None:
                self._process.kill()
            await self._process.wait()

    async def end(self, signal_number: int) -> float:
        """Send a signal and wait for the end. Returns how many seconds that took."""
        assert self._process is not None
        begun = time.monotonic()
        self._process.send_signal(signal_number)
        await asyncio.wait_for(self._process.wait(), 60)
        return time.monotonic() - begun

    def log(self) -> str:
        return (self.folder / "bot.log").read_text(encoding="utf-8", errors="replace")


async def test_killed_it_keeps_what_it_answered(tmp_path: Path) -> None:
    """It dies the moment its answer has arrived: what it was told is remembered, and is in the history."""
    async with OpenAIServer() as llm:
        bot = BotProcess(tmp_path, llm)
        async with bot.running() as qq:
            assert await qq.ask_private(MING, "/memory add 我喜欢手冲咖啡", nickname="小明")
            assert await qq.ask_private(MING, "我的猫叫豆豆", nickname="小明")
            await bot.end(signal.SIGKILL)
        async with bot.running() as qq:
            listed = await qq.ask_private(MING, "/memory list")
            assert "豆豆" in listed
            assert "手冲咖啡" in listed
            await qq.ask_private(MING, "我的猫叫什么？", nickname="小明")
            [_, said, *_, current] = llm.chat_requests[-1].messages
            assert said == {"role": "user", "content": "我的猫叫豆豆"}
            assert "小明（10001）的猫叫豆豆" in current["content"]


async def test_asked_to_stop_it_stops_in_time(tmp_path: Path) -> None:
    """Also while the model does not answer: what was said is stored, the port is free, and the next start finds all."""
    async with OpenAIServer() as llm:
        bot = BotProcess(tmp_path, llm, SCOPED_MEMORY__EXTRACT__EVERY_TURNS="2")
        async with bot.running() as qq:
            await qq.ask_private(MING, "我的猫叫豆豆", nickname="小明")
            llm.hold()
            await qq.private(MING, "我对花生过敏", nickname="小明")
            await qq.private(10002, "我喜欢手冲咖啡", nickname="小红")
            await llm.wait_chats(3)
            assert await bot.end(signal.SIGTERM) < 15
            with socket.create_server(("127.0.0.1", bot.port)):
                pass
        llm.release()
        async with bot.running() as qq:
            listed = await qq.ask_private(MING, "/memory list")
            assert "豆豆" in listed
            assert "花生" in listed
            assert "手冲咖啡" in await qq.ask_private(10002, "/memory list")
            await qq.ask_private(MING, "在吗", nickname="小明")
            words = [message["content"] for message in llm.chat_requests[-1].messages]
            assert "我对花生过敏" in words
            assert await bot.end(signal.SIGTERM) < 15
        assert "Traceback" not in bot.log()
        assert texts.LOG_OPEN_FAILED.partition("：")[0] not in bot.log()
