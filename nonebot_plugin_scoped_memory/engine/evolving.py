"""What was so and is no more: a value put right, something that is over, a decision that takes another's place.

Only items of the turn's own chat, and of personal ones only the speaker's.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from . import text
from .changing import SOURCE_SUPERSEDED, drop_waiting
from .extract.changes import (
    MOVED_ON,
    answers_only,
    asks,
    ends,
    frame_of,
    match_endings,
    match_replacement,
    slips,
    words_of_ended,
)
from .extract.clauses import Folded
from .extract.overturning import overturns
from .models import Item, MemoryEvent, Proposal, Turn
from .scope import home_scope
from .store.base import Write
from .writing import Outcome

MOST_AT_ONCE = 2
"""Items that one sentence may end; more, and nobody can tell which are meant."""
FRESH = timedelta(hours=1)
"""How long after a statement 不是…，是… is understood to be about it, where nothing says that it was a slip."""
SLIP_SEEN = timedelta(days=2)
"""How long after a statement somebody still says that it was a slip."""
JUST_ASKED = timedelta(minutes=10)
"""How long after a question an answer without an object is about it."""
DECISIONS = 200
"""Decisions of a chat that a new one is held against."""
SINGLE_VALUED = frozenset({"birthday", "name", "nickname"})
"""Slots whose value is named for nothing else by chance."""


async def replacements(tx: Write, turn: Turn) -> list[Proposal]:
    """The statement that ``turn`` puts right, as it is now; nothing where it is not plain which one is meant."""
    found = match_replacement(turn)
    if found is None or not turn.account:
        return []
    meant = [
        item
        for item in await _own(tx, turn, found.old)
        if text.fold(found.old) in text.fold(_without_name(item, turn))
        and (found.slip or item.key in SINGLE_VALUED or turn.said_at - item.valid_from <= FRESH)
    ]
    if len(meant) > 1:
        meant = [item for item in meant if item.key in SINGLE_VALUED]
    if len(meant) != 1:
        return []
    (item,) = meant
    content = _replaced(item.content, found.old, found.new)
    return [
        Proposal(
            kind=item.kind,
            content=content,
            subject=item.subject,
            key=item.key,
            confidence=item.confidence,
            importance=item.importance,
            valid_until=item.valid_until,
            evidence=(turn.n,),
            origin="rule",
        )
    ]


async def end_what_is_over(tx: Write, turn: Turn, written: Sequence[Outcome], now: datetime) -> None:
    """Take out of recall what ``turn`` says to be over, and what gives way to the items just ``written`` from it."""
    new = [outcome.item for outcome in written if outcome.item is not None and outcome.status == "applied"]
    for item in new:
        for old in await _put_right(tx, turn, item) + await _overturned(tx, turn, item):
            await _give_way(tx, old, turn, now, item)
    said_now = {outcome.item.id for outcome in written if outcome.item is not None}
    for item in await _over(tx, turn, said_now):
        await _give_way(tx, item, turn, now, None)


async def _over(tx: Write, turn: Turn, kept: Collection[str]) -> list[Item]:
    endings = match_endings(turn)
    if not endings:
        return []
    name = text.person(turn.name, turn.account)
    words = " ".join((*endings, *map(words_of_ended, endings)))
    own = await _own(tx, turn, words, with_decisions=True)
    home = home_scope(turn.session_key)
    single = await tx.slot_items((kind, key, turn.account) for kind, key in MOVED_ON)
    own += [item for item in single if item.scope == home and item.id not in {one.id for one in own}]
    over = [item for item in own if item.id not in kept and any(ends(ending, item, name) for ending in endings)]
    if not over and any(map(answers_only, endings)):
        over = await _asked_about(tx, turn, endings, name)
    return over if len(over) <= MOST_AT_ONCE else []


async def _asked_about(tx: Write, turn: Turn, endings: Sequence[str], name: str) -> list[Item]:
    """What somebody has just asked about, where ``turn`` only answers: 还在写 Haskell 吗? 早不写了."""
    recent = await tx.recent_turns(turn.session_key, limit=4)
    before = [one for one in recent if one.n < turn.n and one.said_at >= turn.said_at - JUST_ASKED]
    if not before or before[-1].account == turn.account or not asks(before[-1].text):
        return []
    asked = before[-1].text
    return [item for item in await _own(tx, turn, asked) if any(ends(one, item, name, asked=asked) for one in endings)]


async def _put_right(tx: Write, turn: Turn, new: Item) -> list[Item]:
    """The slip that ``new`` corrects, where no slot made it give way already."""
    if not new.subject:
        return []
    found = match_replacement(turn)
    if found is None:
        return await _misspelt(tx, turn, new) if slips(turn) else []
    return [
        item
        for item in await _own(tx, turn, found.old)
        if item.id != new.id and _replaced(item.content, found.old, found.new) == new.content
    ]


async def _misspelt(tx: Write, turn: Turn, new: Item) -> list[Item]:
    """The one fresh item that says of something else what ``new`` says: 的猫叫豆豆 before 打错了，猫叫兜兜."""
    frame = frame_of(new.content)
    meant = [
        item
        for item in await _own(tx, turn, frame)
        if item.id != new.id
        and item.kind == new.kind
        and frame_of(item.content) == frame
        and turn.said_at - item.valid_from <= SLIP_SEEN
    ]
    return meant if len(meant) == 1 and len(frame) > len(text.person(turn.name, turn.account)) + 1 else []


async def _overturned(tx: Write, turn: Turn, new: Item) -> list[Item]:
    if new.kind != "decision" or new.scope != home_scope(turn.session_key):
        return []
    standing = [item for item in await tx.list_items(kind="decision", limit=DECISIONS) if item.scope == new.scope]
    return [item for item in standing if item.id != new.id and overturns(turn.text, new.content, item.content)]


async def _own(tx: Write, turn: Turn, words: str, *, with_decisions: bool = False) -> list[Item]:
    """The speaker's own active items of this chat that have any of ``words``, and the chat's decisions, which are
    everybody's."""
    if not turn.account:
        return []
    home = home_scope(turn.session_key)
    candidates = await tx.item_candidates(text.query_terms(words))
    items = await tx.items(str(one.ref) for one in candidates.documents if one.owner == home)
    return [
        item
        for item in items
        if item.status == "active" and (item.subject == turn.account or (with_decisions and item.kind == "decision"))
    ]


async def _give_way(tx: Write, item: Item, turn: Turn, now: datetime, successor: Item | None) -> None:
    """``item`` becomes the past of ``successor``, or is over without one."""
    changed = replace(
        item,
        status="archived" if successor is None else "superseded",
        valid_to=turn.said_at,
        successor="" if successor is None else successor.id,
        updated_at=now,
    )
    terms = text.document_terms(item.content)
    saved = await tx.save_item(changed, terms)
    action = "archived" if successor is None else "superseded"
    reason = "over" if successor is None else f"by {successor.id}"
    await tx.add_event(MemoryEvent(saved.scope, action, turn.account, now, item_id=saved.id, reason=reason))
    await drop_waiting(tx, saved, now, SOURCE_SUPERSEDED)


def _without_name(item: Item, turn: Turn) -> str:
    return item.content.replace(text.person(turn.name, turn.account), "")


def _replaced(content: str, old: str, new: str) -> str:
    """``content`` with ``new`` in place of the last ``old``, whichever forms the characters have."""
    folded = Folded.of(content)
    start = folded.text.rfind(text.fold(old))
    if start < 0:
        return content
    end = start + len(text.fold(old))
    first, last = folded.places[start], folded.places[end - 1] + 1
    return content[:first] + new + content[last:]
