"""The Anthropic double on a real loopback port, and the adapter in front of it over the production client.

    with anthropic_double() as double: ...  # double.base_url, double.key

or ask for the fixture `claude`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import override_settings

from agents.messages import Entry, ModelRequest, ModelResponse
from agents.providers.anthropic.adapter import AnthropicModel
from agents.providers.connection import Connection
from doubles.anthropic import AnthropicDouble
from security.egress import aclose_clients, checked_client
from security.secrets.secret_text import SecretText
from tests.agents.providers import harness
from tests.support.agents.gemini import TEST_KEY, serve

ALWAYS_THINKS = "claude-opus-5-5"  # its thinking is bound to the conversation, no tool can be forced
SWITCHABLE = "claude-haiku-5-5"  # decides how much it thinks, but can be told not to
BUDGETED = "claude-haiku-4-5"  # thinks within a budget; not at all unless asked


class ServedAnthropic(AnthropicDouble):
    """A double that knows where it is served; `base_url` has no trailing slash."""

    base_url = ""
    key = TEST_KEY

    @property
    def body(self) -> Mapping[str, Any]:
        """The last request's."""
        return self.requests[-1].body

    @property
    def refusals(self) -> list[str]:
        return [request.refusal for request in self.requests if request.refusal]


@contextmanager
def anthropic_double(**options: Any) -> Iterator[ServedAnthropic]:
    """A fresh double, served until the block ends. `options`: AnthropicDouble's."""
    double = ServedAnthropic(**options)
    with serve(double) as double.base_url:
        yield double


@pytest.fixture
def claude() -> Iterator[ServedAnthropic]:
    with anthropic_double() as double:
        yield double


@asynccontextmanager
async def anthropic_connection(base_url: str, key: str | None = TEST_KEY, timeout_s: float = 5.0) -> AsyncIterator[Connection]:
    url = urlsplit(base_url)
    with override_settings(EGRESS_ALLOW=frozenset({(url.hostname, url.port)})):
        try:
            yield Connection(base_url=base_url, http=checked_client(), key=SecretText(key) if key else None, timeout_s=timeout_s)
        finally:
            await aclose_clients()


@asynccontextmanager
async def anthropic_model(double: ServedAnthropic, key: str | None = TEST_KEY, timeout_s: float = 5.0) -> AsyncIterator[AnthropicModel]:
    async with anthropic_connection(double.base_url, key, timeout_s) as connection:
        yield AnthropicModel(connection)


def request(*entries: Entry, model: str = SWITCHABLE, **changes: Any) -> ModelRequest:
    """Like the harness's, to a Claude model."""
    return harness.request(*entries, model=model, **changes)


async def ask(double: ServedAnthropic, model_request: ModelRequest) -> ModelResponse:
    """The whole answer to one request."""
    async with anthropic_model(double) as model:
        response = (await harness.collect(model, model_request))[-1]
    assert isinstance(response, ModelResponse)
    return response
