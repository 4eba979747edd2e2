"""Timing, and figures as a table or JSON. A figure is printed beside its target; nothing is asserted.

The wall clock of a shared machine also counts what others do on it, so each timing has a second clock: the processor
time of this process, all threads together.
"""

from __future__ import annotations

import json
import math
import os
import platform
import sqlite3
import statistics
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

Q = TypeVar("Q")


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the report. Column ``judged`` is compared with ``target`` (smaller is better), where there is one."""

    name: str
    columns: dict[str, float]
    target: float | None = None
    judged: str = "value"
    note: str = ""

    @property
    def met(self) -> bool | None:
        value = self.columns.get(self.judged)
        return None if self.target is None or value is None else value < self.target


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds: wall clock, and processor time of this process."""

    wall: tuple[float, ...]
    cpu: tuple[float, ...]


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile; ``share`` in 0..1."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


async def timed(work: Callable[[Q], Awaitable[object]], inputs: Iterable[Q]) -> Timing:
    """Each call's time, one after the other."""
    wall, cpu = [], []
    for one in inputs:
        began, began_cpu = time.perf_counter(), time.process_time()
        await work(one)
        wall.append((time.perf_counter() - began) * 1000)
        cpu.append((time.process_time() - began_cpu) * 1000)
    return Timing(tuple(wall), tuple(cpu))


def latency(
    name: str, runs: Sequence[Timing], *, target: float | None = None, judged: str = "p99", note: str = ""
) -> Figure:
    """p50 and p99 of each run in milliseconds, and of these the median over the runs."""
    columns = {
        "p50": statistics.median(percentile(run.wall, 0.5) for run in runs),
        "p99": statistics.median(percentile(run.wall, 0.99) for run in runs),
        "cpu p50": statistics.median(percentile(run.cpu, 0.5) for run in runs),
        "cpu p99": statistics.median(percentile(run.cpu, 0.99) for run in runs),
    }
    return Figure(name, columns, target, judged, note)


def value(name: str, figure: float, *, target: float | None = None, note: str = "") -> Figure:
    """A line with one number; its unit stands in the name."""
    return Figure(name, {"value": figure}, target, note=note)


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    return {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "system": platform.system(),
        "cores": os.cpu_count(),
    }


def busyness() -> dict[str, Any]:
    """How busy the machine is: its load over the last minute, and the milliseconds of a fixed loop, at best and at the
    median. Where these two differ, so do wall clock and processor time below."""
    times = []
    for _ in range(20):
        began = time.perf_counter()
        sum(range(300_000))
        times.append((time.perf_counter() - began) * 1000)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {"load": load, "loop best": round(min(times), 1), "loop median": round(statistics.median(times), 1)}


def table(title: str, figures: Sequence[Figure]) -> str:
    """The figures as text, one a line."""
    columns = list(dict.fromkeys(name for figure in figures for name in figure.columns))
    lines = [["", *columns, "target", ""]]
    for figure in figures:
        numbers = [_number(figure.columns[name]) if name in figure.columns else "" for name in columns]
        target = "" if figure.target is None else f"{figure.judged} < {_number(figure.target)}".removeprefix("value ")
        verdict = {True: "met", False: "NOT MET", None: ""}[figure.met]
        lines.append([figure.name, *numbers, target, "; ".join(part for part in (verdict, figure.note) if part)])
    widths = [max(len(line[place]) for line in lines) for place in range(len(lines[0]))]
    text = ["", title]
    for name, *cells, remark in lines:
        padded = (cell.rjust(width) for cell, width in zip(cells, widths[1:-1], strict=True))
        text.append(f"  {'  '.join((name.ljust(widths[0]), *padded, remark))}".rstrip())
    return "\n".join(text)


def _number(value: float) -> str:
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 100 else f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"


def write_json(path: Path, sections: dict[str, Sequence[Figure]], about: dict[str, Any]) -> None:
    """Everything that was printed, for a program to read."""
    content = {
        "about": about,
        "figures": [
            {"section": section, **asdict(figure), "met": figure.met}
            for section, figures in sections.items()
            for figure in figures
        ],
    }
    path.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
