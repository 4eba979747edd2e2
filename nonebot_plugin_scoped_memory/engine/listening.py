"""From a chat's messages to memory: record, settle, extract, take back, remember on request."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from .. import texts
from . import revising, text
from .address import SessionKey
from .background import Background
from .batches import BatchExtractor, BatchReport
from .changing import Actor
from .errors import InvalidItemError, StoreUnreachableError
from .extract.rules import explicit_proposal
from .extract.secrets import mask
from .models import KINDS, Clock, Kind, NewTurn, Origin, Quote, Turn, TurnState
from .optout import opted_out
from .scope import GLOBAL_SCOPE, home_scope, session_scope, writing_scopes
from .settings import EngineSettings
from .settling import settle_turns
from .source import Source
from .store.base import MaintenanceStore, Store
from .turn_search import indexed_text
from .vectorising import Vectoriser
from .writing import Outcome, shown, write_proposals

logger = logging.getLogger(__name__)

OPEN_FOR = timedelta(minutes=10)
"""A turn that is still open after this long was left by a handler that never ended."""
BACKLOG = 1_000
"""Sessions looked at in one round; those whose memory is off are among them."""


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
        self._bots: frozenset[str] = frozenset()

    @property
    def bots(self) -> frozenset[str]:
        """The accounts of all bots that were connected so far."""
        return self._bots

    async def record(self, domain_id: str, session_key: str, turn: NewTurn) -> Turn:
        """Store one message, its secrets masked, without quotes of people who are opted out.

        Returns it with its number. Raises InvalidAddressError, StoreError.
        """
        SessionKey.parse(session_key)
        turn = tidied(turn)
        turn = replace(turn, quotes=await self._without_silent(domain_id, session_key, turn.quotes))
        said = indexed_text(turn.name, turn.text, turn.said_at, self._settings.timezone)
        return await self._store.record_turn(domain_id, session_key, turn, text.document_terms(said))

    async def enrich(
        self, domain_id: str, session_key: str, n: int, quotes: Sequence[Quote], names: Mapping[str, str]
    ) -> None:
        """Add to a recorded turn what was learnt of it since: the lines of a forward, once, and the names of mentioned
        accounts."""
        quotes = await self._without_silent(domain_id, session_key, quotes)
        async with self._store.write(domain_id, (session_scope(session_key),)) as tx:
            for turn in await tx.turns(session_key, (n,)):
                known = any(quote.kind == "forward" for quote in turn.quotes)
                tidy = () if known else tuple(map(_tidied_quote, quotes))
                if tidy or names:
                    await tx.add_to_turn(session_key, n, tidy, {who: text.clean(name) for who, name in names.items()})

    async def _without_silent(self, domain_id: str, session_key: str, quotes: Sequence[Quote]) -> tuple[Quote, ...]:
        if not quotes:
            return ()
        view = self._store.view(domain_id, (home_scope(session_key), GLOBAL_SCOPE))
        silent = await opted_out(view, session_key, {quote.account for quote in quotes}, self._clock())
        return tuple(quote for quote in quotes if quote.account not in silent)

    async def settle(
        self, domain_id: str, session_key: str, n: int, state: TurnState, *, bots: frozenset[str] | None = None
    ) -> list[Outcome]:
        """Say how a recorded turn counts, once its handlers are done; rules look at an ordinary one at once.

        ``bots`` are the accounts of all connected bots: what is said to other members only is not the bot's to learn.
        """
        self._bots |= bots or frozenset()
        async with self._store.write(domain_id, writing_scopes(session_key)) as tx:
            learnt = await settle_turns(tx, session_key, (n,), state, self._clock(), self._settings, bots=bots)
        outcomes = [outcome for _, outcome in learnt]
        self.after_writing(domain_id, session_key, outcomes)
        if state is TurnState.ORDINARY:
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
        mentions: Mapping[str, str] | None = None,
        kind: Kind | None = None,
        origin: Origin = "command",
    ) -> Outcome:
        """Remember a sentence that ``actor`` (called ``name``) gave for it; ``kind`` None leaves that to its words.

        ``mentions`` are names of the accounts that it mentions. Raises InvalidAddressError, InvalidItemError.
        """
        if kind is not None and kind not in KINDS:
            raise InvalidItemError("kind", f"none of {', '.join(KINDS)}")
        proposal = explicit_proposal(
            revising.checked_content(content),
            account=actor.account,
            name=name,
            said_at=self._clock(),
            zone=self._settings.timezone,
        )
        proposal = replace(proposal, kind=kind or proposal.kind, origin=origin, explicit=True, evidence=())
        async with self._store.write(domain_id, writing_scopes(session_key)) as tx:
            source = Source(session_key, {}, actor, self._clock(), names={**(mentions or {}), actor.account: name})
            (outcome,) = await write_proposals(tx, (proposal,), source, self._settings)
        self.after_writing(domain_id, session_key, (outcome,))
        return shown(outcome, writing_scopes(session_key))

    async def extract(self, domain_id: str, session_key: str, *, force: bool = True) -> BatchReport:
        """Let the model look at everything past the session's watermark, now. Without a model, nothing happens."""
        if self._batches is None:
            return BatchReport()
        report = await self._batches.run(domain_id, session_key, force=force, bots=self._bots)
        self.after_writing(domain_id, session_key, report.outcomes)
        return report

    async def adopt_left_open(self, *, limit: int = 1_000) -> int:
        """Turns whose handlers never ended (the process died) count as ordinary from now on. Returns how many."""
        left = await self._maintenance.left_open(before=self._clock() - OPEN_FOR, limit=limit)
        sessions: dict[tuple[str, str], list[int]] = {}
        for domain_id, session_key, n in left:
            sessions.setdefault((domain_id, session_key), []).append(n)
        for (domain_id, session_key), numbers in sessions.items():
            try:
                await self._adopt(domain_id, session_key, numbers)
            except StoreUnreachableError:
                raise
            except Exception as e:  # noqa: BLE001 - whatever it is, it is this session's
                logger.error(texts.LOG_ADOPTION_FAILED, domain_id, session_key, type(e).__name__)
        return len(left)

    async def _adopt(self, domain_id: str, session_key: str, numbers: Sequence[int]) -> None:
        async with self._store.write(domain_id, writing_scopes(session_key)) as tx:
            # They may have been classified since.
            still = [turn.n for turn in await tx.turns(session_key, numbers) if turn.state is TurnState.OPEN]
            learnt = await settle_turns(
                tx, session_key, still, TurnState.ORDINARY, self._clock(), self._settings, bots=self._bots or None
            )
        self.after_writing(domain_id, session_key, [outcome for _, outcome in learnt])

    async def session_of_own_message(self, domain_id: str, self_id: str, message_id: str) -> str | None:
        """The session in which a bot's own message has this id; None if it is in none, or in several."""
        found = await self._maintenance.sessions_of_own_message(domain_id, self_id, message_id)
        return found[0] if len(found) == 1 else None

    async def extract_quiet(self, *, quiet_before: datetime, limit: int = 20) -> int:
        """``extract`` for up to ``limit`` sessions that have a backlog and fell silent before then. Returns how many.

        What cannot be worked on (memory off, a broken row) keeps nobody else waiting. Raises StoreUnreachableError.
        """
        if self._batches is None:
            return 0
        done = 0
        for one in await self._maintenance.backlog(now=self._clock(), quiet_before=quiet_before, limit=BACKLOG):
            try:
                report = await self.extract(one.domain_id, one.session_key, force=False)
            except StoreUnreachableError:
                raise
            except Exception as e:  # noqa: BLE001 - whatever it is, it is this session's
                logger.error(texts.LOG_EXTRACTION_BROKE, one.domain_id, one.session_key, type(e).__name__)
                continue
            if report.waiting in ("stopped", "budget"):
                break  # so would all others
            done += report.turns > 0 or report.waiting not in ("", "off", "chat_budget")
            if done >= limit:
                break
        return done

    async def pending(self, domain_id: str, session_key: str) -> int | None:
        """How many messages of people the model has yet to look at; None without a model."""
        return None if self._batches is None else await self._batches.pending(domain_id, session_key)

    async def start_conversation(self, domain_id: str, session_key: str) -> BatchReport:
        """Extract what is pending, then begin a fresh history, without the summary of the old one; items stay."""
        async with self._store.write(domain_id, (session_scope(session_key),)) as tx:
            # First, so that what is said during the model's call belongs to the new conversation.
            await tx.start_history(session_key)
            await tx.set_summary(session_key, "")
        return await self.extract(domain_id, session_key)

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
                logger.info(texts.LOG_REJECTED, domain_id, session_key, outcome.reason)

    async def _extract_if_due(self, batches: BatchExtractor, domain_id: str, session_key: str) -> None:
        if await batches.due(domain_id, session_key):
            report = await batches.run(domain_id, session_key, if_due=True, bots=self._bots)
            self.after_writing(domain_id, session_key, report.outcomes)


def tidied(turn: NewTurn) -> NewTurn:
    """``turn`` as it may be stored: passwords, keys and the like hidden, in what it quotes too, and nothing in it that
    is no character."""
    return replace(
        turn,
        text=mask(text.clean(turn.text)),
        account=text.clean(turn.account),
        name=text.clean(turn.name),
        quotes=tuple(map(_tidied_quote, turn.quotes)),
        mentions=tuple((text.clean(account), text.clean(name)) for account, name in turn.mentions),
    )


def _tidied_quote(quote: Quote) -> Quote:
    return replace(quote, name=text.clean(quote.name), text=mask(text.clean(quote.text)))
