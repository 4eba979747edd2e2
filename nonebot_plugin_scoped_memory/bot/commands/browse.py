"""Looking at what is remembered: list, search, status."""

from __future__ import annotations

from collections.abc import Sequence

from ... import texts
from ...engine.engine import MemoryEngine
from ...engine.llm import OpenAIChat
from ...engine.models import Item
from ...engine.scope import GLOBAL_SCOPE, home_scope, plan_for_session, session_scope
from ...engine.text import shown_name
from .request import PAGE, Request, is_off, kind_in, moment, page_of


def item_line(item: Item) -> str:
    scope = texts.SCOPE_SHARED if item.scope == GLOBAL_SCOPE else texts.SCOPE_HERE
    return texts.ITEM_LINE.format(
        id=item.id, kind=texts.KIND_NAMES[item.kind], scope=scope, content=Request.quoted(item.content)
    )


async def list_items(engine: MemoryEngine, request: Request, argument: str) -> None:
    """``list [kind] [page]``: the active items of this chat's plan."""
    kind, rest = kind_in(argument)
    page = page_of(rest)
    if page is None:
        await request.reply(texts.PAGE_INVALID.format(command="list"))
        return
    view = engine.store.view(request.domain_id, plan_for_session(request.session_key))
    total = await view.count_items(kind=kind)
    pages = max(1, -(-total // PAGE))
    if not total and kind is not None:
        await request.reply(texts.LIST_EMPTY_KIND.format(kind=texts.KIND_NAMES[kind]))
    elif not total:
        await request.reply(texts.LIST_EMPTY)
    elif not 0 < page <= pages:
        await request.reply(texts.PAGE_MISSING.format(pages=pages))
    else:
        items = await view.list_items(kind=kind, limit=PAGE, offset=(page - 1) * PAGE)
        head = texts.LIST_HEAD.format(total=total, page=page, pages=pages)
        await request.reply("\n".join((head, *map(item_line, items))))


async def search(engine: MemoryEngine, request: Request, argument: str) -> None:
    """``search <text>``; with ``--history`` what was said in this conversation is searched."""
    words = argument.split()
    if any(word in texts.HISTORY_FLAGS for word in words):
        await _search_history(engine, request, " ".join(word for word in words if word not in texts.HISTORY_FLAGS))
        return
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


async def _search_history(engine: MemoryEngine, request: Request, words: str) -> None:
    if not words:
        await request.reply(texts.SEARCH_USAGE)
        return
    found = await engine.search_turns(words, session_id=request.session_key, domain_id=request.domain_id, limit=PAGE)
    if not found:
        await request.reply(texts.HISTORY_EMPTY)
        return
    lines = [
        texts.HISTORY_LINE.format(
            at=moment(engine, one.turn.said_at),
            name=Request.quoted(shown_name(one.turn.name) or one.turn.account.rsplit(":", 1)[-1], 20),
            text=Request.quoted(one.turn.text),
        )
        for one in sorted(found, key=lambda one: (one.turn.said_at, one.turn.n))
    ]
    await request.reply("\n".join((texts.HISTORY_HEAD.format(count=len(found)), *lines)))


async def status(engine: MemoryEngine, request: Request, _argument: str) -> None:
    """``status``: what is stored for this chat, and which parts are degraded.

    What concerns the whole bot (today's tokens, what waits) is for operators, and no group reads it with them.
    """
    config = request.services.config
    operator_alone = request.operator and not request.in_group
    home = home_scope(request.session_key)
    here = await engine.store.view(request.domain_id, (home,)).count_items()
    shared = await engine.store.view(request.domain_id, (GLOBAL_SCOPE,)).count_items()
    session = await engine.store.view(request.domain_id, (session_scope(request.session_key),)).session(
        request.session_key
    )
    turns = session.last_turn if session else 0
    pending = await engine.listener.pending(request.domain_id, request.session_key)
    lines = [
        texts.STATUS_OFF if await is_off(engine, request) else texts.STATUS_ON,
        texts.STATUS_ITEMS.format(here=here, shared=shared),
        texts.STATUS_TURNS.format(turns=turns)
        if pending is None
        else texts.STATUS_TURNS_PENDING.format(turns=turns, pending=pending),
    ]
    if not await engine.learns_about(request.session_key, request.account, domain_id=request.domain_id):
        lines.append(texts.STATUS_LEARNING_OFF)
    if request.in_group:
        lines.append(texts.STATUS_GROUP[config.record.groups])
    lines.extend(await _model_lines(engine, request, figures=operator_alone))
    lines.append(_vector_line(engine))
    if operator_alone and (waiting := await engine.count_reviews(domain_id=request.domain_id)):
        lines.append(texts.STATUS_REVIEWS.format(count=waiting))
    await request.reply("\n".join(lines))


async def _model_lines(engine: MemoryEngine, request: Request, *, figures: bool) -> list[str]:
    models = request.services.models()
    if not models:
        return [texts.STATUS_MODEL_NONE]
    limit = request.services.config.budget.daily_tokens
    spent = await engine.spent_today()
    lines = [_model_line(models)]
    if figures:
        lines.append(texts.STATUS_TOKENS.format(spent=spent, limit=limit))
    spent_up = await engine.spent_up(request.session_key, domain_id=request.domain_id)
    if spent_up:
        lines.append(texts.STATUS_BUDGET_SPENT if spent_up == "budget" else texts.STATUS_CHAT_BUDGET_SPENT)
    return lines


def _model_line(models: Sequence[OpenAIChat]) -> str:
    """How the worst of the models stands."""
    state = max((model.state for model in models), key=lambda state: (state.stopped, not state.ok))
    if state.ok:
        return texts.STATUS_MODEL_OK
    sentence = texts.STATUS_MODEL_STOPPED if state.stopped else texts.STATUS_MODEL_FAILING
    name = state.error.__name__ if state.error is not None else ""
    return sentence.format(problem=texts.PROVIDER_PROBLEMS.get(name, texts.PROVIDER_PROBLEM_OTHER))


def _vector_line(engine: MemoryEngine) -> str:
    if engine.embedder is None:
        return texts.STATUS_VECTORS_NONE
    return texts.STATUS_VECTORS_OK if engine.embedder.state.ok else texts.STATUS_VECTORS_DOWN
