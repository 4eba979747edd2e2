"""Keeps the vectors of items up to date, in the background, one batch at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import texts
from .errors import BadOutputError, ProviderError, ProviderRefusedError
from .models import Item
from .recall import QueryVector
from .store.base import MaintenanceStore, Store

if TYPE_CHECKING:
    from .embedding import SafeEmbedder

logger = logging.getLogger(__name__)

BATCH_ITEMS = 64
_HARMLESS = "大家好"  # no model has a reason to stumble over this


class Vectoriser:
    """Embeds new items as they come and, on ``refresh``, whatever is missing or of another content or model."""

    def __init__(self, store: Store, maintenance: MaintenanceStore, embedder: SafeEmbedder) -> None:
        self._store = store
        self._maintenance = maintenance
        self._embedder = embedder
        self._lock = asyncio.Lock()
        # (dimensions, floor): the floor is the cosine that unrelated texts stay under.
        self._space: tuple[int, float] | None = None
        self._space_changed = False
        # (id, identity) of items that the model cannot deal with; tried again after a restart or a change.
        self._hopeless: set[tuple[str, str]] = set()

    async def query(self, question: str) -> QueryVector | None:
        """A question's vector, None while the provider is down, or the model is not calibrated yet or is another one
        under the same name."""
        space = await self._known_space()
        if space is None:
            return None
        vector = await self._embedder.query(question)
        if vector is None:
            return None
        dimensions, floor = space
        if vector.shape[0] != dimensions:
            self._space_changed = True
            return None
        return QueryVector(self._embedder.model, vector, floor)

    async def embed(self, domain_id: str, items: Sequence[Item]) -> int:
        """Store vectors for these items. Returns how many; what the provider cannot do now is left for ``refresh``."""
        stored = 0
        for start in range(0, len(items), BATCH_ITEMS):
            batch = [item for item in items[start : start + BATCH_ITEMS] if not self._is_hopeless(item)]
            try:
                stored += await self._embed_batch(domain_id, batch)
            except ProviderError as e:
                logger.info(texts.LOG_VECTORS_WAIT, len(items) - start, e)
                break
        return stored

    async def refresh(self) -> int:
        """Embed what is missing or stale in every scope, never the same twice. Returns how many were stored."""
        if self._space_changed:
            try:
                async with self._lock:
                    await self._calibrate()
            except ProviderError as e:
                logger.info(texts.LOG_VECTORS_NOT_REFRESHED, e)
                return 0
        done = 0
        while True:
            limit = BATCH_ITEMS + len(self._hopeless)
            missing = await self._maintenance.list_items_all_scopes(self._embedder.model, limit=limit)
            missing = [(domain, item) for domain, item in missing if not self._is_hopeless(item)]
            stored = 0
            for domain_id in sorted({domain for domain, _ in missing}):
                stored += await self.embed(domain_id, [item for domain, item in missing if domain == domain_id])
            if not stored:
                return done
            done += stored

    async def _embed_batch(self, domain_id: str, items: Sequence[Item]) -> int:
        if not items:
            return 0
        try:
            return await self._put(domain_id, items)
        except (BadOutputError, ProviderRefusedError):
            # Is it these texts? If not, the error of this call leaves.
            await self._embedder.documents([_HARMLESS])
        return await self._put_halves(domain_id, items)

    async def _put_halves(self, domain_id: str, items: Sequence[Item]) -> int:
        """``_put`` without the texts that the model cannot deal with."""
        if len(items) == 1:
            logger.info(texts.LOG_VECTOR_IMPOSSIBLE, items[0].id)
            self._hopeless.add((items[0].id, items[0].identity))
            return 0
        stored = 0
        middle = len(items) // 2
        for half in (items[:middle], items[middle:]):
            try:
                stored += await self._put(domain_id, half)
            except (BadOutputError, ProviderRefusedError):
                stored += await self._put_halves(domain_id, half)
        return stored

    async def _put(self, domain_id: str, items: Sequence[Item]) -> int:
        async with self._lock:
            space = await self._known_space()
            if space is None or self._space_changed:
                space = await self._calibrate()
            vectors = await self._embedder.documents([item.content for item in items])
            if vectors.shape[1] != space[0]:
                await self._calibrate()
            by_id = {item.id: vector for item, vector in zip(items, vectors, strict=True)}
            identities = {item.id: item.identity for item in items}
            return await self._store.put_vectors(domain_id, self._embedder.model, by_id, identities=identities)

    async def _known_space(self) -> tuple[int, float] | None:
        if self._space is None:
            self._space = await self._store.embedding_floor(self._embedder.model)
        return self._space

    async def _calibrate(self) -> tuple[int, float]:
        """Measure the model; where its dimensions are others than before, its old vectors go. Raises ProviderError."""
        self._space = dimensions, floor = await self._embedder.calibrate()
        await self._store.set_embedding_floor(self._embedder.model, dimensions, floor)
        self._space_changed = False
        return self._space

    def _is_hopeless(self, item: Item) -> bool:
        return (item.id, item.identity) in self._hopeless
