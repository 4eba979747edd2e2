"""What operators decide: review, approve, reject. Answered privately."""

from __future__ import annotations

from ... import texts
from ...engine.engine import MemoryEngine
from ...engine.errors import NotFoundError
from .change import EXAMPLE_ID
from .request import Request, id_of, page_of

REVIEW_PAGE = 4
"""Few on a page, since each is shown whole: approval holds for the text that was shown."""


async def review(engine: MemoryEngine, request: Request, argument: str) -> None:
    """``review [page]``"""
    if not request.operator:
        await request.reply(texts.OPERATOR_ONLY)
        return
    page = page_of(argument)
    if page is None:
        await request.reply_privately(texts.PAGE_INVALID.format(command="review"))
        return
    waiting = await engine.pending_reviews(limit=1000, domain_id=request.domain_id)
    pages = max(1, -(-len(waiting) // REVIEW_PAGE))
    if not waiting:
        await request.reply_privately(texts.REVIEW_EMPTY)
        return
    if not 0 < page <= pages:
        await request.reply_privately(texts.PAGE_MISSING.format(pages=pages))
        return
    lines = [
        texts.REVIEW_LINE.format(id=c.id, kind=texts.KIND_NAMES[c.kind], content=" ".join(c.content.split()))
        for c in waiting[(page - 1) * REVIEW_PAGE : page * REVIEW_PAGE]
    ]
    head = texts.REVIEW_HEAD.format(total=len(waiting), page=page, pages=pages)
    await request.reply_privately("\n".join((head, *lines, texts.REVIEW_FOOT)))


async def approve(engine: MemoryEngine, request: Request, argument: str) -> None:
    """``approve <id>``"""
    if not request.operator:
        await request.reply(texts.OPERATOR_ONLY)
        return
    id = id_of(argument)
    if id is None:
        await request.reply_privately(texts.APPROVE_USAGE.format(example=EXAMPLE_ID))
        return
    try:
        approval = await engine.approve(id, request.actor, domain_id=request.domain_id)
    except NotFoundError:
        await request.reply_privately(texts.CANDIDATE_NOT_FOUND.format(id=Request.quoted(id, 20)))
        return
    sentence = texts.APPROVE_KNOWN if approval.already_known else texts.APPROVE_DONE
    await request.reply_privately(sentence.format(content=" ".join(approval.item.content.split())))


async def reject(engine: MemoryEngine, request: Request, argument: str) -> None:
    """``reject <id> [reason]``"""
    if not request.operator:
        await request.reply(texts.OPERATOR_ONLY)
        return
    first, *others = argument.split(maxsplit=1) or ("",)
    id, reason = id_of(first), "".join(others)
    if id is None:
        await request.reply_privately(texts.REJECT_USAGE.format(example=EXAMPLE_ID))
        return
    try:
        candidate = await engine.reject(id, request.actor, reason, domain_id=request.domain_id)
    except NotFoundError:
        await request.reply_privately(texts.CANDIDATE_NOT_FOUND.format(id=Request.quoted(id, 20)))
        return
    await request.reply_privately(texts.REJECT_DONE.format(content=Request.quoted(candidate.content)))
