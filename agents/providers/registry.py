"""The registry of providers, one line each, and the warm-up of their adapters.

A warm-up is a first model call without network, in a thread: importing an SDK takes up to a second, and its first use builds schemas
(30 to 90 ms). Both would block the event loop for everybody. A process starts with the provider that organizations have by default;
the others, which take up to 65 MB, wait for their first user.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pkgutil import resolve_name

import httpx2

from agents.engine.errors import KeyMissing, RequestRefused, RunError
from agents.engine.messages import ModelRequest, ModelSettings, SystemPrompt, ToolDefinition, UserMessage
from agents.engine.ports import LanguageModel
from agents.providers.connection import Connection
from security.secret_text import SecretText

GOOGLE = "agents.providers.google.adapter:GoogleModel"
OPENAI = "agents.providers.openai.responses_adapter:OpenAIModel"
ANTHROPIC = "agents.providers.anthropic.adapter:AnthropicModel"
COMPATIBLE = "agents.providers.openai.chat_adapter:ChatCompletionsModel"
WARM_UP_URL = "https://warm-up.invalid"
_REQUEST = ModelRequest(
    model="warm-up",
    system=SystemPrompt("Warm up."),
    entries=(UserMessage("Warm up."),),
    tools=(ToolDefinition("warm_up", "Warms up.", {"type": "object", "properties": {}}),),
    settings=ModelSettings(temperature=0.5, max_output_tokens=10),
)


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider and its adapter."""

    label: str
    needs_key: bool
    # Module and class. Imported on first use, because an SDK takes up to a second and 50 MB. The class makes a model from a connection
    # and the provider's name, which marks what may only go back to this provider.
    adapter: str

    def build(self, connection: Connection, name: str) -> LanguageModel:
        adapter: Callable[[Connection, str], LanguageModel] = resolve_name(self.adapter)
        return adapter(connection, name)


PROVIDERS: Mapping[str, Provider] = {
    "google": Provider("Google", needs_key=True, adapter=GOOGLE),
    "openai": Provider("OpenAI", needs_key=True, adapter=OPENAI),
    "anthropic": Provider("Anthropic Claude", needs_key=True, adapter=ANTHROPIC),
    "compatible": Provider("OpenAI-compatible endpoint", needs_key=False, adapter=COMPATIBLE),
    # A scripted server that speaks every wire.
    "demo": Provider("Demo provider", needs_key=False, adapter=GOOGLE),
    "demo_openai": Provider("Demo provider", needs_key=False, adapter=OPENAI),
    "demo_anthropic": Provider("Demo provider", needs_key=False, adapter=ANTHROPIC),
    "demo_compatible": Provider("Demo provider", needs_key=False, adapter=COMPATIBLE),
}


def language_model(provider: str, connection: Connection) -> LanguageModel:
    """Return the provider's model behind `connection`, without retries. Raises KeyMissing, or RequestRefused for an unknown provider."""
    entry = PROVIDERS.get(provider)
    if entry is None:
        raise RequestRefused(f"The provider {provider} is not supported.")
    if entry.needs_key and connection.key is None:
        raise KeyMissing(f"There is no API key for {entry.label}. An admin can enter one in the admin, at the provider's endpoint.")
    return entry.build(connection, provider)


_warm_adapters: set[str] = set()  # names of adapters
_thread = ThreadPoolExecutor(1, thread_name_prefix="warm-up")  # one after the other, so that many first users cause one import


class _NoNetworkTransport(httpx2.AsyncBaseTransport):
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"})


async def ensure_provider_ready(provider: str) -> None:
    """Import and warm up the provider's adapter, once per process. Call it before making a provider's model."""
    if PROVIDERS[provider].adapter not in _warm_adapters:
        await asyncio.get_running_loop().run_in_executor(_thread, warm_up, provider)


def warm_up(provider: str) -> None:
    """Warm up the provider's adapter, in a thread without an event loop."""
    adapter = PROVIDERS[provider].adapter
    if adapter not in _warm_adapters:
        asyncio.run(_run_warm_up(provider))
        _warm_adapters.add(adapter)


async def _run_warm_up(provider: str) -> None:
    async with httpx2.AsyncClient(transport=_NoNetworkTransport(), trust_env=False) as http:
        connection = Connection(base_url=WARM_UP_URL, http=http, key=SecretText("none"))
        with suppress(RunError):  # an empty answer is an error in the end, but by then everything has been used
            async for _ in language_model(provider, connection).stream(_REQUEST):
                pass
