"""A model request as the arguments of the SDK's `messages.create`: thinking, tools, the parts that the provider's cache keeps.

The API has no temperature, top_p, top_k, penalties or seed since version 2026-10-21: such settings are left out.
Sources: https://platform.claude.com/docs/en/api/messages, .../build-with-claude/thinking, .../effort, .../prompt-caching,
.../preserved-thinking/prefix-checks.

Requests as Anthropic's SDK makes them: address, headers, body. See agents.providers.request_templates.

Source: anthropic 2.12, `with_streaming_response`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import httpx2
from anthropic import AsyncAnthropic

from agents.engine.messages import ModelRequest, ModelSettings, SystemPrompt
from agents.providers.anthropic.messages import Block, Message, build_messages, ends_in_calls_without_thinking, without_thinking
from agents.providers.anthropic.model_traits import ModelTraits, traits_of
from agents.providers.anthropic.server_tools import server_tools
from agents.providers.connection import CONNECT_TIMEOUT_S, Connection
from agents.providers.option_merging import merge_provider_options
from agents.providers.request_templates import KEY_PLACEHOLDER, CapturingTransport, RequestTemplate, TemplateCache, cache_key
from security.secret_text import SecretText

DEFAULT_MAX_TOKENS = 32_000  # the API wants a number; every model takes this one, and thinking counts towards it
MIN_THINKING_BUDGET = 1024  # the API's least, and what an answer is left beside its thinking
DEFAULT_THINKING_BUDGET = 8192  # for "as much as you like" (-1), which this API does not know

_LEVEL_BUDGETS = {"minimal": MIN_THINKING_BUDGET, "low": 2048, "medium": DEFAULT_THINKING_BUDGET, "high": 16_384}
_EFFORTS = {"minimal": "low", "low": "low", "medium": "medium", "high": "high"}
_THINKING_ON = ("adaptive", "enabled")
_CACHE_CONTROL = {"cache_control": {"type": "ephemeral"}}
# System prompts, reminders and compaction change what stands before older thinking, which is an error by default.
_BINDING = {"block_binding": {"prefix_mismatch_behavior": "drop_block"}}
_BINDING_BETA = {"anthropic-beta": "thinking-binding-controls-2026-08-01"}

Thinking = Mapping[str, Any]


def build_arguments(request: ModelRequest, provider: str) -> dict[str, Any]:
    """All of them but `stream`."""
    traits = traits_of(request.model)
    max_tokens = request.settings.max_output_tokens or DEFAULT_MAX_TOKENS
    messages = build_messages(request.entries, provider, request.model, request.attachments)
    options = dict(request.settings.provider_options)
    thinking = _with_option(_thinking(request.settings, traits, max_tokens, messages), options.pop("thinking", None))
    thinks = thinking is not None and thinking["type"] in _THINKING_ON
    given = {
        "system": _system(request.system),
        "thinking": thinking,
        "output_config": _output_config(request.settings, traits, thinks=thinks),
        "tools": _tools(request),
        "tool_choice": _tool_choice(request, can_force=traits.can_force_tools and not thinks),
        "stop_sequences": list(request.settings.stop_sequences),
        "extra_headers": _BINDING_BETA if thinking and "block_binding" in thinking else None,
    }
    given["extra_body"] = merge_provider_options(options, given)
    return {
        "model": request.model,
        "max_tokens": max_tokens,
        "messages": messages if thinks else without_thinking(messages),
        **{name: value for name, value in given.items() if value},
    }


def continuation_arguments(arguments: Mapping[str, Any], blocks: Sequence[Block], container: str) -> dict[str, Any]:
    """`arguments` for the rest of an answer that the API paused: what came so far goes back, and the container that code ran in."""
    again = {"role": "assistant", "content": list(blocks)}
    kept = {"container": container} if container else {}
    return {**arguments, "messages": [*arguments["messages"], again], **kept}


def _with_option(thinking: Thinking | None, option: Any) -> Thinking | None:
    """An option says how it thinks, not whether."""
    return {**thinking, **option} if thinking is not None and isinstance(option, Mapping) else thinking


def _thinking(settings: ModelSettings, traits: ModelTraits, max_tokens: int, messages: Sequence[Message]) -> Thinking | None:
    wanted = bool(settings.thinking_level or settings.thinking_budget)
    if traits.takes_budget:
        budget = min(_budget(settings), max_tokens - MIN_THINKING_BUDGET) if wanted else 0
        # A step in mid-turn must begin with the thinking that led to it; one of another model has none here.
        if budget < MIN_THINKING_BUDGET or ends_in_calls_without_thinking(messages):
            return None
        return {"type": "enabled", "budget_tokens": budget}
    if wanted or traits.thinking_off == "never":
        adaptive = {"type": "adaptive", "display": "summarized" if wanted else "omitted"}
        return adaptive | _BINDING if traits.binds_thinking else adaptive
    return None if traits.thinking_off == "left_out" else {"type": traits.thinking_off}


def _budget(settings: ModelSettings) -> int:
    """In tokens, at least the API's least."""
    if settings.thinking_level:
        return _LEVEL_BUDGETS[settings.thinking_level]
    budget = settings.thinking_budget or 0
    return DEFAULT_THINKING_BUDGET if budget < 0 else max(budget, MIN_THINKING_BUDGET)


