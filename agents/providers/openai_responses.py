"""OpenAI's own models through its SDK and the Responses API, stateless: nothing is stored there, reasoning goes back encrypted.

Sources: https://developers.openai.com/api/reference/resources/responses/methods/create,
https://developers.openai.com/api/docs/guides/reasoning.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any

from agents.engine.messages import ModelEvent, ModelRequest, ModelSettings, ToolDefinition
from agents.providers.base import Connection
from agents.providers.openai_events import ResponseAssembler
from agents.providers.openai_http import Opened, client_of, headers_of, read_answer
from agents.providers.openai_input import input_of
from agents.providers.openai_values import effort_of, is_reasoning_model, offered_choice, thinks

LEAST_OUTPUT_TOKENS = 16  # the API refuses less


class OpenAIModel:
    """A LanguageModel over the Responses API. `provider` marks the data that must only go back to this provider and model."""

    def __init__(self, connection: Connection, provider: str = "openai") -> None:
        self._connection = connection
        self._provider = provider

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """See LanguageModel. One request, no retries."""
        assembler = ResponseAssembler(self._provider, request.model)
        async with aclosing(read_answer(partial(self._open, request), self._connection, request, assembler)) as events:
            async for event in events:
                yield event

    def _open(self, request: ModelRequest) -> Opened:
        """The input is the request's extra body: verbatim, and without the SDK's walk through every entry."""
        create = client_of(self._connection).responses.with_streaming_response.create
        extra = {"input": input_of(request.entries, self._provider, request.model)}
        return create(**arguments_of(request), stream=True, extra_body=extra, extra_headers=headers_of(self._connection))


def arguments_of(request: ModelRequest) -> dict[str, Any]:
    """All arguments of the SDK's `responses.create` but the input.

    This API knows no penalties, seed, top_k and stop sequences, and reasoning models take no temperature: these wishes are left out.
    """
    return {
        "model": request.model,
        **({"instructions": str(request.system)} if str(request.system) else {}),
        "store": False,
        **_reasoning(request.settings, request.model),
        **_sampling(request.settings, request.model),
        **_tools(request),
    }


def _reasoning(settings: ModelSettings, model: str) -> dict[str, Any]:
    if not is_reasoning_model(model) and not thinks(settings):
        return {}
    wanted: dict[str, Any] = {}
    if effort := effort_of(settings):
        wanted["effort"] = effort
    if thinks(settings):
        wanted["summary"] = "auto"
    return {"include": ["reasoning.encrypted_content"]} | ({"reasoning": wanted} if wanted else {})


def _sampling(settings: ModelSettings, model: str) -> dict[str, Any]:
    wanted: dict[str, Any] = {}
    if settings.max_output_tokens is not None:
        wanted["max_output_tokens"] = max(LEAST_OUTPUT_TOKENS, settings.max_output_tokens)
    if not is_reasoning_model(model):
        sampling = {"temperature": settings.temperature, "top_p": settings.top_p}
        wanted |= {name: value for name, value in sampling.items() if value is not None}
    return wanted


def _tools(request: ModelRequest) -> dict[str, Any]:
    if not request.tools:
        return {}
    choice = offered_choice(request.settings, request.tools)
    tools = {"tools": [_declaration(tool) for tool in request.tools]}
    return tools if choice is None else tools | {"tool_choice": _choice(choice)}


def _choice(choice: str) -> str | Mapping[str, str]:
    return choice if choice in ("none", "required") else {"type": "function", "name": choice}


def _declaration(tool: ToolDefinition) -> Mapping[str, Any]:
    """Not strict: that takes only schemas in which every property is required."""
    schema = dict(tool.input_schema)
    return {"type": "function", "name": tool.name, "description": tool.description, "parameters": schema, "strict": False}
