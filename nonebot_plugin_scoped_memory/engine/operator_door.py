"""The part of the engine's door that operators use: reviews, settings, usage, upkeep."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from . import governance, text
from .budget import Spent, usage_row
from .changing import Actor
from .door import Door
from .governance import Approval
from .models import Candidate
from .optout import opted_out, set_learning
from .scope import GLOBAL_SCOPE, ScopeRef, home_scope
from .turn_search import indexed_text

if TYPE_CHECKING:
    from .llm import Completion

REBUILT_AT_ONCE = 500


class OperatorDoor(Door):
    """What stands above one chat. Nothing here asks who calls: whoever offers it to people checks that first."""

    async def count_reviews(self, *, domain_id: str | None = None) -> int:
        """How many texts wait for a review, at most ``governance.MAX_REVIEWS``."""
        return len(await self.pending_reviews(limit=governance.MAX_REVIEWS, domain_id=domain_id))

    async def pending_reviews(
        self, *, limit: int = 20, offset: int = 0, domain_id: str | None = None
    ) -> list[Candidate]:
        """What waits for an operator before every chat may know it, oldest first."""
        return await governance.pending_reviews(self.store, self._domain(domain_id), limit=limit, offset=offset)

    async def approve(self, candidate_id: str, actor: Actor, *, domain_id: str | None = None) -> Approval:
        """Make a waiting candidate a shared item, word for word as it was shown. Returns that item, or the one that
        said the same before. Raises NotFoundError if nothing of this id waits."""
        domain = self._domain(domain_id)
        approval = await governance.approve(self.store, domain, candidate_id, actor, self.clock())
        self._embed_later(domain, [approval.item])
        return approval

    async def reject(
        self, candidate_id: str, actor: Actor, reason: str = "", *, domain_id: str | None = None
    ) -> Candidate:
        """Refuse a waiting candidate for good; its chat keeps its own copy. Returns it with the reason as it is kept.
        Raises NotFoundError if nothing of this id waits."""
        return await governance.reject(self.store, self._domain(domain_id), candidate_id, actor, self.clock(), reason)

    async def chat_setting(self, session_key: str, name: str, *, domain_id: str | None = None) -> str | None:
        """A setting of the chat that this session belongs to, None if it was never set. Raises InvalidAddressError."""
        home = home_scope(session_key)
        return (await self.store.view(self._domain(domain_id), (home,)).chat_settings(home)).get(name)

    async def set_chat_setting(
        self, session_key: str, name: str, value: str, *, by: str, domain_id: str | None = None
    ) -> None:
        """Set or replace a setting of the chat that this session belongs to; ``by`` is the account that wanted it.
        Raises InvalidAddressError."""
        home = home_scope(session_key)
        async with self.store.write(self._domain(domain_id), (home,)) as tx:
            await tx.set_chat_setting(home, name, text.clean(value), by=by, at=self.clock())

    async def set_learning(
        self,
        session_key: str,
        account: str,
        *,
        on: bool,
        everywhere: bool = False,
        until: datetime | None = None,
        domain_id: str | None = None,
    ) -> None:
        """Whether ``account`` is learnt about in this session's chat, or ``everywhere``; off may end at ``until``.

        What it says while that is off is never extracted. Coming back everywhere ends it here too. Raises
        InvalidAddressError.
        """
        home, now = home_scope(session_key), self.clock()
        scopes = (home, GLOBAL_SCOPE) if everywhere and on else (GLOBAL_SCOPE,) if everywhere else (home,)
        async with self.store.write(self._domain(domain_id), (home, GLOBAL_SCOPE)) as tx:
            for scope in scopes:
                await set_learning(tx, scope, account, on=on, until=until, now=now)

    async def learns_about(self, session_key: str, account: str, *, domain_id: str | None = None) -> bool:
        """Whether what ``account`` says in this session now may be learnt."""
        view = self.store.view(self._domain(domain_id), (home_scope(session_key), GLOBAL_SCOPE))
        return account not in await opted_out(view, session_key, (account,), self.clock())

    async def add_usage(
        self, session_key: str, purpose: str, completions: Sequence[Completion], *, domain_id: str | None = None
    ) -> None:
        """Count calls that another part made for this chat."""
        home = home_scope(session_key)
        async with self.store.write(self._domain(domain_id), (home,)) as tx:
            await tx.add_usage(usage_row(home, self.budget.day(), purpose, completions))

    async def spent_today(self) -> int:
        """Tokens of this local day, all chats and purposes together."""
        return await self.budget.spent_today()

    def today(self) -> str:
        """The local day as usage counts it."""
        return self.budget.day()

    async def spent_up(self, session_key: str, *, domain_id: str | None = None) -> Spent:
        """Which limit keeps this chat from being extracted today."""
        home = home_scope(session_key)
        return await self.budget.reached(self.store.view(self._domain(domain_id), (home,)), home)

    async def embed_items_all_scopes(self) -> int:
        """Embed what is missing or stale, in every scope. Returns how many vectors were stored."""
        return await self._vectoriser.refresh() if self._vectoriser is not None else 0

    async def tidy(self) -> None:
        """Merge the text index and empty the write-ahead log: for a time when little happens."""
        await self.maintenance.tidy()

    async def rebuild_index(self) -> int:
        """Bring index rows of an older analyser up to date. Returns how many were rewritten."""
        done = 0
        while rows := await self.maintenance.outdated_terms(text.ANALYSER_VERSION, limit=REBUILT_AT_ONCE):
            fresh = [(*row[:3], text.document_terms(await self._indexed(*row))) for row in rows]
            await self.maintenance.reindex(text.ANALYSER_VERSION, fresh)
            done += len(rows)
        return done

    async def _indexed(self, domain_id: str, owner: ScopeRef, ref: str | int, content: str) -> str:
        """The text under which an item or turn is found; a turn's has its day too."""
        if isinstance(ref, str):
            return content
        (turn,) = await self.store.view(domain_id, (owner,)).turns(owner.id, (ref,))
        return indexed_text(turn.name, turn.text, turn.said_at, self.settings.timezone)
