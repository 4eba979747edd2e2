"""``/memory``: finds the subcommand and answers. One file a theme; each subcommand is one function."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Mapping

from nonebot.adapters import Bot, Event
from nonebot.adapters.onebot.v11 import Message, MessageEvent
from nonebot.exception import AdapterException

from ... import api, texts
from ...engine.errors import ScopedMemoryError
from ..heard import Heard
from ..recorder import Recorder
from ..turn_writer import keep_latest
from . import browse, change, dream, inspect, learning, operate, review
from .request import Handler, Request, Services, words_of

logger = logging.getLogger(__name__)

KEPT_COMMANDS = 200
"""Commands that another bot may still bring."""
WAIT_FOR_EARLIER = 5.0
"""Seconds that a command waits for what was said before it to be stored."""

SUBCOMMANDS: Mapping[str, Handler] = {
    "list": browse.list_items,
    "search": browse.search,
    "status": browse.status,
    "show": inspect.show,
    "why": inspect.why,
    "add": change.add,
    "edit": change.edit,
    "forget": change.forget,
    "wrong": change.wrong,
    "optout": learning.optout,
    "optin": learning.optin,
    "mute": learning.mute,
    "new": operate.new,
    "on": operate.on,
    "off": operate.off,
    "retry": operate.retry,
    "review": review.review,
    "approve": review.approve,
    "reject": review.reject,
    "dream": dream.dream,
}


class MemoryCommand:
    """The handler behind the matcher."""

    def __init__(self, recorder: Recorder, services: Services) -> None:
        self._recorder = recorder
        self._services = services
        # Messages that are commands -> the bot that carries them out: bots in one group all hear them.
        self._taken: OrderedDict[tuple[str, str, str, int, str], str] = OrderedDict()

    async def handle(self, bot: Bot, event: Event, argument: Message, *, glued: str = "") -> None:
        """``argument`` is what stands after the command; ``glued`` a Chinese subcommand written onto it (记忆列表)."""
        heard = self._recorder.heard(event)
        if heard is None or not isinstance(event, MessageEvent) or not self._takes(heard):
            return
        request = Request(bot, event, heard, self._services)
        engine = api.engine()
        if engine is None:
            await request.reply(texts.MEMORY_UNAVAILABLE)
            return
        # Any white space: phones type full-width spaces and line breaks.
        first, *others = f"{glued} {words_of(argument)}".split(maxsplit=1) or ("help",)
        word, rest = texts.SUBCOMMAND_ALIASES.get(first, first.lower()), "".join(others).strip()
        if word == "help":
            await request.reply(_help(request))
            return
        handler = SUBCOMMANDS.get(word)
        if handler is None:
            unknown = texts.UNKNOWN_SUBCOMMAND.format(word=request.quoted(first, 20))
            await request.reply(f"{unknown}\n{_help(request)}")
            return
        # 记住… and at once list: the answer knows what was said a moment ago.
        await self._recorder.caught_up(heard, WAIT_FOR_EARLIER)
        try:
            await handler(engine, request, rest)
        except AdapterException:
            raise  # the answer itself could not be sent
        except ScopedMemoryError as e:
            logger.error(texts.LOG_COMMAND_FAILED, request.domain_id, request.session_key, word, e)
            await request.reply(texts.COMMAND_FAILED)
        except Exception as e:
            logger.error(
                texts.LOG_COMMAND_FAILED, request.domain_id, request.session_key, word, type(e).__name__, exc_info=e
            )
            await request.reply(texts.COMMAND_FAILED)

    def _takes(self, heard: Heard) -> bool:
        """Whether this bot is the one to carry out a command: the one that is spoken to, else the first to hear it."""
        incoming = heard.incoming
        if not incoming.role:
            return True  # a private message is to one bot
        if incoming.to_bot and not incoming.to_me:
            return False
        turn = incoming.turn
        key = (heard.domain_id, incoming.session_key, turn.account, int(turn.said_at.timestamp()), turn.text)
        taken_by = self._taken.setdefault(key, incoming.self_id)
        keep_latest(self._taken, key, taken_by, KEPT_COMMANDS)
        return taken_by == incoming.self_id


def _help(request: Request) -> str:
    text = texts.HELP.format(prefix=request.prefix)
    return f"{text}\n{texts.HELP_OPERATOR}" if request.operator else text
