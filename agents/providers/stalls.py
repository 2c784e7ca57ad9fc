"""How long a call may go on (PROTOCOLS f.10). The HTTP client's limit is from byte to byte: an endpoint that only pings would never reach it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from agents.engine.errors import StreamStalled
from agents.providers.connection import Connection

KEEP_ALIVE = ("ping", "keepalive")  # events that say nothing; comments are none


class StallDetector:
    """Ends one call when nothing but pings comes, or when it never ends. `clock` is in seconds.

    It looks at the time whenever bytes come. That is enough: when none come, the client's own limit ends the call.
    """

    def __init__(self, connection: Connection, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._content_s, self._call_s, self._clock = connection.content_timeout_s, connection.call_timeout_s, clock
        self._started = self._last_content = clock()
        self._has_content = False

    def note_event(self, event: Mapping[str, Any]) -> None:
        """An event of the block that is being read."""
        if event.get("type") not in KEEP_ALIVE:
            self._has_content = True

    def check(self) -> None:
        """All events of a block were read. Raises StreamStalled."""
        now = self._clock()
        if self._has_content:
            self._last_content, self._has_content = now, False
        if now - self._last_content > self._content_s:
            raise StreamStalled("The provider kept the connection open and sent nothing.")
        if now - self._started > self._call_s:
            raise StreamStalled("The provider's answer took too long.")
