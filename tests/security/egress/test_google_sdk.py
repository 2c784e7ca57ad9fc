"""The Google SDK goes through the checked client: it uses the client that it is given and nothing else."""

from __future__ import annotations

import json

import pytest
from google import genai
from google.genai.types import HttpOptions
from pytest_django import Settings

from security.egress import EgressRefused
from security.egress.client import TIMEOUT
from tests.security.egress.fake_internet import FakeInternet, answer, fake_internet

CHUNK = {"candidates": [{"content": {"role": "model", "parts": [{"text": "hello"}]}, "finishReason": "STOP"}]}


@pytest.fixture(autouse=True)
def no_exceptions(settings: Settings) -> None:
    settings.EGRESS_ALLOW = frozenset()
    settings.DEMO_PROVIDER_URL = ""


def sdk(world: FakeInternet, base_url: str) -> genai.Client:
    return genai.Client(
        api_key="test-key", http_options=HttpOptions(base_url=base_url, api_version="v1beta", httpx_async_client=world.client)
    )


async def ask(client: genai.Client) -> str:
    stream = await client.aio.models.generate_content_stream(model="m", contents="hi")
    return "".join([chunk.text or "" async for chunk in stream])


async def test_the_sdk_streams_through_the_checked_client() -> None:
    async with fake_internet() as world:
        body = f"data: {json.dumps(CHUNK)}\r\n\r\n".encode()
        world.pages["/v1beta/models/m:streamGenerateContent"] = answer(body, content_type="text/event-stream")
        client = sdk(world, "http://page.example")
        assert await ask(client) == "hello"
        assert world.names.lookups == ["page.example"]
        assert client._api_client._use_aiohttp() is False
        assert client._api_client._async_httpx_client is world.client
        assert "x-goog-api-key: test-key" in world.requests[0].lower()


async def test_the_sdk_cannot_reach_private_addresses_and_says_so_in_our_words() -> None:
    async with fake_internet({"page.example": [["10.0.0.1"]]}) as world:
        with pytest.raises(EgressRefused):
            await ask(sdk(world, "http://page.example"))
        with pytest.raises(EgressRefused):
            await ask(sdk(world, "http://169.254.169.254"))


async def test_the_sdk_follows_no_redirect_and_keeps_the_key() -> None:
    async with fake_internet() as world:
        world.pages["/v1beta/models/m:streamGenerateContent"] = answer(status="302 Found", location="http://other.example/")
        with pytest.raises(genai.errors.APIError):
            await ask(sdk(world, "http://page.example"))
        assert len(world.requests) == 1


async def test_the_sdks_requests_have_time_limits() -> None:
    async with fake_internet() as world:
        timeouts: list[dict[str, float | None]] = []

        async def note(response: object) -> None:
            timeouts.append(response.request.extensions["timeout"])  # type: ignore[attr-defined]

        world.client.event_hooks = {"response": [note]}
        world.pages["/v1beta/models/m:streamGenerateContent"] = answer(b"", content_type="text/event-stream")
        await ask(sdk(world, "http://page.example"))
    assert timeouts == [TIMEOUT.as_dict()]
