"""The Google adapter in front of the Gemini double, over the production client (checked addresses included)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from django.test import override_settings

from agents.engine.ports import LanguageModel
from agents.messages import Entry, ModelEvent, ModelRequest, ModelResponse, ModelSettings, SystemPrompt, ToolDefinition, UserMessage
from agents.providers.connection import Connection
from agents.providers.google.adapter import GoogleModel
from agents.providers.provider_model import ProviderModel
from agents.providers.streaming import StallDetector
from security.egress import aclose_clients, checked_client
from security.secrets.secret_text import SecretText
from tests.support.agents.gemini import ServedGemini

MODEL = "gemini-2.5-flash"
MODEL_2 = "gemini-2.0-flash"
MODEL_3 = "gemini-3-flash-preview"
TOOL = ToolDefinition(
    "look_up", "Looks things up.", {"type": "object", "properties": {"word": {"type": ["string", "null"]}, "n": {"type": "integer"}}}
)


@asynccontextmanager
async def connection(base_url: str, key: str | None = "test-key", timeout_s: float = 5.0) -> AsyncIterator[Connection]:
    url = urlsplit(base_url)
    with override_settings(EGRESS_ALLOW=frozenset({(url.hostname, url.port)})):
        try:
            secret = SecretText(key) if key else None
            yield Connection(base_url=base_url, http=checked_client(), api_version="v1beta", key=secret, timeout_s=timeout_s)
        finally:
            await aclose_clients()


@asynccontextmanager
async def google_model(double: ServedGemini, key: str | None = "test-key", timeout_s: float = 5.0) -> AsyncIterator[GoogleModel]:
    async with connection(double.base_url, key, timeout_s) as provider_connection:
        yield GoogleModel(provider_connection)


def request(*entries: Entry, model: str = MODEL, tools: tuple[ToolDefinition, ...] = (), **settings: Any) -> ModelRequest:
    return ModelRequest(
        model=model,
        system=SystemPrompt("Be kind.", "Today is Monday."),
        entries=entries or (UserMessage("Hello"),),
        tools=tools,
        settings=ModelSettings(**settings),
    )


async def collect(model: LanguageModel, model_request: ModelRequest, into: list[ModelEvent] | None = None) -> list[ModelEvent]:
    """All events; `into` keeps what came before an error."""
    events = [] if into is None else into
    async for event in model.stream(model_request):
        events.append(event)
    return events


async def raw_events(model: ProviderModel[Any], model_request: ModelRequest) -> list[Mapping[str, Any]]:
    """The JSON objects that the model reads from its provider's stream."""
    events: list[Mapping[str, Any]] = []
    read = model._event

    def read_and_record(data: bytes, guard: StallDetector) -> Mapping[str, Any]:
        events.append(read(data, guard))
        return events[-1]

    vars(model)["_event"] = read_and_record
    await collect(model, model_request)
    del vars(model)["_event"]
    return events


async def ask(double: ServedGemini, model_request: ModelRequest) -> ModelResponse:
    """The whole answer to one request."""
    async with google_model(double) as model:
        response = (await collect(model, model_request))[-1]
    assert isinstance(response, ModelResponse)
    return response


def body_of(double: ServedGemini) -> Mapping[str, Any]:
    """The last request's body, in camelCase."""
    return double.requests[-1].body
