"""A ModelRequest as the Gemini API is asked: the SDK's settings, and the fields that go past them.

Sources: https://ai.google.dev/api/generate-content, https://ai.google.dev/gemini-api/docs/tool-combination.

Requests to Gemini as Google's SDK makes them: address, headers, body. See agents.providers.request_templates.
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
# What Parley fills in itself: the conversation, who answers, what may be called, and that one request is one answer.
_RESERVED_FIELDS = frozenset({"model", "contents", "systeminstruction", "tools", "toolconfig", "continuationtoken"})


def extra_body_of(request: ModelRequest) -> dict[str, Any]:
    """The provider options, which the SDK merges into its request, object by object.

    Raises RequestRefused for an option that is Parley's. One that the API does not know is refused there.
    """
    options = request.settings.provider_options
    if reserved := sorted(name for name in options if name.replace("_", "").lower() in _RESERVED_FIELDS):
        raise RequestRefused(f"The model's provider options may not set {', '.join(reserved)}. An admin can change them.")
    return dict(options)


def build_config(request: ModelRequest) -> types.GenerateContentConfig:
    """The SDK's settings with all that it would do by itself switched off: running functions, continuing answers."""
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
    """Those of the settings that the request may offer: models before Gemini 3 refuse them beside functions, and then functions go first."""
    if request.tools and not supports_mixed_tools(request.model):
        return ()
    return [tool for tool in request.settings.builtin_tools if tool in _BUILTIN_TOOLS]


def _tool_config(request: ModelRequest) -> types.ToolConfig | None:
    """None is the API's default. The API wants to be told that functions and its own tools stand side by side."""
    calling = _function_calling_config(request.settings.tool_choice, request.tools)
    both = bool(request.tools and builtin_tools(request)) or None
    return types.ToolConfig(function_calling_config=calling, include_server_side_tool_invocations=both) if calling or both else None


def _function_calling_config(choice: str, tools: Sequence[ToolDefinition]) -> types.FunctionCallingConfig | None:
    """None: the model's free choice. So is a tool that is not offered at this step: the API would refuse it."""
    names = {tool.name for tool in tools}
    if not names or (choice not in _CALLING_MODES and choice not in names):
        return None
    mode = _CALLING_MODES.get(choice, types.FunctionCallingConfigMode.ANY)
    return types.FunctionCallingConfig(mode=mode, allowed_function_names=None if choice in _CALLING_MODES else [choice])


def _thinking(settings: ModelSettings) -> types.ThinkingConfig | None:
    """A level or a budget (both is an error of the API)."""
    if settings.thinking_level:
        return types.ThinkingConfig(thinking_level=_level(settings.thinking_level), include_thoughts=True)
    if settings.thinking_budget is None:
        return None
    return types.ThinkingConfig(thinking_budget=settings.thinking_budget, include_thoughts=True if settings.thinking_budget else None)


def _no_thinking(request: ModelRequest) -> types.ThinkingConfig | None:
    """For a request that shall not think (SPEC 2.4): without a word these models think, unseen and billed. An admin's own word counts."""
    least = None if _has_thinking_option(request.settings.provider_options) else min_thinking(request.model)
    if isinstance(least, str):
        return types.ThinkingConfig(thinking_level=_level(least))
    return None if least is None else types.ThinkingConfig(thinking_budget=least)


def _level(name: str) -> types.ThinkingLevel:
    return types.ThinkingLevel(name.upper())


def _has_thinking_option(options: Mapping[str, Any]) -> bool:
    """In either spelling that the API takes."""
    configs = [options.get(name) for name in ("generationConfig", "generation_config")]
    return any(name in config for config in configs if isinstance(config, Mapping) for name in ("thinkingConfig", "thinking_config"))


def _declaration(tool: ToolDefinition) -> types.FunctionDeclaration:
    return types.FunctionDeclaration(name=tool.name, description=tool.description, parameters_json_schema=dict(tool.input_schema))


PLACEHOLDER_KEY = "none"  # the SDK wants one, and takes the environment's when it is given none
SERVER_TIMEOUT_S = 600  # what the SDK would otherwise derive from a client time limit and send as X-Server-Timeout

_PLACEHOLDER = "."  # of the conversation and the system prompt in what the SDK is given


@dataclass(frozen=True, slots=True, kw_only=True)
class GoogleRequestTemplate:
    """A request without its conversation, system prompt and key. `instruction`: a content for the system prompt."""

    template: RequestTemplate
    instruction: Mapping[str, Any]

    def request(self, *, key: str, system: str, contents: Iterable[bytes]) -> httpx2.Request:
        """The whole request; an empty `key` is sent as the SDK does without one. `contents`: the pieces of their JSON."""
        instruction_json = (b',"systemInstruction":', json_bytes({**self.instruction, "parts": [{"text": system}]})) if system else ()
        return self.template.build_from_json(key=key or PLACEHOLDER_KEY, conversation=(b'{"contents":', *contents, *instruction_json))


_template_cache = TemplateCache[GoogleRequestTemplate]()


async def request_template(request: ModelRequest, *, base_url: str, api_version: str) -> GoogleRequestTemplate:
    """What the SDK makes of the request's model, settings and tools. Raises RequestRefused for an option that is Parley's."""
    name = _cache_key(request, base_url, api_version)
    cached = _template_cache.get(name)
    if cached is None:
        cached = await _capture_template(request, base_url, api_version)
        _template_cache.put(name, cached, cached.template.size_bytes)
    return cached


def sdk_client(request: ModelRequest, base_url: str, api_version: str, http: httpx2.AsyncClient) -> genai.Client:
    """A client for one request. Everything is explicit: the SDK fills what is missing from the environment."""
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
    """Two requests have the same one when the SDK makes the same of them."""
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


# Both are only there so that the SDK does not build its own, at 22 ms each, for every client.
_NO_SYNC_CLIENT = httpx2.Client(transport=_NoTransport(), trust_env=False)
_NO_WEBSOCKET_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
