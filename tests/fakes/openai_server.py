"""A real HTTP server on loopback that speaks the OpenAI protocol: chat completions, embeddings and models."""

import asyncio
import concurrent.futures
import contextlib
import json
import random
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from typing_extensions import Self

from .openai_replies import (
    CHAT_MODES,
    EMBEDDING_MODES,
    ChatRequest,
    EmbeddingRequest,
    Mode,
    chat_body,
    embedding_body,
    error_body,
    refuses_format,
    usage,
)
from .serving import Serving
from .standin import standin_reply


class OpenAIServer:
    """An OpenAI-style server inside the running loop: ``async with OpenAIServer() as server:``.

    Read ``chat_requests`` and ``embedding_requests``; set at any time:

    - ``default_mode``, ``default_embedding_mode``, and ``mode_for``, which may give a mode for a request when no pushed
      one is left (see ``CHAT_MODES`` and ``EMBEDDING_MODES``; an int is an HTTP status);
    - ``reply``: the text of a good answer; the default asks ``extraction`` where JSON is wanted, else
      :func:`standin_reply`;
    - ``no_format_status`` (400 or 500) of the modes ``no_json_schema`` and ``no_response_format``;
    - ``latency``: seconds that each answer takes at least;
    - ``retry_after`` (seconds) sent with 429; ``api_key``, without which every call gets 401;
    - ``dims`` of the vectors; ``shuffle_embeddings``; ``report_usage``; ``models``.
    """

    def __init__(self, *, port: int = 0, dims: int = 256, api_key: str | None = None) -> None:
        self.port = port
        self.dims = dims
        self.api_key = api_key
        self._waiting: list[tuple[int, concurrent.futures.Future[None]]] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._gate: asyncio.Event | None = None
        self._stopping = asyncio.Event()
        self._serving: Serving | None = None
        self.reset()

    def reset(self) -> None:
        """Forget all requests and pushed modes and set back everything else but port, ``dims`` and ``api_key``."""
        self.release()
        self.chat_requests: list[ChatRequest] = []
        self.embedding_requests: list[EmbeddingRequest] = []
        self.modes: deque[Mode] = deque()
        self.embedding_modes: deque[str | int] = deque()
        self.default_mode: Mode = "ok"
        self.default_embedding_mode: str | int = "ok"
        self.mode_for: Callable[[ChatRequest], Mode | None] = lambda _: None
        self.reply: Callable[[ChatRequest], str] = self._default_reply
        self.extraction: Callable[[ChatRequest], str] = lambda _: '{"items": []}'
        self.no_format_status = 400
        self.latency = 0.0
        self.retry_after: float | None = None
        self.report_usage = True
        self.shuffle_embeddings = False
        self.models = ["fake-chat", "fake-embedding"]

    @property
    def base_url(self) -> str:
        """The address that an OpenAI client is given, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Listen on 127.0.0.1, on a free port unless one was given. Raises ``OSError`` when that port is taken."""
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        routes = [
            Route("/v1/chat/completions", self._chat, methods=["POST"]),
            Route("/v1/embeddings", self._embed, methods=["POST"]),
            Route("/v1/models", self._models),
        ]
        app = Starlette(routes=routes)
        self._serving = Serving(app, port=self.port, patience=2.0, access_log=False, lifespan="off", ws="none")
        self.port = self._serving.port
        await self._serving.start()

    async def stop(self) -> None:
        """Answer whoever still hangs with 503, close all connections and free the port."""
        if self._serving is None:
            return
        self._stopping.set()
        self.release()
        await self._serving.stop()
        self._serving = self._loop = None

    # The script

    def push(self, *modes: Mode) -> None:
        """Queue modes for the next chat calls, in order of arrival. Raises ``ValueError`` for an unknown name."""
        for mode in modes:
            _check(mode, CHAT_MODES)
        self.modes.extend(modes)

    def push_embedding(self, *modes: str | int) -> None:
        """Queue modes for the next embedding calls. Raises ``ValueError`` for an unknown name."""
        for mode in modes:
            _check(mode, EMBEDDING_MODES)
        self.embedding_modes.extend(modes)

    def hold(self) -> None:
        """Let calls arrive, but answer none until :meth:`release`. May be called from any thread."""
        if self._gate is None:
            self._gate = asyncio.Event()

    def release(self) -> None:
        """Answer all calls that are held. May be called from any thread."""
        gate, self._gate = self._gate, None
        if gate is not None and self._loop is not None:
            self._loop.call_soon_threadsafe(gate.set)

    async def wait_chats(self, count: int = 1, timeout: float = 5.0) -> list[ChatRequest]:
        """Return all chat requests as soon as ``count`` have arrived, answered or not. Works from any loop.

        Raises ``TimeoutError`` after ``timeout`` seconds.
        """
        arrived: concurrent.futures.Future[None] = concurrent.futures.Future()
        self._waiting.append((count, arrived))
        self._notify()
        try:
            await asyncio.wait_for(asyncio.wrap_future(arrived), timeout)
        except asyncio.TimeoutError:
            raise TimeoutError(f"{len(self.chat_requests)} of {count} chat requests came") from None
        return list(self.chat_requests)

    # The endpoints

    async def _chat(self, http: Request) -> Response:
        body = await http.json()
        request = ChatRequest(
            messages=body["messages"],
            model=str(body.get("model", "")),
            response_format=body.get("response_format"),
            headers=dict(http.headers),
            json=body,
        )
        self.chat_requests.append(request)
        number = len(self.chat_requests)
        mode = self.modes.popleft() if self.modes else self.mode_for(request)
        mode = self.default_mode if mode is None else mode
        self._notify()
        if (failure := await self._obstacle(http, mode)) is not None:
            return failure
        if body.get("stream"):
            return _json(error_body(400, "this fake does not stream"), 400)
        if callable(mode):
            mode, content = "ok", mode(request)
        else:
            content = self.reply(request)
        mode = str(mode)
        if refuses_format(mode, request.response_format):
            status = self.no_format_status
            return _json(error_body(status, "response_format is not supported"), status)
        answer = chat_body(request, mode, content, number)
        if self.report_usage:
            answer["usage"] = usage(request.text, answer["choices"][0]["message"]["content"] or "")
        return _json(answer)

    async def _embed(self, http: Request) -> Response:
        body = await http.json()
        inputs = [body["input"]] if isinstance(body["input"], str) else list(body["input"])
        model = str(body.get("model", ""))
        self.embedding_requests.append(EmbeddingRequest(inputs, model, dict(http.headers), body))
        mode = self.embedding_modes.popleft() if self.embedding_modes else self.default_embedding_mode
        if (failure := await self._obstacle(http, mode)) is not None:
            return failure
        dims = int(body.get("dimensions") or self.dims)
        answer = embedding_body(inputs, model, dims, mode)
        if self.shuffle_embeddings:
            random.Random(len(inputs)).shuffle(answer["data"])
        if self.report_usage:
            answer["usage"] = usage("".join(inputs))
        return _json(answer)

    async def _models(self, http: Request) -> Response:
        if (failure := await self._obstacle(http, "ok")) is not None:
            return failure
        data = [{"id": model, "object": "model", "created": 0, "owned_by": "fake"} for model in self.models]
        return _json({"object": "list", "data": data})

    async def _obstacle(self, http: Request, mode: Mode) -> Response | None:
        """Return the answer of a call that fails before any content is made, None if it does not."""
        if (gate := self._gate) is not None:
            await gate.wait()
        if self.latency:
            await asyncio.sleep(self.latency)
        if mode == "hang":
            await self._stopping.wait()
        if self._stopping.is_set():
            return _json(error_body(503, "the server stops"), 503)
        if self.api_key is not None and http.headers.get("authorization") != f"Bearer {self.api_key}":
            return _json(error_body(401, "wrong API key"), 401)
        if mode == "html":
            return HTMLResponse("<html><body>502 Bad Gateway {nginx}</body></html>")
        if isinstance(mode, int):
            headers = {"retry-after": f"{self.retry_after:g}"} if mode == 429 and self.retry_after is not None else {}
            return _json(error_body(mode), mode, headers)
        return None

    def _default_reply(self, request: ChatRequest) -> str:
        return self.extraction(request) if request.wants_json else standin_reply(request.messages)

    def _notify(self) -> None:
        arrived = len(self.chat_requests)
        for count, future in list(self._waiting):
            if arrived >= count:
                with contextlib.suppress(concurrent.futures.InvalidStateError):
                    future.set_result(None)
        self._waiting = [pair for pair in self._waiting if not pair[1].done()]


