"""What every embedder is, and what its texts and vectors have to be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from .errors import BadOutputError, ProviderDownError
from .text import clean

if TYPE_CHECKING:
    import numpy as np

PURPOSE = "embedding"
"""The ``purpose`` of every error of an embedder."""


class Embedder(Protocol):
    """Turns texts into vectors whose dot product is their cosine."""

    @property
    def model(self) -> str:
        """Names the vector space: vectors of two names are never compared."""
        ...

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:
        """float32 rows of length 1, shape (len(texts), dimensions); (0, dimensions, or 0 while unknown) for no texts.

        ``query``: the texts are questions, not what is searched; some models tell the two apart. Raises ProviderError.
        """
        ...

    async def close(self) -> None: ...


def fit(texts: Sequence[str], limit: int) -> list[str]:
    """``texts`` as a model takes them: cut at ``limit`` characters, without lone surrogates, never blank."""
    fitted = [clean(text[:limit]) for text in texts]
    return [text if text.strip() else " " for text in fitted]


def unit_rows(rows: object, count: int) -> np.ndarray:
    """``rows`` (anything array-like) as float32 of shape (count, dimensions), each of length 1.

    Raises BadOutputError for another shape, for what is no number, infinite or NaN, and for a row of zeros;
    ProviderDownError if numpy cannot be imported.
    """
    np = load_numpy()
    try:
        with np.errstate(over="ignore"):  # too large a number becomes infinite, which is looked for below
            vectors = np.asarray(rows, dtype=np.float32)
    except (TypeError, ValueError, OverflowError):
        raise BadOutputError(PURPOSE, "the vectors are no table of numbers") from None
    if vectors.ndim != 2 or vectors.shape[0] != count or vectors.shape[1] == 0:
        raise BadOutputError(PURPOSE, f"vectors of shape {vectors.shape} for {count} texts")
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and (lengths > 0).all()):
        raise BadOutputError(PURPOSE, "a vector is zero, infinite or not a number")
    return vectors / lengths


def load_numpy():
    """The numpy module. Raises ProviderDownError if it is missing or broken: then recall goes without vectors."""
    try:
        import numpy
    except (ImportError, OSError, AttributeError, RuntimeError) as error:
        raise ProviderDownError(PURPOSE, f"numpy cannot be imported ({type(error).__name__})") from None
    return numpy
