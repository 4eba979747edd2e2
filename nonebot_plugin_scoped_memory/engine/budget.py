"""How many tokens a day may cost, over all chats and for each of them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal

from .models import Clock, UsageRow
from .scope import GLOBAL_SCOPE, ScopeRef
from .settings import EngineSettings
from .store.base import MaintenanceStore, View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .llm import Completion

Spent = Literal["", "budget", "chat_budget"]
"""Nothing stands in the way, or which of the two limits is reached."""


class Budget:
    """Days are local ones. Calls of every purpose count."""

    def __init__(self, maintenance: MaintenanceStore, clock: Clock, settings: EngineSettings) -> None:
        self._maintenance = maintenance
        self._clock = clock
        self._settings = settings

    def day(self, at: datetime | None = None) -> str:
        """The day as usage counts it."""
        return (at or self._clock()).astimezone(self._settings.timezone).strftime("%Y-%m-%d")

    async def spent_today(self) -> int:
        """Tokens of this day, over all chats."""
        return sum(await self._maintenance.usage_total(self.day()))

    async def spent_in_chat(self, view: View, chat: ScopeRef) -> int:
        """Tokens of this day for one chat, which must be among the scopes of ``view``."""
        rows = [row for row in await view.usage(self.day()) if row.scope == chat]
        return sum(row.tokens_in + row.tokens_out for row in rows)

    async def reached(self, view: View, chat: ScopeRef) -> Spent:
        if await self.spent_today() >= self._settings.daily_tokens:
            return "budget"
        # The shared scope is no chat: sessions without one of their own count together there.
        if chat != GLOBAL_SCOPE and await self.spent_in_chat(view, chat) >= self._settings.chat_daily_tokens:
            return "chat_budget"
        return ""


def usage_row(scope: ScopeRef, day: str, purpose: str, completions: Sequence[Completion]) -> UsageRow:
    return UsageRow(
        day=day,
        scope=scope,
        purpose=purpose,
        calls=len(completions),
        tokens_in=sum(c.tokens_in for c in completions),
        tokens_out=sum(c.tokens_out for c in completions),
        estimated=any(c.estimated for c in completions),
    )
