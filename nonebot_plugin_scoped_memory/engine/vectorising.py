"""Keeps the vectors of items up to date, in the background, one batch at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .errors import ProviderError
from .models import Item
from .recall import QueryVector
from .store.base import MaintenanceStore, Store

if TYPE_CHECKING:
    from .embedding import SafeEmbedder

logger = logging.getLogger(__name__)

BATCH_ITEMS = 64


class Vectoriser:
    """Embeds new items as they come and, on ``refresh``, whatever is missing or of another content or model."""

    def __init__(self, store: Store, maintenance: MaintenanceStore, embedder: SafeEmbedder) -> None:
        self._store = store
        self._maintenance = maintenance
        self._embedder = embedder
        self._lock = asyncio.Lock()
        self._floor: float | None = None

    async def floor(self) -> float | None:
        """The cosine that unrelated texts stay under, None until the model was calibrated."""
        if self._floor is None and (known := await self._store.embedding_floor(self._embedder.model)):
            self._floor = known[1]
        return self._floor

    async def query(self, question: str) -> QueryVector | None:
        """A question's vector, None while the provider is down or the model is not calibrated yet."""
        floor = await self.floor()
        if floor is None:
            return None
        vector = await self._embedder.query(question)
        return None if vector is None else QueryVector(self._embedder.model, vector, floor)

    async def embed(self, domain_id: str, items: Sequence[Item]) -> int:
        """Store vectors for these items. Returns how many; 0 if the provider is down (``refresh`` finds them later)."""
        async with self._lock:
            try:
                await self._calibrate()
                vectors = await self._embedder.documents([item.content for item in items])
            except ProviderError as e:
                logger.info("%d items wait for their vectors: %s", len(items), e)
                return 0
            by_id = {item.id: vector for item, vector in zip(items, vectors, strict=True)}
            identities = {item.id: item.identity for item in items}
            return await self._store.put_vectors(domain_id, self._embedder.model, by_id, identities=identities)

    async def refresh(self) -> int:
        """Embed what is missing or stale in every scope, never the same twice. Returns how many were stored."""
        done = 0
        while rows := await self._maintenance.items_without_vectors(self._embedder.model, limit=BATCH_ITEMS):
            stored = 0
            for domain_id in sorted({domain for domain, _ in rows}):
                stored += await self.embed(domain_id, [item for domain, item in rows if domain == domain_id])
            if not stored:
                break
            done += stored
        return done

    async def _calibrate(self) -> None:
        if await self.floor() is None:
            dimensions, floor = await self._embedder.calibrate()
            await self._store.set_embedding_floor(self._embedder.model, dimensions, floor)
            self._floor = floor
