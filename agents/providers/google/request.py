"""Builds the HTTP request of one answer. The fields are those of the API's documentation.

tests/agents/providers/test_sdk_requests.py compares each request with the one that google-genai makes.
Sources: https://ai.google.dev/api/generate-content, https://ai.google.dev/gemini-api/docs/tool-combination.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import httpx2

from agents.errors import RequestRefused
from agents.messages import BuiltinTool, ModelRequest, ModelSettings, ToolDefinition
from agents.providers.answer_formats import answer_schema
from agents.providers.connection import Connection
from agents.providers.google.contents import contents_json
from agents.providers.google.model_traits import min_thinking, supports_mixed_tools
from agents.providers.http_requests import json_post
from agents.providers.option_merging import merge_objects
from agents.providers.tool_limits import check_tool_count
from tenants.json_encoding import json_bytes

API_VERSION = "v1beta"
SERVER_TIMEOUT_S = 600

Json = dict[str, Any]

_CALLING_MODES = {"none": "NONE", "required": "ANY"}
_BUILTIN_TOOLS: Mapping[BuiltinTool, Json] = {
    BuiltinTool.WEB_SEARCH: {"googleSearch": {}},
    BuiltinTool.URL_CONTEXT: {"urlContext": {}},
    BuiltinTool.CODE_EXECUTION: {"codeExecution": {}},
}
# Fields that Parley fills in: the conversation, the model, the tools, and that one request is one answer.
_RESERVED_FIELDS = frozenset({"model", "contents", "systeminstruction", "tools", "toolconfig", "continuationtoken"})


def build_request(connection: Connection, request: ModelRequest, provider: str) -> httpx2.Request:
    """Return the request. Raises RequestRefused for a provider option that is reserved for Parley."""
    path = f"/{connection.api_version or API_VERSION}/{_model_path(request.model)}:streamGenerateContent?alt=sse"
    return json_post(connection, path, {"x-server-timeout": str(SERVER_TIMEOUT_S), **key_header(connection)}, _body_json(request, provider))


def key_header(connection: Connection) -> dict[str, str]:
    """Return the header with the connection's key; none without a key."""
    return {"x-goog-api-key": connection.key.reveal()} if connection.key else {}


def _model_path(model: str) -> str:
    if ".." in model:
        raise RequestRefused(f"{model} is not the name of a model.")
    return quote(model if model.startswith(("models/", "tunedModels/")) else f"models/{model}")


def _body_json(request: ModelRequest, provider: str) -> Iterator[bytes | memoryview]:
    """Yield the body in pieces, because the contents may be megabytes."""
    yield b'{"contents":'
    yield from contents_json(request, provider)
    yield b","
    yield memoryview(json_bytes(build_body(request)))[1:]


def build_body(request: ModelRequest) -> Json:
    """Return the body without the contents. Raises TooManyTools, and RequestRefused; see `build_request`."""
    options = request.settings.provider_options
    if reserved_names := sorted(name for name in options if name.replace("_", "").lower() in _RESERVED_FIELDS):
        raise RequestRefused(f"The model's provider options may not set {', '.join(reserved_names)}. An admin can change them.")
    fields = {
        "systemInstruction": {"role": "user", "parts": [{"text": system}]} if (system := str(request.system)) else None,
        "tools": _tools(request),
        "toolConfig": _tool_config(request),
    }
    body = {"generationConfig": _generation_config(request), **{name: value for name, value in fields.items() if value}}
    return merge_objects(body, options)


def _generation_config(request: ModelRequest) -> Json:
    settings = request.settings
    config = {
        "temperature": settings.temperature,
        "topP": settings.top_p,
        "topK": settings.top_k,
        "presencePenalty": settings.presence_penalty,
        "frequencyPenalty": settings.frequency_penalty,
        "seed": settings.seed,
        "stopSequences": list(settings.stop_sequences) or None,
        "maxOutputTokens": settings.max_output_tokens,
        "thinkingConfig": _thinking(settings) or _no_thinking(request),
        **_answer_format(request),
    }
    return {name: value for name, value in config.items() if value is not None}


def _answer_format(request: ModelRequest) -> Json:
    """Return the fields of the answer's format. Raises RequestRefused for models before Gemini 3 with tools, which the API would refuse."""
    if not request.settings.answer_format:
        return {}
    if request.tools and not supports_mixed_tools(request.model):
        raise RequestRefused(f"{request.model} can't answer as JSON while it has tools. Choose a newer model, or send no tools.")
    schema = answer_schema(request.settings)
    return {"responseMimeType": "application/json", "responseJsonSchema": None if schema is None else dict(schema)}


def _tools(request: ModelRequest) -> list[Json]:
    check_tool_count("google", len(request.tools))
    functions = [_declaration(tool) for tool in request.tools]
    built_in = [_BUILTIN_TOOLS[tool] for tool in builtin_tools(request)]
    return [*built_in, *([{"functionDeclarations": functions}] if functions else [])]


def builtin_tools(request: ModelRequest) -> Sequence[BuiltinTool]:
    """Return the built-in tools that the request may offer.

    Models before Gemini 3 refuse them together with functions; functions take precedence then.
    """
    if request.tools and not supports_mixed_tools(request.model):
        return ()
    return [tool for tool in request.settings.builtin_tools if tool in _BUILTIN_TOOLS]


def _tool_config(request: ModelRequest) -> Json:
    """Return the tool config, empty for the API's default. The API requires a flag when functions and its own tools are combined."""
    calling_config = _function_calling_config(request.settings.tool_choice, request.tools)
    both = bool(request.tools and builtin_tools(request))
    return ({"functionCallingConfig": calling_config} if calling_config else {}) | (
        {"includeServerSideToolInvocations": True} if both else {}
    )


def _function_calling_config(choice: str, tools: Sequence[ToolDefinition]) -> Json | None:
    """Return None to let the model choose. That includes a tool that this step does not offer, which the API would refuse."""
    names = {tool.name for tool in tools}
    if not names or (choice not in _CALLING_MODES and choice not in names):
        return None
    return {"mode": _CALLING_MODES[choice]} if choice in _CALLING_MODES else {"mode": "ANY", "allowedFunctionNames": [choice]}


def _thinking(settings: ModelSettings) -> Json | None:
    """Return a level or a budget; the API refuses both together."""
    if settings.thinking_level:
        return {"thinkingLevel": settings.thinking_level.upper(), "includeThoughts": True}
    if settings.thinking_budget is None:
        return None
    return {"thinkingBudget": settings.thinking_budget} | ({"includeThoughts": True} if settings.thinking_budget else {})


def _no_thinking(request: ModelRequest) -> Json | None:
    """Return the setting for a request that must not think (SPEC 2.4).

    Without one, these models think unseen, and it is billed. An admin's own thinking option takes precedence.
    """
    least = None if _has_thinking_option(request.settings.provider_options) else min_thinking(request.model)
    if isinstance(least, str):
        return {"thinkingLevel": least.upper()}
    return None if least is None else {"thinkingBudget": least}


def _has_thinking_option(options: Mapping[str, Any]) -> bool:
    """Return whether the options set thinking, in either spelling that the API accepts."""
    configs = [options.get(name) for name in ("generationConfig", "generation_config")]
    return any(name in config for config in configs if isinstance(config, Mapping) for name in ("thinkingConfig", "thinking_config"))


def _declaration(tool: ToolDefinition) -> Json:
    return {"name": tool.name, "description": tool.description, "parametersJsonSchema": dict(tool.input_schema)}
