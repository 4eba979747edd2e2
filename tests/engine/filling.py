"""Ways to fill a memory, and the two ways in which it is searched."""

from __future__ import annotations

from typing import Any

from nonebot_plugin_scoped_memory.engine.scope import ScopeRef

from .helpers import GROUP, BigramEmbedder, Memory

MODES = ["lexical", "hybrid"]


def embedder(mode: str) -> BigramEmbedder | None:
    return BigramEmbedder() if mode == "hybrid" else None


async def fill(memo: Memory, *contents: str, where: ScopeRef | str = GROUP, **fields: Any) -> None:
    for content in contents:
        await memo.add(content, where, **fields)
    await memo.engine.drain()
