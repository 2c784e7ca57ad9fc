"""A small outside world: a server on this machine that the code under test believes to be somewhere on the internet."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpcore2
import httpx2

from security.egress.asyncio_backend import AsyncioBackend
from security.egress.client import new_client
from security.egress.network import CheckedBackend

PUBLIC_ADDRESS = "93.184.216.34"


@dataclass
class FakeDns:
    """A name server; each name answers with its lists in turn and stays at the last."""

    answers: dict[str, list[list[str]]]
    lookups: list[str] = field(default_factory=list)

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        self.lookups.append(host)
        if host not in self.answers:
            raise OSError("no such name")
        rounds = self.answers[host]
        return rounds.pop(0) if len(rounds) > 1 else rounds[0]


@dataclass
class FakeNetwork(httpcore2.AsyncNetworkBackend):
    """Leads every address to the local server, except those in `dead`, and notes where connections went."""

    server_port: int
    dead: frozenset[str] = frozenset()
    connections: list[str] = field(default_factory=list)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        self.connections.append(host)
        if host in self.dead:
            raise httpcore2.ConnectError("unreachable")
        return await AsyncioBackend().connect_tcp("127.0.0.1", self.server_port, timeout)


@dataclass
class FakeInternet:
    """`pages`: path to the whole answer, headers and all. `requests`: what arrived, head only."""

    names: FakeDns
    wire: FakeNetwork
    client: httpx2.AsyncClient
    pages: dict[str, bytes] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    disconnected: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await _head(reader):
                self.requests.append(head)
                writer.write(self.pages[head.split(" ")[1].split("?")[0]])
                await writer.drain()
        except ConnectionError:
            self.disconnected.set()
        finally:
            writer.close()


@asynccontextmanager
async def fake_internet(
    names: dict[str, list[list[str]]] | None = None,
    *,
    dead: Iterable[str] = (),
    server_tls: ssl.SSLContext | None = None,
    client_tls: ssl.SSLContext | None = None,
) -> AsyncIterator[FakeInternet]:
    """An outside world in which `names` exist (by default page.example and other.example on public addresses)."""
    world: FakeInternet

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await world.serve(reader, writer)

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=server_tls)
    port = server.sockets[0].getsockname()[1]
    dns = FakeDns(names or {"page.example": [[PUBLIC_ADDRESS]], "other.example": [["8.8.8.8"]]})
    wire = FakeNetwork(port, frozenset(dead))
    backend = CheckedBackend(resolve=dns.resolve, network=wire)
    async with server, new_client(backend, ssl_context=client_tls or ssl.create_default_context()) as client:
        world = FakeInternet(dns, wire, client)
        yield world


def answer(body: bytes = b"", *, status: str = "200 OK", **headers: str) -> bytes:
    lines = [
        f"HTTP/1.1 {status}",
        f"content-length: {len(body)}",
        *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def _head(reader: asyncio.StreamReader) -> str:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
    except asyncio.IncompleteReadError:
        return ""
    length = next((int(line.split(":")[1]) for line in head.lower().splitlines() if line.startswith("content-length:")), 0)
    await reader.readexactly(length)
    return head
