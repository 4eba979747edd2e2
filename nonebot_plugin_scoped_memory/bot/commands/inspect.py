"""Looking closely: where one item comes from (show), and what an answer was made with (why)."""

from __future__ import annotations

from ... import texts
from ...engine.engine import MemoryEngine
from ...engine.errors import NotFoundError
from ...engine.item_door import ItemStory
from ...engine.models import Item
from ...engine.scope import GLOBAL_SCOPE, plan_for_session, session_scope
from .change import EXAMPLE_ID
from .request import PAGE, Request, id_of, moment

LATEST_TURNS = 50
"""Turns among which the last answer is looked for."""


async def show(engine: MemoryEngine, request: Request, argument: str) -> None:
    """``show <id>``"""
    id = id_of(argument)
    if id is None:
        await request.reply(texts.SHOW_USAGE.format(example=EXAMPLE_ID))
        return
    try:
        story = await engine.item_story(id, scopes=plan_for_session(request.session_key), domain_id=request.domain_id)
    except NotFoundError:
        await request.reply(texts.NOT_FOUND.format(id=Request.quoted(id, 20)))
        return
    await request.reply("\n".join(_story(engine, story)))


def _scope(item: Item) -> str:
    return texts.SCOPE_SHARED if item.scope == GLOBAL_SCOPE else texts.SCOPE_HERE


def _story(engine: MemoryEngine, story: ItemStory) -> list[str]:
    item = story.item
    head = texts.SHOW_HEAD.format(
        id=item.id,
        kind=texts.KIND_NAMES[item.kind],
        scope=_scope(item),
        status=texts.ITEM_STATUSES[item.status],
        content=Request.quoted(item.content, 500),
    )
    lines = [head]
    if item.valid_until is not None:
        lines.append(texts.SHOW_UNTIL.format(at=moment(engine, item.valid_until)))
    if story.evidence:
        lines.append(texts.SHOW_EVIDENCE)
        for one in story.evidence[:PAGE]:
            number = one.account.rsplit(":", 1)[-1] or texts.ANONYMOUS
            lines.append(texts.SHOW_EVIDENCE_LINE.format(account=number, quote=Request.quoted(one.quote)))
        lines += _more(len(story.evidence))
    else:
        lines.append(texts.SHOW_SHARED if item.scope == GLOBAL_SCOPE else texts.SHOW_NO_EVIDENCE)
    if story.events:
        lines.append(texts.SHOW_EVENTS)
        for event in story.events[-PAGE:]:
            line = texts.SHOW_EVENT_LINE.format(at=moment(engine, event.at), action=texts.EVENT_ACTIONS[event.action])
            lines.append(line)
    return lines


def _more(count: int) -> list[str]:
    return [texts.SHOW_MORE.format(count=count - PAGE)] if count > PAGE else []


async def why(engine: MemoryEngine, request: Request, _argument: str) -> None:
    """``why``, perhaps as a reply to an answer: the items that went into it."""
    view = engine.store.view(request.domain_id, (session_scope(request.session_key),))
    incoming = request.heard.incoming
    quotes = incoming.turn.quotes if incoming.unplaced is None else (incoming.unplaced,)
    replied_to = [quote.message_id for quote in quotes if quote.kind == "reply"]
    if replied_to:
        n = await view.turn_number(request.session_key, incoming.self_id, replied_to[0])
        turns = await view.turns(request.session_key, [n]) if n is not None else []
        if not turns or turns[0].role != "bot":
            await request.reply(texts.WHY_NOT_AN_ANSWER)
            return
    else:
        turns = [
            turn for turn in await view.recent_turns(request.session_key, limit=LATEST_TURNS) if turn.role == "bot"
        ][-1:]
        if not turns:
            await request.reply(texts.WHY_NONE)
            return
    used = dict(await view.recalled_items(request.session_key, turns[0].n))
    if not used:
        await request.reply(texts.WHY_NOTHING_USED)
        return
    plan = engine.store.view(request.domain_id, plan_for_session(request.session_key))
    items = [item for item in await plan.items(used) if item.status == "active"]
    lines = [
        texts.WHY_LINE.format(
            id=item.id,
            kind=texts.KIND_NAMES[item.kind],
            scope=_scope(item),
            score=round(used[item.id] * 100),
            content=Request.quoted(item.content),
        )
        for item in items
    ]
    if len(items) < len(used):
        lines.append(texts.WHY_GONE.format(count=len(used) - len(items)))
    if items:
        lines.append(texts.WHY_FOOT)
    await request.reply("\n".join((texts.WHY_HEAD.format(count=len(used)), *lines)))
