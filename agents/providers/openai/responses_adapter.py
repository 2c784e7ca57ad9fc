"""Adapter for OpenAI's own models (Responses API). Stateless: OpenAI stores nothing, and reasoning goes back encrypted.

tests/agents/providers/test_sdk_requests.py compares each request with the one that OpenAI's SDK makes.
Sources: https://developers.openai.com/api/reference/resources/responses/methods/create,
https://developers.openai.com/api/docs/guides/reasoning.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx2

from admin_config.defaults.provider_settings import OpenAISettings
from agents.errors import ProviderError
from agents.messages import ModelRequest, ModelSettings, ToolDefinition
from agents.providers.answer_formats import flat_format
from agents.providers.connection import Connection
from agents.providers.http_requests import bearer, get_status, json_post
from agents.providers.openai.conversions import effort_of, is_reasoning_model, thinks, tool_choice_to_send
from agents.providers.openai.errors import api_error
from agents.providers.openai.hosted_tools import hosted_tools
from agents.providers.openai.options import responses_options
from agents.providers.openai.responses_assembler import ResponsesAssembler
from agents.providers.openai.responses_input import build_input
from agents.providers.option_merging import merge_provider_options
from agents.providers.provider_model import ProviderModel
from agents.providers.tool_limits import check_tool_count
from tenants.json_encoding import json_bytes

MIN_OUTPUT_TOKENS = 16  # the API refuses less


class OpenAIModel(ProviderModel[ResponsesAssembler]):
    """A LanguageModel over the Responses API."""

    def __init__(self, connection: Connection, provider: str = "openai") -> None:
        super().__init__(connection, provider)

    async def key_status(self) -> int:
        """See ProviderModel. Source: https://platform.openai.com/docs/api-reference/models/list."""
        return await get_status(self._connection, "/models", bearer(self._connection))

    async def model_ids(self) -> list[str]:
        return await self._listed_ids("/models", bearer(self._connection))

    @staticmethod
    def options(settings: OpenAISettings, thinking_model: str | None) -> dict[str, Any]:
        return responses_options(settings, thinking_model)

    def assembler(self, request: ModelRequest) -> ResponsesAssembler:
        return ResponsesAssembler(self._provider, request.model)

    def api_error(self, status: int | None, body: Any, headers: Mapping[str, str]) -> ProviderError:
        return api_error(status, body, headers)

    def build_request(self, request: ModelRequest) -> httpx2.Request:
        return json_post(self._connection, "/responses", bearer(self._connection), [json_bytes(build_body(request, self._provider))])


def build_body(request: ModelRequest, provider: str) -> dict[str, Any]:
    """Return the request's body. Raises TooManyTools, and RequestRefused for a provider option that is reserved for Parley.

    Settings that the API does not have are left out: penalties, seed, top_k and stop sequences, and a temperature for reasoning models.
    """
    settings = _settings(request)
    instructions = str(request.system)
    return {
        **settings,
        **merge_provider_options(request.settings.provider_options, settings),
        **({"instructions": instructions} if instructions else {}),
        "input": build_input(request.entries, provider, request.model, request.attachments),
        "stream": True,
    }


def _settings(request: ModelRequest) -> dict[str, Any]:
    reasons = _is_reasoning_request(request)
    hosted, includes = hosted_tools(request.settings)
    check_tool_count("openai", len(request.tools) + len(hosted))
    fields = {
        "include": [*(["reasoning.encrypted_content"] if reasons else []), *includes],
        "reasoning": _reasoning(request.settings) if reasons else {},
        "tools": [*map(_declaration, request.tools), *hosted],
        "text": {"format": flat_format(answer_format)} if (answer_format := request.settings.answer_format) else {},
    }
    return {
        "model": request.model,
        "store": False,
        **{name: value for name, value in fields.items() if value},
        **_sampling(request.settings, reasons=reasons),
        **_tool_choice(request),
        **({"parallel_tool_calls": False} if request.settings.single_tool_call and request.tools else {}),
    }


def _is_reasoning_request(request: ModelRequest) -> bool:
    """Return whether the request reasons, according to its settings, or to the model's name when they do not say."""
    settings = request.settings
    is_reasoning = is_reasoning_model(request.model) if settings.reasons is None else settings.reasons
    return is_reasoning or thinks(settings) or "reasoning" in settings.provider_options


def _reasoning(settings: ModelSettings) -> dict[str, str]:
    fields: dict[str, str] = {}
    if effort := effort_of(settings):
        fields["effort"] = effort
    return fields | ({"summary": "auto"} if thinks(settings) else {})


def _sampling(settings: ModelSettings, *, reasons: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if settings.max_output_tokens is not None:
        fields["max_output_tokens"] = max(MIN_OUTPUT_TOKENS, settings.max_output_tokens)
    if not reasons:
        sampling = {"temperature": settings.temperature, "top_p": settings.top_p}
        fields |= {name: value for name, value in sampling.items() if value is not None}
    return fields


def _tool_choice(request: ModelRequest) -> dict[str, Any]:
    choice = tool_choice_to_send(request.settings, request.tools)
    return {} if choice is None else {"tool_choice": _choice(choice)}


def _choice(choice: str) -> str | Mapping[str, str]:
    return choice if choice in ("none", "required") else {"type": "function", "name": choice}


def _declaration(tool: ToolDefinition) -> Mapping[str, Any]:
    """Declare the tool as not strict: strict mode accepts only schemas in which every property is required."""
    schema = dict(tool.input_schema)
    return {"type": "function", "name": tool.name, "description": tool.description, "parameters": schema, "strict": False}