@contextlib.contextmanager
def run_in_thread(server: OpenAIServer | None = None) -> Iterator[OpenAIServer]:
    """Run a server in a loop and thread of its own, for scripts without a loop and tests with many.

    Raises ``OSError`` when its port is taken.
    """
    server = OpenAIServer() if server is None else server
    started: concurrent.futures.Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = concurrent.futures.Future()

    async def serve() -> None:
        stop = asyncio.Event()
        try:
            await server.start()
        except OSError as error:
            started.set_exception(error)
            return
        started.set_result((asyncio.get_running_loop(), stop))
        await stop.wait()
        await server.stop()

    thread = threading.Thread(target=asyncio.run, args=(serve(),), name="openai-server", daemon=True)
    thread.start()
    loop, stop = started.result(timeout=5.0)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(timeout=5.0)


def _json(body: dict[str, Any], status: int = 200, headers: dict[str, str] | None = None) -> Response:
    # ASCII, since a prompt may hold lone surrogates that UTF-8 cannot carry.
    return Response(json.dumps(body), status, headers, "application/json")


def _check(mode: Mode, known: frozenset[str]) -> None:
    if isinstance(mode, str) and mode not in known:
        raise ValueError(f"unknown mode {mode!r}; known: {', '.join(sorted(known))}, an HTTP status")


if __name__ == "__main__":
    with run_in_thread(OpenAIServer(port=int(sys.argv[1]) if len(sys.argv) > 1 else 0)) as running:
        print(running.base_url, flush=True)
        sys.stdin.read()
