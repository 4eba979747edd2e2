"""A person says anew what an item says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, tzinfo

from . import text
from .changing import SOURCE_CHANGED, drop_waiting
from .errors import InvalidItemError, NotAllowedError, SlotTakenError
from .extract.checks import Rejection, against_the_prompt, check
from .extract.dates import resolve
from .extract.wording import about, first_to_third
from .models import Item, MemoryEvent, Proposal
from .revising import Rights, checked_content, find
from .scope import GLOBAL_SCOPE, ScopeRef
from .store.base import Store


async def reword(
    store: Store,
    domain_id: str,
    scopes: Sequence[ScopeRef],
    item_id: str,
    words: str,
    rights: Rights,
    now: datetime,
    *,
    name: str,
    zone: tzinfo,
) -> Item:
    """An item says something else from now on, in its owner's words; 我 and 明天 are written out as in what they add.

    Raises NotFoundError, NotAllowedError, InvalidItemError (its ``problem`` is a reason of ``checks.check``),
    SlotTakenError where the same stands already.
    """
    async with store.write(domain_id, (*scopes, GLOBAL_SCOPE)) as tx:
        item = await find(tx, item_id, scopes)
        if not rights.owns(item):
            raise NotAllowedError(rights.actor.account, "edit", item_id, shared=item.scope == GLOBAL_SCOPE)
        content, due = _reworded(item, checked_content(words), rights.actor.account, name, now, zone)
        proposal = Proposal(item.kind, content, item.subject, origin="command", explicit=True)
        checked = check(proposal, {}, bots=frozenset())
        if isinstance(checked, Rejection) or against_the_prompt(content):
            raise InvalidItemError("content", checked.reason if isinstance(checked, Rejection) else "instruction")
        identity = text.identity(content, item.subject, {name})
        twin = await tx.twin(item.scope, item.kind, item.subject, identity)
        if twin is not None and twin.id != item.id:
            raise SlotTakenError(item.id, twin.id)
        until = due if item.kind == "task" and due is not None else item.valid_until
        changed = replace(item, content=content, identity=identity, valid_until=until, updated_at=now)
        saved = await tx.save_item(changed, text.document_terms(content))
        actor = rights.actor.account
        await tx.add_event(MemoryEvent(item.scope, "edited", actor, now, item_id=item.id, before=item.content))
        if saved.identity != item.identity:
            await drop_waiting(tx, item, now, SOURCE_CHANGED)
        return saved


def _reworded(
    item: Item, words: str, account: str, name: str, now: datetime, zone: tzinfo
) -> tuple[str, datetime | None]:
    who = text.person(name, account)
    content = first_to_third(words, who)
    if item.subject == account:
        content = about(content, who, name)
    before, found, after = content.partition(who)  # a name may read like a day
    if not found:
        before, after = "", content
    after, due = resolve(after, now, zone, loosely=item.kind == "task")
    return before + found + after, due if due is None or due > now else None
