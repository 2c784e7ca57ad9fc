"""What each provider's list of models says about a key: over the checked client, against the doubles."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Any

import pytest

from agents.providers.connection import Connection
from agents.providers.key_check import KeyVerdict, key_check
from security.egress import aclose_clients, checked_client
from security.secrets.secret_text import SecretText
from tests.support.agents.anthropic import anthropic_double
from tests.support.agents.gemini import gemini_double, serve
from tests.support.agents.openai import openai_double
from tests.support.chat.workspace import allow_egress

KEY = "key-NeverShown-wxyz"


@asynccontextmanager
async def connected(url: str, key: str = KEY, **options: Any) -> AsyncIterator[Connection]:
    with allow_egress(url):
        try:
            yield Connection(base_url=url, key=SecretText(key), http=checked_client(), timeout_s=5, **options)
        finally:
            await aclose_clients()


class Listing:
    """A provider that answers everything with one status and remembers what it was asked."""

    def __init__(self, status: int, *, headers: tuple[tuple[bytes, bytes], ...] = ()) -> None:
        self.status, self.answer_headers = status, headers
        self.path, self.headers = "", dict[str, str]()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        self.path = f"{scope['path']}?{scope['query_string'].decode()}".rstrip("?")
        self.headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        echo = json.dumps({"error": {"message": f"the key {self.headers} is odd"}}).encode()
        await send({"type": "http.response.start", "status": self.status, "headers": list(self.answer_headers)})
        await send({"type": "http.response.body", "body": echo})


@pytest.mark.parametrize(
    ("provider", "double"),
    [("google", gemini_double), ("openai", openai_double), ("compatible", openai_double), ("anthropic", anthropic_double)],
)
async def test_each_provider_takes_its_key_and_refuses_another(provider: str, double: Callable[[], AbstractContextManager[Any]]) -> None:
    with double() as server:
        async with connected(server.base_url, server.key) as right:
            assert await key_check(provider, "It", right) == KeyVerdict("ok", "It accepts this key.")
        async with connected(server.base_url, "another") as wrong:
            verdict = await key_check(provider, "It", wrong)
    assert verdict.result == "refused"
    assert verdict.message.startswith("It does not accept this key.")
    assert server.requests == [], "no model was called"


@pytest.mark.parametrize(
    ("provider", "base", "path", "header", "value"),
    [
        ("google", "", "/v1beta/models?pageSize=1", "x-goog-api-key", KEY),
        ("openai", "/v1", "/v1/models", "authorization", f"Bearer {KEY}"),
        ("compatible", "/api/v1/", "/api/v1/models", "authorization", f"Bearer {KEY}"),
        ("anthropic", "", "/v1/models?limit=1", "x-api-key", KEY),
    ],
)
async def test_the_key_is_in_a_header_and_never_in_the_address(provider: str, base: str, path: str, header: str, value: str) -> None:
    listing = Listing(200)
    with serve(listing) as url:
        async with connected(url + base) as connection:
            assert (await key_check(provider, "It", connection)).result == "ok"
    assert (listing.path, listing.headers[header]) == (path, value)


@pytest.mark.parametrize(
    ("status", "result"),
    [(200, "ok"), (400, "refused"), (401, "refused"), (403, "refused"), (404, "unreachable"), (429, "unreachable"), (500, "unreachable")],
)
async def test_each_answer_is_said_in_words_that_repeat_nothing_of_it(status: int, result: str) -> None:
    with serve(Listing(status)) as url:
        async with connected(url) as connection:
            verdict = await key_check("openai", "OpenAI", connection)
    assert verdict.result == result
    assert "OpenAI" in verdict.message
    assert KEY not in verdict.message


async def test_a_redirect_is_not_followed_with_the_key() -> None:
    other = Listing(200)
    with serve(other) as elsewhere, serve(Listing(302, headers=((b"location", elsewhere.encode()),))) as url, allow_egress(elsewhere):
        async with connected(url) as connection:
            assert (await key_check("openai", "OpenAI", connection)).result == "unreachable"
    assert other.path == ""


async def test_a_provider_that_is_away_says_nothing_about_the_key() -> None:
    async with connected("http://127.0.0.1:9") as connection:
        verdict = await key_check("google", "Google Gemini", connection)
    assert verdict.result == "unreachable"
    assert "could not be reached" in verdict.message


async def test_an_address_that_may_not_be_called_is_named() -> None:
    connection = Connection(base_url="http://169.254.169.254", key=SecretText(KEY), http=checked_client(), timeout_s=5)
    verdict = await key_check("google", "Google Gemini", connection)
    assert verdict.result == "unreachable"
    assert "169.254.169.254" in verdict.message
    await aclose_clients()
