"""The web server's HTTP protocol with deadlines for requests that only half arrive and for answers that nobody takes.

For uvicorn's option `--http config.web.http_deadlines:DeadlineProtocol`. uvicorn has none: a client that sends a byte now and then keeps its
connection, and a task for its body, for ever; and so does one that stops reading, even when its access has ended. The body's deadline
grows with what has arrived, so that a large file over a slow line still comes through.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class DeadlineProtocol(HttpToolsProtocol):
    """Closes a connection whose next request is not complete in time, or whose client takes nothing of an answer that waits for it.

    Time in which nothing is asked is uvicorn's --timeout-keep-alive.
    """

    deadline_s = 15.0  # for the headers, and again for the body, which gets more time as it arrives
    min_bytes_per_s = 4096  # of a body
    check_s = 5.0  # between two looks at a body
    stall_s = 60.0  # in which a client must take something

    _timer: asyncio.TimerHandle | None = None
    _stall_timer: asyncio.TimerHandle | None = None
    _began_at = 0.0
    _body_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel()
        self._cancel_stall()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._timer is None and getattr(self.cycle, "response_complete", False):
            self._expect()  # the next request begins; uvicorn's own time limit ends with its first byte
        super().data_received(data)

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self._expect()

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._cancel()
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        self._cancel()  # another protocol takes the connection over
        super().handle_websocket_upgrade()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._cancel_stall()
        self._stall_timer = self.loop.call_later(self.stall_s, self.transport.abort)

    def resume_writing(self) -> None:
        self._cancel_stall()
        super().resume_writing()

    def _expect(self) -> None:
        self._cancel()
        self._began_at, self._body_bytes = self.loop.time(), 0
        self._timer = self.loop.call_later(self.deadline_s, self._check)

    def _check(self) -> None:
        """Close the connection, unless the body arrives fast enough or it is we who hold it back."""
        self._timer = None
        waited_s = self.loop.time() - self._began_at
        if self.flow.read_paused or waited_s < self.deadline_s + self._body_bytes / self.min_bytes_per_s:
            self._timer = self.loop.call_later(self.check_s, self._check)
        elif not self.transport.is_closing():
            self.transport.close()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _cancel_stall(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None
