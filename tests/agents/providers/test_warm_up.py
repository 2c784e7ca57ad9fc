"""A provider's first user in a process: its SDK is imported and used for the first time beside the event loop."""

from __future__ import annotations

import subprocess
import sys

import pytest

from agents.providers.registry import PROVIDERS

# A process of its own, since this one has used every SDK. It prints what was imported for whom, in which threads, and what the first call took the loop.
SCRIPT = """
import asyncio, sys, threading, time

import httpx2

from agents.engine.errors import RunError
from agents.engine.messages import ModelRequest, ModelSettings, SystemPrompt, ToolDefinition, UserMessage
from agents.providers.connection import Connection
from agents.providers.registry import language_model
from agents.providers.registry import ensure_provider_ready
from security.secret_text import SecretText

provider, sdk = sys.argv[1:]
imported_by = set()

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == sdk or name.startswith(sdk + "."):
            imported_by.add(threading.current_thread().name.split("_")[0])

class Nowhere(httpx2.AsyncBaseTransport):
    async def handle_async_request(self, request):
        return httpx2.Response(200)

async def first_users():
    sys.meta_path.insert(0, Watch())
    await asyncio.gather(*(ensure_provider_ready(provider) for _ in range(20)))
    tools = (ToolDefinition("t", "T.", {"type": "object", "properties": {"a": {"type": "string"}}}),)
    asked = ModelRequest(model="m", system=SystemPrompt("s"), entries=(UserMessage("u"),), tools=tools, settings=ModelSettings(temperature=0.5))
    async with httpx2.AsyncClient(transport=Nowhere(), trust_env=False) as http:
        model = language_model(provider, Connection(base_url="https://api.test", http=http, key=SecretText("k")))
        start = time.thread_time()
        try:
            async for _ in model.stream(asked):
                pass
        except RunError:
            pass
        print(*imported_by, time.thread_time() - start, sum(thread.name.startswith("warm-up") for thread in threading.enumerate()))

print("idle", sdk in sys.modules)
asyncio.run(first_users())
"""


@pytest.mark.parametrize(
    ("provider", "sdk"), [("google", "google.genai"), ("openai", "openai"), ("compatible", "openai"), ("anthropic", "anthropic")]
)
def test_the_first_use_of_a_provider_does_not_block_the_loop(provider: str, sdk: str) -> None:
    """Without that the first call alone took 20 to 90 ms of the event loop, after an import of up to a second."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, provider, sdk], capture_output=True, text=True, check=True)
    idle, used = done.stdout.splitlines()
    assert idle == "idle False", "an SDK that nobody uses takes no memory"
    thread, first_call_s, threads = used.split()
    assert (thread, threads) == ("warm-up", "1")
    assert float(first_call_s) < 0.015


def test_every_provider_has_an_adapter_to_warm_up() -> None:
    assert {provider.adapter.partition(":")[0] for provider in PROVIDERS.values()} == {
        "agents.providers.google.adapter",
        "agents.providers.openai.responses_adapter",
        "agents.providers.openai.chat_adapter",
        "agents.providers.anthropic.adapter",
    }
