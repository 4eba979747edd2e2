"""Quotes of which the client does not tell the chat: kept if they are known to be of this one."""

from __future__ import annotations

from dataclasses import replace

from ..engine.engine import MemoryEngine
from ..engine.models import Quote
from ..engine.scope import session_scope
from .onebot import MAX_QUOTE_CHARS, Incoming
from .segments import plain, render


async def known_quote(engine: MemoryEngine, domain_id: str, incoming: Incoming) -> tuple[Quote, ...]:
    """The unplaced quote of a message, if its id and its speaker are those of a standing turn of this session.

    As it is kept here: the same id may name a message of another chat, and the client may have found that one.
    """
    session_key, unplaced = incoming.session_key, incoming.unplaced
    if unplaced is None:
        return ()
    view = engine.store.view(domain_id, (session_scope(session_key),))
    n = await view.turn_number(session_key, incoming.self_id, unplaced.message_id)
    return tuple(
        replace(
            unplaced,
            name=turn.name or unplaced.name,
            text=render(plain(turn.text), MAX_QUOTE_CHARS, note="…").text,
        )
        for turn in await view.turns(session_key, () if n is None else (n,))
        if turn.stands and turn.account == unplaced.account
    )
