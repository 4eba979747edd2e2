"""How much of the bot's own time a message costs: the hooks alone, and a real ``Bot.handle_event`` with and without.

``python recorder.py`` is one process with one bot, which has a command and a message handler of its own as bots do;
``figures`` starts one with the plugin and one without.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import corpus
from measure import Figure, percentile

HOOK_TARGET = 1.0
"""Milliseconds of the bot's own time for a message, p50."""
SELF_ID = "30001"
CHATS = 20
_START = 1_767_225_600
"""Seconds: the first message's time."""


def figures(messages: int, data: Path | None) -> list[Figure]:
    """The hooks' own time, then the bot without the plugin and with it."""
    bare, full = _process(messages, data, plugin=False), _process(messages, data, plugin=True)

    def line(name: str, times: list[float], target: float | None = None, note: str = "") -> Figure:
        return Figure(name, {"p50": percentile(times, 0.5), "p99": percentile(times, 0.99)}, target, "p50", note)

    loop = percentile(full["loop"], 0.5) - percentile(bare["loop"], 0.5)
    return [
        line("the hooks, called one after the other", full["hooks"], HOOK_TARGET),
        line("processor time of the event loop for that and for storing the message", full["hooks loop"]),
        line("handle_event without the plugin", bare["event"]),
        line("handle_event with it", full["event"], note="NoneBot's own work for each hook and matcher included"),
        Figure("processor time of the event loop more, storing included", {"p50": loop}),
        line("from handle_event to stored and classified", full["stored"]),
        Figure("a burst, for each message until all are stored", {"p50": full["burst"][0]}),
    ]


def _process(messages: int, data: Path | None, *, plugin: bool) -> dict[str, list[float]]:
    command = [sys.executable, __file__, "--messages", str(messages)]
    command += ["--data", str(data)] if data else []
    command += ["--plugin"] if plugin else []
    process = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8")
    return json.loads(process.stdout.splitlines()[-1])


def _event(n: int, text: str) -> dict[str, Any]:
    """Every other message is private, the others are said to the bot in a group."""
    group = n % 2 == 0
    user_id = 10_001 + n % (CHATS * 3)
    message = [{"type": "text", "data": {"text": text}}]
    event: dict[str, Any] = {
        "time": _START + n,
        "self_id": int(SELF_ID),
        "post_type": "message",
        "message_type": "group" if group else "private",
        "sub_type": "normal" if group else "friend",
        "message_id": n + 1,
        "user_id": user_id,
        "message": [{"type": "at", "data": {"qq": SELF_ID}}, *message] if group else message,
        "raw_message": text,
        "font": 0,
        "sender": {"user_id": user_id, "nickname": f"人{user_id}", "card": "", "role": "member"},
    }
    if group:
        event["group_id"] = 20_001 + n % CHATS
    return event


async def _run(driver: Any, adapter: Any, texts: list[str], plugin: bool) -> dict[str, list[float]]:
    from nonebot.adapters.onebot.v11 import Adapter, Bot

    recorder = _recorder() if plugin else None
    numbers = itertools.count()
    times: dict[str, list[float]] = {"hooks": [], "hooks loop": [], "event": [], "loop": [], "stored": [], "burst": []}
    bot = Bot(adapter, SELF_ID)

    def events() -> Iterator[Any]:
        return (Adapter.json_to_event(_event(next(numbers), text)) for text in texts)

    async def settled() -> None:
        if recorder is not None:
            await recorder.settled()

    async with driver.server_app.router.lifespan_context(driver.server_app):
        adapter.bot_connect(bot)
        if recorder is not None:
            handling = asynccontextmanager(recorder.handling)
            for event in events():
                began, began_loop = time.perf_counter(), time.thread_time()
                async with handling(bot, event):
                    await recorder.after(event)
                times["hooks"].append((time.perf_counter() - began) * 1000)
                await settled()
                times["hooks loop"].append((time.thread_time() - began_loop) * 1000)
        for event in events():
            began, began_loop = time.perf_counter(), time.thread_time()
            await bot.handle_event(event)
            times["event"].append((time.perf_counter() - began) * 1000)
            await settled()
            times["stored"].append((time.perf_counter() - began) * 1000)
            times["loop"].append((time.thread_time() - began_loop) * 1000)
        burst = list(events())
        began = time.perf_counter()
        await asyncio.gather(*(bot.handle_event(event) for event in burst))
        await settled()
        times["burst"].append((time.perf_counter() - began) * 1000 / len(burst))
        adapter.bot_disconnect(bot)
    return times


def _recorder() -> Any:
    import nonebot_plugin_scoped_memory

    return nonebot_plugin_scoped_memory._wiring.recorder


def _other_handlers() -> None:
    import nonebot

    ping = nonebot.on_command("ping", priority=10, block=True)
    hear = nonebot.on_message(priority=50, block=False)

    @ping.handle()
    @hear.handle()
    async def _() -> None:
        """A plugin that has nothing to say."""


def _main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--messages", type=int, default=400)
    parser.add_argument("--data")
    parser.add_argument("--plugin", action="store_true")
    options = parser.parse_args()
    import nonebot
    from nonebot.adapters.onebot.v11 import Adapter

    words = corpus.load(corpus.find_data(options.data), seed=1)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        url = f"sqlite:///{(Path(folder) / 'memory.db').as_posix()}"
        settings = {"store": {"url": url}, "embedding": {"provider": "none"}}
        nonebot.init(driver="~fastapi", log_level="ERROR", _env_file=None, scoped_memory=settings)
        driver = nonebot.get_driver()
        driver.register_adapter(Adapter)
        adapter = driver._adapters[Adapter.get_name()]
        if options.plugin:
            nonebot.load_plugin("nonebot_plugin_scoped_memory")
        _other_handlers()
        texts = [words.sentence(n) for n in range(options.messages)]
        print(json.dumps(asyncio.run(_run(driver, adapter, texts, options.plugin))))


if __name__ == "__main__":
    _main()
