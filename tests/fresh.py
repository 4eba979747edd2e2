"""Python processes of their own, for what one process can do only once: configure NoneBot, load the plugin."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from tests.fakes.onebot import OneBotClient

ROOT = Path(__file__).parent.parent
STARTS_WITHIN = 60.0
PREFIX = "SCOPED_MEMORY__"


def run_python(
    code: str, folder: Path, *, dotenv: Mapping[str, str] | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ``code`` in ``folder``, which gets an ``.env`` file of ``dotenv``; ``env`` is set beside the usual."""
    write_dotenv(folder, dotenv or {})
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**clean_environment(), **(env or {})},
        capture_output=True,
        encoding="utf-8",
        timeout=STARTS_WITHIN,
        check=False,
    )


@asynccontextmanager
async def running_bot(folder: Path, dotenv: Mapping[str, str]) -> AsyncIterator[OneBotClient]:
    """``bot.py`` in ``folder`` with a client connected. Its output is in ``bot.log``, its exit code must be 0."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    defaults = {"DRIVER": "~fastapi", "PORT": str(port), "LOCALSTORE_USE_CWD": "true"}
    write_dotenv(folder, {**defaults, **dotenv})
    with (folder / "bot.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(ROOT / "bot.py"), cwd=folder, env=clean_environment(), stdout=log, stderr=log
        )
        try:
            async with OneBotClient(port, self_id="30001", patience=STARTS_WITHIN) as client:
                yield client
        finally:
            if process.returncode is None:
                process.terminate()
            await asyncio.wait_for(process.wait(), STARTS_WITHIN)


def log_of(folder: Path) -> str:
    """What the bot in ``folder`` has printed."""
    return (folder / "bot.log").read_text(encoding="utf-8")


def files_in(folder: Path, pattern: str = "*") -> list[Path]:
    """Every file of a folder and the folders in it."""
    return [path for path in sorted(folder.rglob(pattern)) if path.is_file()]


def write_dotenv(folder: Path, lines: Mapping[str, str]) -> None:
    text = "".join(f"{name}={value}\n" for name, value in lines.items())
    (folder / ".env").write_text(text, encoding="utf-8")


def clean_environment() -> dict[str, str]:
    """This process's environment without settings of the plugin, and with the package importable from anywhere."""
    inherited = {name: value for name, value in os.environ.items() if not name.upper().startswith(PREFIX)}
    return {**inherited, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
