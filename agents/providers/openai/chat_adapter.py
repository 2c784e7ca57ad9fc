"""Adapter for any endpoint with OpenAI's Chat Completions API: Ollama, vLLM, llama.cpp, LM Studio, gateways.

tests/agents/providers/test_sdk_requests.py compares each request with the one that OpenAI's SDK makes.
Source: https://developers.openai.com/api/reference/resources/chat/subresources/completions/methods/create.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx2

from admin_config.defaults.provider_settings import CompatibleSettings
from agents.errors import ProviderError
from agents.messages import ModelRequest, ModelSettings, NativeFileKind, ToolDefinition
from agents.providers.connection import Connection
from agents.providers.http_requests import bearer, get_status, json_post
from agents.providers.openai.chat_assembler import ChatCompletionAssembler
from agents.providers.openai.chat_messages import FileAttachments, Message, build_messages
from agents.providers.openai.conversions import effort_of, thinks, tool_choice_to_send
from agents.providers.openai.errors import api_error
from agents.providers.openai.options import chat_options
from agents.providers.openai.think_tags import writes_think_tags
from agents.providers.option_merging import merge_provider_options
from agents.providers.provider_model import ProviderModel
from agents.providers.tool_schemas import without_patterns
from tenants.json_encoding import json_bytes

MAX_STOP_SEQUENCES = 4  # the API refuses more
MAX_DESCRIPTION_CHARS = 1024  # the same; source: https://github.com/getsentry/sentry-mcp/issues/106


@dataclass(frozen=True, slots=True, kw_only=True)
class CompatibleTraits:
    """Capabilities of one endpoint. The defaults suit the common servers of open models."""

    streams_usage: bool = True  # takes stream_options.include_usage
    # OpenAI's reasoning models take only the second name.
    output_limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    parallel_tools: bool | None = None  # value of parallel_tool_calls; None: it is not sent
    takes_effort: bool = False  # knows reasoning_effort
    takes_top_k: bool = False  # knows top_k
    takes_images: bool = True  # as content parts
    takes_pdf: bool = False  # as content parts
    # The field in which the server wants a model's own reasoning back (DeepSeek: reasoning_content); "": none.
    reasoning_back: Literal["", "reasoning", "reasoning_content"] = ""
    think_tags: bool | None = None  # reads <think>...</think> as reasoning; None: where the server is known to write it
    extra_body: Mapping[str, Any] = field(default_factory=dict)  # further fields of every request, such as a gateway's routing


class ChatCompletionsModel(ProviderModel[ChatCompletionAssembler]):
    """A LanguageModel over Chat Completions."""

    def __init__(self, connection: Connection, provider: str = "compatible", traits: CompatibleTraits | None = None) -> None:
        super().__init__(connection, provider)
        self._traits = traits or CompatibleTraits(**connection.options)

    async def key_status(self) -> int:
        """See ProviderModel. Source: https://platform.openai.com/docs/api-reference/models/list."""
        return await get_status(self._connection, "/models", bearer(self._connection))

    async def model_ids(self) -> list[str]:
        return await self._listed_ids("/models", bearer(self._connection))

    @staticmethod
    def options(settings: CompatibleSettings, thinking_model: str | None) -> dict[str, Any]:
        return chat_options(settings)

    def assembler(self, request: ModelRequest) -> ChatCompletionAssembler:
        reads_tags = self._traits.think_tags
        return ChatCompletionAssembler(
            self._provider,
            request.model,
            returns_reasoning=bool(self._traits.reasoning_back),
            reads_think_tags=writes_think_tags(self._connection.base_url) if reads_tags is None else reads_tags,
        )

    def api_error(self, status: int | None, body: Any, headers: Mapping[str, str]) -> ProviderError:
        return api_error(status, body, headers)

    def build_request(self, request: ModelRequest) -> httpx2.Request:
        body = build_body(request, self._provider, self._traits)
        return json_post(self._connection, "/chat/completions", bearer(self._connection), [json_bytes(body)])


def build_body(request: ModelRequest, provider: str, traits: CompatibleTraits) -> dict[str, Any]:
    """Return the request's body. Raises RequestRefused for a provider option that is reserved for Parley."""
    settings = {
        "model": request.model,
        **({"stream_options": {"include_usage": True}} if traits.streams_usage else {}),
        **_settings(request.settings, traits),
        **_tools(request, traits),
        **traits.extra_body,
    }
    options = merge_provider_options(request.settings.provider_options, settings)
    return {**settings, **options, "messages": _messages(request, provider, traits), "stream": True}


def _messages(request: ModelRequest, provider: str, traits: CompatibleTraits) -> list[Message]:
    return build_messages(
        request.entries,
        str(request.system),
        provider,
        request.model,
        reasoning_field=traits.reasoning_back,
        files=FileAttachments(request.attachments, frozenset(kind for kind, is_native in _native(traits) if is_native)),
    )


def _native(traits: CompatibleTraits) -> tuple[tuple[NativeFileKind, bool], ...]:
    return (("image", traits.takes_images), ("pdf", traits.takes_pdf))


def _settings(settings: ModelSettings, traits: CompatibleTraits) -> dict[str, Any]:
    fields = {
        traits.output_limit_field: settings.max_output_tokens,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "presence_penalty": settings.presence_penalty,
        "frequency_penalty": settings.frequency_penalty,
        "seed": settings.seed,
        "stop": list(settings.stop_sequences[:MAX_STOP_SEQUENCES]) or None,
        "reasoning_effort": effort_of(settings) if traits.takes_effort and thinks(settings) else None,
        "top_k": settings.top_k if traits.takes_top_k else None,
        "response_format": settings.answer_format and dict(settings.answer_format),
    }
    return {name: value for name, value in fields.items() if value is not None}


def _tools(request: ModelRequest, traits: CompatibleTraits) -> dict[str, Any]:
    if not request.tools:
        return {}
    fields: dict[str, Any] = {"tools": [_declaration(tool) for tool in request.tools]}
    if (choice := tool_choice_to_send(request.settings, request.tools)) is not None:
        fields["tool_choice"] = choice if choice in ("none", "required") else {"type": "function", "function": {"name": choice}}
    parallel = False if request.settings.single_tool_call else traits.parallel_tools
    if parallel is not None:
        fields["parallel_tool_calls"] = parallel
    return fields


def _declaration(tool: ToolDefinition) -> Mapping[str, Any]:
    """Declare the tool. A description that is too long for its field stands whole in the schema, which has no such limit."""
    description, parameters = tool.description, without_patterns(tool.input_schema)
    if len(description) > MAX_DESCRIPTION_CHARS:
        parameters["description"] = description
        description = description[: MAX_DESCRIPTION_CHARS - 1] + "…"
    return {"type": "function", "function": {"name": tool.name, "description": description, "parameters": parameters}}
