"""What people say about the memory takes effect: 忘了吧, 别记这个, and objections to an answer that used an item.

Only what is the speaker's own is ever touched: items about them, or that they brought, in their own chat.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from . import text
from .changing import Actor, retract
from .extract.corrections import Reaction, Withdrawal, match_reaction, match_withdrawal
from .models import Item, MemoryEvent, Turn
from .revising import forget_item, let_fall
from .scope import home_scope
from .store.base import Write

JUST_NOW = timedelta(hours=1)
"""What 刚才 reaches back to."""
LOOK_BACK = 60
"""Turns among which a speaker's last words are looked for."""
MOST_AT_ONCE = 3
"""Items that one 把…忘了 may name; more, and nobody can tell which are meant."""
DOUBT = 0.5
"""What an item's confidence is multiplied by when it was used and not liked."""


async def correct(tx: Write, turn: Turn, now: datetime) -> bool:
    """Do what ``turn``, an ordinary one that is settled right now, asks of the memory. Whether it asked anything.

    A withdrawing turn is suppressed itself; an objection may go on to say what is true instead.
    """
    withdrawal = match_withdrawal(turn)
    if withdrawal is not None:
        return await _withdraw(tx, turn, withdrawal, now)
    reaction = match_reaction(turn)
    return reaction is not None and await _object(tx, turn, reaction, now)


async def _withdraw(tx: Write, turn: Turn, withdrawal: Withdrawal, now: datetime) -> bool:
    """False where there is nothing to take back: 收回之前的话，… goes on to say what is true, and counts for that."""
    actor = Actor(turn.account)
    meant = [turn.n]
    if withdrawal.what == "previous":
        since = turn.said_at - JUST_NOW
        before = [one for one in await _before(tx, turn) if one.account == turn.account and one.said_at >= since]
        if not before:
            return False
        meant += [one.n for one in before[-withdrawal.count :]]
    items = (
        await _named(tx, turn, withdrawal.words)
        if withdrawal.what == "words"
        else [item for n in meant for item in await tx.items_on_turn(turn.session_key, n) if _is_own(item, turn)]
    )
    for item in dict.fromkeys(items):
        await forget_item(tx, item, actor, now, "withdrawn")
    await tx.mark_suppressed(turn.session_key, meant)
    await let_fall(tx, turn.session_key, meant, actor, now, "withdrawn")
    return True


async def _named(tx: Write, turn: Turn, words: str) -> list[Item]:
    """The speaker's own items of this chat that hold every word of the matter."""
    wanted = text.topic_terms(words)
    if not wanted:
        return []
    home = home_scope(turn.session_key)
    candidates = await tx.item_candidates(sorted(wanted))
    items = await tx.items(str(one.ref) for one in candidates.documents if one.owner == home)
    found = [
        item
        for item in items
        if item.status == "active" and _is_own(item, turn) and wanted <= text.topic_terms(text.fold(item.content))
    ]
    return found if len(found) <= MOST_AT_ONCE else []


async def _object(tx: Write, turn: Turn, reaction: Reaction, now: datetime) -> bool:
    """Take back what the answer just before rested on, if it was an answer to this speaker."""
    before = await _before(tx, turn)
    if not before or before[-1].role != "bot":
        return False
    answer = before[-1]
    asked = next((one for one in reversed(before) if one.role != "bot"), None)
    if asked is None or asked.account != turn.account:
        return False
    items = await _used(tx, turn, answer)
    for item in items:
        await _doubt(tx, item, reaction, turn, now)
    return bool(items)


async def _used(tx: Write, turn: Turn, answer: Turn) -> list[Item]:
    """The speaker's own items that the answer was made with and whose words it has: those with most of them."""
    recalled = [id for id, _ in await tx.recalled_items(turn.session_key, answer.n)]
    said = text.topic_terms(answer.text)
    shared = {
        item: len(_matter(item, turn) & said)
        for item in await tx.items(recalled)
        if item.status == "active" and item.subject == turn.account
    }
    most = max(shared.values(), default=0)
    return [item for item, count in shared.items() if count == most] if most else []


def _matter(item: Item, turn: Turn) -> frozenset[str]:
    """What an item says, without the name of whom it is about."""
    return text.topic_terms(item.content.replace(text.person(turn.name, turn.account), ""))


async def _doubt(tx: Write, item: Item, reaction: Reaction, turn: Turn, now: datetime) -> None:
    actor, reason = Actor(turn.account), f"objected:{reaction.value}"
    if reaction is Reaction.WRONG:
        await forget_item(tx, item, actor, now, reason)
    elif reaction is Reaction.OUTDATED or "喜欢" in text.fold(item.content):
        await retract(tx, item, actor, now, reason)
    else:
        lowered = replace(item, confidence=item.confidence * DOUBT, updated_at=now)
        await tx.save_item(lowered, text.document_terms(item.content))
        await tx.add_event(MemoryEvent(item.scope, "doubted", turn.account, now, item_id=item.id, reason=reason))


async def _before(tx: Write, turn: Turn) -> list[Turn]:
    """What was said in this session before ``turn``, oldest first."""
    recent = await tx.recent_turns(turn.session_key, limit=LOOK_BACK)
    place = (turn.said_at, turn.seq, turn.n)
    return [one for one in recent if (one.said_at, one.seq, one.n) < place]


def _is_own(item: Item, turn: Turn) -> bool:
    return item.scope == home_scope(turn.session_key) and turn.account in (item.subject, item.owner)
