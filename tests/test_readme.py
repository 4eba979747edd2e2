"""What the README shows works as it stands there: its examples are run, and what it promises is looked up."""

from __future__ import annotations

import functools
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

from nonebot_plugin_scoped_memory import texts
from nonebot_plugin_scoped_memory.engine.models import MAX_TURN_CHARS
from tests.bot.casting import MING, account, contents, private
from tests.conftest import RunningBot, until
from tests.fresh import ROOT, run_python

README = (ROOT / "README.md").read_text(encoding="utf-8")
PLUGIN, ENGINE = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.mark.usefixtures("rivals")
async def test_the_plugin_example(bot: RunningBot) -> None:
    """It runs as a plugin of a running bot does: each call finds the chat of the event that is handled."""
    plugin: dict[str, Any] = {"__name__": "another_plugin"}
    exec(compile(PLUGIN, "README.md", "exec", dont_inherit=True), plugin)
    results: list[Any] = []

    def kept(call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        @functools.wraps(call)
        async def wrapper(*args: Any, **kwargs: Any) -> Any:
            results.append(await call(*args, **kwargs))
            return results[-1]

        return wrapper

    for name in ("compose_context", "recall"):
        plugin[name] = kept(plugin[name])
    qq = await bot.connect()
    for asked in (1, 2):
        await qq.private(MING, "考试怎么准备？", nickname="小明")
        await until(lambda asked=asked: len(results) == 2 * asked)
    before, first, package, second = results
    wanted = "小明（10001）在准备考研"
    assert (before.items, [item.content for item in package.items]) == ((), [wanted])
    assert wanted in package.memory_block()
    assert [one.item.content for one in first] == [one.item.content for one in second] == [wanted]
    [item] = await bot.items(private(MING))
    assert (item.kind, item.subject, item.origin) == ("fact", account(MING), "api")
    assert await contents(bot, None) == []


def test_the_engine_example(tmp_path: Path) -> None:
    code = f"""
import asyncio
import sys

async def main():
{indent(ENGINE, "    ")}

asyncio.run(main())
print("nonebot is initialised:", bool(sys.modules["nonebot"]._driver))
"""
    done = run_python(code, tmp_path)
    assert done.returncode == 0, done.stderr
    found, nonebot = done.stdout.splitlines()
    score, content = found.split()
    assert 0 < float(score) <= 1
    assert (content, nonebot) == ("小明的猫叫豆豆", "nonebot is initialised: False")
    assert (tmp_path / "memory.db").is_file()


def test_the_limit_of_a_message() -> None:
    assert f"最多记录 {MAX_TURN_CHARS:,} 个字" in README
    assert texts.TURN_CUT.strip("…（）") in README
