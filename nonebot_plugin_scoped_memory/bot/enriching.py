"""What a message does not hold itself: the lines of a merged forward, and what members it mentions are called.

Asked of the client after the message was stored, within bounds: forwards are nested at will, and clients hang or fail.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

from nonebot.adapters import Bot
from nonebot.adapters.onebot.v11 import MessageEvent

from .. import texts
from ..engine.models import Quote, Turn
from .onebot import MAX_QUOTE_CHARS
from .segments import Data, account_of, forwards_in, name_of, number_of, render

logger = logging.getLogger(__name__)

WITHIN = 8.0
"""Seconds for all that is asked about one message."""
MAX_CALLS = 5
"""Forwards of one message that are opened, nested ones included."""
MAX_LINES = 100
"""Lines of forwards that one message brings."""
MAX_DEPTH = 4
MAX_NAMES = 5
"""Members of one message who are asked about."""
KEPT_NAMES = 2_000
AT_ONCE = 4
"""Messages that are asked about at a time."""


class Enricher:
    """Asks the client. One for all chats; names of members are remembered per group."""

    def __init__(self) -> None:
        # (group, account) -> name, empty where the client knew none.
        self._names: OrderedDict[tuple[int, str], str] = OrderedDict()
        self._turns = asyncio.Semaphore(AT_ONCE)

    def has_more(self, event: MessageEvent, mentions: Iterable[tuple[str, str]]) -> bool:
        """Whether there is anything to ask about this message."""
        return bool(forwards_in(event.original_message)) or bool(_nameless(event, mentions))

    async def more(self, bot: Bot, event: MessageEvent, turn: Turn) -> tuple[list[Quote], dict[str, str]]:
        """The lines of the forwards in a message, and the names of mentioned members by account. Never raises but for
        cancellation: what the client does not tell in time is left out."""
        reading = _Reading(bot, turn.session_key)
        names: dict[str, str] = {}
        try:
            async with self._turns:
                await asyncio.wait_for(self._ask(reading, event, turn, names), WITHIN)
        except asyncio.TimeoutError:
            logger.info(texts.LOG_CLIENT_SLOW, turn.session_key, turn.n)
        return reading.quotes, names

    async def _ask(self, reading: _Reading, event: MessageEvent, turn: Turn, names: dict[str, str]) -> None:
        for account in _nameless(event, turn.mentions)[:MAX_NAMES]:
            if name := await self._name(reading.bot, number_of(getattr(event, "group_id", None)), account):
                names[account] = name
        for data in forwards_in(event.original_message):
            await reading.open(data, 1)

    async def _name(self, bot: Bot, group: int, account: str) -> str:
        key = (group, account)
        if key not in self._names:
            member = await _asked(
                bot,
                f"qq:group:{group}",
                "get_group_member_info",
                group_id=group,
                user_id=int(account.rsplit(":", 1)[-1]),
                no_cache=False,
            )
            self._names[key] = name_of(member.get("card"), member.get("nickname"))
        self._names.move_to_end(key)
        while len(self._names) > KEPT_NAMES:
            self._names.popitem(last=False)
        return self._names[key]


class _Reading:
    """The forwards of one message, read into ``quotes`` as far as the bounds allow."""

    def __init__(self, bot: Bot, place: str) -> None:
        self.bot = bot
        self._place = place
        self.quotes: list[Quote] = []
        self._opened: set[str] = set()

    async def open(self, data: Data, depth: int) -> None:
        nodes = _nodes_in(data)
        if not nodes:
            id = next((str(data[key]) for key in ("id", "res_id", "resid") if data.get(key)), "")
            if not id or id in self._opened or len(self._opened) >= MAX_CALLS:
                return
            self._opened.add(id)
            # Clients disagree on what the parameter is called.
            nodes = _nodes_in(await _asked(self.bot, self._place, "get_forward_msg", id=id, message_id=id))
        for node in nodes:
            if len(self.quotes) >= MAX_LINES:
                return
            sender, message = _line(node)
            nested = forwards_in(message)
            text = render(message, MAX_QUOTE_CHARS, note="…").text
            if text.strip():
                account = account_of(sender.get("user_id") or sender.get("uin"))
                name = name_of(sender.get("card"), sender.get("nickname"), sender.get("name"))
                name = name or account.rsplit(":", 1)[-1] or texts.SOMEONE
                self.quotes.append(Quote(account, name, text, "forward"))
            for inner in nested if depth < MAX_DEPTH else ():
                await self.open(inner, depth + 1)


def _nodes_in(data: Data) -> list[Any]:
    """The nodes of a forward, where it holds them: as a client delivers them inline, or answers with."""
    for key in ("messages", "message", "content", "data"):
        value = data.get(key)
        if isinstance(value, Mapping):
            return _nodes_in(value) if key == "data" else []
        if isinstance(value, list):
            return [node for node in value if isinstance(node, Mapping)][:MAX_LINES]
    return []


def _line(node: Data) -> tuple[Data, object]:
    """Who said a node, and its message: ``{sender, message | content}``, or a node segment with these in ``data``."""
    inner = node.get("data")
    if node.get("type") == "node" and isinstance(inner, Mapping):
        node = inner
    sender = node.get("sender")
    message = next((node[key] for key in ("message", "content") if isinstance(node.get(key), (str, list))), "")
    return (sender if isinstance(sender, Mapping) else node), message


def _nameless(event: MessageEvent, mentions: Iterable[tuple[str, str]]) -> list[str]:
    """Members that a group message mentions by number only; not the bot that heard it."""
    if event.message_type != "group":
        return []
    numbers = {account: account.rsplit(":", 1)[-1] for account, _ in mentions}
    return [who for who, name in mentions if name == numbers[who] and numbers[who] != str(event.self_id)]


async def _asked(bot: Bot, place: str, api: str, **params: Any) -> Mapping[str, Any]:
    """What the client answers; nothing if it fails."""
    try:
        answer = await bot.call_api(api, **params)
    except Exception as e:  # noqa: BLE001 - an adapter or its client may raise anything
        logger.debug(texts.LOG_API_FAILED, place, api, type(e).__name__)
        return {}
    return answer if isinstance(answer, Mapping) else {}
