"""Vectors are kept up to date in the background, whatever the provider does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nonebot_plugin_scoped_memory.engine.errors import (
    BadOutputError,
    ProviderAuthError,
    ProviderDownError,
    ProviderRefusedError,
)
from nonebot_plugin_scoped_memory.engine.models import NewItem
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE

from .helpers import GROUP, OTHER_GROUP, PRIVATE, BigramEmbedder, Memory, chat, memory

SYNONYMS = {"pourover": "手冲咖啡"}


async def vectors(memo: Memory) -> int:
    return (await memo.engine.maintenance.counts())["vectors"]


class Picky(BigramEmbedder):
    """Cannot deal with some texts, and takes few at once."""

    def __init__(self, error: Exception) -> None:
        super().__init__(synonyms=SYNONYMS)
        self.wrong = error
        self.calls: list[int] = []

    async def embed(self, texts: Any, *, query: bool = False) -> np.ndarray:
        self.calls.append(len(texts))
        if any("毒" in text for text in texts):
            raise self.wrong
        return await super().embed(texts, query=query)


async def test_items_are_embedded_as_they_come() -> None:
    async with memory(embedder=BigramEmbedder(synonyms=SYNONYMS)) as memo:
        await memo.speak("我喜欢手冲咖啡")
        await memo.remember("手冲咖啡周四上新", session=PRIVATE)
        await memo.engine.drain()
        assert await vectors(memo) == 2
        assert await memo.found("pourover") == ["小明（10001）喜欢手冲咖啡"]


async def test_a_refresh_covers_every_scope_and_domain_once() -> None:
    model = BigramEmbedder()
    model.error = ProviderDownError("embedding", "internal error")
    async with memory(embedder=model) as memo:
        for where in (chat(GROUP), chat(OTHER_GROUP), GLOBAL_SCOPE):
            await memo.add("手冲周四上新", where)
        await memo.engine.add_items([NewItem(chat(GROUP), "fact", "手冲")], domain_id="bot:2")
        await memo.engine.drain()
        assert await vectors(memo) == 0
        model.error = None
        memo.clock.move(hours=2)
        memo.engine.embedder.resume()  # type: ignore[union-attr]
        await memo.engine.embedder._probe  # type: ignore[union-attr, misc]
        assert await memo.engine.embed_items_all_scopes() == 4
        model.texts.clear()
        assert await memo.engine.embed_items_all_scopes() == 0
        assert model.texts == []


async def test_a_large_batch_is_embedded_in_small_ones() -> None:
    model = Picky(BadOutputError("embedding", "x"))
    async with memory(embedder=model) as memo:
        await memo.engine.add_items([NewItem(chat(GROUP), "fact", f"手冲第 {n} 种") for n in range(200)])
        await memo.engine.drain()
        assert await vectors(memo) == 200
        assert max(model.calls) <= 64


@pytest.mark.parametrize("error", [BadOutputError("embedding", "x"), ProviderRefusedError("embedding", "x", 413)])
async def test_one_text_that_cannot_be_embedded_does_not_keep_others_waiting(error: Exception) -> None:
    async with memory(embedder=Picky(error)) as memo:
        await memo.engine.add_items([NewItem(chat(GROUP), "fact", f"手冲{'毒' * (n == 2)} {n}") for n in range(6)])
        await memo.engine.drain()
        assert await vectors(memo) == 5
        await memo.add("手冲又一种")
        await memo.engine.drain()
        assert await memo.engine.embed_items_all_scopes() == 0
        assert await vectors(memo) == 6


@pytest.mark.parametrize("error", [ProviderAuthError("embedding", "x", 401), ProviderDownError("embedding", "x")])
async def test_a_provider_that_is_down_is_not_asked_once_for_each_half(error: Exception) -> None:
    model = Picky(error)
    async with memory(embedder=model) as memo:
        await memo.engine.add_items([NewItem(chat(GROUP), "fact", f"手冲毒 {n}") for n in range(100)])
        await memo.engine.drain()
        assert model.calls == [44, 44, 64]  # two for the calibration
        assert await vectors(memo) == 0


async def test_what_changes_while_it_is_embedded_gets_the_vector_of_its_new_words() -> None:
    async with memory(embedder=BigramEmbedder(synonyms=SYNONYMS)) as memo:
        item = await memo.add("手冲咖啡")
        await memo.engine.update_item(item.id, scopes=[item.scope], content="服务器在杭州")
        await memo.engine.drain()
        await memo.engine.embed_items_all_scopes()
        assert await memo.found("pourover") == []
        assert await vectors(memo) == 1


async def test_no_question_is_embedded_before_the_model_is_calibrated() -> None:
    model = BigramEmbedder()
    async with memory(embedder=model) as memo:
        assert await memo.recalled("手冲") == []
        assert model.texts == []


async def test_the_calibration_is_kept(tmp_path: Path) -> None:
    url = f"sqlite:///{(tmp_path / 'memory.db').as_posix()}"
    async with memory(url, embedder=BigramEmbedder()) as memo:
        await memo.add("手冲咖啡")
    model = BigramEmbedder()
    async with memory(url, embedder=model) as memo:
        await memo.add("手冲壶")
        await memo.engine.drain()
        assert model.texts == ["手冲壶"]


async def test_a_model_whose_dimensions_changed_is_calibrated_and_refreshed_anew(tmp_path: Path) -> None:
    """The same name, other vectors: they are never compared, and recall goes on without them meanwhile."""
    url = f"sqlite:///{(tmp_path / 'memory.db').as_posix()}"
    async with memory(url, embedder=BigramEmbedder("m", 2048, SYNONYMS)) as memo:
        for n in range(3):
            await memo.add(f"手冲咖啡第 {n} 种")
    async with memory(url, embedder=BigramEmbedder("m", 384, SYNONYMS)) as memo:
        assert len(await memo.found("手冲")) == 3
        package = await memo.engine.compose_context(GROUP, "pourover")
        assert (package.evidence, package.debug.warnings) == ((), ("lexical_only",))
        assert await memo.engine.embed_items_all_scopes() == 3
        assert len(await memo.found("pourover")) == 3
        assert (await memo.engine.compose_context(GROUP, "pourover")).debug.warnings == ()


async def test_a_new_item_is_enough_to_notice_other_dimensions(tmp_path: Path) -> None:
    url = f"sqlite:///{(tmp_path / 'memory.db').as_posix()}"
    async with memory(url, embedder=BigramEmbedder("m", 2048, SYNONYMS)) as memo:
        await memo.add("手冲咖啡")
    async with memory(url, embedder=BigramEmbedder("m", 384, SYNONYMS)) as memo:
        await memo.add("手冲咖啡壶")
        await memo.engine.drain()
        await memo.engine.embed_items_all_scopes()
        assert len(await memo.found("pourover")) == 2


async def test_without_an_embedder_there_is_nothing_to_refresh() -> None:
    async with memory() as memo:
        await memo.add("手冲咖啡")
        assert await memo.engine.embed_items_all_scopes() == 0
