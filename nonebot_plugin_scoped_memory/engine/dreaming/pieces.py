"""How much of a conversation goes into one call where a model refuses it, or answers with rubbish.

A chunk that fails so is halved, and its halves again, until what the model cannot deal with is alone and passed over.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..models import Turn

MOST_CUTS = 8
"""Of one chunk: enough to find one turn in 200. A model that can do nothing at all costs 17 calls then."""


class Pieces:
    """The sizes of the pieces that a failed chunk was cut into, the next one last. None is the usual state."""

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._cuts = 0

    @property
    def whole(self) -> bool:
        """Whether nothing was cut."""
        return not self._sizes

    def next(self, turns: Sequence[Turn]) -> Sequence[Turn]:
        """As many of the first ``turns`` as the next call may hold."""
        return turns[: self._sizes[-1]] if self._sizes else turns

    def halve(self, size: int) -> bool:
        """The next piece, of ``size`` turns, failed. False if it is to be passed over; else its halves come next."""
        if size < 2 or self._cuts == MOST_CUTS:
            return False
        self._cuts += 1
        self._sizes[-1:] = [size - size // 2, size // 2]
        return True

    def passed(self) -> None:
        """The next piece is done with."""
        if self._sizes:
            self._sizes.pop()
        if not self._sizes:
            self._cuts = 0
