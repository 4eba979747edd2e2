"""What loading the plugin costs a bot: time and memory over NoneBot with the OneBot adapter alone.

Each figure is the median over new processes. ``python plugin_load.py PLUGIN...`` is such a process: it loads the
plugins one after the other and prints a line of JSON. Time is that of ``load_plugin``; memory, and both once the bot
has started, are what such a process takes over one that loads nothing. Modules come from bytecode, as they do in an
installed bot, whatever the environment says about writing it.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measure import Figure

PLUGINS = ("nonebot_plugin_apscheduler", "nonebot_plugin_localstore", "nonebot_plugin_scoped_memory")
OURS = PLUGINS[-1]
TIME_TARGET, MEMORY_TARGET = 400.0, 60.0
"""Milliseconds and MB, for the plugin with its dependencies."""


def figures(pairs: int) -> list[Figure]:
    """One process that loads our plugin against one that loads nothing; and inside one process, step by step."""
    bare, loaded, steps = [], [], []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as bytecode:
        _process(bytecode, *PLUGINS)  # writes the bytecode
        for _ in range(pairs):
            bare.append(_process(bytecode))
            loaded.append(_process(bytecode, OURS))
            steps.append(_process(bytecode, *PLUGINS))

    def over(key: str) -> float:
        return statistics.median(one[key] - other[key] for one, other in zip(loaded, bare, strict=True))

    def line(name: str, ms: float, cpu: float, memory: float) -> Figure:
        return Figure(name, {"ms": ms, "cpu ms": cpu, "MB": memory})

    load = [one["plugins"][OURS] for one in loaded]
    time_columns = {"ms": _median(load, "ms"), "cpu ms": _median(load, "cpu")}
    rows = [
        line("NoneBot, driver and adapter", *(_median(bare, key) for key in ("ready", "ready_cpu", "memory"))),
        Figure("plugin and dependencies: time", time_columns, TIME_TARGET, "ms"),
        Figure("plugin and dependencies: memory", {"MB": over("memory")}, MEMORY_TARGET, "MB"),
        line("the same once started (database open)", *(over(f"started{key}") for key in ("", "_cpu", "_memory"))),
    ]
    for name in PLUGINS:
        parts = [step["plugins"][name] for step in steps]
        rows.append(line(f"of which {name}", *(_median(parts, key) for key in ("ms", "cpu", "memory"))))
    return rows


def _median(runs: list[dict[str, Any]], key: str) -> float:
    return statistics.median(run[key] for run in runs)


def _process(bytecode: str, *plugins: str) -> dict[str, Any]:
    command = [sys.executable, __file__, *plugins]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = bytecode
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, encoding="utf-8")
    return json.loads(process.stdout.splitlines()[-1])


def memory() -> float:
    """Resident memory of this process in MB; where only the peak is known, that; 0 where nothing is."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    try:
        import resource
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


@dataclass(frozen=True, slots=True)
class _Now:
    """Seconds of wall clock and processor, and MB, at one moment."""

    wall: float = field(default_factory=time.perf_counter)
    cpu: float = field(default_factory=time.process_time)
    memory: float = field(default_factory=memory)

    def since(self, then: _Now) -> tuple[float, float]:
        """Milliseconds of both clocks."""
        return (self.wall - then.wall) * 1000, (self.cpu - then.cpu) * 1000


async def _start(driver: Any) -> _Now:
    """Run the start-up hooks."""
    app = driver.server_app
    async with app.router.lifespan_context(app):
        return _Now()


def _child(plugins: list[str]) -> dict[str, Any]:
    began = _Now()
    import nonebot
    from nonebot.adapters.onebot.v11 import Adapter

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        url = f"sqlite:///{(Path(folder) / 'memory.db').as_posix()}"
        nonebot.init(driver="~fastapi", log_level="ERROR", _env_file=None, scoped_memory={"store": {"url": url}})
        driver = nonebot.get_driver()
        driver.register_adapter(Adapter)
        steps: dict[str, dict[str, float]] = {}
        for plugin in plugins:
            before = _Now()
            if nonebot.load_plugin(plugin) is None:
                raise RuntimeError(f"{plugin} could not be loaded")
            after = _Now()
            ms, cpu = after.since(before)
            steps[plugin] = {"ms": ms, "cpu": cpu, "memory": after.memory - before.memory}
        ready = _Now()
        started = asyncio.run(_start(driver))
    result: dict[str, Any] = {"plugins": steps, "memory": ready.memory, "started_memory": started.memory}
    result["ready"], result["ready_cpu"] = ready.since(began)
    result["started"], result["started_cpu"] = started.since(began)
    return result


if __name__ == "__main__":
    print(json.dumps(_child(sys.argv[1:])))
