"""How good a ranking is: the definitions that the data sets' own README gives, means over questions that have gold."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass

K = 10


@dataclass(frozen=True, slots=True)
class Quality:
    """``recall`` is recall@10 = |gold in top 10| / |gold|, ``ndcg`` binary nDCG@10, ``mrr`` the mean of 1 / rank of the
    first gold within the first 10 (0 if there is none). ``questions`` counts those with gold."""

    recall: float
    ndcg: float
    mrr: float
    questions: int


@dataclass(frozen=True, slots=True)
class Judged:
    """One question's ranking, best first, and what it should have found."""

    ranking: Sequence[Hashable]
    gold: Collection[Hashable]


def quality(judged: Sequence[Judged]) -> Quality:
    """Means over the questions that have gold; zeros if none has."""
    asked = [one for one in judged if one.gold]
    if not asked:
        return Quality(0.0, 0.0, 0.0, 0)
    sums = [0.0, 0.0, 0.0]
    for one in asked:
        gold = set(one.gold)
        hits = [place for place, ref in enumerate(one.ranking[:K]) if ref in gold]
        ideal = sum(_gain(place) for place in range(min(len(gold), K)))
        sums[0] += len(hits) / len(gold)
        sums[1] += sum(_gain(place) for place in hits) / ideal
        sums[2] += 1 / (hits[0] + 1) if hits else 0.0
    recall, ndcg, mrr = (total / len(asked) for total in sums)
    return Quality(recall, ndcg, mrr, len(asked))


def _gain(place: int) -> float:
    return 1 / math.log2(place + 2)


def is_for_tuning(question: str) -> bool:
    """Whether a question belongs to the half that parameters may be chosen on; fixed by its words alone."""
    return hashlib.blake2b(question.encode(), digest_size=1).digest()[0] % 2 == 0
