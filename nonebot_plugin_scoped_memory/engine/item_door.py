"""The part of the engine's door that keeps items: add, list, change, take out of use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from . import revising, text
from .changing import Actor, supersede_and_add
from .door import Door
from .errors import InvalidItemError, NotFoundError
from .models import KINDS, TIERS, Evidence, Item, ItemStatus, MemoryEvent, NewItem
from .revising import Rights
from .rewording import reword
from .scope import GLOBAL_SCOPE, ScopeRef, session_scope
from .store.base import Write
from .visibility import without_hidden_source


@dataclass(frozen=True, slots=True)
class ItemStory:
    """An item, what it rests on and what happened to it, as far as its reader's plan reaches."""

    item: Item
    evidence: tuple[Evidence, ...]
    events: tuple[MemoryEvent, ...]


class ItemDoor(Door):
    """Each method takes the scopes it may touch. None means nothing: an empty list, or NotFoundError."""

    async def add_items(self, items: Sequence[NewItem], *, domain_id: str | None = None) -> list[Item]:
        """Store items as given, each in its own scope, all or none. What stands there already is returned instead of
        a twin. Raises InvalidItemError, NotFoundError for evidence that does not exist, StoreError."""
        domain, now = self._domain(domain_id), self.clock()
        prepared = [_prepared(item, now) for item in items]
        if not prepared:
            return []
        scopes = {item.scope for item in prepared} | {GLOBAL_SCOPE}
        sessions = {session_scope(e.session_key) for new in items for e in new.evidence}
        async with self.store.write(domain, sorted(scopes | sessions)) as tx:
            stored = [await _store(tx, item, new, now) for item, new in zip(prepared, items, strict=True)]
        self._embed_later(domain, stored)
        return [without_hidden_source(item, [new.scope for new in items]) for item in stored]

    async def list_items(
        self,
        *,
        read: Sequence[ScopeRef],
        status: ItemStatus | None = "active",
        kind: str | None = None,
        limit: int = 1000,
        offset: int = 0,
        domain_id: str | None = None,
    ) -> list[Item]:
        """The items of these scopes, newest first; ``status=None`` for all. No scopes, no items."""
        if not read:
            return []
        view = self.store.view(self._domain(domain_id), read)
        return await view.list_items(status=status, kind=kind, limit=limit, offset=offset)

    async def item_story(self, item_id: str, *, scopes: Sequence[ScopeRef], domain_id: str | None = None) -> ItemStory:
        """One item of these scopes, whatever became of it. Raises NotFoundError."""
        view = self.store.view(self._domain(domain_id), _some(scopes, item_id))
        for item in await view.items((item_id,)):
            evidence = (await view.evidence((item_id,))).get(item_id, [])
            return ItemStory(item, tuple(evidence), tuple(await view.events(item_id)))
        raise NotFoundError("item", item_id)

    async def reword_item(
        self,
        item_id: str,
        words: str,
        *,
        scopes: Sequence[ScopeRef],
        rights: Rights,
        name: str = "",
        domain_id: str | None = None,
    ) -> Item:
        """Let the acting person (called ``name``) say anew what an item says; kind, subject and slot stay.

        Raises NotFoundError, NotAllowedError for what is not theirs, InvalidItemError for words that cannot be kept,
        SlotTakenError where the same stands already.
        """
        domain = self._domain(domain_id)
        item = await reword(
            self.store,
            domain,
            _some(scopes, item_id),
            item_id,
            words,
            rights,
            self.clock(),
            name=name,
            zone=self.settings.timezone,
        )
        self._embed_later(domain, [item])
        return without_hidden_source(item, scopes)

    async def update_item(
        self,
        item_id: str,
        *,
        scopes: Sequence[ScopeRef],
        content: str | None = None,
        importance: float | None = None,
        key: str | None = None,
        valid_until: datetime | None = None,
        actor: str = "api",
        domain_id: str | None = None,
    ) -> Item:
        """Change an active item of these scopes; what is None stays. Raises NotFoundError, InvalidItemError,
        SlotTakenError."""
        domain = self._domain(domain_id)
        item = await revising.edit(
            self.store,
            domain,
            _some(scopes, item_id),
            item_id,
            Actor(actor),
            self.clock(),
            content=content,
            importance=importance,
            key=key,
            valid_until=valid_until,
        )
        self._embed_later(domain, [item])
        return without_hidden_source(item, scopes)

    async def archive_item(
        self,
        item_id: str,
        *,
        scopes: Sequence[ScopeRef],
        reason: str = "",
        actor: str = "api",
        domain_id: str | None = None,
    ) -> Item:
        """Take an item out of recall. Raises NotFoundError."""
        return await revising.archive(
            self.store, self._domain(domain_id), _some(scopes, item_id), item_id, Actor(actor), self.clock(), reason
        )

    async def retract_item(
        self,
        item_id: str,
        *,
        scopes: Sequence[ScopeRef],
        rights: Rights | None = None,
        reason: str = "forget",
        domain_id: str | None = None,
    ) -> Item:
        """An item was wrong or unwanted: retract it, and suppress the turns it rests on.

        ``rights`` (default: all) says what the acting person may change. Raises NotFoundError, NotAllowedError.
        """
        rights = rights or Rights(Actor("api", operator=True))
        return await revising.forget(
            self.store, self._domain(domain_id), _some(scopes, item_id), item_id, rights, self.clock(), reason
        )


def _some(scopes: Sequence[ScopeRef], item_id: str) -> Sequence[ScopeRef]:
    if not scopes:
        raise NotFoundError("item", item_id)
    return scopes


async def _store(tx: Write, item: Item, new: NewItem, now: datetime) -> Item:
    actor = Actor(item.owner or item.origin)
    kept = await tx.twin(item.scope, item.kind, item.subject, item.identity)
    if kept is None:
        kept, _ = await supersede_and_add(tx, item, actor, now)
        await tx.add_evidence(kept.id, new.evidence)
    elif await tx.add_evidence(kept.id, new.evidence):
        await tx.add_event(MemoryEvent(kept.scope, "evidence_added", actor.account, now, item_id=kept.id))
    return kept


def _prepared(new: NewItem, now: datetime) -> Item:
    if new.kind not in KINDS:
        raise InvalidItemError("kind", f"none of {', '.join(KINDS)}")
    if new.tier not in TIERS:
        raise InvalidItemError("tier", f"none of {', '.join(TIERS)}")
    for field, at in (("valid_from", new.valid_from), ("valid_until", new.valid_until)):
        if at is not None:
            revising.checked_time(at, field)
    content, subject = revising.storable_content(new.content), text.clean(new.subject)
    return Item(
        id="",
        scope=new.scope,
        kind=new.kind,
        content=content,
        subject=subject,
        owner=text.clean(new.owner),
        key=revising.checked_key(new.key),
        tier=new.tier,
        status="active",
        confidence=revising.checked_share(new.confidence, "confidence"),
        importance=revising.checked_share(new.importance, "importance"),
        identity=text.identity(content, subject),
        origin=new.origin,
        source_session=text.clean(new.source_session),
        valid_from=new.valid_from or now,
        valid_until=new.valid_until,
        created_at=now,
        updated_at=now,
    )
