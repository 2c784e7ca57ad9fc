"""A server on this machine that takes webhook messages and keeps them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson


@dataclass(frozen=True)
class Delivery:
    """One request; header names are in lower case."""

    line: str
    headers: dict[str, str]
    body: bytes

    @property
    def message(self) -> dict[str, Any]:
        message: dict[str, Any] = orjson.loads(self.body)
        return message


@dataclass
class Receiver:
    """Answers every request with `status`, or never when `status` is None."""

    status: str | None = "204 No Content"
    url: str = ""
    deliveries: list[Delivery] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            self.deliveries.append(await _read(reader))
            self.arrived.set()
            if self.status is None:
                await reader.read()
                return
            writer.write(f"HTTP/1.1 {self.status}\r\nlocation: /elsewhere\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode())
            await writer.drain()
        finally:
            writer.close()


@asynccontextmanager
async def receiver(status: str | None = "204 No Content") -> AsyncIterator[Receiver]:
    webhook_receiver = Receiver(status)
    server = await asyncio.start_server(webhook_receiver.serve, "127.0.0.1", 0)
    webhook_receiver.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hooks?team=1"
    async with server:
        yield webhook_receiver


async def _read(reader: asyncio.StreamReader) -> Delivery:
    line, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (text.partition(":") for text in lines)}
    return Delivery(line, headers, await reader.readexactly(int(headers["content-length"])))
