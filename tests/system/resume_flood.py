"""`python -m tests.system.resume_flood URL SLUG COOKIE`: a viewer who opens 20 sockets and sends 300 valid `resume` frames over each.

It does so every second until it is killed. It is a process of its own and leaves the processor to others, so that only its work for the
server is measured.
"""

from __future__ import annotations

import asyncio
import os
import sys
from uuid import uuid4

import orjson
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

SOCKETS = 20
FRAMES = 300
ROUND_S = 1.0


def frames() -> list[str]:
    chat_id = str(uuid4())
    return [
        orjson.dumps({"type": "resume", "requestId": f"r{number}", "id": chat_id, "headers": {}, "body": {}}).decode()
        for number in range(FRAMES)
    ]


async def flood(address: str, origin: str, cookie: str, texts: list[str]) -> None:
    options = {"additional_headers": {"Cookie": cookie}, "origin": Origin(origin), "proxy": None, "compression": None}
    try:
        async with asyncio.timeout(ROUND_S), connect(address, **options, close_timeout=0.1) as socket:  # type: ignore[arg-type]
            for text in texts:
                await socket.send(text)
            async for _ in socket:
                pass
    except (WebSocketException, OSError, TimeoutError):
        pass


async def main(url: str, slug: str, cookie: str) -> None:
    address, texts = f"ws{url.removeprefix('http')}/o/{slug}/ws/chat/", frames()
    print("begins", flush=True)
    while True:
        pause = asyncio.sleep(ROUND_S)
        await asyncio.gather(pause, *(flood(address, url, cookie, texts) for _ in range(SOCKETS)))


if __name__ == "__main__":
    os.nice(10)
    asyncio.run(main(*sys.argv[1:]))
