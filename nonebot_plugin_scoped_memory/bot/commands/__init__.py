"""``/memory``: finds the subcommand and answers. One file a theme; each subcommand is one function."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from nonebot.adapters import Bot, Event
from nonebot.adapters.onebot.v11 import MessageEvent

from ... import api, texts
from ...engine.errors import InvalidItemError, ScopedMemoryError
from ..recorder import Recorder
from . import browse, change, operate, review
from .request import Handler, Request, Services

logger = logging.getLogger(__name__)

WAIT_FOR_EARLIER = 5.0
"""Seconds that a command waits for what was said before it to be stored."""

SUBCOMMANDS: Mapping[str, Handler] = {
    "list": browse.list_items,
    "search": browse.search,
    "status": browse.status,
    "add": change.add,
    "forget": change.forget,
    "new": operate.new,
    "on": operate.on,
    "off": operate.off,
    "retry": operate.retry,
    "review": review.review,
    "approve": review.approve,
    "reject": review.reject,
}


class MemoryCommand:
    """The handler behind the matcher."""

    def __init__(self, recorder: Recorder, services: Services) -> None:
        self._recorder = recorder
        self._services = services

    async def handle(self, bot: Bot, event: Event, argument: str) -> None:
        """``argument`` is the plain text after the command."""
        heard = self._recorder.heard(event)
        if heard is None or not isinstance(event, MessageEvent):
            return
        request = Request(bot, event, heard, self._services)
        engine = api.engine()
        word, _, rest = argument.strip().partition(" ")
        if engine is None:
            await request.reply(texts.MEMORY_UNAVAILABLE)
            return
        if not word or word == "help":
            await request.reply(_help(request))
            return
        handler = SUBCOMMANDS.get(word.lower())
        if handler is None:
            unknown = texts.UNKNOWN_SUBCOMMAND.format(word=request.quoted(word, 20))
            await request.reply(f"{unknown}\n{_help(request)}")
            return
        # 记住… and at once list: the answer knows what was said a moment ago.
        await self._recorder.caught_up(heard, WAIT_FOR_EARLIER)
        try:
            await handler(engine, request, rest.strip())
        except InvalidItemError as e:
            logger.info("%s/%s: %s: %s", request.domain_id, request.session_key, word, e)
            await request.reply(texts.COMMAND_FAILED)
        except ScopedMemoryError as e:
            logger.error("%s/%s: %s failed: %s", request.domain_id, request.session_key, word.lower(), e)
            await request.reply(texts.COMMAND_FAILED)


def _help(request: Request) -> str:
    text = texts.HELP.format(prefix=request.prefix)
    return f"{text}\n{texts.HELP_OPERATOR}" if request.operator else text
