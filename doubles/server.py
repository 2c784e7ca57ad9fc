"""Serves a double with uvicorn, in a way that lets it break connections."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from doubles.signals import Signal


class TransportProtocol(H11Protocol):
    """Passes the connection's transport to the app as `scope["state"]["transport"]`."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.app_state = {**self.app_state, "transport": transport}
        super().connection_made(transport)


class DoubleServer(uvicorn.Server):
    """A server whose `ready` is set once it accepts connections. `stop` may be called from any thread."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = Signal()
        self._stop = Signal()

    def stop(self) -> None:
        """Stop without waiting for open streams."""
        self.should_exit = self.force_exit = True
        self._stop.set()

    async def main_loop(self) -> None:
        # uvicorn's own loop polls ten times a second; here `stop` wakes it.
        await self._stop.wait_async(None)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # uvicorn's own shutdown gives connections a tenth of a second, which every test with a double would wait for.
        for listener in (*self.servers, *(sockets or ())):
            listener.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await asyncio.sleep(0)  # lets the final writes go out


def server(app: Any, **options: Any) -> DoubleServer:
    """Return a server for a double. `options` are those of uvicorn.Config."""
    quiet = {"lifespan": "off", "log_config": None, "log_level": "warning", "access_log": False}
    return DoubleServer(uvicorn.Config(app, http=TransportProtocol, **{**quiet, **options}))
