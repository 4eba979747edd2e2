"""For other plugins: what the current chat remembers, and more to remember.

Inside an event handler the chat is found by itself; anywhere else pass ``session="qq:private:10001"``::

    from nonebot import require
    require("nonebot_plugin_scoped_memory")
    from nonebot_plugin_scoped_memory import compose_context, recall, remember

    package = await compose_context(event.get_plaintext())
    prompt = f"{package.memory_block()}\\n\\n{event.get_plaintext()}"

While the memory is off (by settings, for this chat, or since its database failed to open) nothing is found and nothing
is stored; a plugin that only adds memory to its prompts needs no check of its own.

Workers, timers and scheduled jobs must pass ``session``: what a handler starts has a copy of its context for ever, and
that says nothing about the chat it works for. Once NoneBot is done with that handler's event they get NoChatError.

``domain_id`` is needed only outside a handler, for a bot with ``domain = per_bot``: ``bot:<its number>``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from nonebot.adapters import Bot, Event
from nonebot.matcher import current_bot, current_event

from . import texts
from .engine.changing import Actor
from .engine.compose import nothing
from .engine.engine import MemoryEngine
from .engine.errors import InvalidItemError, NoChatError, StoreError
from .engine.models import KINDS, Kind, ScoredItem
from .engine.prompt import ContextPackage
from .engine.scope import plan_for_session
from .engine.settings import EngineSettings
from .engine.writing import Outcome

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CurrentChat:
    """Where an event comes from: ``account`` is empty for nobody in particular.

    ``recalled`` is where to note which items an answer to it is made with (scores by id).
    """

    domain_id: str
    session_key: str
    account: str = ""
    name: str = ""
    recalled: dict[str, float] = field(default_factory=dict)


ChatReader = Callable[[Bot, Event], CurrentChat | None]
"""How a chat is read from an event; None for an event of no chat."""
DomainReader = Callable[[Bot], str]
"""The domain that a bot's chats belong to."""
OpenReader = Callable[[Event], bool]
"""Whether an event is still being handled."""

_read_chat: ChatReader | None = None
_read_domain: DomainReader | None = None
_is_open: OpenReader | None = None
_engine: MemoryEngine | None = None


def use_reader(reader: ChatReader, domain_of: DomainReader, is_open: OpenReader) -> None:
    """Called once, when the handlers are loaded."""
    global _read_chat, _read_domain, _is_open
    _read_chat, _read_domain, _is_open = reader, domain_of, is_open


def use_engine(engine: MemoryEngine | None) -> None:
    """Called when the memory is opened and closed."""
    global _engine
    _engine = engine


def engine() -> MemoryEngine | None:
    """The engine while the memory is open."""
    return _engine


async def recall(
    text: str, *, session: str | None = None, domain_id: str | None = None, limit: int = 10
) -> list[ScoredItem]:
    """Items of this chat's plan that answer ``text``, best first. None are found while the database fails.

    Raises NoChatError outside a handler without ``session``, InvalidAddressError.
    """
    chat = _chat("recall", session, domain_id)
    try:
        if _engine is None or not await is_on(chat):
            return []
        plan = plan_for_session(chat.session_key)
        found = await _engine.search_memory(text, plan, limit, domain_id=chat.domain_id, speaker=chat.account)
        chat.recalled.update((one.item.id, one.score) for one in found)
        return found
    except StoreError as e:
        _log("recall", chat, e)
        return []


async def remember(
    text: str, kind: Kind | None = None, *, session: str | None = None, domain_id: str | None = None
) -> Outcome | None:
    """Remember a sentence in this chat, said by the current speaker; ``kind`` None leaves that to its words.

    What is shared by its kind waits for an operator like everything else. None while the memory is off, and for an
    anonymous member: nobody could look after it. Raises NoChatError, InvalidAddressError, InvalidItemError, StoreError.
    """
    chat = _chat("remember", session, domain_id)
    if kind is not None and kind not in KINDS:
        raise InvalidItemError("kind", f"none of {', '.join(KINDS)}")
    if _engine is None or (session is None and not chat.account) or not await is_on(chat):
        return None
    return await _engine.listener.remember(
        chat.domain_id,
        chat.session_key,
        text,
        actor=Actor(chat.account),
        name=chat.name,
        kind=kind,
        origin="api",
    )


async def compose_context(text: str, *, session: str | None = None, domain_id: str | None = None) -> ContextPackage:
    """History and recalled items for a prompt that answers ``text``; ``.memory_block()`` is the block as text.

    Empty while the database fails. Raises NoChatError, InvalidAddressError.
    """
    chat = _chat("compose_context", session, domain_id)
    try:
        if _engine is None or not await is_on(chat):
            return nothing(chat.session_key, EngineSettings(), "off")
        package = await _engine.compose_context(chat.session_key, text, domain_id=chat.domain_id, speaker=chat.account)
        chat.recalled.update((one.item.id, one.score) for one in package.evidence)
        return package
    except StoreError as e:
        _log("compose_context", chat, e)
        return nothing(chat.session_key, EngineSettings(), "store_failed")


async def is_on(chat: CurrentChat) -> bool:
    """Whether this chat is remembered: ``/memory off`` stops recording, recall and extraction for it."""
    if _engine is None:
        return False
    setting = await _engine.chat_setting(chat.session_key, "memory", domain_id=chat.domain_id)
    return setting != "off"


def _chat(call: str, session: str | None, domain_id: str | None) -> CurrentChat:
    if session is not None:
        plan_for_session(session)  # an address that cannot be parsed is the caller's mistake: say so at once
        return CurrentChat(domain_id or _current_domain(), session)
    bot, event = _current()
    chat = _read_chat(bot, event) if bot and event and _read_chat is not None else None
    if chat is None:
        raise NoChatError(call)
    return chat if domain_id is None else replace(chat, domain_id=domain_id)


def _current_domain() -> str:
    bot, _ = _current()
    if bot is not None and _read_domain is not None:
        return _read_domain(bot)
    return _engine.domain_id if _engine is not None else "default"


def _current() -> tuple[Bot, Event] | tuple[None, None]:
    """The bot and the event of the handler that calls, if it is one."""
    bot, event = current_bot.get(None), current_event.get(None)
    if bot is None or event is None or _is_open is None or not _is_open(event):
        return None, None
    return bot, event


def _log(call: str, chat: CurrentChat, error: StoreError) -> None:
    """A failure of ours must not break another plugin's answer, and must not stay unseen."""
    logger.error(texts.LOG_API_CALL_FAILED, chat.domain_id, chat.session_key, call, error)
