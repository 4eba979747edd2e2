"""Words that give a leak away: who may read which, a model and an embedder that spread them as far as they can."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from .helpers import BigramEmbedder, found, said

WORD = re.compile("canary[a-z]{4}")  # longer than any id
MARK = "金丝雀"


class CanaryEmbedder(BigramEmbedder):
    """Every statement with a canary word, and the mark, lie in one direction: a vector search finds them all."""

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:
        rows = await super().embed(texts, query=query)
        for row, text in zip(rows, texts, strict=True):
            if MARK in text or WORD.search(text):
                row[:] = 0
                row[0] = 1
        return rows


def hostile_echo(prompt: str) -> str:
    """A model that takes every line for a memory, and claims people, audiences, evidence and scopes as it likes."""
    items: list[dict[str, Any]] = []
    for line in prompt.splitlines():
        if (head := re.match(r"\[(t\d+) \S+ \S+ (\S+)", line)) is None:
            continue
        number, who = head.groups()
        luck = zlib.crc32(line.encode())
        claim = found(
            f"{who if who.startswith('u') else 'u1'} 提到 {line.split('] ', 1)[1]}",
            subject=(who, "u2", "u9", "bot", None, "qq:user:10002")[luck % 6],
            kind=("preference", "fact", "decision", "procedure", "summary")[luck // 6 % 5],
            audience=("shared", None, "chat")[luck // 30 % 3],
            key=(None, "language", "name")[luck // 90 % 3],
        )
        claim["evidence"] = ([number], [number, "t1"], ["t999", number], ["t1"])[luck // 270 % 4]
        items.append({**claim, "scope": "global", "scope_id": "__global__", "session": "qq:private:10001"})
    return said(*items)


def belongs_to(session: str) -> str:
    """The chat of a session, worked out from its text alone."""
    parts = session.split(":")
    return ":".join(parts[:3]) if parts[1] in ("private", "group") else session


class Oracle:
    """Who may read which word. Readers are named by the chat that a session belongs to."""

    def __init__(self) -> None:
        self.owner: dict[str, str] = {}
        self.shared: set[str] = set()
        self.expected: dict[str, set[str]] = {}

    def expect(self, session: str, word: str) -> None:
        """An item of this chat has the word from now on, until it is forgotten or its message taken back."""
        self.expected.setdefault(belongs_to(session), set()).add(word)

    def unexpect(self, session: str, words: Sequence[str]) -> None:
        self.expected.get(belongs_to(session), set()).difference_update(words)

    def check(self, session: str, *texts: str) -> None:
        """Raises AssertionError if the texts hold a word that a reader in this session may not have."""
        words = {word for text in texts for word in WORD.findall(text)} - self.shared
        leaked = {word: self.owner[word] for word in words if self.owner[word] != belongs_to(session)}
        assert not leaked, f"{session} reads {leaked}"

    def check_prompt(self, prompt: str) -> None:
        """An extraction may hold words of one chat only, whichever it is."""
        owners = {self.owner[word] for word in WORD.findall(prompt) if word not in self.shared}
        assert len(owners) <= 1, f"one extraction reads words of {owners}"
