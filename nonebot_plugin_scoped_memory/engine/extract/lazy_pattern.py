"""Regular expressions that are compiled when they are first used.

The rules have some 400 of them, and compiling all takes about a second: too long for the moment at which a bot
loads its plugins. ``compile_all`` does it once the bot has started, so that no message waits for it either.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator


class LazyPattern:
    """A constant pattern with the methods of ``re.Pattern``. Lives as long as the process: what is built at run time
    from somebody's words belongs to ``re.compile``.

    Safe from any thread; at worst two of them compile the same pattern.
    """

    __slots__ = ("_compiled", "flags", "pattern")

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = pattern
        self.flags = flags
        self._compiled: re.Pattern[str] | None = None
        _every.append(self)

    @property
    def is_compiled(self) -> bool:
        return self._compiled is not None

    @property
    def compiled(self) -> re.Pattern[str]:
        """Raises re.error if the pattern is none."""
        if self._compiled is None:
            self._compiled = re.compile(self.pattern, self.flags)
        return self._compiled

    def match(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self.compiled.match(text, start, end)

    def fullmatch(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self.compiled.fullmatch(text, start, end)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self.compiled.search(text, start, end)

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[re.Match[str]]:
        return self.compiled.finditer(text, start, end)

    def findall(self, text: str) -> list[str]:
        """For patterns with at most one group."""
        return self.compiled.findall(text)

    def split(self, text: str) -> list[str]:
        """For patterns whose groups always take part in a match."""
        return self.compiled.split(text)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        return self.compiled.sub(replacement, text, count)


_every: list[LazyPattern] = []


def compile_all() -> int:
    """Compile every pattern of the modules imported so far, and say how many were left. Blocking; call it in a
    thread."""
    left = [pattern for pattern in _every if not pattern.is_compiled]
    for pattern in left:
        _ = pattern.compiled
    return len(left)
