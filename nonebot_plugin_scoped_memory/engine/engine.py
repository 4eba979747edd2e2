"""The one door to the memory. It wires the parts and holds no rule of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from . import text
from .address import SessionKey, private_account
from .batches import BatchExtractor
from .changing import Actor
from .commit import CommitResult, on_turns, parse_turn_events
from .compose import compose, nothing, read_history
from .dream_door import DreamDoor
from .dreaming.dream import Tools
from .dreaming.sweeping import Dreamer
from .errors import InvalidItemError, ScopedMemoryError
from .item_door import ItemDoor
from .listening import Listener
from .models import Clock, IdSource, Proposal, ScoredItem, ScoredTurn, Turn, TurnState, utc_now
from .operator_door import OperatorDoor
from .prompt import ContextPackage
from .recall import Query, Recall, recall
from .scope import GLOBAL_SCOPE, ScopeContext, ScopeRef, plan_for_session, session_scope, writing_scopes
from .settings import EngineSettings
from .settling import memory_is_off, settle_turns
from .store import open_store
from .store.base import MaintenanceStore, Store
from .together import together
from .turn_search import indexed_text, search_turns
from .writing import Outcome, Source, shown, write_proposals

if TYPE_CHECKING:
    from .embedding import Embedder
    from .llm import ChatModel

CLOSE_WITHIN = 1.0
"""Seconds that background work has to end at close before it is cancelled: it waits for models, and what it does not
finish is done after the next start."""


class MemoryEngine(ItemDoor, OperatorDoor, DreamDoor):
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
        super().__init__(store, maintenance, embedder=embedder, clock=clock, domain_id=domain_id, settings=settings)
        batches = BatchExtractor(store, self.budget, llm, clock, settings) if llm is not None else None
        self.dreamer = Dreamer(Tools(store, self.budget, batches, llm, clock, settings), maintenance)
        self.listener = Listener(
            store,
            maintenance,
            batches=batches,
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

        What the messages say counts as in a chat: the rules learn from them, and 忘了吧 takes back. While the memory of
        the session is off, nothing is kept, and ``explain`` says so. The same ``commit_id`` again changes nothing.
        With a ``scope_context`` items go to its ``default_write``.
        Raises InvalidAddressError, InvalidItemError, StoreError.
        """
        if commit_id == "":
            raise InvalidItemError("commit_id", "empty: every commit would be the same one")
        if commit_id is not None and commit_id != text.clean(commit_id):
            raise InvalidItemError("commit_id", "holds characters that are none")
        domain, now = self._domain(domain_id), self.clock()
        account = _private_speaker(session_id)
        events = parse_turn_events(turn_events, account=account, now=now)
        scopes = writing_scopes(session_id)
        if scope_context is not None:
            scopes = (session_scope(session_id), *scope_context.read, GLOBAL_SCOPE)
        async with self.store.write(domain, scopes) as tx:
            if commit_id is not None and (kept := await tx.commit_result(session_id, commit_id)) is not None:
                return CommitResult(explain=tuple(json.loads(kept)), replayed=True)
            zone = self.settings.timezone
            if scope_context is None and await memory_is_off(tx, session_id):
                return CommitResult(explain=(_OFF,))
            added = await tx.add_turns(
                session_id,
                [
                    (
                        replace(m, state=TurnState.OPEN),
                        text.document_terms(indexed_text(m.name, m.text, m.said_at, zone)),
                    )
                    for m in events.messages
                ],
            )
            numbers = [turn.n for turn in added]
            learnt = await settle_turns(
                tx, session_id, numbers, TurnState.ORDINARY, now, self.settings, context=scope_context
            )
            turns = await tx.turns(session_id, numbers)
            given = on_turns(events.proposals, turns)
            source = Source(
                session_id, {turn.n: turn for turn in turns}, Actor(account or "api"), now, context=scope_context
            )
            learnt += zip(given, await write_proposals(tx, given, source, self.settings), strict=True)
            outcomes = [outcome for _, outcome in learnt]
            explain = [_explain(proposal, outcome) for proposal, outcome in learnt]
            if commit_id is not None:
                await tx.save_commit(session_id, commit_id, json.dumps(explain, ensure_ascii=False), at=now)
        self.listener.after_writing(domain, session_id, outcomes)
        if scope_context is None:
            self.listener.extract_if_due(domain, session_id)
        return CommitResult(tuple(turns), tuple(shown(one, scopes) for one in outcomes), tuple(explain))

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
        which is left out of the history with what people said after it. A session key that cannot be parsed reads
        nothing. Raises StoreError.
        """
        try:
            speaker = speaker or _private_speaker(session_id)
            plan = plan_for_session(session_id) if scope_context is None else scope_context.read
            own = session_scope(session_id)
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
        domain = self._domain(domain_id)
        view = self.store.view(domain, (own,))
        found, history = await together(self._recall(domain, plan, question), read_history(view, session_id))
        lexical_only = self._vectoriser is not None and not found.used_vectors
        warnings = ("lexical_only",) if lexical_only else ()
        return compose(session_id, plan, found, history, self.settings, current=current, warnings=warnings)

    async def search_memory(
        self, query: str, read: Sequence[ScopeRef], limit: int = 10, *, domain_id: str | None = None, speaker: str = ""
    ) -> list[ScoredItem]:
        """The items of these scopes that answer ``query``, best first. No scopes, no items."""
        if not read or limit <= 0:
            return []
        question = Query(query, self.clock(), limit=limit, speaker=speaker)
        found = await self._recall(self._domain(domain_id), read, question)
        return sorted(found.items, key=lambda one: (-one.score, one.item.id))

    async def search_turns(
        self, query: str, *, session_id: str, limit: int = 10, domain_id: str | None = None
    ) -> list[ScoredTurn]:
        """What was said in one session about ``query``, best first. A key that cannot be parsed has no turns."""
        try:
            scopes = (session_scope(SessionKey.parse(session_id).text),)
        except ScopedMemoryError:
            return []
        return await search_turns(self.store.view(self._domain(domain_id), scopes), session_id, query, limit)

    async def drain(self) -> None:
        """Wait for background work (extraction, vectors) to end."""
        await self._background.drain()

    async def close(self) -> None:
        """End background work; ``open`` calls it before it closes the store."""
        await self._background.close(CLOSE_WITHIN)
        if self.embedder is not None:
            await self.embedder.close()

    async def _recall(self, domain_id: str, read: Sequence[ScopeRef], question: Query) -> Recall:
        embed = self._vectoriser.query if self._vectoriser is not None else None
        return await recall(self.store.view(domain_id, read), question, embed)


def _private_speaker(session_key: str) -> str:
    """Who a user message of this session is from where it does not say: known in private chats only."""
    address = SessionKey.parse(session_key).address
    return (private_account(address) or "") if address is not None else ""


_OFF = {"kind": "", "status": "rejected", "reason": "off", "scope": "", "item": "", "pending": ""}


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
