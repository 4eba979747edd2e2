"""What holds over time, printed beside its targets: processes killed at random, and minutes of steady load.

    uv run benchmarks/soak.py
    uv run benchmarks/soak.py --kills 20 --minutes 1

After each kill the file is checked by plain SQL: nothing that was acknowledged is lost, nothing is there twice, the
index is that of the tables. Nothing is asserted and the exit code is 0. 0 leaves a part out.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import corpus
import soak_kills
import soak_load
from measure import Figure, busyness, machine, table, write_json


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Kills and load, beside their targets.")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="of the moments at which processes are killed")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--rate", type=float, default=50.0, help="messages a second")
    parser.add_argument("--chats", type=int, default=200)
    parser.add_argument("--data", help=f"folder of the data sets (default: ${corpus.DATA_VARIABLE}, else shared/data)")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    options = parser.parse_args(arguments)
    about: dict[str, Any] = {**machine(), "before": busyness()}
    print(", ".join(f"{name}: {figure}" for name, figure in about.items()))
    sections: dict[str, Sequence[Figure]] = {}

    def show(title: str, figures: Sequence[Figure]) -> None:
        sections[title] = figures
        print(table(title, figures), flush=True)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        if options.kills:
            show(
                f"Killed at random (seed {options.seed})", soak_kills.figures(options.kills, options.seed, Path(folder))
            )
        if options.minutes:
            words = corpus.load(corpus.find_data(options.data), options.seed)
            load = soak_load.figures(options.minutes * 60, options.rate, options.chats, words, Path(folder))
            title = f"{options.minutes:g} minutes of {options.rate:g} messages a second over {options.chats} chats"
            show(title, asyncio.run(load))
    about["after"] = busyness()
    print(f"\nhow busy the machine was: before {about['before']}, after {about['after']}")
    if options.json:
        write_json(options.json, sections, about)
    return 0


if __name__ == "__main__":
    sys.exit(main())
