"""The one door to the memory. It wires the parts and holds no rule of its own."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from . import governance, revising, text
from .address import SessionKey, private_account
from .background import Background
from .batches import BatchExtractor, usage_row
from .commit import CommitResult, on_turns, parse_turn_events
from .compose import compose, nothing
from .embedding import SafeEmbedder
from .errors import InvalidItemError, NotFoundError, ScopedMemoryError
from .extract.rules import match_rules
from .listening import Listener
from .models import (
    KINDS,
    TIERS,
    Candidate,
    Clock,
    IdSource,
    Item,
    ItemStatus,
    NewItem,
    Proposal,
    ScoredItem,
    ScoredTurn,
    Turn,
    utc_now,
)
from .prompt import ContextPackage
from .recall import Query, Recall, recall
from .revising import Rights
from .scope import ScopeContext, ScopeRef, home_scope, plan_for_session, session_scope, writing_scopes
from .settings import EngineSettings
from .store import open_store
from .store.base import MaintenanceStore, Store
from .turn_search import indexed_text, search_turns
from .vectorising import Vectoriser
from .writing import Actor, Outcome, Source, supersede_and_add, write_proposals

if TYPE_CHECKING:
    from .embedding import Embedder
    from .llm import ChatModel, Completion

logger = logging.getLogger(__name__)

CLOSE_WITHIN = 10.0
"""Seconds that background work has to end at close before it is cancelled."""


class MemoryEngine:
    """Long-term memory over one store. Use ``async with MemoryEngine.open(url) as engine``.

    Methods take the session they act for. ``domain_id`` defaults to the engine's own. Everything is safe to call
    concurrently from one event loop.
    """

    def __init__(
        self,
        store: Store,
        maintenance: MaintenanceStore,
        *,
        embedder: Embedder | None,
        llm: ChatModel | None,
        clock: Clock,
        domain_id: str,
        settings: EngineSettings,
    ) -> None:
        self.store = store
        self.maintenance = maintenance
        self.clock = clock
        self.domain_id = domain_id
        self.settings = settings
        self._background = Background()
        self.embedder = SafeEmbedder(embedder, clock=clock) if embedder is not None else None
        self._vectoriser = Vectoriser(store, maintenance, self.embedder) if self.embedder is not None else None
        self.listener = Listener(
            store,
            maintenance,
            batches=BatchExtractor(store, maintenance, llm, clock, settings) if llm is not None else None,
            vectoriser=self._vectoriser,
            background=self._background,
            clock=clock,
            settings=settings,
        )

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        url: str,
        *,
        embedder: Embedder | None = None,
        llm: ChatModel | None = None,
        clock: Clock = utc_now,
        domain_id: str = "default",
        settings: EngineSettings | None = None,
        ids: IdSource | None = None,
    ) -> AsyncIterator[MemoryEngine]:
        """An engine over the database at ``url`` (``sqlite:///path``, ``sqlite://`` for a temporary one).

        ``embedder`` and ``llm`` stay the caller's to close. Raises StoreError if the database cannot be used.
        """
        await asyncio.to_thread(text.warm)
        store = await open_store(url, clock=clock, ids=ids)
        try:
            engine = cls(
                store,
                store.maintenance,
                embedder=embedder,
                llm=llm,
                clock=clock,
                domain_id=domain_id,
                settings=settings or EngineSettings(),
            )
            try:
                await engine.rebuild_index()
                yield engine
            finally:
                await engine.close()
        finally:
            await store.close()

    # ------------------------------------------------------------------ the door for other callers

    async def commit_turn(
        self,
        session_id: str,
        turn_events: Mapping[str, Any],
        *,
        domain_id: str | None = None,
        scope_context: ScopeContext | None = None,
        commit_id: str | None = None,
    ) -> CommitResult:
        """Record messages and remember what is given with them, in one transaction (``commit.parse_turn_events``).

        The same ``commit_id`` again changes nothing. With a ``scope_context`` items go to its ``default_write``.
        Raises InvalidAddressError, InvalidItemError, StoreError.
        """
        domain, now = domain_id or self.domain_id, self.clock()
        account = _private_speaker(session_id) if scope_context is None else ""
        events = parse_turn_events(turn_events, account=account, now=now)
        scopes = writing_scopes(session_id) if scope_context is None else _with_session(session_id, scope_context)
        async with self.store.write(domain, scopes) as tx:
            if commit_id is not None and (kept := await tx.commit_result(session_id, commit_id)) is not None:
                return CommitResult(explain=tuple(json.loads(kept)), replayed=True)
            zone = self.settings.timezone
            turns = await tx.add_turns(
                session_id,
                [(m, text.document_terms(indexed_text(m.name, m.text, m.said_at, zone))) for m in events.messages],
            )
            proposals = [p for turn in turns for p in match_rules(turn, zone=zone)]
            proposals += on_turns(events.proposals, turns)
            source = Source(
                session_id, {turn.n: turn for turn in turns}, Actor(account or "api"), now, context=scope_context
            )
            outcomes = await write_proposals(tx, proposals, source, self.settings)
            explain = [_explain(p, o) for p, o in zip(proposals, outcomes, strict=True)]
            if commit_id is not None:
                await tx.save_commit(session_id, commit_id, json.dumps(explain, ensure_ascii=False), at=now)
        self.listener.after_writing(domain, session_id, outcomes)
        if scope_context is None:
            self.listener.extract_if_due(domain, session_id)
        return CommitResult(tuple(turns), tuple(outcomes), tuple(explain))

    async def compose_context(
        self,
        session_id: str,
        user_message: str,
        *,
        domain_id: str | None = None,
        scope_context: ScopeContext | None = None,
        speaker: str = "",
        current: Turn | None = None,
    ) -> ContextPackage:
        """What a prompt that answers ``user_message`` may hold: this session's history, and the plan's memory.

        ``speaker`` is the asking account (known by itself in private chats); ``current`` is the message's own turn,
        which is left out of the history with all that came after it. A session key that cannot be parsed reads
        nothing. Raises StoreError.
        """
        try:
            plan = scope_context.read if scope_context is not None else plan_for_session(session_id)
            if not speaker and scope_context is None:
                speaker = _private_speaker(session_id)
        except ScopedMemoryError as e:
            return nothing(session_id, self.settings, str(e))
        question = Query(
            user_message,
            self.clock(),
            limit=self.settings.recall_limit,
            per_scope=self.settings.max_items_per_scope,
            tokens=self.settings.recall_tokens,
            speaker=speaker,
        )
        domain = domain_id or self.domain_id
        found = await self._recall(domain, plan, question)
        view = self.store.view(domain, (session_scope(session_id),))
        lexical_only = self._vectoriser is not None and not found.used_vectors
        warnings = ("lexical_only",) if lexical_only else ()
        return await compose(view, session_id, plan, found, self.settings, current=current, warnings=warnings)

    async def search_memory(
        self, query: str, read: Sequence[ScopeRef], limit: int = 10, *, domain_id: str | None = None, speaker: str = ""
    ) -> list[ScoredItem]:
        """The items of these scopes that answer ``query``, best first. No scopes, no items."""
        if not read or limit <= 0:
            return []
        question = Query(query, self.clock(), limit=limit, speaker=speaker)
        found = await self._recall(domain_id or self.domain_id, read, question)
        return sorted(found.items, key=lambda one: (-one.score, one.item.id))

    async def search_turns(
        self, query: str, *, session_id: str, limit: int = 10, domain_id: str | None = None
    ) -> list[ScoredTurn]:
        """What was said in one session about ``query``, best first."""
        view = self.store.view(domain_id or self.domain_id, (session_scope(session_id),))
        return await search_turns(view, session_id, query, limit)

    async def add_items(self, items: Sequence[NewItem], *, domain_id: str | None = None) -> list[Item]:
        """Store items as given, each in its own scope, all or none. What stands there already is returned instead of
        a twin. Raises InvalidItemError, StoreError."""
        domain, now = domain_id or self.domain_id, self.clock()
        prepared = [_prepared(item, now) for item in items]
        if not prepared:
            return []
        scopes = {item.scope for item in prepared}
        sessions = {session_scope(e.session_key) for new in items for e in new.evidence}
        stored: list[Item] = []
        async with self.store.write(domain, (*sorted(scopes), *sorted(sessions - scopes))) as tx:
            for item, new in zip(prepared, items, strict=True):
                kept = await tx.twin(item.scope, item.kind, item.subject, item.identity)
                if kept is None:
                    kept, _ = await supersede_and_add(tx, item, Actor(new.owner or new.origin), now)
                await tx.add_evidence(kept.id, new.evidence)
                stored.append(kept)
        self._embed_later(domain, stored)
        return stored

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
        view = self.store.view(domain_id or self.domain_id, read)
        return await view.list_items(status=status, kind=kind, limit=limit, offset=offset)

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
        domain = domain_id or self.domain_id
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
        return item

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
            self.store, domain_id or self.domain_id, _some(scopes, item_id), item_id, Actor(actor), self.clock(), reason
        )

    async def retract_item(
        self,
        item_id: str,
        *,
        scopes: Sequence[ScopeRef],
        rights: Rights | None = None,
        domain_id: str | None = None,
    ) -> Item:
        """An item was wrong or unwanted: retract it, and suppress the turns it rests on.

        ``rights`` (default: all) says what the acting person may change. Raises NotFoundError, NotAllowedError.
        """
        rights = rights or Rights(Actor("api", operator=True))
        return await revising.forget(
            self.store, domain_id or self.domain_id, _some(scopes, item_id), item_id, rights, self.clock()
        )

    # ------------------------------------------------------------------ operators

    async def pending_reviews(
        self, *, limit: int = 20, offset: int = 0, domain_id: str | None = None
    ) -> list[Candidate]:
        """What waits for an operator before every chat may know it, oldest first."""
        return await governance.pending_reviews(self.store, domain_id or self.domain_id, limit=limit, offset=offset)

    async def approve(self, candidate_id: str, actor: Actor, *, domain_id: str | None = None) -> governance.Approval:
        """Raises NotFoundError."""
        domain = domain_id or self.domain_id
        approval = await governance.approve(self.store, domain, candidate_id, actor, self.clock())
        self._embed_later(domain, [approval.item])
        return approval

    async def reject(
        self, candidate_id: str, actor: Actor, reason: str = "", *, domain_id: str | None = None
    ) -> Candidate:
        """Raises NotFoundError."""
        return await governance.reject(
            self.store, domain_id or self.domain_id, candidate_id, actor, self.clock(), reason
        )

    async def chat_setting(self, session_key: str, name: str, *, domain_id: str | None = None) -> str | None:
        """A setting of the chat that this session belongs to."""
        home = home_scope(session_key)
        return (await self.store.view(domain_id or self.domain_id, (home,)).chat_settings(home)).get(name)

    async def set_chat_setting(
        self, session_key: str, name: str, value: str, *, by: str, domain_id: str | None = None
    ) -> None:
        home = home_scope(session_key)
        async with self.store.write(domain_id or self.domain_id, (home,)) as tx:
            await tx.set_chat_setting(home, name, value, by=by, at=self.clock())

    async def add_usage(
        self, session_key: str, purpose: str, completions: Sequence[Completion], *, domain_id: str | None = None
    ) -> None:
        """Count calls that another part made for this chat."""
        home = home_scope(session_key)
        async with self.store.write(domain_id or self.domain_id, (home,)) as tx:
            await tx.add_usage(usage_row(home, self.today(), purpose, completions))

    async def spent_today(self) -> int:
        """Tokens of this local day, all chats and purposes together."""
        return sum(await self.maintenance.usage_total(self.today()))

    def today(self) -> str:
        """The local day as usage counts it."""
        return self.clock().astimezone(self.settings.timezone).strftime("%Y-%m-%d")

    # ------------------------------------------------------------------ background

    async def refresh_embeddings(self) -> int:
        """Embed what is missing or stale, in every scope. Returns how many vectors were stored."""
        return await self._vectoriser.refresh() if self._vectoriser is not None else 0

    async def rebuild_index(self) -> int:
        """Bring index rows of an older analyser up to date. Returns how many were rewritten."""
        done = 0
        while rows := await self.maintenance.outdated_terms(text.ANALYSER_VERSION, limit=500):
            await self.maintenance.reindex(
                text.ANALYSER_VERSION,
                [(domain, owner, ref, text.document_terms(content)) for domain, owner, ref, content in rows],
            )
            done += len(rows)
        return done

    async def drain(self) -> None:
        """Wait for background work (extraction, vectors) to end."""
        await self._background.drain()

    async def close(self) -> None:
        """End background work; ``open`` calls it before it closes the store."""
        await self._background.close(CLOSE_WITHIN)
        if self.embedder is not None:
            await self.embedder.close()

    async def _recall(self, domain_id: str, read: Sequence[ScopeRef], question: Query) -> Recall:
        if self._vectoriser is not None:
            question = replace(question, vector=await self._vectoriser.query(question.text))
        return await recall(self.store.view(domain_id, read), question)

    def _embed_later(self, domain_id: str, items: Sequence[Item]) -> None:
        if self._vectoriser is not None and items:
            self._background.spawn(self._vectoriser.embed(domain_id, list(items)), "embed")


def _private_speaker(session_key: str) -> str:
    """Who a user message of this session is from where it does not say: known in private chats only."""
    address = SessionKey.parse(session_key).address
    return (private_account(address) or "") if address is not None else ""


def _with_session(session_key: str, context: ScopeContext) -> tuple[ScopeRef, ...]:
    own = session_scope(session_key)
    return own, *(ref for ref in context.read if ref != own)


def _some(scopes: Sequence[ScopeRef], item_id: str) -> Sequence[ScopeRef]:
    if not scopes:
        raise NotFoundError("item", item_id)
    return scopes


def _prepared(new: NewItem, now: datetime) -> Item:
    if new.kind not in KINDS:
        raise InvalidItemError("kind", f"none of {', '.join(KINDS)}")
    if new.tier not in TIERS:
        raise InvalidItemError("tier", f"none of {', '.join(TIERS)}")
    content = revising.checked_content(new.content)
    return Item(
        id="",
        scope=new.scope,
        kind=new.kind,
        content=content,
        subject=new.subject,
        owner=new.owner,
        key=new.key,
        tier=new.tier,
        status="active",
        confidence=new.confidence,
        importance=new.importance,
        identity=text.identity(content, new.subject),
        origin=new.origin,
        source_session=new.source_session,
        valid_from=new.valid_from or now,
        valid_until=new.valid_until,
        created_at=now,
        updated_at=now,
    )


def _explain(proposal: Proposal, outcome: Outcome) -> dict[str, str]:
    item = outcome.item
    return {
        "kind": proposal.kind,
        "status": outcome.status,
        "reason": outcome.reason,
        "scope": str(item.scope) if item is not None else "",
        "item": item.id if item is not None else "",
        "pending": outcome.pending.id if outcome.pending is not None else "",
    }
