"""What a conversation made obsolete: the model is shown items that it touches, and what it proposes is held against
what was really said.

Items go to the model under labels of this one call, so that it cannot name any other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from .. import text
from ..dream_records import DreamOperation
from ..errors import BadOutputError
from ..extract.checks import Rejection, check
from ..extract.llm import inside_block
from ..extract.prompts import RETRY
from ..extract.resolve import to_proposal
from ..extract.schema import RawItem
from ..extract.transcript import BOT, Transcript, build_transcript
from ..models import Evidence, Item, Turn
from ..scope import GLOBAL_SCOPED_KINDS, ScopeRef
from ..source import QUOTE_CHARS
from ..store.base import View
from . import prompts
from .answer import PURPOSE, REVIEW_SCHEMA, Change, parse
from .patch import away, rejected
from .touching import is_learnt

if TYPE_CHECKING:
    from ..llm import ChatModel, Completion

MOST_SHOWN = 40
"""Items of one call, those that share most with what was said."""
READ_AT_ONCE = 50
"""Many items may be touched, and few of them are shown: no more are read than that takes."""
EVERYTHING = 3
"""An answer that archives all of at least so many items is refused as a whole."""


@dataclass(frozen=True, slots=True)
class Review:
    """A chunk of a conversation beside the items it may have made obsolete, by their labels."""

    transcript: Transcript
    shown: Mapping[str, Item]
    bots: frozenset[str]


async def prepare(
    view: View, home: ScopeRef, turns: Sequence[Turn], *, bots: frozenset[str], zone: tzinfo
) -> Review | None:
    """The review of ``turns``; None where no older item of the chat has a word of what was said."""
    said = [turn for turn in turns if turn.role == "user" and turn.stands and turn.text.strip()]
    if not said:
        return None
    older = await _touched(view, home, said)
    transcript = build_transcript(turns, timezone=zone, bots=bots, known=older)
    if not older or not transcript.usable:
        return None
    return Review(transcript, {f"m{n}": item for n, item in enumerate(older, 1)}, bots)


async def _touched(view: View, home: ScopeRef, said: Sequence[Turn]) -> list[Item]:
    """The older items of the chat that have a word of what was said, those with the rarest first: many items may share
    a word, and the one that is meant mostly has one of its own."""
    rarity: dict[str, float] = {}
    words: set[str] = set()
    for turn in said:
        wanted = text.topic_terms(turn.text)
        words |= wanted
        found = await view.item_candidates(sorted(wanted))
        for one in found.documents:
            if one.owner == home:
                score = max(1 / found.frequency[term] for term in one.counts)
                rarity[str(one.ref)] = max(score, rarity.get(str(one.ref), 0.0))
    first = min(turn.said_at for turn in said)
    ranked = sorted(rarity, key=lambda id: (-rarity[id], id))
    touched: list[Item] = []
    for start in range(0, len(ranked), READ_AT_ONCE):
        for item in await view.items(ranked[start : start + READ_AT_ONCE]):
            if is_learnt(item) and item.valid_from < first and _topics(item) & words:
                touched.append(item)
        if len(touched) >= MOST_SHOWN:
            break
    return touched[:MOST_SHOWN]


async def ask(
    model: ChatModel, review: Review, now: datetime, spent: list[Completion], *, retry: bool = True
) -> list[DreamOperation]:
    """What the model would change, as operations that wait or were rejected. ``spent`` receives each completion.

    With ``retry`` an unusable answer is asked for once more. Raises BadOutputError if the last answer is unusable, and
    every other ProviderError as it comes.
    """
    messages = _messages(review, now)
    try:
        return await _asked(model, messages, review, now, spent)
    except BadOutputError as error:
        if not retry:
            raise
        again = RETRY.format(problem=error.problem, schema=json.dumps(REVIEW_SCHEMA))
        return await _asked(model, [*messages, {"role": "user", "content": again}], review, now, spent)


async def _asked(
    model: ChatModel, messages: Sequence[Mapping[str, str]], review: Review, now: datetime, spent: list[Completion]
) -> list[DreamOperation]:
    completion = await model.complete(messages, purpose=PURPOSE, schema=REVIEW_SCHEMA)
    spent.append(completion)
    return _judged(parse(completion.text), review, now)


def _messages(review: Review, now: datetime) -> list[dict[str, str]]:
    zone = review.transcript.timezone
    lines = review.transcript.known_text.split("\n")
    known = "\n".join(
        f"[{label} {item.valid_from.astimezone(zone):%Y-%m-%d}] {line.removeprefix('- ')}"
        for (label, item), line in zip(review.shown.items(), lines, strict=True)
    )
    user = prompts.REVIEW_USER.format(
        today=now.astimezone(zone).date().isoformat(),
        known_block=prompts.KNOWN_BLOCK,
        known=inside_block(known),
        block=prompts.BLOCK,
        transcript=inside_block(review.transcript.text),
    )
    return [{"role": "system", "content": prompts.REVIEW_SYSTEM}, {"role": "user", "content": user}]


def _judged(changes: Sequence[Change | str], review: Review, now: datetime) -> list[DreamOperation]:
    archived = {change.item for change in changes if isinstance(change, Change) and change.action == "archive"}
    everything = len(review.shown) >= EVERYTHING and archived >= set(review.shown)
    operations: list[DreamOperation] = []
    seen: set[str] = set()
    for change in changes:
        if isinstance(change, str):
            operations.append(rejected("archive", change))
            continue
        item = review.shown.get(change.item)
        if item is None:
            operations.append(rejected(change.action, "not_shown"))
        elif everything:
            operations.append(rejected(change.action, "archives_everything", item))
        elif item.id in seen:
            operations.append(rejected(change.action, "named_twice", item))
        else:
            seen.add(item.id)
            operations.append(_operation(change, item, review, now))
    return operations


def _operation(change: Change, item: Item, review: Review, now: datetime) -> DreamOperation:
    if problem := _problem(change, item, review):
        return rejected(change.action, problem, item)
    turns = tuple(n for n in change.evidence if n in review.transcript.turns)
    if change.action == "archive":
        return away("archive", item, now, change.reason, turns=turns)
    new = _reworded(change, item, turns, review)
    if isinstance(new, str):
        return rejected("update", new, item)
    evidence = tuple(_evidence(review.transcript.turns[n]) for n in turns)
    return DreamOperation("update", "waiting", item.id, change.reason, turns, item, new, evidence)


def _problem(change: Change, item: Item, review: Review) -> str:
    """What is wrong with a change, as a word of code; empty if nothing is."""
    if not change.reason:
        return "no_reason"
    cited = [review.transcript.turns[n] for n in change.evidence if n in review.transcript.turns]
    people = [turn for turn in cited if review.transcript.speakers[turn.n] not in ("", BOT)]
    if not people:
        return "no_evidence"
    if item.subject and all(turn.account != item.subject for turn in people):
        return "not_their_words"
    own = [turn for turn in people if not item.subject or turn.account == item.subject]
    if not any(text.topic_terms(turn.text) & _topics(item) for turn in own):
        return "unrelated"
    return ""


def _reworded(change: Change, item: Item, turns: tuple[int, ...], review: Review) -> Item | str:
    """``item`` with the model's words, if they pass what every proposal must pass; else why not."""
    if not change.content:
        return "no_content"
    transcript = review.transcript
    placeholder = next((label for label, account in transcript.accounts.items() if account == item.subject), "")
    raw = RawItem(
        kind=item.kind,
        content=change.content,
        subject=placeholder,
        evidence=turns,
        confidence=item.confidence,
        importance=item.importance,
        key=item.key,
    )
    proposal = to_proposal(raw, transcript)
    if isinstance(proposal, str):
        return proposal
    checked = check(replace(proposal, origin="dream"), transcript.turns, bots=review.bots)
    if isinstance(checked, Rejection):
        return checked.reason
    if checked.subject != item.subject and item.kind not in GLOBAL_SCOPED_KINDS:
        return "not_their_words"
    new_topics = _topics(replace(item, content=checked.content))
    if not new_topics & _topics(item):
        return "unrelated"
    names = {transcript.names.get(item.subject, "")}
    return replace(
        item,
        content=checked.content,
        identity=text.identity(checked.content, item.subject, names),
        origin="dream",
        valid_from=max(transcript.turns[n].said_at for n in turns),
        valid_until=checked.valid_until,
    )


def _topics(item: Item) -> frozenset[str]:
    """What an item is about, without the person it is about."""
    content = item.content
    if item.subject:
        head, found, rest = content.partition(f"（{item.subject.rsplit(':', 1)[-1]}）")
        content = rest if found and len(head) <= 40 else content
    return text.topic_terms(content)


def _evidence(turn: Turn) -> Evidence:
    return Evidence(turn.session_key, turn.n, turn.account, text.cut(turn.text, QUOTE_CHARS))
