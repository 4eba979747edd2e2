"""Writes the gold set: ``uv run python -m tests.data.make_gold``. The same seeds give the same bytes.

``gold-<set>.jsonl`` has one turn a line, ``gold-<set>.expected.jsonl`` one truth a line:

- ``expected``: must be known at the end. An item counts if its scope, its subject (``*``: anybody's) and its class of
  kind are these and its folded content has an alternative of each group of ``all_of`` and nothing of ``none_of``.
  ``status`` is what became of it: ``active``, ``expired`` (its ``valid_until`` passed), ``superseded``. ``level``:
  ``plain`` is said in one plain sentence, ``inferred`` takes a mind.
- ``allowed``: may be stored, need not; with ``valid_until``, only if it ends by about then.
- ``forbidden``: no active item may match, of ``subject`` where one is given (``*``: of anybody), in any scope; without
  ``anywhere``, no active item that rests on its turns.
- ``secret``: a literal that may be nowhere in the database.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import cast_dev, cast_report, fillers_dev, fillers_report, inventory
from .cast import Cast
from .drawing import Fillers
from .grammar import Scene
from .staging import DAYS, Stage
from .timeline import Row, put_in_order, truth_rows, turn_rows

FOLDER = Path(__file__).resolve().parent
TURNS = 2_300
"""About so many turns a set: what is planted, and plain talk around it."""
_PRIVATE_TURNS = 70


@dataclass(frozen=True, slots=True)
class Set:
    name: str
    seed: int
    cast: Cast
    pools: dict[str, str]


SETS = (
    Set("dev", 20_270_111, cast_dev.CAST, fillers_dev.POOLS),
    Set("report", 20_260_124, cast_report.CAST, fillers_report.POOLS),
)


def build(one: Set) -> tuple[list[Row], list[Row]]:
    """(turns, truths) of a set."""
    chance = random.Random(one.seed)
    fillers = Fillers(one.pools, chance)
    stage = Stage(one.cast, one.name, fillers, inventory.pieces(one.name), chance)
    for scene in _chosen(inventory.scenes(one.name), one.name, chance):
        stage.play(scene)
    _add_talk(stage, one, chance)
    ordered = put_in_order(stage.said, one.cast, chance)
    turns = turn_rows(ordered, one.cast, chance)
    return turns, truth_rows(stage.planted, one.cast, DAYS)


def _chosen(scenes: Sequence[Scene], name: str, chance: random.Random) -> Iterator[Scene]:
    """As many scenes of each block as its header says, held-out ones first in the reported set; no scene again before
    all others were on."""
    blocks: dict[str, list[Scene]] = defaultdict(list)
    for scene in scenes:
        blocks[scene.block].append(scene)
    for block in blocks.values():
        count = next((int(scene.options["n"]) for scene in block if "n" in scene.options), len(block))
        mixed = list(block)
        chance.shuffle(mixed)
        if name == "report":
            mixed.sort(key=lambda scene: scene.pool != "report" and chance.random() < 0.6)
        yield from (mixed[place % len(mixed)] for place in range(count))


def _add_talk(stage: Stage, one: Set, chance: random.Random) -> None:
    """Plain talk, until every chat has its share of the turns."""
    groups = list(one.cast.groups)
    private = [session for session in one.cast.sessions if session not in groups]
    per_group = (TURNS - _PRIVATE_TURNS * len(private)) // len(groups)
    for session in one.cast.sessions:
        theme = one.cast.groups.get(session, "private")
        general, themed = inventory.dialogues("any", one.name), inventory.dialogues(theme, one.name)
        waiting: list[Sequence[tuple[str, str]]] = []
        size = sum(said.session == session for said in stage.said)
        while size < (per_group if session in groups else _PRIVATE_TURNS):
            if not waiting:
                waiting = list(themed if session in private else (*general, *themed))
                chance.shuffle(waiting)
            if session in groups and chance.random() < 0.3:
                dialogue: Sequence[tuple[str, str]] = (("a", chance.choice(inventory.one_liners(one.name))),)
            else:
                dialogue = waiting.pop()
            before = len(stage.said)
            stage.chat(session, chance.randrange(DAYS), dialogue)
            size += len(stage.said) - before


def lines(rows: Sequence[Row]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def files(one: Set) -> dict[str, str]:
    """The content of a set's files by name."""
    turns, truths = build(one)
    return {f"gold-{one.name}.jsonl": lines(turns), f"gold-{one.name}.expected.jsonl": lines(truths)}


def main() -> None:
    for one in SETS:
        for name, content in files(one).items():
            (FOLDER / name).write_text(content, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
