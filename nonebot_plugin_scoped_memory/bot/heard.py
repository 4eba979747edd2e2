"""A message on its way through the bot, until its handlers are done and its answers are known."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime

from ..engine.models import Turn, TurnState
from .onebot import Incoming


@dataclass(slots=True, eq=False)
class Heard:
    """One message event on its way through the bot.

    ``turn`` is done when the message was stored (None: it is not recorded), ``done`` is set when all handlers ended.
    ``matched``: some handler was started; ``dropped``: another plugin's preprocessor kept it from all of them.
    ``enriched`` is set when the turn has what the client was asked for about it; None where there is nothing to ask.
    ``recalled`` are the scores of the items that were recalled while it was handled, by id.
    """

    incoming: Incoming
    domain_id: str
    arrived: datetime
    turn: asyncio.Future[Turn | None]
    message: Message
    done: asyncio.Event = field(default_factory=asyncio.Event)
    is_command: bool = False
    answered: bool = False
    classified: bool = False
    matched: bool = False
    dropped: bool = False
    enriched: asyncio.Event | None = None
    recalled: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Message:
    """One message of a chat: bots in one group all hear it, and each handles it in its way.

    ``state`` and ``replies`` (turn numbers) are as they are stored; each is changed only in the session's order.
    """

    heard: list[Heard] = field(default_factory=list)
    state: TurnState = TurnState.OPEN
    replies: list[int] = field(default_factory=list)

    @property
    def is_command(self) -> bool:
        """What one bot took for a command is one, whatever it was to another bot; so is what none of them may see."""
        return any(heard.is_command for heard in self.heard) or all(heard.dropped for heard in self.heard)

    @property
    def answered(self) -> bool:
        return any(heard.answered for heard in self.heard)
