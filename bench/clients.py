"""What asks and hears in a benchmark: the terms that its clients share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeVar, cast
from urllib.parse import urlsplit

TextCallback = Callable[[str], None]
Connection = TypeVar("Connection", bound="RequestProtocol")


class MeasureError(Exception):
    """A system gave an error instead of an answer."""


class Chat(Protocol):
    """One chat of one system."""

    async def ask(self, on_text: TextCallback) -> None:
        """Send a message and return at the answer's end; `on_text` gets its text as it comes. Raises MeasureError."""
        ...


class RequestProtocol(asyncio.Protocol):
    """A connection that asks one thing at a time. What comes in is read in the loop's own call, without a task for each piece."""

    _done: asyncio.Future[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is none by class

    def connection_lost(self, exc: Exception | None) -> None:
        self.failed(f"The connection was lost: {exc}")

    async def exchange(self, request: bytes, on_text: TextCallback) -> None:
        """Write the request and wait for `finished`. Raises MeasureError after `failed`."""
        self.on_text = on_text
        self._done = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        await self._done

    def finished(self) -> None:
        if self._done and not self._done.done():
            self._done.set_result(None)

    def failed(self, why: str) -> None:
        if self._done and not self._done.done():
            self._done.set_exception(MeasureError(why))


async def open_connection(make: Callable[[], Connection], url: str) -> Connection:
    """A new connection to the URL's host; its owner closes `transport`. Raises OSError."""
    address = urlsplit(url)
    _, connection = await asyncio.get_running_loop().create_connection(make, address.hostname or "", address.port or 80)
    return connection
