"""Rows of dreams as records, and back. An item's image is kept as JSON, its times in milliseconds."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from ...dream_records import DreamOperation, DreamRun
from ...models import Evidence, Item
from .rows import Row, from_ms, from_ms_or_none, scope_ref, to_ms_or_none

RUN_COLUMNS = "r.public_id, s.domain_id, s.session_key, r.status, r.started_at, r.reason, r.turns, r.ended_at, r.id"
"""Of ``dream_runs r JOIN sessions s``."""
OPERATION_COLUMNS = (
    "action, state, item_id, reason, turns, before, after, evidence, before_text, after_text, place, run_id"
)

_TIMES = ("valid_from", "created_at", "updated_at", "valid_to", "valid_until")


def run(row: Row, operations: tuple[DreamOperation, ...]) -> DreamRun:
    id, domain_id, session_key, status, started_at, reason, turns, ended_at, _ = row
    return DreamRun(
        id,
        domain_id,
        session_key,
        status,
        from_ms(started_at),
        reason,
        turns,
        from_ms_or_none(ended_at),
        operations,
    )


def operation(row: Row) -> DreamOperation:
    action, state, item_id, reason, turns, before, after, evidence, before_text, after_text, place, _ = row
    return DreamOperation(
        action=action,
        state=state,
        item_id=item_id,
        reason=reason,
        turns=tuple(json.loads(turns)),
        before=_image_in(before),
        after=_image_in(after),
        evidence=tuple(Evidence(*one) for one in json.loads(evidence)),
        before_text=before_text,
        after_text=after_text,
        place=place,
    )


def operation_values(operation: DreamOperation, place: int, run: int) -> Row:
    return (
        operation.action,
        operation.state,
        operation.item_id,
        operation.reason,
        _json(operation.turns),
        _image(operation.before),
        _image(operation.after),
        _json([[e.session_key, e.turn, e.account, e.quote] for e in operation.evidence]),
        operation.before_text,
        operation.after_text,
        place,
        run,
    )


def _image(item: Item | None) -> str:
    if item is None:
        return ""
    fields: dict[str, Any] = {field.name: getattr(item, field.name) for field in dataclasses.fields(item)}
    fields["scope"] = [item.scope.type, item.scope.id]
    return _json({**fields, **{name: to_ms_or_none(fields[name]) for name in _TIMES}})


def _image_in(stored: str) -> Item | None:
    if not stored:
        return None
    fields = json.loads(stored)
    fields["scope"] = scope_ref(*fields["scope"])
    return Item(**{**fields, **{name: from_ms_or_none(fields[name]) for name in _TIMES}})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
