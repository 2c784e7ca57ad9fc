"""Builds a ModelRequest as the SDK's settings, and the HTTP request that the SDK makes of them.

The provider options bypass the SDK's settings as an extra body. HTTP requests come from cached templates,
see agents.providers.request_templates.
Sources: https://ai.google.dev/api/generate-content, https://ai.google.dev/gemini-api/docs/tool-combination.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import httpx2
from google import genai
from google.genai import types

from agents.engine.errors import RequestRefused
from agents.engine.messages import BuiltinTool, ModelRequest, ModelSettings, SystemPrompt, ToolDefinition
from agents.providers.google.model_traits import min_thinking, supports_mixed_tools
from agents.providers.request_templates import KEY_PLACEHOLDER, CapturingTransport, RequestTemplate, TemplateCache, cache_key
from tenants.json_encoding import json_bytes

_CALLING_MODES = {"none": types.FunctionCallingConfigMode.NONE, "required": types.FunctionCallingConfigMode.ANY}
_BUILTIN_TOOLS = {
    BuiltinTool.WEB_SEARCH: types.Tool(google_search=types.GoogleSearch()),
    BuiltinTool.URL_CONTEXT: types.Tool(url_context=types.UrlContext()),
    BuiltinTool.CODE_EXECUTION: types.Tool(code_execution=types.ToolCodeExecution()),
}
# Fields that Parley fills in: the conversation, the model, the tools, and that one request is one answer.
_RESERVED_FIELDS = frozenset({"model", "contents", "systeminstruction", "tools", "toolconfig", "continuationtoken"})
PLACEHOLDER_KEY = "none"  # the SDK requires a key, and would take the environment's
SERVER_TIMEOUT_S = 600  # sent as X-Server-Timeout; otherwise the SDK derives it from a client time limit
_PLACEHOLDER = "."  # stands for the conversation and the system prompt in the SDK's input
_NO_WEBSOCKET_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def extra_body_of(request: ModelRequest) -> dict[str, Any]:
    """Return the provider options, which the SDK deep-merges into its request.

    Raises RequestRefused for a field that is reserved for Parley. The API itself refuses unknown fields.
    """
    options = request.settings.provider_options
    if reserved := sorted(name for name in options if name.replace("_", "").lower() in _RESERVED_FIELDS):
        raise RequestRefused(f"The model's provider options may not set {', '.join(reserved)}. An admin can change them.")
    return dict(options)


def build_config(request: ModelRequest) -> types.GenerateContentConfig:
    """Return the SDK's settings. Its automatisms, running functions and continuing answers, are switched off."""
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
        thinking_config=_thinking(settings) or _no_thinking(request),
        tools=_tools(request) or None,
        tool_config=_tool_config(request),
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        automatic_continuation=False,
    )


def _tools(request: ModelRequest) -> list[types.Tool]:
    functions = [_declaration(tool) for tool in request.tools]
    built_in = [_BUILTIN_TOOLS[tool] for tool in builtin_tools(request)]
    return [*([types.Tool(function_declarations=functions)] if functions else []), *built_in]


def builtin_tools(request: ModelRequest) -> Sequence[BuiltinTool]:
    """Return the built-in tools that the request may offer.

    Models before Gemini 3 refuse them together with functions; functions take precedence then.
    """
    if request.tools and not supports_mixed_tools(request.model):
        return ()
    return [tool for tool in request.settings.builtin_tools if tool in _BUILTIN_TOOLS]


def _tool_config(request: ModelRequest) -> types.ToolConfig | None:
    """Return the tool config, or None for the API's default. The API requires a flag when functions and its own tools are combined."""
    calling = _function_calling_config(request.settings.tool_choice, request.tools)
    both = bool(request.tools and builtin_tools(request)) or None
    return types.ToolConfig(function_calling_config=calling, include_server_side_tool_invocations=both) if calling or both else None


def _function_calling_config(choice: str, tools: Sequence[ToolDefinition]) -> types.FunctionCallingConfig | None:
    """Return None to let the model choose. That includes a tool that this step does not offer, which the API would refuse."""
    names = {tool.name for tool in tools}
    if not names or (choice not in _CALLING_MODES and choice not in names):
        return None
    mode = _CALLING_MODES.get(choice, types.FunctionCallingConfigMode.ANY)
    return types.FunctionCallingConfig(mode=mode, allowed_function_names=None if choice in _CALLING_MODES else [choice])


def _thinking(settings: ModelSettings) -> types.ThinkingConfig | None:
    """Return a level or a budget; the API refuses both together."""
    if settings.thinking_level:
        return types.ThinkingConfig(thinking_level=_level(settings.thinking_level), include_thoughts=True)
    if settings.thinking_budget is None:
        return None
    return types.ThinkingConfig(thinking_budget=settings.thinking_budget, include_thoughts=True if settings.thinking_budget else None)


