"""The benchmark's light double, in the test's own process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bench.model.server import Connection, ModelState


@asynccontextmanager
async def light_double() -> AsyncIterator[str]:
    """Gives the server's URL."""
    model = ModelState()
    server = await asyncio.get_running_loop().create_server(lambda: Connection(model), "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
