"""The endpoint's embedder: over real HTTP, and with every shape of answer that an endpoint may give."""

import json
from collections.abc import AsyncIterator

import httpx
import numpy as np
import pytest

from nonebot_plugin_scoped_memory.engine.embedding import OpenAIEmbedder
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
from tests.fakes.standin import hash_embedding

from .providers import KEY, SECRET


@pytest.fixture
async def remote(server: OpenAIServer) -> AsyncIterator[OpenAIEmbedder]:
    embedder = OpenAIEmbedder(server.base_url, KEY, "fake-embedding", timeout=5.0)
    yield embedder
    await embedder.close()


def answering(status: int, body: object) -> OpenAIEmbedder:
    client = httpx.AsyncClient(transport=httpx.MockTransport(lambda _: httpx.Response(status, json=body)))
    return OpenAIEmbedder("https://user:pw@api.example.com/v1?x=1", KEY, "m", timeout=5.0, client=client)


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