def _no_thinking(request: ModelRequest) -> types.ThinkingConfig | None:
    """Return the setting for a request that must not think (SPEC 2.4).

    Without one, these models think unseen, and it is billed. An admin's own thinking option takes precedence.
    """
    least = None if _has_thinking_option(request.settings.provider_options) else min_thinking(request.model)
    if isinstance(least, str):
        return types.ThinkingConfig(thinking_level=_level(least))
    return None if least is None else types.ThinkingConfig(thinking_budget=least)


def _level(name: str) -> types.ThinkingLevel:
    return types.ThinkingLevel(name.upper())


def _has_thinking_option(options: Mapping[str, Any]) -> bool:
    """Return whether the options set thinking, in either spelling that the API accepts."""
    configs = [options.get(name) for name in ("generationConfig", "generation_config")]
    return any(name in config for config in configs if isinstance(config, Mapping) for name in ("thinkingConfig", "thinking_config"))


def _declaration(tool: ToolDefinition) -> types.FunctionDeclaration:
    return types.FunctionDeclaration(name=tool.name, description=tool.description, parameters_json_schema=dict(tool.input_schema))


@dataclass(frozen=True, slots=True, kw_only=True)
class GoogleRequestTemplate:
    """A request without its conversation, system prompt and key."""

    template: RequestTemplate
    instruction: Mapping[str, Any]  # the content that holds the system prompt

    def request(self, *, key: str, system: str, contents: Iterable[bytes]) -> httpx2.Request:
        """Return the complete request. `contents` is their JSON in pieces. An empty `key` is sent as the SDK does without one."""
        instruction_json = (b',"systemInstruction":', json_bytes({**self.instruction, "parts": [{"text": system}]})) if system else ()
        return self.template.build_from_json(key=key or PLACEHOLDER_KEY, conversation=(b'{"contents":', *contents, *instruction_json))


_template_cache = TemplateCache[GoogleRequestTemplate]()


async def request_template(request: ModelRequest, *, base_url: str, api_version: str) -> GoogleRequestTemplate:
    """Return the template that the SDK makes of the model, settings and tools. Raises RequestRefused for a reserved provider option."""
    name = _cache_key(request, base_url, api_version)
    cached = _template_cache.get(name)
    if cached is None:
        cached = await _capture_template(request, base_url, api_version)
        _template_cache.put(name, cached, cached.template.size_bytes)
    return cached


def sdk_client(request: ModelRequest, base_url: str, api_version: str, http: httpx2.AsyncClient) -> genai.Client:
    """Return a client for one request. Every setting is explicit, because the SDK fills missing ones from the environment."""
    return genai.Client(
        enterprise=False,
        api_key=KEY_PLACEHOLDER,
        http_options=types.HttpOptions(
            base_url=base_url,
            api_version=api_version or "v1beta",
            headers={"X-Server-Timeout": str(SERVER_TIMEOUT_S)},
            extra_body=extra_body_of(request),
            httpx_client=_NO_SYNC_CLIENT,
            httpx_async_client=http,
            async_client_args={"ssl": _NO_WEBSOCKET_TLS},
        ),
    )


def _cache_key(request: ModelRequest, base_url: str, api_version: str) -> bytes:
    """Return a key that two requests share when the SDK makes the same template of them."""
    tools = [(tool.name, tool.description, dict(tool.input_schema)) for tool in request.tools]
    settings = {**asdict(replace(request.settings, provider_options={})), "provider_options": dict(request.settings.provider_options)}
    return cache_key(base_url, api_version, request.model, tools, settings)


async def _capture_template(request: ModelRequest, base_url: str, api_version: str) -> GoogleRequestTemplate:
    transport = CapturingTransport()
    client = sdk_client(request, base_url, api_version, transport.client())
    config = build_config(replace(request, system=SystemPrompt(_PLACEHOLDER)))
    async for _ in await client.aio.models.generate_content_stream(model=request.model, contents=_PLACEHOLDER, config=config):
        pass
    template = transport.request_template(("contents", "systemInstruction"))
    return GoogleRequestTemplate(template=template, instruction=transport.body()["systemInstruction"])


class _NoTransport(httpx2.BaseTransport):
    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        raise NotImplementedError("Only the asynchronous client is used.")


# These prevent the SDK from building its own for every client, at 22 ms each.
_NO_SYNC_CLIENT = httpx2.Client(transport=_NoTransport(), trust_env=False)
