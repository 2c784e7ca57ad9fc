"""Under daphne too, `await send(...)` waits until the client has read: a slow reader must not fill the process's memory.

uvicorn does this itself. daphne hands every message to Twisted's transport, which buffers without a limit; Twisted tells a *producer* when
its buffer is full and when it is empty again.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any


class FlowControl:
    """Whether one connection takes more; Twisted's IPushProducer, whose names these are."""

    def __init__(self) -> None:
        self._is_open = asyncio.Event()
        self._is_open.set()

    def pauseProducing(self) -> None:  # noqa: N802
        self._is_open.clear()

    def resumeProducing(self) -> None:  # noqa: N802
        self._is_open.set()

    def stopProducing(self) -> None:  # noqa: N802
        """The connection is lost: nobody has to wait for it."""
        self._is_open.set()

    async def wait(self) -> None:
        await self._is_open.wait()


def enable_daphne_backpressure() -> None:
    """Called once, before the server starts; nothing happens under another server."""
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
            return  # the viewer left; daphne has not heard of it yet
        if flow is not None:
            await flow.wait()

    Server.handle_reply = handle_reply_and_wait


def _flow(protocol: Any, message: dict[str, Any]) -> FlowControl | None:
    """The flow of a streamed response or an open socket; made with its first message, gone with the last one of a response."""
    flow: FlowControl | None = getattr(protocol, "flow", None)
    match message:
        case {"type": "websocket.accept"}:
            protocol.transport.unregisterProducer()  # the HTTP channel that the socket came from
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