def _output_config(settings: ModelSettings, traits: ModelTraits, *, thinks: bool) -> dict[str, Any] | None:
    """The effort: the level, or the least where thinking is not wanted but can't be switched off. None: the model's own."""
    if traits.takes_budget or not thinks:
        return None
    if settings.thinking_level:
        return {"effort": _EFFORTS[settings.thinking_level]}
    return None if settings.thinking_budget else {"effort": "low"}


def _system(system: SystemPrompt) -> list[dict[str, Any]]:
    """The stable part is what the cache keeps; the API refuses empty texts."""
    stable = [{"type": "text", "text": system.stable, **_CACHE_CONTROL}] if system.stable.strip() else []
    return stable + ([{"type": "text", "text": system.changing}] if system.changing.strip() else [])


def _tools(request: ModelRequest) -> list[dict[str, Any]]:
    """The mark on the last one has the cache keep them all."""
    declarations: list[dict[str, Any]] = [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.input_schema)} for tool in request.tools
    ]
    declarations += server_tools(request.settings.builtin_tools)
    if declarations:
        declarations[-1] |= _CACHE_CONTROL
    return declarations


def _tool_choice(request: ModelRequest, *, can_force: bool) -> dict[str, Any] | None:
    """None is the model's free choice. So is a call that the model can't be made to make, or not while it thinks: both are refused."""
    choice, names = request.settings.tool_choice, {tool.name for tool in request.tools}
    if choice == "none" and (names or request.settings.builtin_tools):
        return {"type": "none"}
    if not names or not can_force or (choice != "required" and choice not in names):
        return None
    return {"type": "any"} if choice == "required" else {"type": "tool", "name": choice}


API_VERSION = "2026-10-21"
PLACEHOLDER_KEY = "none"  # the SDK takes the environment's, or one from a file, when it is given none
CONVERSATION_FIELDS = ("messages", "system", "container")  # the fields that are a conversation's own

_template_cache = TemplateCache[RequestTemplate]()


async def request_of(connection: Connection, arguments: Mapping[str, Any]) -> httpx2.Request:
    """The SDK's request for these arguments of its `messages.create`, with the connection's key; a conversation's fields go in as they are."""
    conversation = {name: arguments[name] for name in CONVERSATION_FIELDS if name in arguments}
    template = await request_template(
        connection, {name: value for name, value in arguments.items() if name not in conversation}, (*conversation,)
    )
    return template.request(key=connection.key.reveal() if connection.key else PLACEHOLDER_KEY, conversation=conversation)


async def request_template(connection: Connection, arguments: Mapping[str, Any], conversation: tuple[str, ...]) -> RequestTemplate:
    """What the SDK makes of `arguments`, for connections like this one, without the fields of a conversation."""
    name = cache_key(connection.base_url, connection.api_version, connection.read_timeout_s, arguments, conversation)
    template = _template_cache.get(name)
    if template is None:
        template = await _capture_template(connection, arguments, conversation)
        _template_cache.put(name, template, template.size_bytes)
    return template


async def _capture_template(connection: Connection, arguments: Mapping[str, Any], conversation: tuple[str, ...]) -> RequestTemplate:
    transport = CapturingTransport()
    client = client_of(replace(connection, http=transport.client(), key=SecretText(KEY_PLACEHOLDER)))
    async with client.messages.with_streaming_response.create(**arguments, messages=[], stream=True):
        return transport.request_template(conversation)


def client_of(connection: Connection) -> AsyncAnthropic:
    """A client for one call. Everything is explicit: the SDK fills what is missing from the environment."""
    return _Client(
        api_key=connection.key.reveal() if connection.key else PLACEHOLDER_KEY,
        webhook_key=PLACEHOLDER_KEY,
        base_url=connection.base_url,
        timeout=httpx2.Timeout(connection.read_timeout_s, connect=CONNECT_TIMEOUT_S, pool=CONNECT_TIMEOUT_S),
        max_retries=0,
        http_client=connection.http,
        open_telemetry={"traces": False, "propagation": False},
        default_headers={"anthropic-version": connection.api_version or API_VERSION, "accept-encoding": "identity"},
    )


class _Client(AsyncAnthropic):
    """A client for one call, without the headers that the SDK takes from ANTHROPIC_CUSTOM_HEADERS."""

    def __init__(self, *, default_headers: Mapping[str, str], **options: Any) -> None:
        super().__init__(**options)
        self._custom_headers = dict(default_headers)
