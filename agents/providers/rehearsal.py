"""A first model call that goes nowhere, beside the event loop: importing an SDK takes up to a second, and its schemas are built at its first use (30 to 90 ms).

Otherwise everybody waits while somebody is a provider's first user, since both hold up the event loop. A process begins with the provider
that organizations have from the start; the others, which take up to 65 MB, wait for their first user.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import httpx2

from agents.engine.errors import RunError
from agents.engine.messages import ModelRequest, ModelSettings, SystemPrompt, ToolDefinition, UserMessage
from agents.providers.connection import Connection
from agents.providers.registry import PROVIDERS, language_model
from security.secret_text import SecretText

WARM_UP_URL = "https://rehearsal.invalid"
_REQUEST = ModelRequest(
    model="rehearsal",
    system=SystemPrompt("You rehearse."),
    entries=(UserMessage("Rehearse."),),
    tools=(ToolDefinition("rehearse", "Rehearses.", {"type": "object", "properties": {}}),),
    settings=ModelSettings(temperature=0.5, max_output_tokens=10),
)


_warm_adapters: set[str] = set()  # adapters
_thread = ThreadPoolExecutor(1, thread_name_prefix="rehearsal")  # one after the other, so that many first users cause one import


class _NoNetworkTransport(httpx2.AsyncBaseTransport):
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"})


async def ensure_provider_ready(provider: str) -> None:
    """Import and rehearse the provider's adapter; nothing when that is done. Call it before a provider's model is made."""
    if PROVIDERS[provider].adapter not in _warm_adapters:
        await asyncio.get_running_loop().run_in_executor(_thread, warm_up, provider)


def warm_up(provider: str) -> None:
    """The same, in a thread without a loop."""
    adapter = PROVIDERS[provider].adapter
    if adapter not in _warm_adapters:
        asyncio.run(_run_warm_up(provider))
        _warm_adapters.add(adapter)


async def _run_warm_up(provider: str) -> None:
    async with httpx2.AsyncClient(transport=_NoNetworkTransport(), trust_env=False) as http:
        connection = Connection(base_url=WARM_UP_URL, http=http, key=SecretText("none"))
        with suppress(RunError):  # an empty answer is an error in the end; by then everything was used
            async for _ in language_model(provider, connection, attempts=1).stream(_REQUEST):
                pass
