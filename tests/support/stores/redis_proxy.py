"""A relay before the session's Redis, whose connections can die without a word: nothing is closed, and nothing comes any more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from django.conf import settings


class RedisProxy:
    """`url` leads through it. New connections are always good."""

    def __init__(self, folder: str) -> None:
        real = urlsplit(settings.REDIS_URL)
        login = f"{real.netloc.rpartition('@')[0]}@" if "@" in real.netloc else ""
        self._real, self._place = real, Path(folder) / "relay.sock"
        self.url = (
            f"unix://{login}{self._place}?{real.query}"
            if real.scheme == "unix"
            else f"unix://{login}{self._place}?db={real.path.strip('/') or 0}"
        )
        self._copying: set[asyncio.Task[None]] = set()
        self._writers: list[asyncio.StreamWriter] = []

    def stall(self) -> None:
        """All open connections, from now on."""
        for task in self._copying:
            task.cancel()

    async def serve(self) -> asyncio.Server:
        return await asyncio.start_unix_server(self._accept, self._place)

    def close(self) -> None:
        self.stall()
        for writer in self._writers:
            writer.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._real.scheme == "unix":
            there = await asyncio.open_unix_connection(self._real.path)
        else:
            there = await asyncio.open_connection(self._real.hostname, self._real.port or 6379)
        self._writers += [writer, there[1]]
        for source, target in ((reader, there[1]), (there[0], writer)):
            task = asyncio.ensure_future(_copy(source, target))
            self._copying.add(task)
            task.add_done_callback(self._copying.discard)


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(65536):
        target.write(data)
        await target.drain()


@asynccontextmanager
async def redis_proxy() -> AsyncIterator[RedisProxy]:
    with TemporaryDirectory(prefix="relay") as folder:
        proxy = RedisProxy(folder)
        async with await proxy.serve():
            try:
                yield proxy
            finally:
                proxy.close()
