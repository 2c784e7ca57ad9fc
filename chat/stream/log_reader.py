"""The blocking reader of event logs that are together in Redis: of all logs on one server, or of those with one tag in a cluster."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import secrets
from collections.abc import Callable
from typing import Any

import redis.asyncio

from chat.stream.viewer import PAGE_ENTRIES
from tenants.redis.clients import REDIS_ERRORS, key, redis_client

log = logging.getLogger(__name__)

MAX_BLOCK_S = 10.0
BLOCK_MS = 2000
PAUSE_S = 0.3  # while Redis is away
CONTROL_TTL_MS = 3_600_000


class LogReader:
    """Reads the streams that it is told to, on one connection of `client`, which has no time limits.

    `on_rows` gets what a stream has, from its start; `on_loss` is called while Redis is away, and `on_pause` after each read.
    """

    def __init__(
        self,
        tag: str,
        client: redis.asyncio.Redis,
        *,
        on_rows: Callable[[str, list[Any]], None],
        on_loss: Callable[[], None],
        on_pause: Callable[[], None],
    ) -> None:
        self._control = key("hub", tag, secrets.token_hex(8)) if tag else key("hub", secrets.token_hex(8))
        self._client = client
        self._last_ids: dict[str, str] = {}
        self._on_rows, self._on_loss, self._on_pause = on_rows, on_loss, on_pause
        self._task: asyncio.Task[None] | None = None

    def __contains__(self, stream: str) -> bool:
        return stream in self._last_ids

    async def add(self, stream: str) -> None:
        # From the start: "$" would miss entries between now and the read. The viewer skips those that it has pulled already.
        self._last_ids[stream] = "0-0"
        await self._wake()

    def remove(self, stream: str) -> None:
        self._last_ids.pop(stream, None)

    def ensure_started(self) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._read_forever(), name="event-log-hub", context=contextvars.Context())

    async def close(self) -> None:
        while self._task is not None and not self._task.done():
            self._task.cancel()  # repeated, because redis-py loses a cancellation while it connects on Python 3.11
            await asyncio.wait({self._task}, timeout=0.2)

    async def _wake(self) -> None:
        """Restart the blocking read with the new list of streams."""
        try:
            client = redis_client("event_log")
            await client.xadd(self._control, {"w": "1"}, maxlen=4)
            await client.pexpire(self._control, CONTROL_TTL_MS)
        except REDIS_ERRORS:
            log.warning("hub: Redis is down; viewers wait")

    async def _read_forever(self) -> None:
        control = "0-0"
        while True:
            try:
                async with asyncio.timeout(MAX_BLOCK_S):  # notices a connection that died silently
                    reply = await self._client.xread(
                        dict[Any, Any]({self._control: control, **self._last_ids}), count=PAGE_ENTRIES, block=BLOCK_MS
                    )
            except REDIS_ERRORS as exc:
                log.warning("hub: Redis is down (%s)", type(exc).__name__)
                await asyncio.sleep(PAUSE_S)
                self._on_loss()
                continue
            for name, rows in reply or []:
                stream = name.decode()
                if stream == self._control:
                    control = rows[-1][0].decode()
                elif stream in self._last_ids:
                    self._last_ids[stream] = rows[-1][0].decode()
                    self._on_rows(stream, rows)
            self._on_pause()
