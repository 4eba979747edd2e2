"""Looking at what is remembered: list, search, status."""

from __future__ import annotations

from ... import texts
from ...engine.engine import MemoryEngine
from ...engine.models import Item
from ...engine.scope import GLOBAL_SCOPE, home_scope, plan_for_session, session_scope
from .request import PAGE, Request, page_of


def item_line(item: Item) -> str:
    scope = texts.SCOPE_SHARED if item.scope == GLOBAL_SCOPE else texts.SCOPE_HERE
    return texts.ITEM_LINE.format(
        id=item.id, kind=texts.KIND_NAMES[item.kind], scope=scope, content=Request.quoted(item.content)
    )


async def list_items(engine: MemoryEngine, request: Request, argument: str) -> None:
    """``list [page]``: the active items of this chat's plan."""
    page = page_of(argument)
    if page is None:
        await request.reply(texts.PAGE_INVALID)
        return
    view = engine.store.view(request.domain_id, plan_for_session(request.session_key))
    total = await view.count_items()
    pages = max(1, -(-total // PAGE))
    if not total:
        await request.reply(texts.LIST_EMPTY)
    elif page > pages:
        await request.reply(texts.PAGE_MISSING.format(page=page, pages=pages))
    else:
        items = await view.list_items(limit=PAGE, offset=(page - 1) * PAGE)
        head = texts.LIST_HEAD.format(total=total, page=page, pages=pages)
        await request.reply("\n".join((head, *map(item_line, items))))


async def search(engine: MemoryEngine, request: Request, argument: str) -> None:
    """``search <text>``"""
    if not argument:
        await request.reply(texts.SEARCH_USAGE)
        return
    found = await engine.search_memory(
        argument,
        plan_for_session(request.session_key),
        PAGE,
        domain_id=request.domain_id,
        speaker=request.account,
    )
    if not found:
        await request.reply(texts.SEARCH_EMPTY)
        return
    head = texts.SEARCH_HEAD.format(count=len(found))
    await request.reply("\n".join((head, *(item_line(one.item) for one in found))))


async def status(engine: MemoryEngine, request: Request, _argument: str) -> None:
    """``status``: what is stored for this chat, today's tokens, and which parts are degraded."""
    config = request.services.config
    home = home_scope(request.session_key)
    off = await engine.chat_setting(request.session_key, "memory", domain_id=request.domain_id) == "off"
    here = await engine.store.view(request.domain_id, (home,)).count_items()
    shared = await engine.store.view(request.domain_id, (GLOBAL_SCOPE,)).count_items()
    session = await engine.store.view(request.domain_id, (session_scope(request.session_key),)).session(
        request.session_key
    )
    lines = [
        texts.STATUS_OFF if off else texts.STATUS_ON,
        texts.STATUS_ITEMS.format(here=here, shared=shared),
        texts.STATUS_TURNS.format(
            turns=session.last_turn if session else 0,
            pending=session.last_turn - session.watermark if session else 0,
        ),
    ]
    if request.in_group:
        lines.append(texts.STATUS_GROUP[config.record.groups])
    lines.extend(await _model_lines(engine, request))
    lines.append(_vector_line(engine))
    if request.operator and (waiting := await engine.pending_reviews(limit=100, domain_id=request.domain_id)):
        lines.append(texts.STATUS_REVIEWS.format(count=len(waiting)))
    await request.reply("\n".join(lines))


async def _model_lines(engine: MemoryEngine, request: Request) -> list[str]:
    models = request.services.models()
    if not models:
        return [texts.STATUS_MODEL_NONE]
    stopped = next((model.state for model in models if not model.state.ok), None)
    limit = request.services.config.budget.daily_tokens
    spent = await engine.spent_today()
    lines = [
        texts.STATUS_MODEL_OK if stopped is None else texts.STATUS_MODEL_STOPPED.format(problem=stopped.problem),
        texts.STATUS_TOKENS.format(spent=spent, limit=limit),
    ]
    return [*lines, texts.STATUS_BUDGET_SPENT] if spent >= limit else lines


def _vector_line(engine: MemoryEngine) -> str:
    if engine.embedder is None:
        return texts.STATUS_VECTORS_NONE
    return texts.STATUS_VECTORS_OK if engine.embedder.state.ok else texts.STATUS_VECTORS_DOWN
