"""What an engine knows after a gold set, held against what it should: a verdict on each item, and figures.

An item is right if it says what is expected, with the same class of kind (personal, or the chat's), in the same scope
and about the same account. A second right item for one expectation is a harmless duplicate, and what is allowed is
harmless too. What was taken back (status ``retracted``) is not counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from tests.data.gold import (
    PASSES_WITHIN,
    SHANGHAI,
    Gold,
    Stored,
    Truth,
    is_shared,
    leaked,
    out_of_place,
    stands,
    violations,
)

HARMLESS = ("right", "duplicate", "allowed")


@dataclass(frozen=True, slots=True)
class Verdict:
    """``name`` is one of HARMLESS, or says what is wrong. ``truth`` is what the item was held against, if anything."""

    name: str
    stored: Stored
    truth: Truth | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """``value`` is a share in 0..1 of ``of`` cases, or a count if ``of`` is None. ``target``: at least that share, at
    most that count."""

    name: str
    value: float
    of: int | None = None
    target: float | None = None

    @property
    def met(self) -> bool | None:
        if self.target is None:
            return None
        return self.value <= self.target if self.of is None else self.value >= self.target


@dataclass
class Judgement:
    """``missed`` are the expectations that nothing fulfils at the end; ``misdated`` those whose day came out wrong."""

    figures: list[Figure] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    missed: list[Truth] = field(default_factory=list)
    misdated: list[tuple[Truth, Stored]] = field(default_factory=list)
    not_superseded: list[Truth] = field(default_factory=list)

    @property
    def wrong(self) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.name not in HARMLESS]


def judge(gold: Gold, known: Sequence[Stored], file: Path) -> Judgement:
    """``known`` is all that the engine stored; ``file`` its closed database."""
    result = Judgement()
    counted = [one for one in known if one.item.status != "retracted"]
    expected = gold.of("expected")
    fulfilling = {truth.id: [one for one in counted if _fulfils(one, truth)] for truth in expected}
    broken = {id(one): truth for truth, one in violations(gold, counted)}
    taken: set[str] = set()
    for one in counted:
        result.verdicts.append(_verdict(one, gold, broken, taken))
    wanted = [truth for truth in expected if truth.status != "superseded"]
    result.missed = [t for t in wanted if not any(_known_at_end(one, t, gold) for one in fulfilling[t.id])]
    missed = {truth.id for truth in result.missed}
    plain = [truth for truth in wanted if truth.level == "plain"]
    harmless = sum(verdict.name in HARMLESS for verdict in result.verdicts)
    dated = [(t, fulfilling[t.id]) for t in expected if (t.valid_until or t.valid_from) and fulfilling[t.id]]
    result.misdated = [(truth, ones[0]) for truth, ones in dated if not any(_dated(one, truth) for one in ones)]
    ending = [(truth, ones) for truth, ones in dated if truth.valid_until]
    ended = sum(any(_end(one) == truth.valid_until for one in ones) for truth, ones in ending)
    old = [truth for truth in expected if truth.status == "superseded"]
    known_old = [truth for truth in old if fulfilling[truth.id]]
    result.not_superseded = [t for t in known_old if any(stands(one.item, gold.end) for one in fulfilling[t.id])]
    endless = [one for one in counted if _end(one) and not _may_end(one, gold)]
    about = [one.item.subject == truth.subject for one, truth in _recognised(counted, expected)]
    strayed = len(out_of_place(counted))
    result.figures = [
        _share("precision", harmless, len(counted), 0.95),
        _share("recall, all expected", len(wanted) - len(result.missed), len(wanted), 0.45),
        _share("recall, plain", sum(truth.id not in missed for truth in plain), len(plain)),
        _share(
            "recall, inferred", sum(t.id not in missed for t in wanted if t.level != "plain"), len(wanted) - len(plain)
        ),
        _share("subject accuracy", sum(about), len(about)),
        _share("scope accuracy", len(counted) - strayed, len(counted), 1.0),
        _share("dates resolved right", len(dated) - len(result.misdated), len(dated)),
        _share("ends (valid_until) right", ended, len(ending)),
        Figure("ends that nobody gave", len(endless)),
        _share("outdated items superseded", len(known_old) - len(result.not_superseded), len(known_old)),
        Figure("forbidden items", len(broken), target=0),
        Figure("secrets in the database file", len(leaked(gold, file)), target=0),
        Figure("items stored", len(counted)),
    ]
    return result


def by_category(verdicts: Iterable[Verdict]) -> Mapping[str, int]:
    return dict(Counter(verdict.name for verdict in verdicts).most_common())


def _share(name: str, part: int, whole: int, target: float | None = None) -> Figure:
    return Figure(name, part / whole if whole else 1.0, whole, target)


def _verdict(one: Stored, gold: Gold, broken: Mapping[int, Truth], taken: set[str]) -> Verdict:
    candidates = [truth for truth in gold.of("expected") if truth.worded(one.item.content)]
    # What it rests on tells apart two people who said the same, and a statement from its correction.
    candidates.sort(key=lambda truth: not one.rests_on(truth))
    stale: Truth | None = None
    for truth in candidates:
        if not _fulfils(one, truth):
            continue
        if truth.status == "superseded" and stands(one.item, gold.end):
            stale = stale or truth
            continue
        name = "duplicate" if truth.id in taken else "right"
        taken.add(truth.id)
        return Verdict(name, one, truth)
    for truth in gold.of("allowed"):
        if truth.worded(one.item.content) and truth.is_about(one.item.subject) and _in_scope(one, truth):
            end = _end(one)
            if truth.valid_until is None or (end is not None and end <= truth.valid_until + PASSES_WITHIN):
                return Verdict("allowed", one, truth)
    if (forbidden := broken.get(id(one))) is not None:
        return Verdict(f"forbidden: {forbidden.why}", one, forbidden)
    if stale is not None:
        return Verdict("outdated", one, stale)
    resting = [truth for truth in candidates if one.rests_on(truth)]
    for truth in resting:
        if not _in_scope(one, truth):
            return Verdict("wrong scope", one, truth)
        if not truth.is_about(one.item.subject):
            return Verdict("wrong subject", one, truth)
        return Verdict("wrong class of kind", one, truth)
    tags = _tags(one, gold)
    beside = next((truth for truth in gold.of("expected") if one.rests_on(truth)), None)
    return Verdict(f"wrong wording: {tags}" if beside else f"unexpected: {tags}", one, beside)


def _fulfils(one: Stored, truth: Truth) -> bool:
    item = one.item
    if truth.status == "superseded" and not one.rests_on(truth):
        return False  # a plan that was put off has the words of the new one
    return (
        is_shared(item.kind) == is_shared(truth.kind)
        and _in_scope(one, truth)
        and truth.is_about(item.subject)
        and truth.worded(item.content)
    )


def _in_scope(one: Stored, truth: Truth) -> bool:
    return str(one.item.scope) == truth.scope


def _known_at_end(one: Stored, truth: Truth, gold: Gold) -> bool:
    return one.item.status == "active" and (truth.status == "expired" or stands(one.item, gold.end))


def _recognised(counted: Iterable[Stored], expected: Sequence[Truth]) -> list[tuple[Stored, Truth]]:
    """Items that say what their own turns were expected to yield, whoever they are about; each once."""
    pairs: list[tuple[Stored, Truth]] = []
    for one in counted:
        resting = [t for t in expected if one.rests_on(t) and t.worded(one.item.content) and t.subject != "*"]
        if resting:
            pairs.append((one, next((t for t in resting if t.subject == one.item.subject), resting[0])))
    return pairs


def _end(one: Stored) -> date | None:
    return one.item.valid_until.astimezone(SHANGHAI).date() if one.item.valid_until else None


def _dated(one: Stored, truth: Truth) -> bool:
    """Whether the day is known, as the item's end or beginning or in its words."""
    day = truth.valid_until or truth.valid_from
    begins = one.item.valid_from.astimezone(SHANGHAI).date() if truth.valid_from else None
    return day is not None and (day in (_end(one), begins) or _names(one.item.content, day))


def _names(content: str, day: date) -> bool:
    spelt = rf"{day:%Y-%m-%d}|(?<!\d)0?{day.month}\s?月\s?0?{day.day}(?!\d)|(?<![\d-]){day:%m-%d}(?!\d)"
    return re.search(spelt, content) is not None


def _may_end(one: Stored, gold: Gold) -> bool:
    """Whether something on the turns of an item has a day, or passes."""
    truths = [truth for truth in gold.truths if truth.what in ("expected", "allowed") and one.rests_on(truth)]
    return not truths or any(truth.valid_until or truth.valid_from for truth in truths)


def _tags(one: Stored, gold: Gold) -> str:
    turns = {(evidence.session_key, evidence.turn) for evidence in one.evidence}
    tags = [sorted(turn.tags) for turn in gold.turns if (turn.session, turn.n) in turns]
    shown = [tag for tag in (tags[0] if tags else ()) if tag not in _EVERYWHERE]
    return ", ".join(shown) or "?"


_EVERYWHERE = frozenset({"several_groups", "namesake", "renamed", "traditional"})
