"""``bot.py demo``: ends with 0 only if everything that it claims on screen held."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from tests.fakes.openai_server import OpenAIServer

pytestmark = pytest.mark.timeout(180)

ROOT = Path(__file__).parents[1]


async def demo(folder: Path, **settings: str) -> tuple[int, str]:
    """Play the demo. Returns its exit code and what it showed."""
    # An empty value stands before what a .env of the developer's might say.
    environment = {"SCOPED_MEMORY__LLM__API_KEY": "", "SCOPED_MEMORY__EMBEDDING__PROVIDER": "none", **settings}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(ROOT / "bot.py"),
        "demo",
        cwd=folder,
        env={**os.environ, **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        shown, _ = await asyncio.wait_for(process.communicate(), 150)
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode is not None
    return process.returncode, shown.decode("utf-8")


async def test_it_keeps_its_promises(tmp_path: Path) -> None:
    code, shown = await demo(tmp_path)
    assert code == 0, shown
    assert "离线替身" in shown
    assert "全部成立" in shown
    assert "✗" not in shown
    assert shown.count("✓") >= 12
    assert "Traceback" not in shown
    assert not any(tmp_path.iterdir())  # noqa: ASYNC240 - its folder is its own


async def test_it_says_so_when_a_promise_does_not_hold(tmp_path: Path) -> None:
    """With a real model that finds nothing in what it reads, one of the claims is wrong."""
    async with OpenAIServer(api_key="k") as llm:
        code, shown = await demo(tmp_path, SCOPED_MEMORY__LLM__BASE_URL=llm.base_url, SCOPED_MEMORY__LLM__API_KEY="k")
    assert code == 1, shown
    assert "离线替身" not in shown
    assert "1 处不成立" in shown
    assert shown.count("✗") == 1
