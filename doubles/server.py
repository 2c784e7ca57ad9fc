"""Serving a double with uvicorn so that it can also break connections."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from doubles.signals import Signal


class TransportProtocol(H11Protocol):
    """Hands the connection's transport to the app as `scope["state"]["transport"]`."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.app_state = {**self.app_state, "transport": transport}
        super().connection_made(transport)


class DoubleServer(uvicorn.Server):
    """`ready` is set once connections are taken; `stop` may be called from any thread."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = Signal()
        self._stop = Signal()

    def stop(self) -> None:
        """End without waiting for open streams."""
        self.should_exit = self.force_exit = True
        self._stop.set()

    async def main_loop(self) -> None:
        # uvicorn's own loop looks ten times a second whether to end; here the end is announced.
        await self._stop.wait_async(None)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # uvicorn's own grants connections a tenth of a second, which each test that has a double would wait for.
        for listening in (*self.servers, *(sockets or ())):
            listening.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await asyncio.sleep(0)  # the ends that this wrote leave


def server(app: Any, **options: Any) -> DoubleServer:
    """A server for a double; `options`: uvicorn.Config's."""
    quiet = {"lifespan": "off", "log_config": None, "log_level": "warning", "access_log": False}
    return DoubleServer(uvicorn.Config(app, http=TransportProtocol, **{**quiet, **options}))
