"""A ModelRequest as the Gemini API is asked: the SDK's settings, and the fields that go past them.

Sources: https://ai.google.dev/api/generate-content, https://ai.google.dev/gemini-api/docs/tool-combination.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.genai import types

from agents.engine.errors import RequestRefused
from agents.engine.messages import BuiltinTool, ModelRequest, ModelSettings, ToolDefinition
from agents.providers.google.model_traits import min_thinking, supports_mixed_tools

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
