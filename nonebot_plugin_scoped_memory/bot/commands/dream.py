"""``dream``: what the background tidying did, and what an operator does about it. Answered privately."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from ... import texts
from ...engine.dream_records import DreamOperation, DreamRun
from ...engine.dreaming.undoing import Decided
from ...engine.engine import MemoryEngine
from ...engine.errors import NotFoundError, UndoRefusedError
from .change import EXAMPLE_ID
from .request import PAGE, Request, id_of

SHOWN_OPERATIONS = 30
"""Of one run; a message has its limits."""

_Step: TypeAlias = Callable[[MemoryEngine, Request, str], Awaitable[str]]


async def dream(engine: MemoryEngine, request: Request, argument: str) -> None:
    """``dream now | runs | show <run> | undo <run> | approve <run>``"""
    if not request.operator:
        await request.reply(texts.OPERATOR_ONLY)
        return
    first, *others = argument.split(maxsplit=1) or ("",)
    word, rest = first.lower(), "".join(others).strip()
    if word == "now":
        answer = await _now(engine, request)
    elif word == "runs":
        answer = await _runs(engine, request)
    elif word in _OF_A_RUN:
        id = id_of(rest)
        if id is None:
            answer = texts.DREAM_USAGE_RUN.format(word=word, example=EXAMPLE_ID)
        else:
            try:
                answer = await _OF_A_RUN[word](engine, request, id)
            except NotFoundError:
                missing = texts.DREAM_NOTHING_WAITS if word == "approve" else texts.DREAM_NOT_FOUND
                answer = missing.format(id=Request.quoted(id, 20))
    else:
        answer = texts.DREAM_USAGE
    await request.reply_privately(answer)


async def _now(engine: MemoryEngine, request: Request) -> str:
    report = await engine.dream_now(request.session_key, domain_id=request.domain_id)
    if report.run is None or report.waiting:
        reason = texts.DREAM_REASONS.get(report.waiting, texts.DREAM_REASON_OTHER)
        return texts.DREAM_FAILED.format(reason=reason)
    return texts.DREAM_DONE.format(id=report.run.id, counts=_counts(report.run))


async def _runs(engine: MemoryEngine, request: Request) -> str:
    runs = await engine.dream_runs(limit=PAGE, domain_id=request.domain_id)
    if not runs:
        return texts.DREAM_RUNS_EMPTY
    return "\n".join((texts.DREAM_RUNS_HEAD, *(_line(engine, run) for run in runs)))


def _line(engine: MemoryEngine, run: DreamRun) -> str:
    at = run.started_at.astimezone(engine.settings.timezone)
    status = texts.DREAM_STATUSES[run.status]
    if run.status == "failed":
        status = f"{status}（{texts.DREAM_REASONS.get(run.reason, texts.DREAM_REASON_OTHER)}）"
    return texts.DREAM_RUN_LINE.format(
        id=run.id, at=f"{at:%m-%d %H:%M}", session=run.session_key, status=status, counts=_counts(run)
    )


def _counts(run: DreamRun) -> str:
    return texts.DREAM_COUNTS.format(
        applied=run.count("applied"), waiting=run.count("waiting"), rejected=run.count("rejected", "skipped")
    )


async def _show(engine: MemoryEngine, request: Request, id: str) -> str:
    run = await engine.dream_run(id, domain_id=request.domain_id)
    lines = [_line(engine, run), *map(_operation, run.operations[:SHOWN_OPERATIONS])]
    if len(run.operations) > SHOWN_OPERATIONS:
        lines.append(texts.DREAM_MORE.format(count=len(run.operations) - SHOWN_OPERATIONS))
    if run.count("waiting"):
        lines.append(texts.DREAM_SHOW_WAITING.format(id=run.id))
    return "\n".join(lines)


def _operation(operation: DreamOperation) -> str:
    """One step as a diff: what was there after a minus sign, what is there now after a plus sign."""
    head = texts.DREAM_OPERATION.format(
        action=texts.DREAM_ACTIONS[operation.action],
        id=operation.item_id or "-",
        state=texts.DREAM_STATES[operation.state],
    )
    if operation.reason and operation.reason.isascii():
        head += f"（{texts.DREAM_REASONS.get(operation.reason, operation.reason)}）"
    elif operation.reason:
        head += f"（{Request.quoted(operation.reason)}）"
    before, after = operation.before_text, operation.after_text
    if operation.before is not None and operation.action != "evidence":
        before = operation.before.content
    if operation.after is not None and (operation.before is None or operation.action in ("update", "change")):
        after = operation.after.content if operation.after.status == "active" else ""
    diff = [f"{sign} {Request.quoted(text, 200)}" for sign, text in (("-", before), ("+", after)) if text]
    return "\n".join((head, *diff))


async def _undo(engine: MemoryEngine, request: Request, id: str) -> str:
    try:
        decided = await engine.undo_dream(id, request.actor, domain_id=request.domain_id)
    except UndoRefusedError as e:
        sentence = texts.DREAM_UNDO_TAKEN if e.why == "taken" else texts.DREAM_UNDO_CHANGED
        return sentence.format(id=e.item_id, holder=e.holder_id)
    return _decided(texts.DREAM_UNDONE, decided)


async def _approve(engine: MemoryEngine, request: Request, id: str) -> str:
    return _decided(texts.DREAM_APPROVED, await engine.approve_dream(id, request.actor, domain_id=request.domain_id))


def _decided(sentence: str, decided: Decided) -> str:
    lines = [sentence.format(count=len(decided.done))]
    if decided.skipped:
        lines.append(texts.DREAM_SKIPPED.format(count=len(decided.skipped)))
        lines += map(_operation, decided.skipped[:SHOWN_OPERATIONS])
    return "\n".join(lines)


_OF_A_RUN: Mapping[str, _Step] = {"show": _show, "undo": _undo, "approve": _approve}
