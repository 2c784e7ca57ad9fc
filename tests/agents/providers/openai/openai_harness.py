"""The OpenAI adapters in front of the OpenAI double, over the production client (checked addresses included)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from agents.engine.ports import LanguageModel
from agents.messages import Entry, ModelRequest, ModelResponse, ModelSettings, SystemPrompt, ToolDefinition, UserMessage
from agents.providers.openai.chat_adapter import ChatCompletionsModel, CompatibleTraits
from agents.providers.openai.responses_adapter import OpenAIModel
from tests.agents.providers.harness import TOOL, collect, connection
from tests.support.agents.openai import ServedOpenAI

MODEL = "gpt-6.2-sol"  # reasons
PLAIN_MODEL = "gpt-4.1"
LOCAL_MODEL = "qwen3:8b"  # what a compatible server serves

__all__ = ["LOCAL_MODEL", "MODEL", "PLAIN_MODEL", "TOOL", "ask", "collect", "compatible_model", "connection", "openai_model", "request"]


@asynccontextmanager
async def openai_model(double: ServedOpenAI, key: str | None = "test-key", timeout_s: float = 5.0) -> AsyncIterator[OpenAIModel]:
    async with connection(double.base_url, key, timeout_s) as provider_connection:
        yield OpenAIModel(provider_connection)


@asynccontextmanager
async def compatible_model(
    double: ServedOpenAI, traits: CompatibleTraits | None = None, key: str | None = "test-key", timeout_s: float = 5.0
) -> AsyncIterator[ChatCompletionsModel]:
    async with connection(double.base_url, key, timeout_s) as provider_connection:
        yield ChatCompletionsModel(provider_connection, traits=traits)


def request(*entries: Entry, model: str = MODEL, tools: tuple[ToolDefinition, ...] = (), **settings: Any) -> ModelRequest:
    return ModelRequest(
        model=model,
        system=SystemPrompt("Be kind.", "Today is Monday."),
        entries=entries or (UserMessage("Hello"),),
        tools=tools,
        settings=ModelSettings(**settings),
    )


async def ask(model: LanguageModel, model_request: ModelRequest) -> ModelResponse:
    """The whole answer to one request."""
    response = (await collect(model, model_request))[-1]
    assert isinstance(response, ModelResponse)
    return response
