"""An ASGI application behind a port of this machine, inside the running loop, without waits that nothing needs.

uvicorn's own loops look around every 0.1 s, and it takes over the signal handlers.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from typing import Any

import uvicorn


class Serving:
    """Serves from ``start`` to ``stop``, which waits ``patience`` seconds at most for requests under way.

    The port is bound at once and kept, so that no other process can take it between the choice and the use. Raises
    ``OSError`` if it is taken; 0 is a free one.
    """

    def __init__(self, app: Any, *, port: int = 0, patience: float = 30.0, **options: Any) -> None:
        self._socket = _bound(port)
        self._patience = patience
        self._server = uvicorn.Server(uvicorn.Config(app, log_config=None, **options))
        self.port: int = self._socket.getsockname()[1]

    async def start(self) -> None:
        self._server.config.load()
        self._server.lifespan = self._server.config.lifespan_class(self._server.config)
        await self._server.startup(sockets=[self._socket])

    async def stop(self) -> None:
        """Close the port, let connections and requests end, then tell the application that it ends."""
        for listening in self._server.servers:
            listening.close()
        state = self._server.server_state
        for connection in list(state.connections):
            connection.shutdown()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._patience
        while state.connections or state.tasks:
            if loop.time() >= deadline:
                for task in state.tasks:
                    task.cancel()
                break
            await asyncio.sleep(0.001)  # nobody announces that the last connection is gone
        await self._server.lifespan.shutdown()
        self._socket.close()


def _bound(port: int) -> socket.socket:
    # With the protocol named, asyncio turns Nagle's algorithm off; else each answer waits 40 ms for the client's ACK.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if sys.platform != "win32":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError:
        listener.close()
        raise
    return listener
