"""The wire of the fake OneBot client: one reverse WebSocket connection, its frames and its tasks."""

import asyncio
import contextlib
import json
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from typing_extensions import Self
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from .account import Account, Call

T = TypeVar("T")


class Link(Account):
    """An :class:`Account` that is connected to a bot and answers its API calls; ``async with`` connects and closes.

    ``heartbeat`` is the interval in seconds, 0 for none. ``patience`` is for how many seconds it tries again while
    nobody listens or the bot refuses it (0: one attempt). ``report_self`` pushes a ``message_sent`` event for each
    message that the bot sends.
    """

    def __init__(
        self,
        port: int,
        self_id: str,
        *,
        nickname: str,
        clock: Callable[[], float] = time.time,
        access_token: str | None = None,
        heartbeat: float = 5.0,
        patience: float = 5.0,
        report_self: bool = False,
        path: str = "/onebot/v11/ws",
    ) -> None:
        super().__init__(self_id, nickname=nickname, clock=clock)
        self.url = f"ws://127.0.0.1:{port}{path}"
        self.heartbeat = heartbeat
        self.patience = patience
        self.report_self = report_self
        self._headers = {"X-Self-ID": self_id, "X-Client-Role": "Universal"}
        if access_token is not None:
            self._headers["Authorization"] = f"Bearer {access_token}"
        self._socket: ClientConnection | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._pulse = asyncio.Event()

    async def __aenter__(self) -> Self:
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def connected(self) -> bool:
        """Whether the connection stands."""
        return self._socket is not None

    async def connect(self) -> None:
        """Connect and send the lifecycle event; also the way back after :meth:`drop`.

        Raises ``OSError`` or ``websockets.exceptions.InvalidHandshake`` when patience ends, ``RuntimeError`` when
        connected already.
        """
        if self._socket is not None:
            raise RuntimeError(f"account {self.self_id} is connected already")
        await self._end_tasks()
        self._socket = socket = await self._open()
        self._spawn(self._read(socket))
        await self.push(self.event("meta_event", meta_event_type="lifecycle", sub_type="connect"))
        if self.heartbeat > 0:
            self._spawn(self._beat())

    async def close(self) -> None:
        """Close the connection politely and end all own tasks. Does nothing when closed."""
        if self._socket is not None:
            await self._socket.close()
        await self._end_tasks()

    async def drop(self) -> None:
        """Die as on a power cut: the TCP connection is aborted without a closing handshake."""
        if self._socket is not None:
            self._socket.transport.abort()
            await self._socket.wait_closed()
        await self._end_tasks()

    async def wait_closed(self, timeout: float = 5.0) -> None:
        """Wait until the bot has closed the connection. Raises ``TimeoutError`` after ``timeout`` seconds."""
        if self._socket is not None:
            try:
                await asyncio.wait_for(self._socket.wait_closed(), timeout)
            except asyncio.TimeoutError:
                raise TimeoutError("the connection still stands") from None

    async def push(self, event: Mapping[str, Any]) -> None:
        """Send a raw event as it is. Raises ``ConnectionError`` when not connected."""
        if self._socket is None:
            raise ConnectionError(f"account {self.self_id} is not connected")
        try:
            await self._socket.send(json.dumps(event))
        except ConnectionClosed as error:
            raise ConnectionError(f"account {self.self_id} was disconnected") from error

    def event(self, post_type: str, **fields: Any) -> dict[str, Any]:
        """Return an event of this account, at the clock's time in whole seconds."""
        return {"time": int(self.clock()), "self_id": int(self.self_id), "post_type": post_type, **fields}

    async def until(self, ready: Callable[[], T | None], timeout: float, complaint: Callable[[], str]) -> T:
        """Return what ``ready`` returns, asked again after each call of the bot until it is not None.

        Raises ``TimeoutError`` with the complaint after ``timeout`` seconds, ``ConnectionError`` when the connection
        ends first.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        while (result := ready()) is None:
            if self._socket is None:
                raise ConnectionError(f"disconnected; {complaint()}")
            try:
                await asyncio.wait_for(self._pulse.wait(), deadline - loop.time())
            except asyncio.TimeoutError:
                raise TimeoutError(complaint()) from None
        return result

    async def _open(self) -> ClientConnection:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.patience
        while True:
            try:
                return await connect(
                    self.url,
                    additional_headers=self._headers,
                    proxy=None,
                    compression=None,
                    max_size=None,
                    ping_interval=None,
                    close_timeout=2.0,
                )
            except (OSError, InvalidHandshake):
                if loop.time() >= deadline:
                    raise
                await asyncio.sleep(0.05)

    async def _read(self, socket: ClientConnection) -> None:
        try:
            async for frame in socket:
                request = json.loads(frame)
                call = Call(request["action"], request.get("params") or {})
                self.calls.append(call)
                self._changed()
                if call.action not in self.hang:
                    self._spawn(self._answer(call, request.get("echo")))
        except ConnectionClosed:
            pass  # the other side died; whoever waits is told below
        finally:
            self._socket = None
            self._changed()

    async def _answer(self, call: Call, echo: Any) -> None:
        delay = self.delay.get(call.action, 0.0)
        seconds = delay(call.params) if callable(delay) else delay
        if seconds > 0:
            await asyncio.sleep(seconds)
        known = len(self.sent)
        frames = [{**self.answer(call.action, call.params), "echo": echo}]
        if self.report_self:
            frames += [self.own_event(sent.message_id) for sent in self.sent[known:]]
        with contextlib.suppress(ConnectionError):
            for frame in frames:
                await self.push(frame)
        # Only now, so that the bot has its answer before a test goes on and perhaps hangs up.
        self._changed()

    async def _beat(self) -> None:
        status = {"online": True, "good": True}
        interval = int(self.heartbeat * 1000)
        with contextlib.suppress(ConnectionError):
            while True:
                await asyncio.sleep(self.heartbeat)
                await self.push(self.event("meta_event", meta_event_type="heartbeat", status=status, interval=interval))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _end_tasks(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _changed(self) -> None:
        self._pulse.set()
        self._pulse = asyncio.Event()
