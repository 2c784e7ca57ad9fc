"""The vendors' SDKs as references: each makes the request for what it is told in its own types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google import genai
from google.genai import types

from agents.messages import BuiltinTool, ModelRequest, ModelSettings, ToolDefinition
from agents.providers.answer_formats import answer_schema
from agents.providers.anthropic.request import API_VERSION, build_body as anthropic_body
from agents.providers.connection import Connection
from agents.providers.google.contents import build_contents
from agents.providers.google.model_traits import min_thinking
from agents.providers.google.request import builtin_tools
from agents.providers.openai.chat_adapter import CompatibleTraits, build_body as chat_body
from agents.providers.openai.responses_adapter import build_body as responses_body
from tests.support.agents.sdks import anthropic, openai

_CALLING_MODES = {"none": types.FunctionCallingConfigMode.NONE, "required": types.FunctionCallingConfigMode.ANY}
_BUILTIN_TOOLS = {
    BuiltinTool.WEB_SEARCH: types.Tool(google_search=types.GoogleSearch()),
    BuiltinTool.URL_CONTEXT: types.Tool(url_context=types.UrlContext()),
    BuiltinTool.CODE_EXECUTION: types.Tool(code_execution=types.ToolCodeExecution()),
}


async def google_itself(connection: Connection, request: ModelRequest) -> None:
    client = genai.Client(
        enterprise=False,
        api_key=connection.key.reveal() if connection.key else "none",
        http_options=types.HttpOptions(
            base_url=connection.base_url,
            api_version=connection.api_version or "v1beta",
            headers={"X-Server-Timeout": "600"},
            extra_body=dict(request.settings.provider_options),
            httpx_async_client=connection.http,
        ),
    )
    contents: Any = build_contents(request.entries, "google", request.model, request.attachments)
    stream = await client.aio.models.generate_content_stream(model=request.model, contents=contents, config=google_config(request))
    async for _ in stream:
        pass


def google_config(request: ModelRequest) -> types.GenerateContentConfig:
    """The request's settings in the SDK's types, with its automatisms switched off."""
    settings = request.settings
    return types.GenerateContentConfig(
        system_instruction=str(request.system) or None,
        temperature=settings.temperature,
        top_p=settings.top_p,
        top_k=settings.top_k,
        presence_penalty=settings.presence_penalty,
        frequency_penalty=settings.frequency_penalty,
        seed=settings.seed,
        stop_sequences=list(settings.stop_sequences) or None,
        max_output_tokens=settings.max_output_tokens,
        thinking_config=_thinking(request.model, settings),
        tools=_tools(request) or None,
        tool_config=_tool_config(request),
        response_mime_type="application/json" if settings.answer_format else None,
        response_json_schema=answer_schema(settings),
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        automatic_continuation=False,
    )


def _tools(request: ModelRequest) -> list[types.Tool]:
    functions = [_declaration(tool) for tool in request.tools]
    built_in = [_BUILTIN_TOOLS[tool] for tool in builtin_tools(request)]
    return [*([types.Tool(function_declarations=functions)] if functions else []), *built_in]


def _declaration(tool: ToolDefinition) -> types.FunctionDeclaration:
    return types.FunctionDeclaration(name=tool.name, description=tool.description, parameters_json_schema=dict(tool.input_schema))


def _tool_config(request: ModelRequest) -> types.ToolConfig | None:
    calling = _function_calling_config(request)
    both = bool(request.tools and builtin_tools(request)) or None
    return types.ToolConfig(function_calling_config=calling, include_server_side_tool_invocations=both) if calling or both else None


def _function_calling_config(request: ModelRequest) -> types.FunctionCallingConfig | None:
    choice, names = request.settings.tool_choice, {tool.name for tool in request.tools}
    if not names or (choice not in _CALLING_MODES and choice not in names):
        return None
    mode = _CALLING_MODES.get(choice, types.FunctionCallingConfigMode.ANY)
    return types.FunctionCallingConfig(mode=mode, allowed_function_names=None if choice in _CALLING_MODES else [choice])


def _thinking(model: str, settings: ModelSettings) -> types.ThinkingConfig | None:
    if settings.thinking_level:
        return types.ThinkingConfig(thinking_level=types.ThinkingLevel(settings.thinking_level.upper()), include_thoughts=True)
    if settings.thinking_budget is not None:
        return types.ThinkingConfig(thinking_budget=settings.thinking_budget, include_thoughts=True if settings.thinking_budget else None)
    least = min_thinking(model)
    if isinstance(least, str):
        return types.ThinkingConfig(thinking_level=types.ThinkingLevel(least.upper()))
    return None if least is None else types.ThinkingConfig(thinking_budget=least)


async def openai_itself(connection: Connection, request: ModelRequest) -> None:
    create: Any = openai_client(connection).responses.with_streaming_response.create
    async with create(**responses_body(request, "openai"), extra_headers=_headers(connection)):
        pass


async def chat_itself(connection: Connection, request: ModelRequest) -> None:
    create: Any = openai_client(connection).chat.completions.with_streaming_response.create
    async with create(**chat_body(request, "compatible", CompatibleTraits()), extra_headers=_headers(connection)):
        pass


def openai_client(connection: Connection) -> openai.AsyncOpenAI:
    key = connection.key.reveal() if connection.key else ""
    return openai.AsyncOpenAI(api_key=key, admin_api_key="", base_url=connection.base_url, max_retries=0, http_client=connection.http)


def _headers(connection: Connection) -> Mapping[str, str | openai.Omit]:
    """Without a key, Omit says that none is intended."""
    return {} if connection.key else {"authorization": openai.Omit()}


async def anthropic_itself(connection: Connection, request: ModelRequest) -> None:
    create: Any = anthropic_client(connection).messages.with_streaming_response.create
    async with create(**anthropic_arguments(request), stream=True):
        pass


def anthropic_arguments(request: ModelRequest) -> dict[str, Any]:
    """What the SDK is told, besides whether it streams."""
    body = anthropic_body(request, "anthropic")
    beta = {"anthropic-beta": "thinking-binding-controls-2026-08-01"} if "block_binding" in body.get("thinking", {}) else {}
    return {**{name: value for name, value in body.items() if name != "stream"}, "extra_headers": beta}


def anthropic_client(connection: Connection) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(
        api_key=connection.key.reveal() if connection.key else "none",
        base_url=connection.base_url,
        max_retries=0,
        http_client=connection.http,
        default_headers={"anthropic-version": connection.api_version or API_VERSION},
    )
