"""`python -m bench.egress`: what reading an answer's stream costs, with our own connection and with the maintained one (docs/decisions/0012).

One process reads paced streams of the model server. The ways to read take turns, and each figure is CPU of the reading process for 1,000
tokens while all streams run.

- "own": the product's client: Http1Connection over AsyncioStream, read as the adapters read it.
- "maintained": httpx2 and httpcore2 as they are, under our address checks and size limit.
- "maintained, our sockets": the same over AsyncioStream instead of anyio.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

import httpcore2
import httpx2
import uvloop
from django.conf import settings

from security.egress.client import MAX_RESPONSE_BYTES, new_client
from security.egress.errors import EgressRefused
from security.egress.network import CheckedBackend
from security.egress.responses import response_body
from security.egress.urls import parse_target
from tools.embedded import ports
from tools.embedded.programs import listening

TOKENS_PER_S = 50
SETTLE_S = 0.5  # until all streams run
MODEL_CALL = {"contents": [{"role": "user", "parts": [{"text": "Hello"}]}]}

Reader = Callable[[httpx2.AsyncClient, str], AsyncIterator[bytes]]


class MaintainedTransport(httpx2.AsyncHTTPTransport):
    """httpx2's transport over httpcore2's own connections, with our checks and limits."""

    def __init__(self, backend: CheckedBackend) -> None:
        self._pool = httpcore2.AsyncConnectionPool(network_backend=backend, max_connections=1000)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        parse_target(request.url)
        response = await super().handle_async_request(request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = LimitedStream(response.stream)
        return response


class LimitedStream(httpx2.AsyncByteStream):
    """A body of at most MAX_RESPONSE_BYTES."""

    def __init__(self, source: httpx2.AsyncByteStream) -> None:
        self._source = source

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MAX_RESPONSE_BYTES
        async for block in self._source:
            left -= len(block)
            if left < 0:
                raise EgressRefused("The answer is larger than allowed.")
            yield block

    async def aclose(self) -> None:
        await self._source.aclose()


async def read_own(client: httpx2.AsyncClient, url: str) -> AsyncIterator[bytes]:
    async with client.stream("POST", url, json=MODEL_CALL) as response:
        body = response_body(response)
        while block := await body.read():
            yield block


async def read_maintained(client: httpx2.AsyncClient, url: str) -> AsyncIterator[bytes]:
    async with client.stream("POST", url, json=MODEL_CALL) as response:
        async for block in response.aiter_raw():
            yield block


WAYS: dict[str, tuple[Callable[[], httpx2.AsyncClient], Reader]] = {
    "own": (lambda: new_client(CheckedBackend(), ssl_context=httpx2.create_ssl_context()), read_own),
    "maintained": (lambda: httpx2.AsyncClient(transport=_maintained_transport(httpcore2.AnyIOBackend())), read_maintained),
    "maintained, our sockets": (lambda: httpx2.AsyncClient(transport=_maintained_transport(None)), read_maintained),
}


def _maintained_transport(network: httpcore2.AsyncNetworkBackend | None) -> MaintainedTransport:
    return MaintainedTransport(CheckedBackend(network=network))


async def cpu_ms(way: str, base_url: str, *, streams: int, seconds: float) -> float:
    """Return milliseconds of CPU for 1,000 tokens."""
    make_client, read = WAYS[way]
    tokens = int((seconds + 2 * SETTLE_S) * TOKENS_PER_S)
    ticks = 0

    async def follow(client: httpx2.AsyncClient) -> None:
        nonlocal ticks
        async for block in read(client, f"{base_url}/v1beta/models/m:streamGenerateContent?alt=sse"):
            ticks += block.count(b"data: ")

    async with make_client() as client:
        plan = {"tokens": tokens, "tokens_per_s": TOKENS_PER_S, "first_token_s": 0.1, "block": 1, "together": streams}
        (await client.post(f"{base_url}/control/answer", json=plan)).raise_for_status()
        tasks = [asyncio.create_task(follow(client)) for _ in range(streams)]
        await asyncio.sleep(SETTLE_S)
        began, before = ticks, time.process_time()
        await asyncio.sleep(seconds)
        cpu_s, arrivals = time.process_time() - before, ticks - began
        await asyncio.gather(*tasks)
    return cpu_s * 1e6 / arrivals


@contextmanager
def model_server() -> Iterator[str]:
    """Run the model server; yield its URL."""
    port = ports.free_port()
    process = subprocess.Popen([sys.executable, "-m", "bench.model.server", str(port)])
    try:
        while not listening(("127.0.0.1", port)):
            time.sleep(0.05)
        settings.configure(EGRESS_ALLOW={("127.0.0.1", port)}, FETCH_ALLOW=frozenset(), DEMO_PROVIDER_URL="")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.egress")
    parser.add_argument("--streams", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    costs: dict[str, list[float]] = {way: [] for way in WAYS}
    with model_server() as url:
        for _ in range(arguments.rounds):
            for way, figures in costs.items():
                figures.append(uvloop.run(cpu_ms(way, url, streams=arguments.streams, seconds=arguments.seconds)))
    for way, figures in costs.items():
        every = ", ".join(f"{figure:.0f}" for figure in figures)
        print(f"{way:26} {statistics.median(figures):6.0f} ms of CPU for 1,000 tokens ({every})")


if __name__ == "__main__":
    main()
