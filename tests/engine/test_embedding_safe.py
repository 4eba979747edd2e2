"""The guard that recall talks to: a failure costs one call, and a probe tells when it is over."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence

import numpy as np
import pytest

from nonebot_plugin_scoped_memory.engine.embedding import OpenAIEmbedder, SafeEmbedder
from nonebot_plugin_scoped_memory.engine.errors import (
    BadOutputError,
    ProviderAuthError,
    ProviderBusyError,
    ProviderDownError,
    ProviderError,
    ProviderRefusedError,
    ProviderTimeoutError,
)
from tests.fakes.openai_server import OpenAIServer

from .helpers import HandClock
from .providers import KEY, SECRET


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


async def settle(safe: SafeEmbedder) -> None:
    """Let a background probe end."""
    probe = safe._probe
    if probe is not None:
        await asyncio.wait({probe}, timeout=5.0)


class TestSafeEmbedder:
    @pytest.fixture
    def fake(self) -> FakeEmbedder:
        return FakeEmbedder()

    @pytest.fixture
    async def safe(self, fake: FakeEmbedder, clock: HandClock) -> AsyncIterator[SafeEmbedder]:
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
        self, safe: SafeEmbedder, fake: FakeEmbedder, clock: HandClock, mode: Exception | str, caplog
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
        self, safe: SafeEmbedder, fake: FakeEmbedder, clock: HandClock, caplog
    ) -> None:
        fake.mode = ProviderDownError("embedding", "down")
        began = clock.now
        with caplog.at_level(logging.INFO):
            await safe.query("a")
            for wait in (30, 60, 120, 240, 480, 600, 600):
                calls = fake.calls
                clock.move(seconds=wait - 1)
                assert await safe.query("a") is None
                await settle(safe)
                assert fake.calls == calls
                clock.move(seconds=1)
                assert await safe.query("a") is None
                await settle(safe)
                assert fake.calls == calls + 1
            assert len(caplog.records) == 1
            assert safe.state.since == began
            fake.mode = "ok"
            clock.move(seconds=600)
            assert await safe.query("a") is None
            await settle(safe)
        assert await safe.query("a") is not None
        assert safe.state.ok
        assert len(caplog.records) == 2
        fake.mode = ProviderDownError("embedding", "down")
        await safe.query("b")
        clock.move(seconds=30)
        await safe.query("b")
        await settle(safe)
        assert fake.calls == calls + 5  # the wait began at 30 s again

    async def test_the_probe_delays_nobody_and_is_alone(self, fake: FakeEmbedder, clock: HandClock) -> None:
        safe = SafeEmbedder(fake, timeout=30.0, clock=clock)
        fake.mode = ProviderDownError("embedding", "down")
        await safe.query("a")
        clock.move(seconds=30)
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
        self, safe: SafeEmbedder, fake: FakeEmbedder, clock: HandClock
    ) -> None:
        fake.mode = "hang"
        await safe.query("a")
        clock.move(seconds=30)
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
        self, safe: SafeEmbedder, fake: FakeEmbedder, clock: HandClock
    ) -> None:
        fake.mode = "hang"
        await asyncio.gather(*(safe.query(f"问题 {n}") for n in range(5)))
        clock.move(seconds=30)
        fake.mode = "ok"
        await safe.query("a")
        await settle(safe)
        assert await safe.query("a") is not None

    async def test_a_refused_key_waits_an_hour_or_for_resume(
        self, safe: SafeEmbedder, fake: FakeEmbedder, clock: HandClock
    ) -> None:
        fake.mode = ProviderAuthError("embedding", "no key", 401)
        await safe.query("a")
        clock.move(minutes=59)
        await safe.query("a")
        with pytest.raises(ProviderAuthError, match="no key"):
            await safe.documents(["a"])
        await settle(safe)
        assert fake.calls == 1
        clock.move(minutes=1)
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

    async def test_over_http_a_hang_costs_one_timeout(self, server: OpenAIServer, clock: HandClock) -> None:
        embedder = OpenAIEmbedder(server.base_url, KEY, "fake-embedding", timeout=5.0)
        safe = SafeEmbedder(embedder, timeout=0.2, clock=clock)
        server.default_embedding_mode = "hang"
        for _ in range(4):
            assert await safe.query("a") is None
        assert len(server.embedding_requests) == 1
        server.default_embedding_mode = "ok"
        clock.move(seconds=30)
        assert await safe.query("a") is None
        await settle(safe)
        assert (await safe.query("a")) is not None
        await safe.close()
        await embedder.close()
