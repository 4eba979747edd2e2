"""Running the memory of a chat: new, on, off, retry."""

from __future__ import annotations

from ... import texts
from ...engine.engine import MemoryEngine
from .request import Request, is_off


async def new(engine: MemoryEngine, request: Request, _argument: str) -> None:
    """``new``: what is pending is extracted, then the history starts afresh."""
    if not request.may_run_chat:
        await request.reply(texts.NEW_DENIED)
        return
    report = await engine.listener.start_conversation(request.domain_id, request.session_key)
    # While the memory is off, what is left from before is not extracted later either.
    await request.reply(texts.NEW_DONE if report.waiting in ("", "off") else texts.NEW_WAITING)


async def on(engine: MemoryEngine, request: Request, _argument: str) -> None:
    """``on``"""
    await _switch(engine, request, "on", texts.ON_DONE, texts.ON_ALREADY)


async def off(engine: MemoryEngine, request: Request, _argument: str) -> None:
    """``off``: neither recorded nor recalled nor extracted; items are kept."""
    await _switch(engine, request, "off", texts.OFF_DONE, texts.OFF_ALREADY)


async def _switch(engine: MemoryEngine, request: Request, value: str, done: str, already: str) -> None:
    if not request.may_run_chat:
        await request.reply(texts.SWITCH_DENIED)
        return
    if value == ("off" if await is_off(engine, request) else "on"):
        await request.reply(already)
        return
    await engine.set_chat_setting(request.session_key, "memory", value, by=request.account, domain_id=request.domain_id)
    await request.reply(done)


async def retry(engine: MemoryEngine, request: Request, _argument: str) -> None:
    """``retry``: call stopped endpoints again."""
    if not request.operator:
        await request.reply(texts.OPERATOR_ONLY)
        return
    models = request.services.models()
    if not models and engine.embedder is None:
        await request.reply(texts.RETRY_NO_MODEL)
        return
    for model in models:
        model.resume()
    if engine.embedder is not None:
        engine.embedder.resume()
    await request.reply(texts.RETRY_DONE)
    await engine.listener.extract(request.domain_id, request.session_key)
