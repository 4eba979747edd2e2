"""What the parts of the engine's door have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .background import Background
from .budget import Budget
from .embedding import SafeEmbedder
from .models import Clock, Item
from .settings import EngineSettings
from .store.base import MaintenanceStore, Store
from .vectorising import Vectoriser

if TYPE_CHECKING:
    from .embedding import Embedder


class Door:
    """Base of the engine's parts: the store, the clock, and what runs in the background."""

    def __init__(
        self,
        store: Store,
        maintenance: MaintenanceStore,
        *,
        embedder: Embedder | None,
        clock: Clock,
        domain_id: str,
        settings: EngineSettings,
    ) -> None:
        self.store = store
        self.maintenance = maintenance
        self.clock = clock
        self.domain_id = domain_id
        self.settings = settings
        self.embedder = SafeEmbedder(embedder, clock=clock) if embedder is not None else None
        self._vectoriser = Vectoriser(store, maintenance, self.embedder) if self.embedder is not None else None
        self._background = Background()
        self.budget = Budget(maintenance, clock, settings)

    def _domain(self, domain_id: str | None) -> str:
        """The engine's own domain where none is named. An empty name stays what it is: an error of the store."""
        return self.domain_id if domain_id is None else domain_id

    def _embed_later(self, domain_id: str, items: Sequence[Item]) -> None:
        if self._vectoriser is not None and items:
            self._background.spawn(self._vectoriser.embed(domain_id, list(items)), "embed")
