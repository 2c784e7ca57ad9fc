"""A first model call that goes nowhere, at a process's start: SDKs build their schemas when they are first used (60 ms for Google's).

Otherwise the first user after a restart waits for that, and everybody else, too, since it holds up the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import httpx2

from agents.engine.errors import RunError
from agents.engine.messages import ModelRequest, ModelSettings, SystemPrompt, ToolDefinition, UserMessage
from agents.providers.base import Connection
from agents.providers.registry import language_model
from security.secret_text import SecretText

NOWHERE = "https://rehearsal.invalid"
_REQUEST = ModelRequest(
    model="rehearsal",
    system=SystemPrompt("You rehearse."),
    entries=(UserMessage("Rehearse."),),
    tools=(ToolDefinition("rehearse", "Rehearses.", {"type": "object", "properties": {}}),),
    settings=ModelSettings(temperature=0.5, max_output_tokens=10),
)


class _Nowhere(httpx2.AsyncBaseTransport):
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"})


def rehearse(providers: Iterable[str]) -> None:
    """Make a call with each provider's adapter in a loop of its own; call it in a thread without a loop."""
    asyncio.run(_rehearsed(providers))


async def _rehearsed(providers: Iterable[str]) -> None:
    async with httpx2.AsyncClient(transport=_Nowhere(), trust_env=False) as http:
        connection = Connection(base_url=NOWHERE, http=http, key=SecretText("none"))
        for provider in providers:
            try:
                async for _ in language_model(provider, connection, attempts=1).stream(_REQUEST):
                    pass
            except RunError:  # an empty answer is an error in the end; by then everything was used
                continue
