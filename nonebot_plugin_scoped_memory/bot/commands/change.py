"""Changing what is remembered: add, edit, forget, wrong."""

from __future__ import annotations

from ... import texts
from ...engine.engine import MemoryEngine
from ...engine.errors import InvalidItemError, NotAllowedError, NotFoundError, SlotTakenError
from ...engine.models import MAX_ITEM_CHARS
from ...engine.scope import GLOBAL_SCOPE, plan_for_session
from ...engine.writing import Outcome
from .request import Request, id_of, is_off, kind_in

EXAMPLE_ID = "k3f9ab"


async def add(engine: MemoryEngine, request: Request, argument: str) -> None:
    """``add [kind] <text>``"""
    kind, words = kind_in(argument)
    if words:  # else it is one word to remember, which only reads like a kind
        argument = words
    else:
        kind = None
    if not argument:
        await request.reply(texts.ADD_USAGE)
        return
    if request.anonymous:
        await request.reply(texts.ADD_ANONYMOUS)
        return
    if await is_off(engine, request):
        await request.reply(texts.ADD_OFF)
        return
    if len(argument) > MAX_ITEM_CHARS:
        await request.reply(texts.TOO_LONG.format(limit=MAX_ITEM_CHARS))
        return
    try:
        outcome = await engine.listener.remember(
            request.domain_id,
            request.session_key,
            argument,
            actor=request.actor,
            name=request.name,
            mentions=dict(request.heard.incoming.turn.mentions),
            kind=kind,
        )
    except InvalidItemError:  # nothing visible in it
        await request.reply(texts.ADD_USAGE)
        return
    await request.reply(_said(outcome))


def _said(outcome: Outcome) -> str:
    if outcome.item is None:  # it was rejected: a chat always has a place of its own for what only waits elsewhere
        return texts.ADD_REFUSED.get(outcome.reason, texts.ADD_REFUSED_OTHER)
    known = outcome.status == "duplicate"
    shared = outcome.item.scope == GLOBAL_SCOPE
    sentence = texts.ADD_KNOWN if known else texts.ADD_SHARED if shared else texts.ADD_DONE
    answer = sentence.format(content=Request.quoted(outcome.item.content), id=outcome.item.id)
    if outcome.pending is not None:
        answer = f"{answer}\n{texts.ADD_WAITING.format(id=outcome.pending.id)}"
    return answer


async def edit(engine: MemoryEngine, request: Request, argument: str) -> None:
    """``edit <id> <text>``"""
    first, *others = argument.split(maxsplit=1) or ("",)
    id, words = id_of(first), "".join(others)
    if id is None or not words:
        await request.reply(texts.EDIT_USAGE.format(example=EXAMPLE_ID))
        return
    if len(words) > MAX_ITEM_CHARS:
        await request.reply(texts.TOO_LONG.format(limit=MAX_ITEM_CHARS))
        return
    try:
        item = await engine.reword_item(
            id,
            words,
            scopes=plan_for_session(request.session_key),
            rights=request.rights,
            name=request.name,
            domain_id=request.domain_id,
        )
    except NotFoundError:
        await request.reply(texts.NOT_FOUND.format(id=Request.quoted(id, 20)))
    except NotAllowedError:
        await request.reply(texts.EDIT_DENIED)
    except SlotTakenError as e:
        await request.reply(texts.EDIT_SAME.format(id=e.holder_id))
    except InvalidItemError as e:
        await request.reply(texts.ADD_REFUSED.get(e.problem, texts.EDIT_USAGE.format(example=EXAMPLE_ID)))
    else:
        await request.reply(texts.EDIT_DONE.format(content=Request.quoted(item.content), id=item.id))


async def forget(engine: MemoryEngine, request: Request, argument: str) -> None:
    """``forget <id>``"""
    await _retract(engine, request, argument, "forget", texts.FORGET_DONE)


async def wrong(engine: MemoryEngine, request: Request, argument: str) -> None:
    """``wrong <id>``: like forget, and its history says that it was not true."""
    await _retract(engine, request, argument, "wrong", texts.WRONG_DONE)


async def _retract(engine: MemoryEngine, request: Request, argument: str, reason: str, done: str) -> None:
    id = id_of(argument)
    if id is None:
        await request.reply(texts.FORGET_USAGE.format(command=reason, example=EXAMPLE_ID))
        return
    try:
        item = await engine.retract_item(
            id,
            scopes=plan_for_session(request.session_key),
            rights=request.rights,
            reason=reason,
            domain_id=request.domain_id,
        )
    except NotFoundError:
        await request.reply(texts.NOT_FOUND.format(id=Request.quoted(id, 20)))
    except NotAllowedError as e:
        await request.reply(texts.FORGET_SHARED_DENIED if e.shared else texts.FORGET_DENIED)
    else:
        await request.reply(done.format(content=Request.quoted(item.content)))
