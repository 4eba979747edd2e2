"""How right extraction is, on the gold set in ``tests/data``: 30 days of made-up QQ talk.

    uv run benchmarks/extraction.py
    uv run benchmarks/extraction.py --show-misses --show-wrong
    uv run benchmarks/extraction.py --set report

The talk goes through a real engine on a database file, at its own times: rules alone, and, where the environment names
an endpoint (SCOPED_MEMORY__LLM__BASE_URL, __API_KEY, __MODEL), once more with the model. Whatever is changed in answer
to what is shown is changed on the set ``dev``; of ``report`` only the figures are given. Nothing is asserted and the
exit code is 0.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from extraction_figures import Figure, Judgement, by_category, judge
from measure import machine

from nonebot_plugin_scoped_memory.engine.engine import MemoryEngine
from nonebot_plugin_scoped_memory.engine.llm import OpenAIChat
from nonebot_plugin_scoped_memory.engine.settings import EngineSettings
from tests.data import gold
from tests.data.gold import Gold, Truth

if TYPE_CHECKING:
    from nonebot_plugin_scoped_memory.engine.llm import ChatModel

LIMITLESS = 10**12
"""Tokens: the day's budget must not end a run."""
CALL_SECONDS = 120.0


def configured_model() -> OpenAIChat | None:
    """The endpoint that the environment names, if it names one."""
    base_url, key, name = (
        os.environ.get(f"SCOPED_MEMORY__LLM__{part}", "") for part in ("BASE_URL", "API_KEY", "MODEL")
    )
    return OpenAIChat(base_url, key, name, timeout=CALL_SECONDS) if base_url and key and name else None


async def run(talk: Gold, model: ChatModel | None) -> Judgement:
    """Let a new engine hear ``talk`` and judge what it knows then. Batches are extracted as they become due."""
    clock = gold.TurnClock()
    settings = EngineSettings(timezone=ZoneInfo("Asia/Shanghai"), daily_tokens=LIMITLESS)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "memory.db"
        url = f"sqlite:///{file.as_posix()}"
        async with MemoryEngine.open(url, llm=model, clock=clock, settings=settings) as engine:
            await gold.play(engine, clock, talk.turns)
            for session in talk.sessions:
                await engine.listener.extract(engine.domain_id, session)
            await engine.drain()
            known = await gold.stored(engine, talk.sessions)
        return judge(talk, known, file)


def table(title: str, figures: Sequence[Figure]) -> str:
    lines = ["", title]
    for figure in figures:
        value = f"{figure.value:.3f}" if figure.of is not None else f"{figure.value:.0f}"
        of = f"of {figure.of}" if figure.of is not None else ""
        target = "" if figure.target is None else f"{'>=' if figure.of is not None else '<='} {figure.target:g}"
        verdict = {True: "met", False: "NOT MET", None: ""}[figure.met]
        lines.append(f"  {figure.name:<30}{value:>8}  {of:<8}{target:<9}{verdict}".rstrip())
    return "\n".join(lines)


def categories(judgement: Judgement) -> str:
    lines = [f"  {count:>4}  {name}" for name, count in by_category(judgement.verdicts).items()]
    return "\n".join(["", "verdicts on stored items", *lines])


def wrong_ones(judgement: Judgement) -> str:
    lines = ["", "wrong items"]
    for verdict in sorted(judgement.wrong, key=lambda verdict: verdict.name):
        item = verdict.stored.item
        said = " / ".join(evidence.quote for evidence in verdict.stored.evidence)
        lines.append(f"  [{verdict.name}] {item.kind}: {item.content}  <- {said}")
    for truth, one in judgement.misdated:
        day = truth.valid_until or truth.valid_from
        lines.append(f"  [date] {one.item.content} (until {one.item.valid_until}) should have {day}")
    lines += [f"  [not superseded] {truth.tag} {truth.id}: {truth.all_of}" for truth in judgement.not_superseded]
    return "\n".join(lines)


def misses(judgement: Judgement, talk: Gold) -> str:
    lines = ["", "misses"]
    for truth in sorted(judgement.missed, key=lambda truth: (truth.level != "plain", truth.tag)):
        lines.append(f"  [{truth.level} {truth.kind}: {truth.tag}] {_said(truth, talk)}")
    return "\n".join(lines)


def _said(truth: Truth, talk: Gold) -> str:
    return " / ".join(t.new.text for t in talk.turns if t.session == truth.session and t.n in truth.turns)


def as_json(judgements: dict[str, Judgement], options: argparse.Namespace) -> dict[str, Any]:
    ways: dict[str, Any] = {}
    for way, judgement in judgements.items():
        ways[way] = {"figures": [asdict(figure) | {"met": figure.met} for figure in judgement.figures]}
        if options.set == "dev":
            ways[way]["verdicts"] = by_category(judgement.verdicts)
    return {"about": {"set": options.set} | machine(), "ways": ways}


async def measure(options: argparse.Namespace) -> dict[str, Judgement]:
    talk = gold.load(options.set)
    judgements: dict[str, Judgement] = {}
    model = configured_model()
    try:
        for way, used in (("rules alone", None), *([(f"rules and {model.name}", model)] if model else [])):
            began = time.perf_counter()
            judgement = judgements[way] = await run(talk, used)
            title = f"{way}, set {options.set}: {len(talk.turns)} turns ({time.perf_counter() - began:.0f} s)"
            print(table(title, judgement.figures), flush=True)
            if options.set == "dev":
                print(categories(judgement))
            if options.show_wrong:
                print(wrong_ones(judgement))
            if options.show_misses:
                print(misses(judgement, talk), flush=True)
    finally:
        if model is not None:
            await model.close()
    return judgements


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="How right extraction is, on the gold set.")
    parser.add_argument("--set", choices=("dev", "report"), default="dev")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    parser.add_argument("--show-misses", action="store_true", help="what was expected and is not known")
    parser.add_argument("--show-wrong", action="store_true", help="what was stored and is wrong")
    options = parser.parse_args(arguments)
    if options.set == "report" and (options.show_misses or options.show_wrong):
        parser.error("of the reported set only the figures are shown: whoever sees more would fit rules to it")
    judgements = asyncio.run(measure(options))
    if options.json:
        text = json.dumps(as_json(judgements, options), ensure_ascii=False, indent=2)
        options.json.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
