"""Speed at scale, printed beside its targets: 100,000 real sentences as items of 1,000 scopes (Zipf).

    uv run benchmarks/scale.py
    uv run benchmarks/scale.py --items 20000 --scopes 200 --json figures.json

Nothing is asserted and the exit code is 0: the figures depend on the machine and on what else runs on it. With
``--database FILE`` the filled database is kept and used again by the next run with the same options.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import baseline
import corpus
import filling
import plugin_load
import reading
import recorder
from measure import Figure, busyness, machine, table, write_json

SECTIONS = ("writing", "search", "vectors", "cascade", "baseline", "load", "recorder")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Speed at scale, printed beside its targets.")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--scopes", type=int, default=1_000)
    parser.add_argument("--queries", type=int, default=200, help="questions in one run of one measurement")
    parser.add_argument("--runs", type=int, default=3, help="the median of so many runs is shown")
    parser.add_argument("--pairs", type=int, default=5, help="pairs of processes for the load of the plugin")
    parser.add_argument("--messages", type=int, default=600, help="messages for the recorder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--vectors", choices=("auto", "random"), default="auto", help="auto: of the local model, if any"
    )
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS, metavar="SECTION", help=str(SECTIONS))
    parser.add_argument("--data", help=f"folder of the data sets (default: ${corpus.DATA_VARIABLE}, else shared/data)")
    parser.add_argument("--database", type=Path, help="keep the database here, or use the one that is here")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    return parser.parse_args(arguments)


async def measure(
    options: argparse.Namespace, plan: filling.Plan, url: str, *, filled: bool
) -> dict[str, Sequence[Figure]]:
    """Each section's figures, printed as they come."""
    sections: dict[str, Sequence[Figure]] = {}

    def show(title: str, figures: list[Figure]) -> None:
        sections[title] = figures
        print(table(title, figures), flush=True)

    model = filling.embedder(options.vectors)
    samples = [reading.sample(plan, options.queries, run, options.seed) for run in range(options.runs)]
    try:
        if not filled:
            show("Writing", await filling.fill(url, plan, model))
        if "search" in options.only:
            show("Text search, ms", await reading.lexical(url, plan, samples))
        if "baseline" in options.only:
            show("For comparison, ms", baseline.shared_table(plan, samples, max(5, options.queries // 10)))
        if "vectors" in options.only:
            show(f"Vectors ({model.model}), ms", await reading.vectors(url, plan, samples, model))
        if "cascade" in options.only:
            show("The memory of one prompt, hybrid, ms", await reading.cascade(url, plan, samples, model))
    finally:
        await model.close()
    return sections


def _in_processes(title: str, work: Callable[[], list[Figure]]) -> list[Figure]:
    """Figures of processes of their own; a process that fails is told and does not end the report."""
    try:
        figures = work()
    except subprocess.CalledProcessError as e:
        last = e.stderr.strip().splitlines()[-1:] or ["no message"]
        print(f"\n{title}: not measured, {last[0]}")
        return []
    print(table(title, figures), flush=True)
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    data = corpus.find_data(options.data)
    words = corpus.load(data, options.seed)
    plan = filling.Plan.make(words, options.items, options.scopes)
    about: dict[str, Any] = {**machine(), "corpus": words.source, "items": sum(plan.sizes), "scopes": len(plan.sizes)}
    about["before"] = busyness()
    print(", ".join(f"{name}: {figure}" for name, figure in about.items()))
    print(f"median of {options.runs} runs of {options.queries} questions; cpu: this process's processor time")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        database = options.database or Path(folder) / "memory.db"
        url = f"sqlite:///{database.absolute().as_posix()}"
        filled = database.exists() or not set(options.only) & {"writing", "search", "vectors", "cascade"}
        sections = asyncio.run(measure(options, plan, url, filled=filled))
    for name, title, work in (
        ("load", "Loading the plugin (new processes, median)", lambda: plugin_load.figures(options.pairs)),
        ("recorder", "The recorder, ms", lambda: recorder.figures(options.messages, data)),
    ):
        if name in options.only:
            sections[title] = _in_processes(title, work)
    about["after"] = busyness()
    print(f"\nhow busy the machine was: before {about['before']}, after {about['after']}")
    if options.json:
        write_json(options.json, sections, about)
    return 0


if __name__ == "__main__":
    sys.exit(main())
