"""Hooks that make turns of events: a turn opens before the handlers run and is classified after them.

Nothing here may break or delay an event: every hook is guarded, and the writing happens in owned tasks, one session
after the other in order of arrival.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from nonebot.adapters import Bot, Event
from nonebot.adapters.onebot.v11 import Event as OneBotEvent
from nonebot.adapters.onebot.v11 import MessageEvent
from nonebot.matcher import Matcher, current_event
from nonebot.rule import CommandRule, FullmatchRule, RegexRule, ShellCommandRule

from .. import api
from ..config import ScopedMemoryConfig
from ..engine.background import Background
from ..engine.engine import MemoryEngine
from ..engine.errors import InvalidAddressError, StoreError
from ..engine.models import NewTurn, Turn, TurnState
from .onebot import Incoming, Recall, read_api_send, read_message, read_recall

logger = logging.getLogger(__name__)

K = TypeVar("K")
V = TypeVar("V")

KEPT_EVENTS = 1_000
"""Events whose replies may still come; what a handler sends after so many more is no reply of a conversation."""
KEPT_RECALLS = 200
"""Recalls that came before their message did."""


@dataclass(slots=True, eq=False)
class Heard:
    """One message event on its way through the bot.

    ``turn`` is done when the message was stored (None: it is not recorded). ``state`` is what the handlers made of it,
    OPEN until they are done.
    """

    event: Event
    incoming: Incoming
    domain_id: str
    arrived: datetime
    turn: asyncio.Future[Turn | None]
    is_command: bool = False
    answered: bool = False
    state: TurnState = TurnState.OPEN
    replies: list[int] = field(default_factory=list)


class Recorder:
    """Keeps the chats' turns. ``bots`` gives the connected bots by self id."""

    def __init__(
        self,
        config: ScopedMemoryConfig,
        *,
        bots: Callable[[], Mapping[str, Bot]],
        superusers: frozenset[str],
        command_start: frozenset[str],
        clock: Callable[[], datetime],
    ) -> None:
        self._config = config
        self._bots = bots
        self._superusers = superusers
        self._prefixes = tuple(sorted(prefix for prefix in command_start if prefix))
        self._clock = clock
        self._heard: OrderedDict[int, Heard] = OrderedDict()
        self._recalled: OrderedDict[tuple[str, str, str, str], str] = OrderedDict()
        # (self id, message id) of the bots' own words -> session: some recalls of these do not tell the chat.
        self._sent: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self._background = Background()

    def heard(self, event: Event) -> Heard | None:
        """The record of a message event that came in lately."""
        found = self._heard.get(id(event))
        return found if found is not None and found.event is event else None

    async def caught_up(self, heard: Heard, within: float) -> None:
        """Wait until what was said in this session before is stored and classified, for at most so many seconds."""
        lock = self._locks.setdefault((heard.domain_id, heard.incoming.session_key), asyncio.Lock())
        try:
            await asyncio.wait_for(lock.acquire(), within)
        except asyncio.TimeoutError:
            return
        lock.release()

    def start(self) -> None:
        """Called when the bot starts, also after it was stopped in this process."""
        self._background = Background()

    async def settled(self) -> None:
        """Wait until everything that was heard so far is stored and classified."""
        await self._background.drain()

    async def close(self, within: float) -> None:
        """Let what was heard be stored, for at most so many seconds."""
        await self._background.close(within)

    # ------------------------------------------------------------------ the hooks

    async def before(self, bot: Bot, event: Event) -> None:
        """Event preprocessor: open a turn, or take a message back."""
        try:
            if isinstance(event, MessageEvent) and event.post_type == "message":
                self._hear(bot, event)
            elif isinstance(event, OneBotEvent) and (recall := read_recall(event)) is not None:
                self._take_back(bot, recall)
        except InvalidAddressError as e:
            logger.info("an event of no chat is not recorded: %s", e)
        except Exception as e:
            logger.error("an event could not be recorded: %s", type(e).__name__, exc_info=e)

    async def matched(self, matcher: Matcher, event: Event) -> None:
        """Run preprocessor: note which messages were meant for a command or another plugin."""
        if (heard := self.heard(event)) is not None and is_command(matcher):
            heard.is_command = True

    async def after(self, event: Event) -> None:
        """Event postprocessor: the handlers are done, the turn and its answers can be classified."""
        if (heard := self.heard(event)) is None:
            return
        self.settle(heard)

    def settle(self, heard: Heard) -> None:
        """Classify a message, once: by what handled it so far. The chat calls this before its answer leaves, so that
        whoever reads the answer and writes on finds the memory up to date."""
        if heard.state is TurnState.OPEN:
            heard.state = TurnState.COMMAND if heard.is_command else TurnState.ORDINARY
            self._later(heard, self._settle(heard))

    async def called(
        self, bot: Bot, exception: Exception | None, name: str, data: dict[str, Any], result: object
    ) -> None:
        """API hook: what a handler says to the chat it was called from becomes a turn of that chat."""
        try:
            event = current_event.get(None)
            if exception is not None or event is None or (heard := self.heard(event)) is None:
                return
            sent = read_api_send(name, data, result, bot.self_id)
            if sent is None or sent.session_key != heard.incoming.session_key:
                return
            heard.answered = True
            # Measured from the question's own time: the clocks of the platform and of this machine may disagree.
            said_at = heard.incoming.turn.said_at + (self._clock() - heard.arrived)
            reply = NewTurn(
                role="bot",
                text=sent.text,
                said_at=said_at,
                account=f"qq:user:{bot.self_id}",
                state=TurnState.OPEN,
                seq=heard.incoming.turn.seq,
                message_ids=((bot.self_id, sent.message_id),) if sent.message_id else (),
            )
            self._later(heard, self._reply(heard, reply))
        except Exception as e:
            logger.error("an answer could not be recorded: %s", type(e).__name__, exc_info=e)

    # ------------------------------------------------------------------ what they start

    def _hear(self, bot: Bot, event: MessageEvent) -> None:
        now = self._clock()
        incoming = read_message(event, bots=self._bots(), superusers=self._superusers, now=now)
        heard = Heard(
            event=event,
            incoming=incoming,
            domain_id=domain_of(self._config, bot.self_id),
            arrived=now,
            turn=asyncio.get_running_loop().create_future(),
            # The adapter has taken the bot's name and mention off by now.
            is_command=event.get_plaintext().lstrip().startswith(self._prefixes),
        )
        _keep(self._heard, id(event), heard, KEPT_EVENTS)
        engine = api.engine()
        if engine is None or not self._is_kept(incoming):
            heard.turn.set_result(None)
            return
        self._later(heard, self._record(engine, heard))

    def _is_kept(self, incoming: Incoming) -> bool:
        if incoming.turn.role == "bot":
            return False  # what our bots say is recorded when they say it
        if not incoming.role:
            return True
        return self._config.record.groups == "all" or (self._config.record.groups == "addressed" and incoming.to_bot)

    def _take_back(self, bot: Bot, recall: Recall) -> None:
        domain_id = domain_of(self._config, bot.self_id)
        session_key = recall.session_key or self._sent.get((recall.self_id, recall.message_id), "")
        if session_key:
            recall = replace(recall, session_key=session_key)
            self._in_order(domain_id, session_key, self._recall(domain_id, recall))

    async def _record(self, engine: MemoryEngine, heard: Heard) -> None:
        incoming = heard.incoming
        try:
            if await engine.chat_setting(incoming.session_key, "memory", domain_id=heard.domain_id) == "off":
                return
            turn = await engine.listener.record(heard.domain_id, incoming.session_key, incoming.turn)
            heard.turn.set_result(turn)
            await self._recalled_before(engine, heard)
        except StoreError as e:
            logger.error("%s/%s: a message could not be stored: %s", heard.domain_id, incoming.session_key, e.problem)
        finally:
            if not heard.turn.done():
                heard.turn.set_result(None)

    async def _reply(self, heard: Heard, reply: NewTurn) -> None:
        engine = api.engine()
        if engine is None or heard.turn.result() is None:
            return
        turn = await engine.listener.record(heard.domain_id, heard.incoming.session_key, reply)
        heard.replies.append(turn.n)
        for sent in reply.message_ids:
            _keep(self._sent, sent, heard.incoming.session_key, KEPT_EVENTS)
        if heard.state is not TurnState.OPEN:
            await engine.listener.settle(heard.domain_id, heard.incoming.session_key, turn.n, heard.state)

    async def _settle(self, heard: Heard) -> None:
        engine = api.engine()
        turn = heard.turn.result()
        if engine is None or turn is None:
            return
        for n in (turn.n, *heard.replies):
            await engine.listener.settle(heard.domain_id, heard.incoming.session_key, n, heard.state)

    async def _recall(self, domain_id: str, recall: Recall) -> None:
        engine = api.engine()
        if engine is None:
            return
        known = await engine.listener.take_back(
            domain_id, recall.session_key, recall.self_id, recall.message_id, by=recall.operator
        )
        if not known:
            key = (domain_id, recall.session_key, recall.self_id, recall.message_id)
            _keep(self._recalled, key, recall.operator, KEPT_RECALLS)

    async def _recalled_before(self, engine: MemoryEngine, heard: Heard) -> None:
        """A message that waits for what it quotes can arrive after its own recall."""
        for self_id, message_id in heard.incoming.turn.message_ids:
            key = (heard.domain_id, heard.incoming.session_key, self_id, message_id)
            if (operator := self._recalled.pop(key, None)) is not None:
                await engine.listener.take_back(*key, by=operator)

    def _later(self, heard: Heard, work: Coroutine[Any, Any, None]) -> None:
        if heard.turn.done() and heard.turn.result() is None:
            work.close()  # not recorded, so neither are its answers
            return
        self._in_order(heard.domain_id, heard.incoming.session_key, work)

    def _in_order(self, domain_id: str, session_key: str, work: Coroutine[Any, Any, None]) -> None:
        """Run ``work`` after everything that was started for this session before."""
        lock = self._locks.setdefault((domain_id, session_key), asyncio.Lock())

        async def run() -> None:
            async with lock:
                await work

        self._background.spawn(run(), f"record {session_key}")


def _keep(kept: OrderedDict[K, V], key: K, value: V, limit: int) -> None:
    """Put a value among the latest ``limit``."""
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > limit:
        kept.popitem(last=False)


def domain_of(config: ScopedMemoryConfig, self_id: str) -> str:
    """The wall that this bot's chats stand behind."""
    return f"bot:{self_id}" if config.domain == "per_bot" else "default"


def is_command(matcher: Matcher) -> bool:
    """Whether a matcher takes messages that are meant for it alone: commands, fixed texts, patterns, and the follow-up
    questions of a handler. ``on_message`` and keywords leave a message ordinary."""
    if matcher.temp:
        return True
    calls = (checker.call for checker in matcher.rule.checkers)
    return any(
        isinstance(call, (CommandRule, ShellCommandRule, FullmatchRule, RegexRule))
        or type(call).__name__ == "AlconnaRule"
        for call in calls
    )
