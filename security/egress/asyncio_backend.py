"""Network backend for httpcore on plain asyncio transports.

httpcore's own backend uses anyio, which costs a stream of tokens as much CPU as all our own work on them: each read takes a time limit,
three context managers and a lookup of the running task.
"""

from __future__ import annotations

import asyncio
import select
import ssl
from collections.abc import Iterable
from typing import Any, cast

import httpcore2

from security.egress.read_throttle import ReadThrottle

MAX_BUFFERED_BYTES = 256 * 1024  # when more is unread, the connection is not read until the reader catches up


class AsyncioBackend(httpcore2.AsyncNetworkBackend):
    """Connect to any given host. security.egress.network decides which hosts are allowed."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Open a connection. Raises ConnectError, ConnectTimeout."""
        local = None if local_address is None else (local_address, 0)
        try:
            async with asyncio.timeout(timeout):
                _, stream = await asyncio.get_running_loop().create_connection(AsyncioStream, host, port, local_addr=local)
        except TimeoutError as exc:
            raise httpcore2.ConnectTimeout(f"{host} did not answer in time.") from exc
        except OSError as exc:
            raise httpcore2.ConnectError(str(exc)) from exc
        for option in socket_options or ():
            stream.get_extra_info("socket").setsockopt(*option)
        return stream

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class AsyncioStream(asyncio.Protocol, httpcore2.AsyncNetworkStream):
    """One connection and its unread data. At most one task reads and one task writes at a time."""

    _transport: asyncio.Transport

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._buffer: list[bytes] = []
        self._buffered_bytes = 0
        self._is_closed = False
        self._error: Exception | None = None
        self._reader: asyncio.Future[None] | None = None
        self._throttle = ReadThrottle.current()
        self._is_paused = self._is_throttled = False
        self._deadline: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0
        self._writable = asyncio.Event()
        self._writable.set()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what has arrived, or b"" at the end. Raises ReadError, ReadTimeout."""
        if not self._buffer and not self._is_closed:
            if timeout is not None:
                self._set_deadline(self._loop.time() + timeout)
            self._reader = self._loop.create_future()
            try:
                await self._reader  # until data arrives or the connection ends
            finally:
                self._reader = self._deadline = None
        if self._buffer:
            return self._take_buffered(max_bytes)
        if self._error is not None:
            raise httpcore2.ReadError(str(self._error)) from self._error
        return b""

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send `buffer`. Raises WriteError, WriteTimeout."""
        if not buffer:
            return
        if self._transport.is_closing():
            raise httpcore2.WriteError("The connection is closed.")
        self._transport.write(buffer)
        if not self._writable.is_set():
            try:
                async with asyncio.timeout(timeout):
                    await self._writable.wait()
            except TimeoutError as exc:
                raise httpcore2.WriteTimeout from exc

    async def aclose(self) -> None:
        self._transport.abort()  # immediately, even in a task that is being cancelled; unsent data is dropped

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        """Upgrade the connection to TLS. Raises ConnectError, ConnectTimeout."""
        if self._buffer or self._is_closed:  # plain-text data would be read as if the server authenticated by TLS had sent it
            self._transport.abort()
            raise httpcore2.ConnectError("The server spoke before TLS." if self._buffer else "The connection was closed.")
        try:
            async with asyncio.timeout(timeout):
                transport = await self._loop.start_tls(self._transport, self, ssl_context, server_hostname=server_hostname)
        except TimeoutError as exc:
            self._transport.abort()
            raise httpcore2.ConnectTimeout from exc
        except OSError as exc:  # includes ssl.SSLError
            self._transport.abort()
            raise httpcore2.ConnectError(str(exc)) from exc
        if transport is None:
            raise httpcore2.ConnectError("The connection was closed.")
        self._transport = transport
        return self

    def get_extra_info(self, info: str) -> Any:
        """Return information about the connection.

        `has_heard`: whether data or the end of the connection has arrived. `is_readable`: the same, and also looks for data in the kernel.
        """
        if info in ("has_heard", "is_readable"):
            return (
                bool(self._buffer) or self._is_closed or self._transport.is_closing() or (info == "is_readable" and self._has_kernel_data())
            )
        names = {"client_addr": "sockname", "server_addr": "peername"}
        return self._transport.get_extra_info(names.get(info, info))

    def _has_kernel_data(self) -> bool:
        """Return whether the loop has not yet read something: usually that the other side closed the connection."""
        poll = select.poll()
        poll.register(self._transport.get_extra_info("socket"), select.POLLIN)
        return bool(poll.poll(0))

    # Called by the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's transport is not a subclass

    def data_received(self, data: bytes) -> None:
        self._buffer.append(data)
        self._buffered_bytes += len(data)
        if not self._is_throttled:
            self._is_throttled = self._throttle.record_read(self)
        self._update_reading()
        self._wake()

    def resume(self) -> None:
        self._is_throttled = False
        self._update_reading()

    def eof_received(self) -> None:
        self._is_closed = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._is_closed, self._error = True, exc
        self._cancel_timer()
        self._writable.set()
        self._wake()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def _take_buffered(self, max_bytes: int) -> bytes:
        """Return up to `max_bytes` of buffered data. Usually this is a single block, which is not copied."""
        data = self._buffer[0] if len(self._buffer) == 1 else b"".join(self._buffer)
        self._buffer.clear()
        if len(data) > max_bytes:
            self._buffer.append(data[max_bytes:])
            data = data[:max_bytes]
        self._buffered_bytes -= len(data)
        self._update_reading()
        return data

    def _update_reading(self) -> None:
        should_pause = self._is_throttled or self._buffered_bytes > MAX_BUFFERED_BYTES
        if should_pause == self._is_paused or self._transport.is_closing():
            return
        self._is_paused = should_pause
        if should_pause:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    def _set_deadline(self, until: float) -> None:
        """Set the deadline of a read. One timer serves many reads: it is set again when it fires, or when it would fire too late."""
        self._deadline = until
        if self._timer is None or self._timer_at > until:
            self._cancel_timer()
            self._timer, self._timer_at = self._loop.call_at(until, self._check_deadline), until

    def _check_deadline(self) -> None:
        self._timer = None
        if self._reader is None or self._reader.done() or self._deadline is None:
            return
        if self._loop.time() < self._deadline:
            self._set_deadline(self._deadline)
        else:
            self._reader.set_exception(httpcore2.ReadTimeout("Nothing came in time."))

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
