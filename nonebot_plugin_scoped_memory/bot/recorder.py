"""Hooks that make turns of events: a turn opens before the handlers run and is classified after them.

Nothing here may break or delay an event: every hook is guarded, and the writing happens in owned tasks, one session
after the other in order of arrival.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

from nonebot.adapters import Bot, Event
from nonebot.adapters.onebot.v11 import Event as OneBotEvent
from nonebot.adapters.onebot.v11 import MessageEvent
from nonebot.matcher import Matcher, current_event
from nonebot.rule import CommandRule, FullmatchRule, RegexRule, ShellCommandRule

from .. import api, texts
from ..config import ScopedMemoryConfig
from ..engine.background import Background
from ..engine.engine import MemoryEngine
from ..engine.errors import InvalidAddressError
from ..engine.failures import told
from ..engine.models import NewTurn, TurnState
from .enriching import Enricher
from .heard import Heard, Message
from .onebot import Incoming, Recall, Sent, place_of, read_api_send, read_message, read_recall
from .segments import account_of
from .turn_writer import TurnWriter, keep_latest

logger = logging.getLogger(__name__)

Work: TypeAlias = Callable[[], Coroutine[Any, Any, None]]

KEPT_CALLS = 10_000
"""API calls under way; one that its caller gave up never ends."""


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
        # Events that are being handled, and those of them that are messages, by the event's id.
        self._open: dict[int, Event] = {}
        self._heard: dict[int, Heard] = {}
        # The messages that API calls under way are replies to, by the id of the call's data.
        self._calls: OrderedDict[int, Heard] = OrderedDict()
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self._background = Background()
        self._asking = Background()  # waits for the client: nothing waits for it when the bot stops
        self._enricher = Enricher()
        self._writer = self._new_writer()

    def _new_writer(self) -> TurnWriter:
        return TurnWriter(bots=lambda: frozenset(account_of(self_id) for self_id in self._bots()), clock=self._clock)

    def is_open(self, event: Event) -> bool:
        """Whether an event is being handled. What a handler leaves behind (a timer, a worker) has a copy of its context
        for ever, and is inside that chat no longer than this."""
        return self._open.get(id(event)) is event

    def heard(self, event: Event) -> Heard | None:
        """The record of a message event that is being handled."""
        return self._heard.get(id(event)) if self.is_open(event) else None

    async def caught_up(self, heard: Heard, within: float) -> None:
        """Wait until what was said in this session so far is stored and classified, for at most so many seconds."""
        lock = self._locks.setdefault((heard.domain_id, heard.incoming.session_key), asyncio.Lock())
        try:
            await asyncio.wait_for(lock.acquire(), within)
        except asyncio.TimeoutError:
            return
        lock.release()

    def start(self) -> None:
        """Called when the bot starts, also after it was stopped in this process."""
        self._background, self._asking = Background(), Background()
        self._enricher = Enricher()
        self._writer = self._new_writer()
        for of_the_last_run in (self._open, self._heard, self._calls):
            of_the_last_run.clear()

    async def settled(self) -> None:
        """Wait until everything that was heard so far is handled, stored and classified."""
        while (open := next((heard for heard in self._heard.values() if not heard.done.is_set()), None)) is not None:
            await open.done.wait()
        await self._asking.drain()
        await self._background.drain()

    async def close(self, within: float) -> None:
        """Let what was heard be stored, for at most so many seconds. Handlers that still run will not be waited for:
        their messages are classified by what handled them so far."""
        for heard in list(self._heard.values()):
            self._end(heard)
        await self._asking.close(0)
        await self._background.close(within)

    # ------------------------------------------------------------------ the hooks

    async def handling(self, bot: Bot, event: Event) -> AsyncIterator[None]:
        """Dependency of an event preprocessor: open a turn, or take a message back.

        It ends when NoneBot is done with the event, also with one that another plugin's preprocessor drops.
        """
        self._open[id(event)] = event
        with _guarded(texts.LOG_EVENT_LOST, lambda: place_of(event)):
            if isinstance(event, MessageEvent) and event.post_type == "message":
                self._hear(bot, event)
            elif isinstance(event, OneBotEvent) and (recall := read_recall(event)) is not None:
                self._take_back(bot, recall)
        try:
            yield
        finally:
            self._open.pop(id(event), None)
            if (heard := self._heard.pop(id(event), None)) is not None:
                self._end(heard)
                heard.done.set()

    async def matched(self, matcher: Matcher, event: Event) -> None:
        """Run preprocessor: note which messages were meant for a command or another plugin."""
        with _guarded(texts.LOG_MATCHER_UNREAD, lambda: place_of(event)):
            if (heard := self.heard(event)) is not None:
                heard.matched = True
                heard.is_command = heard.is_command or is_command(matcher)

    async def after(self, event: Event) -> None:
        """Event postprocessor: the handlers are done, the turn and its answers can be classified."""
        with _guarded(texts.LOG_NOT_CLASSIFIED, lambda: place_of(event)):
            if (heard := self.heard(event)) is not None:
                self.settle(heard)
                heard.done.set()

    def settle(self, heard: Heard) -> None:
        """Classify a message, once: by what handled it so far. The chat calls this before its answer leaves, so that
        whoever reads the answer and writes on finds the memory up to date."""
        if not heard.classified:
            heard.classified = True
            self._later(heard, partial(self._writer.settle, heard))

    async def calling(self, bot: Bot, name: str, data: dict[str, Any]) -> None:  # noqa: ARG002
        """API hook: what is begun while a message is being handled is a reply to it, whenever it is sent."""
        event = current_event.get(None)
        self._calls.pop(id(data), None)
        if event is not None and (heard := self.heard(event)) is not None:
            keep_latest(self._calls, id(data), heard, KEPT_CALLS)

    async def called(
        self, bot: Bot, exception: Exception | None, name: str, data: dict[str, Any], result: object
    ) -> None:
        """API hook: what a handler says to the chat it was called from becomes a turn of that chat."""
        heard = self._calls.pop(id(data), None)
        with _guarded(texts.LOG_ANSWER_LOST, lambda: heard.incoming.session_key if heard is not None else name):
            if exception is None and heard is not None:
                sent = read_api_send(name, data, result, bot.self_id)
                if sent is not None and sent.session_key == heard.incoming.session_key:
                    self._answered(heard, bot.self_id, sent)

    # ------------------------------------------------------------------ what they start

    def _hear(self, bot: Bot, event: MessageEvent) -> None:
        now = self._clock()
        incoming = read_message(event, bots=self._bots(), superusers=self._superusers, now=now)
        heard = Heard(
            incoming=incoming,
            domain_id=domain_of(self._config, bot.self_id),
            arrived=now,
            turn=asyncio.get_running_loop().create_future(),
            message=Message(),
            # The adapter has taken the bot's name and mention off by now.
            is_command=event.get_plaintext().lstrip().startswith(self._prefixes),
        )
        heard.message.heard.append(heard)
        self._heard[id(event)] = heard
        engine = api.engine()
        kept = engine is not None and self._is_kept(incoming)
        if engine is None or not kept or not self._later(heard, partial(self._writer.record, engine, heard)):
            heard.turn.set_result(None)
        elif self._enricher.has_more(event, incoming.turn.mentions):
            heard.enriched = asyncio.Event()
            self._asking.spawn(self._enrich(engine, bot, event, heard), "ask the client for more")

    async def _enrich(self, engine: MemoryEngine, bot: Bot, event: MessageEvent, heard: Heard) -> None:
        try:
            turn = await asyncio.shield(heard.turn)
            if turn is not None:
                quotes, names = await self._enricher.more(bot, event, turn)
                await engine.listener.enrich(heard.domain_id, turn.session_key, turn.n, quotes, names)
        finally:
            if heard.enriched is not None:
                heard.enriched.set()

    def _end(self, heard: Heard) -> None:
        """The bot is done with this message, or stops. If nothing was matched to it by then, it was dropped."""
        if not heard.done.is_set():
            heard.dropped = not heard.matched
            self.settle(heard)

    def _answered(self, heard: Heard, self_id: str, sent: Sent) -> None:
        heard.answered = True
        # Measured from the question's own time: the clocks of the platform and of this machine may disagree. Whole
        # seconds, as the platform counts them: a fraction would put the answer after what is said next.
        passed = max(0, int((self._clock() - heard.arrived).total_seconds()))
        reply = NewTurn(
            role="bot",
            text=sent.text,
            said_at=heard.incoming.turn.said_at + timedelta(seconds=passed),
            account=f"qq:user:{self_id}",
            state=TurnState.OPEN,
            seq=heard.incoming.turn.seq,
            message_ids=((self_id, sent.message_id),) if sent.message_id else (),
            recalled=tuple(sorted(heard.recalled.items(), key=lambda pair: -pair[1])),
        )
        self._later(heard, partial(self._writer.reply, heard, reply))

    def _is_kept(self, incoming: Incoming) -> bool:
        if incoming.turn.role == "bot":
            return False  # what our bots say is recorded when they say it
        if not incoming.role:
            return True
        return self._config.record.groups == "all" or (self._config.record.groups == "addressed" and incoming.to_bot)

    def _take_back(self, bot: Bot, recall: Recall) -> None:
        domain_id = domain_of(self._config, bot.self_id)
        if recall.session_key:
            self._in_order(domain_id, recall.session_key, partial(self._writer.recall, domain_id, recall))
        else:
            self._background.spawn(self._take_back_own(domain_id, recall), "find a recalled message")

    async def _take_back_own(self, domain_id: str, recall: Recall) -> None:
        """Some clients do not tell the chat in which the bot's own message was recalled."""
        session_key = await self._writer.session_of_own(domain_id, recall)
        if session_key is not None:
            recall = replace(recall, session_key=session_key)
            self._in_order(domain_id, session_key, partial(self._writer.recall, domain_id, recall))

    def _later(self, heard: Heard, work: Work) -> bool:
        if heard.turn.done() and heard.turn.result() is None:
            return False  # not recorded, so neither are its answers
        return self._in_order(heard.domain_id, heard.incoming.session_key, work)

    def _in_order(self, domain_id: str, session_key: str, work: Work) -> bool:
        """Do ``work`` after everything that was started for this session before. False if the bot stops already."""
        lock = self._locks.setdefault((domain_id, session_key), asyncio.Lock())

        async def run() -> None:
            async with lock:
                await work()

        return self._background.spawn(run(), f"record {session_key}") is not None


@contextmanager
def _guarded(failure: str, where: Callable[[], str]) -> Iterator[None]:
    """Whatever goes wrong in a hook of ours, the event goes on to everybody else. ``where`` names the chat."""
    try:
        yield
    except InvalidAddressError as e:
        logger.info(texts.LOG_NO_CHAT, e)
    except Exception as e:  # noqa: BLE001 - told in the log
        logger.error("%s：%s：%s", where(), failure, told(e))


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
