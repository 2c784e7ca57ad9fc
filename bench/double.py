"""The model server of a benchmark: the scriptable Gemini double in a process of its own, its tokens stamped as they leave.

python -m bench.double PORT
"""

from __future__ import annotations

import sys
from collections.abc import MutableMapping
from typing import Any

import uvicorn

from agents.providers.doubles.asgi import Receive, Scope, Send
from agents.providers.doubles.gemini import GeminiDouble
from bench.stamps import PLACEHOLDER, stamp_now

_PLACEHOLDER = PLACEHOLDER.encode()


class StampingDouble(GeminiDouble):
    """Takes any key and serves any model; each answered token carries its send time."""

    def __init__(self) -> None:
        super().__init__(keys=None, models=None, control=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_stamped(message: MutableMapping[str, Any]) -> None:
            if message.get("body"):
                message["body"] = message["body"].replace(_PLACEHOLDER, stamp_now())
            await send(message)

        # What is asked about the script shows the script.
        await super().__call__(scope, receive, send if scope["path"].startswith("/control/") else send_stamped)


def main() -> None:
    uvicorn.run(
        StampingDouble(), port=int(sys.argv[1]), lifespan="off", log_level="warning", timeout_graceful_shutdown=1, timeout_keep_alive=3600
    )


if __name__ == "__main__":
    main()
