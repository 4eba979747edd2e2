"""``bot.py demo``: ends with 0 only if everything that it claims on screen held."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest
from dotenv import dotenv_values

from tests.fakes.openai_server import OpenAIServer

pytestmark = pytest.mark.timeout(180)

ROOT = Path(__file__).parents[1]
PREFIX = "SCOPED_MEMORY__"


async def demo(folder: Path, **settings: str) -> tuple[int, str]:
    """Play the demo. Returns its exit code and what it showed."""
    # An empty value stands for the default, before what a .env of the developer's might say.
    environment = {name: "" for name in dotenv_values(ROOT / ".env.example") if name.startswith(PREFIX)} | settings
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
    """As it is for everybody who has set nothing, with the local model that a checkout comes with."""
    code, shown = await demo(tmp_path)
    assert code == 0, shown
    assert "离线替身" in shown
    assert "全部成立" in shown
    assert "✗" not in shown
    assert shown.count("✓") >= 12
    assert re.findall(r"^ +存下：(.*)$", shown, re.MULTILINE) == [
        "[喜好] 小明（10001）喜欢手冲咖啡 → 本聊天",
        "[事实] 小明（10001）的猫叫豆豆 → 本聊天",
        "[事实] 小明（10001）主要写 Python → 本聊天",
        "[事实] 小红（10002）主要写 Rust → 本聊天",
        "[事实] 小刚（10003）对花生过敏 → 本聊天",
        "[决定] 周会改到周四下午三点 → 本聊天（等待管理员批准，之后共享）",
        "[决定] 周会改到周四下午三点 → 共享",
        "[事实] 小明（10001）最近在给楼上的老奶奶画一本故事书 → 本聊天",
    ]
    assert "Traceback" not in shown
    assert not any(tmp_path.iterdir())  # noqa: ASYNC240 - its folder is its own


async def test_it_says_so_when_a_promise_does_not_hold(tmp_path: Path) -> None:
    """With a real model that finds nothing in what it reads, one of the claims is wrong."""
    async with OpenAIServer(api_key="k") as llm:
        code, shown = await demo(
            tmp_path,
            SCOPED_MEMORY__LLM__BASE_URL=llm.base_url,
            SCOPED_MEMORY__LLM__API_KEY="k",
            SCOPED_MEMORY__EMBEDDING__PROVIDER="none",
        )
    assert code == 1, shown
    assert "离线替身" not in shown
    assert "1 处不成立" in shown
    assert shown.count("✗") == 1
