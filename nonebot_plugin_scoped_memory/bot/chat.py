"""A small, complete chat: answers private messages and, in groups, those who address the bot, with what is remembered.

For bots without an LLM plugin of their own. It speaks last and stays silent where another plugin answered.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from weakref import WeakValueDictionary

from nonebot.adapters import Bot, Event
from nonebot.adapters.onebot.v11 import MessageSegment
from nonebot.exception import AdapterException, DriverException

from .. import api, texts
from ..config import ScopedMemoryConfig
from ..engine.errors import (
    ProviderAuthError,
    ProviderBusyError,
    ProviderError,
    ProviderRefusedError,
    ProviderTimeoutError,
    ScopedMemoryError,
    StoreError,
)
from ..engine.failures import told
from ..engine.llm import ChatModel, Completion
from ..engine.models import Turn
from ..engine.prompt import ContextPackage, chat_messages
from ..engine.scope import session_scope
from .recorder import Heard, Recorder

logger = logging.getLogger(__name__)

RECORDED_WITHIN = 5.0
"""Seconds that an answer waits for its question to be stored before it goes on without memory."""
ENRICHED_WITHIN = 3.0
"""Seconds that an answer waits for what its question forwards."""
SETTLED_WITHIN = 2.0
"""Seconds that an answer waits for what was said before it in its chat, and before it leaves, for what it was asked to
remember."""


class Chat:
    """Answers messages, one at a time for a session."""

    def __init__(self, config: ScopedMemoryConfig, recorder: Recorder, model: Callable[[], ChatModel | None]) -> None:
        self._config = config
        self._recorder = recorder
        self._model = model
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def wants(self, event: Event) -> bool:
        """Rule: a message of a person to this bot that is no command and that nobody has answered."""
        heard = self._recorder.heard(event)
        if heard is None or heard.is_command or heard.message.answered or not heard.incoming.to_me:
            return False
        return heard.incoming.turn.role == "user" and bool(heard.incoming.turn.text.strip())

    async def answer(self, bot: Bot, event: Event) -> None:
        """Send one answer to a message, after those to the messages before it in its session.

        Nothing is sent if another bot or plugin answered meanwhile, or the message was taken back. Where the model
        fails, an apology is sent; where the memory fails, an answer without it. A failure to send is only logged.
        """
        heard, model = self._recorder.heard(event), self._model()
        if heard is None or model is None:
            return
        session_key = heard.incoming.session_key
        lock = self._locks.setdefault((heard.domain_id, session_key), asyncio.Lock())
        async with lock:
            turn = await _recorded(heard)
            if heard.message.answered:
                return  # by another of our bots, or by a plugin meanwhile
            if turn is not None:
                # The answer before this one has left, but may not be stored yet.
                await self._recorder.caught_up(heard, SETTLED_WITHIN)
                turn = await _as_it_stands(heard, turn)
                if not turn.stands:
                    return  # taken back meanwhile
            package = await self._context(heard, turn)
            group = bool(heard.incoming.role)
            messages = chat_messages(package, self._config.chat.persona, turn or _unrecorded(heard), group=group)
            try:
                completion = await model.complete(messages, purpose="chat")
                said = completion.text.strip() or texts.CHAT_NOTHING
            except ProviderError as e:
                logger.warning(texts.LOG_NO_ANSWER, heard.domain_id, session_key, e)
                said, completion = apology(e), None
            self._recorder.settle(heard)
            if turn is not None:
                await self._recorder.caught_up(heard, SETTLED_WITHIN)
            try:
                # As a text segment: a model's answer must not be read as CQ codes.
                await bot.send(event, MessageSegment.text(said))
            except (AdapterException, DriverException) as e:
                logger.warning(texts.LOG_NOT_SENT, heard.domain_id, session_key, type(e).__name__)
            finally:
                if completion is not None and turn is not None:
                    await self._count(heard, completion)

    async def _count(self, heard: Heard, completion: Completion) -> None:
        engine, session_key = api.engine(), heard.incoming.session_key
        if engine is None:
            return
        try:
            await engine.add_usage(session_key, "chat", (completion,), domain_id=heard.domain_id)
        except ScopedMemoryError as e:
            logger.warning(texts.LOG_USAGE_LOST, heard.domain_id, session_key, e)

    async def _context(self, heard: Heard, turn: Turn | None) -> ContextPackage | None:
        engine = api.engine()
        if engine is None or turn is None:
            return None
        try:
            package = await engine.compose_context(
                heard.incoming.session_key,
                turn.text,
                domain_id=heard.domain_id,
                speaker=heard.incoming.account,
                current=turn,
            )
            heard.recalled.update((one.item.id, one.score) for one in package.evidence)
            return package
        except Exception as e:  # noqa: BLE001 - told in the log
            logger.error(
                texts.LOG_WITHOUT_MEMORY,
                heard.domain_id,
                heard.incoming.session_key,
                told(e),
            )
            return None


async def _recorded(heard: Heard) -> Turn | None:
    """The question's own turn, once it is stored; None if it is not recorded or takes too long."""
    try:
        turn = await asyncio.wait_for(asyncio.shield(heard.turn), RECORDED_WITHIN)
    except asyncio.TimeoutError:
        return None
    if heard.enriched is not None:
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(heard.enriched.wait(), ENRICHED_WITHIN)
    return turn


async def _as_it_stands(heard: Heard, turn: Turn) -> Turn:
    """``turn`` with what was learnt of it since, and without what was taken back."""
    engine = api.engine()
    if engine is None:
        return turn
    try:
        view = engine.store.view(heard.domain_id, (session_scope(turn.session_key),))
        return next(iter(await view.turns(turn.session_key, (turn.n,))), turn)
    except StoreError as e:
        logger.warning(texts.LOG_NOT_READ_AGAIN, heard.domain_id, turn.session_key, e)
        return turn


def _unrecorded(heard: Heard) -> Turn:
    new = heard.incoming.turn
    return Turn(
        session_key=heard.incoming.session_key,
        n=0,
        role=new.role,
        text=new.text,
        said_at=new.said_at,
        recorded_at=heard.arrived,
        account=new.account,
        name=new.name,
        quotes=new.quotes,
    )


def apology(error: ProviderError) -> str:
    """What a chat reads when its answer failed."""
    if isinstance(error, ProviderTimeoutError):
        return texts.CHAT_TIMEOUT
    if isinstance(error, ProviderBusyError):
        return texts.CHAT_BUSY
    if isinstance(error, ProviderRefusedError):
        return texts.CHAT_REFUSED
    if isinstance(error, ProviderAuthError):
        return texts.CHAT_STOPPED
    return texts.CHAT_FAILED
