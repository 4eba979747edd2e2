"""Embeddings from any OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .embedding_base import PURPOSE, fit, load_numpy, unit_rows
from .endpoint import Endpoint, bounded
from .errors import BadOutputError, ProviderAuthError, ProviderError

if TYPE_CHECKING:
    import httpx
    import numpy as np

_SHAPES = ((64, 2_000), (8, 2_000), (8, 400))
"""(texts in a request, characters of a text), the first that the endpoint takes: DashScope allows 10 texts, and models
with 512 tokens refuse what is longer instead of cutting it."""
_SHAPE_REJECTED = (400, 413, 422)


class OpenAIEmbedder:
    """An embedding model behind ``{base_url}/embeddings``.

    At most 64 texts go into a request, each cut at 2,000 characters; an endpoint that rejects this is asked again with
    8 texts, then with 400 characters, and the shape that worked is kept. ``timeout`` (seconds) bounds each request.
    Vectors are put in the order of their ``index`` and scaled to length 1. A model that changes its dimensions while
    it is in use raises BadOutputError, since old and new vectors cannot be compared.
    """

    def __init__(
        self, base_url: str, api_key: str, model: str, *, timeout: float, client: httpx.AsyncClient | None = None
    ) -> None:
        self._endpoint = Endpoint(base_url, api_key, client=client)
        self.model = f"{self._endpoint.name} {model}"
        self._name = model
        self._timeout = timeout
        self._shape = 0
        self._dimensions = 0

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:  # noqa: ARG002 - one space for both
        """See ``Embedder.embed``."""
        np = await asyncio.to_thread(load_numpy)
        parts: list[np.ndarray] = []
        done, shape = 0, self._shape
        while done < len(texts):
            size, limit = _SHAPES[shape]
            part = fit(texts[done : done + size], limit)
            try:
                parts.append(await bounded(self._request(part), self._timeout, PURPOSE))
            except ProviderError as error:
                smaller = None if isinstance(error, ProviderAuthError) else _smaller(shape, part)
                if smaller is None or error.status not in _SHAPE_REJECTED:
                    raise
                shape = smaller
            else:
                done += len(part)
                self._shape = max(self._shape, shape)
        return np.concatenate(parts) if parts else np.empty((0, self._dimensions), np.float32)

    async def close(self) -> None:
        await self._endpoint.close()

    async def _request(self, texts: list[str]) -> np.ndarray:
        payload = {"model": self._name, "input": texts}
        body = await self._endpoint.post("/embeddings", payload, purpose=PURPOSE, expect="data")
        vectors = unit_rows(_in_order(body["data"]), len(texts))
        if self._dimensions and vectors.shape[1] != self._dimensions:
            raise BadOutputError(PURPOSE, f"vectors of {vectors.shape[1]} dimensions after {self._dimensions}")
        self._dimensions = vectors.shape[1]
        return vectors


def _smaller(shape: int, part: Sequence[str]) -> int | None:
    """The next shape that would change this request, None if there is none."""
    for later in range(shape + 1, len(_SHAPES)):
        size, limit = _SHAPES[later]
        if len(part) > size or any(len(text) > limit for text in part):
            return later
    return None


def _in_order(data: Sequence[object]) -> list[object]:
    """The vectors of an answer by their index; as they came if none has an index."""
    entries = [entry for entry in data if isinstance(entry, dict) and "embedding" in entry]
    if len(entries) != len(data):
        raise BadOutputError(PURPOSE, "the answer has entries without a vector")
    if any("index" in entry for entry in entries):
        by_index = {entry["index"]: entry for entry in entries if isinstance(entry.get("index"), int)}
        if sorted(by_index) != list(range(len(entries))):
            raise BadOutputError(PURPOSE, "the vectors are not numbered one by one")
        entries = [by_index[index] for index in range(len(entries))]
    return [entry["embedding"] for entry in entries]
