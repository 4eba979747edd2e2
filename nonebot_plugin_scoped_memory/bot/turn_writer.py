"""What was heard and said is written down: turns, how they count, and what is taken back.

Calls about one session must come one after the other, in order of arrival.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from .. import api, texts
from ..engine.engine import MemoryEngine
from ..engine.errors import StoreError, StoreUnreachableError
from ..engine.models import Clock, NewTurn, Turn, TurnState
from .heard import Heard, Message
from .onebot import Recall
from .quotes import known_quote

logger = logging.getLogger(__name__)

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")

KEPT_MESSAGES = 1_000
"""Messages that another connection may still bring."""
KEPT_RECALLS = 200
"""Recalls that came before their message did."""
RECALLED_FOR = timedelta(minutes=2)
"""How long a message may arrive after its own recall."""
RETRY_AFTER = (1.0, 5.0, 20.0)
"""Seconds before a write is tried again while the database is locked or away; what comes later in the chat waits."""


def keep_latest(kept: OrderedDict[K, V], key: K, value: V, limit: int) -> None:
    """Put a value among the latest ``limit``."""
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > limit:
        kept.popitem(last=False)


class TurnWriter:
    """Writes through the engine that is open, if any, and tries again while its database is unreachable. ``bots`` gives
    the accounts of all connected bots."""

    def __init__(self, *, bots: Callable[[], frozenset[str]], clock: Clock) -> None:
        self._bots = bots
        self._clock = clock
        # By domain, session and turn.
        self._messages: OrderedDict[tuple[str, str, int], Message] = OrderedDict()
        # (domain, session, self id, message id) of recalls that no turn was found for -> who did it, and when it came.
        self._recalled: OrderedDict[tuple[str, str, str, str], tuple[str, datetime]] = OrderedDict()
        self._sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def session_of_own(self, domain_id: str, recall: Recall) -> str | None:
        """The session to which a bot sent a message that was recalled; None if that is not known."""
        engine = api.engine()
        if engine is None:
            return None
        where = partial(engine.listener.session_of_own_message, domain_id, recall.self_id, recall.message_id)
        return await self._tried(recall.self_id, where)

    async def record(self, engine: MemoryEngine, heard: Heard) -> None:
        """Store a message as a turn. ``heard.turn`` is done afterwards, whatever happens."""
        incoming = heard.incoming
        try:
            turn = await self._tried(incoming.session_key, lambda: self._stored(engine, heard))
            if turn is None:
                return
            self._join(heard, turn)
            heard.turn.set_result(turn)
            await self._recalled_before(engine, heard)
        except StoreError as e:
            logger.error(texts.LOG_NOT_STORED, heard.domain_id, incoming.session_key, e.problem)
        finally:
            if not heard.turn.done():
                heard.turn.set_result(None)

    async def reply(self, heard: Heard, reply: NewTurn) -> None:
        """Store what the bot said to a message, in the state that the message has by now."""
        engine = api.engine()
        if engine is None or heard.turn.result() is None:
            return
        domain_id, session_key = heard.domain_id, heard.incoming.session_key
        turn = await self._tried(session_key, lambda: engine.listener.record(domain_id, session_key, reply))
        heard.message.replies.append(turn.n)
        if (state := heard.message.state) is not TurnState.OPEN:
            await self._tried(session_key, lambda: engine.listener.settle(domain_id, session_key, turn.n, state))

    async def settle(self, heard: Heard) -> None:
        """Classify a message and its answers so far by what handled it."""
        engine, turn, message = api.engine(), heard.turn.result(), heard.message
        if heard.dropped and not message.is_command:
            return  # another bot handles it
        state = TurnState.COMMAND if message.is_command else TurnState.ORDINARY
        if engine is None or turn is None or message.state in (state, TurnState.UNPROCESSABLE):
            return
        for n in (turn.n, *message.replies):
            where = (heard.domain_id, heard.incoming.session_key, n, state)
            await self._tried(where[1], partial(engine.listener.settle, *where, bots=self._bots()))
        message.state = state

    async def recall(self, domain_id: str, recall: Recall) -> None:
        """Take a message back, also one that has yet to arrive."""
        engine = api.engine()
        if engine is None:
            return
        key = (domain_id, recall.session_key, recall.self_id, recall.message_id)
        if not await self._tried(recall.session_key, partial(engine.listener.take_back, *key, by=recall.operator)):
            keep_latest(self._recalled, key, (recall.operator, self._clock()), KEPT_RECALLS)

    async def _stored(self, engine: MemoryEngine, heard: Heard) -> Turn | None:
        incoming, new = heard.incoming, heard.incoming.turn
        if await engine.chat_setting(incoming.session_key, "memory", domain_id=heard.domain_id) == "off":
            return None
        if incoming.unplaced is not None:
            new = replace(new, quotes=await known_quote(engine, heard.domain_id, incoming))
        if heard.is_command:
            # Stored as one at once: nobody will take it for anything else if the process dies now.
            new = replace(new, state=TurnState.COMMAND)
        return await engine.listener.record(heard.domain_id, incoming.session_key, new)

    def _join(self, heard: Heard, turn: Turn) -> None:
        """Find out whether another connection brought this message before."""
        key = (heard.domain_id, heard.incoming.session_key, turn.n)
        if (known := self._messages.get(key)) is not None:
            known.heard.append(heard)
            heard.message = known
        else:
            heard.message.state = turn.state
        keep_latest(self._messages, key, heard.message, KEPT_MESSAGES)

    async def _recalled_before(self, engine: MemoryEngine, heard: Heard) -> None:
        """A message that waits for what it quotes can arrive after its own recall, or after that of what it quotes."""
        turn = heard.incoming.turn
        quoted = [(heard.incoming.self_id, quote.message_id) for quote in turn.quotes if quote.message_id]
        for self_id, message_id in (*turn.message_ids, *quoted):
            key = (heard.domain_id, heard.incoming.session_key, self_id, message_id)
            operator, at = self._recalled.get(key, ("", None))
            # Not for ever: clients use hashes, and counters that begin anew.
            if at is not None and self._clock() - at < RECALLED_FOR:
                await self._tried(key[1], partial(engine.listener.take_back, *key, by=operator))

    async def _tried(self, where: str, write: Callable[[], Awaitable[T]]) -> T:
        """The result of ``write``, which is tried again while the database is unreachable; ``where`` is the session.
        Raises StoreError."""
        for wait in RETRY_AFTER:
            try:
                return await write()
            except StoreUnreachableError as e:
                logger.warning(texts.LOG_RETRYING, where, e.problem, wait)
            await self._sleep(wait)
        return await write()
