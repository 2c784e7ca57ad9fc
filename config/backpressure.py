"""Backpressure for daphne: `await send(...)` waits until a slow client has read what was sent before.

Otherwise one slow client could fill the process's memory. uvicorn has backpressure built in. daphne passes every message to Twisted's
transport, which buffers without a limit, but tells a registered producer when its buffer is full and when it is empty again.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any


class FlowControl:
    """Whether one connection accepts more data. Implements Twisted's IPushProducer, hence the method names."""

    def __init__(self) -> None:
        self._is_open = asyncio.Event()
        self._is_open.set()

    def pauseProducing(self) -> None:  # noqa: N802
        self._is_open.clear()

    def resumeProducing(self) -> None:  # noqa: N802
        self._is_open.set()

    def stopProducing(self) -> None:  # noqa: N802
        """Release all waiters: the connection is lost."""
        self._is_open.set()

    async def wait(self) -> None:
        await self._is_open.wait()


def enable_daphne_backpressure() -> None:
    """Patch daphne's `Server.handle_reply`. Call it once, before the server starts. Does nothing under another server."""
    if "daphne.server" not in sys.modules:
        return
    from autobahn.exception import Disconnected
    from daphne.server import Server

    handle_reply = Server.handle_reply

    async def handle_reply_and_wait(server: Server, protocol: Any, message: dict[str, Any]) -> None:
        flow = _flow(protocol, message)
        try:
            await handle_reply(server, protocol, message)
        except Disconnected:
            return  # the client has disconnected, and daphne has not noticed yet
        if flow is not None:
            await flow.wait()

    Server.handle_reply = handle_reply_and_wait


def _flow(protocol: Any, message: dict[str, Any]) -> FlowControl | None:
    """Return the flow control of a streamed response or an open socket, or None.

    It is created with the first message and removed with the last message of a response.
    """
    flow: FlowControl | None = getattr(protocol, "flow", None)
    match message:
        case {"type": "websocket.accept"}:
            protocol.transport.unregisterProducer()  # the HTTP channel of the handshake
            return _begin(protocol, protocol.transport)
        case {"type": "http.response.body", "more_body": True} if flow is None and protocol.channel is not None:
            return _begin(protocol, protocol)
        case {"type": "http.response.body"} if flow is not None and not message.get("more_body"):
            protocol.flow = None
            if protocol.channel is not None:
                protocol.unregisterProducer()
            return None
    return flow


def _begin(protocol: Any, consumer: Any) -> FlowControl:
    protocol.flow = flow = FlowControl()
    consumer.registerProducer(flow, True)
    return flow
