"""For other plugins: what the current chat remembers, and more to remember.

Inside an event handler the chat is found by itself; anywhere else pass ``session="qq:private:10001"``::

    from nonebot import require
    require("nonebot_plugin_scoped_memory")
    from nonebot_plugin_scoped_memory import compose_context, recall, remember

    package = await compose_context(event.get_plaintext())
    prompt = f"{package.memory_block()}\\n\\n{event.get_plaintext()}"

While the memory is off (by settings, for this chat, or since its database failed to open) nothing is found and nothing
is stored; a plugin that only adds memory to its prompts needs no check of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nonebot.adapters import Bot, Event
from nonebot.matcher import current_bot, current_event

from .engine.compose import nothing
from .engine.engine import MemoryEngine
from .engine.errors import NoChatError
from .engine.models import Kind, ScoredItem
from .engine.prompt import ContextPackage
from .engine.scope import plan_for_session
from .engine.settings import EngineSettings
from .engine.writing import Actor, Outcome


@dataclass(frozen=True, slots=True)
class CurrentChat:
    """Where an event comes from: ``account`` is empty for nobody in particular, ``operator`` marks a SUPERUSER."""

    domain_id: str
    session_key: str
    account: str = ""
    name: str = ""
    operator: bool = False


ChatReader = Callable[[Bot, Event], CurrentChat | None]
"""How a chat is read from an event; None for an event of no chat."""

_read_chat: ChatReader | None = None
_engine: MemoryEngine | None = None


def use_reader(reader: ChatReader) -> None:
    """Called once, when the handlers are loaded."""
    global _read_chat
    _read_chat = reader


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
    """Items of this chat's plan that answer ``text``, best first.

    Raises NoChatError outside a handler without ``session``, InvalidAddressError.
    """
    chat = _chat("recall", session, domain_id)
    if _engine is None or not await is_on(chat):
        return []
    plan = plan_for_session(chat.session_key)
    return await _engine.search_memory(text, plan, limit, domain_id=chat.domain_id, speaker=chat.account)


async def remember(
    text: str, kind: Kind | None = None, *, session: str | None = None, domain_id: str | None = None
) -> Outcome | None:
    """Remember a sentence in this chat, said by the current speaker; ``kind`` None leaves that to its words.

    What is shared by its kind waits for an operator like everything else. None while the memory is off. Raises
    NoChatError, InvalidAddressError, InvalidItemError.
    """
    chat = _chat("remember", session, domain_id)
    if _engine is None or not await is_on(chat):
        return None
    return await _engine.listener.remember(
        chat.domain_id,
        chat.session_key,
        text,
        actor=Actor(chat.account, chat.operator),
        name=chat.name,
        kind=kind,
        origin="api",
    )


async def compose_context(text: str, *, session: str | None = None, domain_id: str | None = None) -> ContextPackage:
    """History and recalled items for a prompt that answers ``text``; ``.memory_block()`` is the block as text.

    Raises NoChatError, InvalidAddressError.
    """
    chat = _chat("compose_context", session, domain_id)
    if _engine is None or not await is_on(chat):
        return nothing(chat.session_key, EngineSettings(), "off")
    return await _engine.compose_context(chat.session_key, text, domain_id=chat.domain_id, speaker=chat.account)


async def is_on(chat: CurrentChat) -> bool:
    """Whether this chat is remembered: ``/memory off`` stops recording, recall and extraction for it."""
    if _engine is None:
        return False
    setting = await _engine.chat_setting(chat.session_key, "memory", domain_id=chat.domain_id)
    return setting != "off"


def _chat(call: str, session: str | None, domain_id: str | None) -> CurrentChat:
    if session is not None:
        plan_for_session(session)  # an address that cannot be parsed is the caller's mistake: say so at once
        return CurrentChat(domain_id or (_engine.domain_id if _engine is not None else "default"), session)
    try:
        bot, event = current_bot.get(), current_event.get()
    except LookupError:
        raise NoChatError(call) from None
    chat = _read_chat(bot, event) if _read_chat is not None else None
    if chat is None:
        raise NoChatError(call)
    return chat
