"""From a chat's messages to memory: record, settle, extract, take back, remember on request."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from . import revising, text
from .address import SessionKey
from .background import Background
from .batches import BatchExtractor, BatchReport
from .extract.rules import explicit_proposal, match_rules
from .extract.secrets import mask
from .models import Clock, Kind, NewTurn, Origin, Turn, TurnState
from .scope import session_scope, writing_scopes
from .settings import EngineSettings
from .store.base import MaintenanceStore, Store
from .turn_search import indexed_text
from .vectorising import Vectoriser
from .writing import Actor, Outcome, Source, write_proposals

logger = logging.getLogger(__name__)


class Listener:
    """What the chat side of the bot calls, through ``MemoryEngine.listener``. Every method takes the domain first."""

    def __init__(
        self,
        store: Store,
        maintenance: MaintenanceStore,
        *,
        batches: BatchExtractor | None,
        vectoriser: Vectoriser | None,
        background: Background,
        clock: Clock,
        settings: EngineSettings,
    ) -> None:
        self._store = store
        self._maintenance = maintenance
        self._batches = batches
        self._vectoriser = vectoriser
        self._background = background
        self._clock = clock
        self._settings = settings

    async def record(self, domain_id: str, session_key: str, turn: NewTurn) -> Turn:
        """Store one message, its secrets masked. Returns it with its number. Raises InvalidAddressError, StoreError."""
        SessionKey.parse(session_key)
        turn = without_secrets(turn)
        said = indexed_text(turn.name, turn.text, turn.said_at, self._settings.timezone)
        return await self._store.record_turn(domain_id, session_key, turn, text.document_terms(said))

    async def settle(self, domain_id: str, session_key: str, n: int, state: TurnState) -> list[Outcome]:
        """Say how a recorded turn counts, once its handlers are done; rules look at an ordinary one at once."""
        async with self._store.write(domain_id, writing_scopes(session_key)) as tx:
            await tx.set_turn_state(session_key, (n,), state)
            turns = {turn.n: turn for turn in await tx.turns(session_key, (n,))}
            if state is not TurnState.ORDINARY or n not in turns:
                return []
            source = Source(session_key, turns, Actor(turns[n].account), self._clock())
            outcomes = await write_proposals(tx, match_rules(turns[n], zone=self._settings.timezone), source, self._settings)
        self.after_writing(domain_id, session_key, outcomes)
        if turns[n].role == "user":
            self.extract_if_due(domain_id, session_key)
        return outcomes

    async def take_back(self, domain_id: str, session_key: str, self_id: str, message_id: str, *, by: str = "") -> bool:
        """A message was recalled by its sender or an admin. False if no turn is known by that id."""
        return await revising.take_back_message(
            self._store, domain_id, session_key, self_id, message_id, Actor(by or "system"), self._clock()
        )

    async def remember(
        self,
        domain_id: str,
        session_key: str,
        content: str,
        *,
        actor: Actor,
        name: str = "",
        kind: Kind | None = None,
        origin: Origin = "command",
    ) -> Outcome:
        """Remember a sentence that ``actor`` (called ``name``) gave for it; ``kind`` None leaves that to its words.

        Raises InvalidAddressError, InvalidItemError.
        """
        proposal = explicit_proposal(
            revising.checked_content(content),
            account=actor.account,
            name=name,
            said_at=self._clock(),
            zone=self._settings.timezone,
        )
        proposal = replace(proposal, kind=kind or proposal.kind, origin=origin, explicit=True, evidence=())
        async with self._store.write(domain_id, writing_scopes(session_key)) as tx:
            source = Source(session_key, {}, actor, self._clock())
            (outcome,) = await write_proposals(tx, (proposal,), source, self._settings)
        self.after_writing(domain_id, session_key, (outcome,))
        return outcome

    async def extract(self, domain_id: str, session_key: str, *, force: bool = True) -> BatchReport:
        """Let the model look at everything past the session's watermark, now. Without a model, nothing happens."""
        if self._batches is None:
            return BatchReport()
        report = await self._batches.run(domain_id, session_key, force=force)
        self.after_writing(domain_id, session_key, report.outcomes)
        return report

    async def extract_quiet(self, *, quiet_before: datetime, limit: int = 20) -> int:
        """``extract`` for the sessions that have a backlog and fell silent before then. Returns how many."""
        if self._batches is None:
            return 0
        sessions = await self._maintenance.backlog(now=self._clock(), quiet_before=quiet_before, limit=limit)
        for one in sessions:
            await self.extract(one.domain_id, one.session_key, force=False)
        return len(sessions)

    async def start_conversation(self, domain_id: str, session_key: str) -> BatchReport:
        """Extract what is pending, then begin a fresh history; items stay."""
        report = await self.extract(domain_id, session_key)
        async with self._store.write(domain_id, (session_scope(session_key),)) as tx:
            await tx.start_history(session_key)
        return report

    def extract_if_due(self, domain_id: str, session_key: str) -> None:
        """Start a batch in the background if enough was said since the last one."""
        if self._batches is not None:
            self._background.spawn(
                self._extract_if_due(self._batches, domain_id, session_key), f"extract {session_key}"
            )

    def after_writing(self, domain_id: str, session_key: str, outcomes: Sequence[Outcome]) -> None:
        """Embed what was written; say what was refused."""
        new = [o.item for o in outcomes if o.status == "applied" and o.item is not None and o.item.status == "active"]
        if self._vectoriser is not None and new:
            self._background.spawn(self._vectoriser.embed(domain_id, new), f"embed {session_key}")
        for outcome in outcomes:
            if outcome.status == "rejected":
                logger.info("%s/%s: a proposal was rejected: %s", domain_id, session_key, outcome.reason)

    async def _extract_if_due(self, batches: BatchExtractor, domain_id: str, session_key: str) -> None:
        if await batches.due(domain_id, session_key):
            await self.extract(domain_id, session_key, force=False)


def without_secrets(turn: NewTurn) -> NewTurn:
    """``turn`` with passwords, keys and the like hidden, in what it quotes too."""
    quotes = tuple(replace(quote, text=mask(quote.text)) for quote in turn.quotes)
    return replace(turn, text=mask(turn.text), quotes=quotes)
