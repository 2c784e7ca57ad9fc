"""Builds the HTTP request of one answer: thinking, tools and the parts that the provider caches.

The API has had no temperature, top_p, top_k, penalties or seed since version 2026-10-21: such settings are left out.
tests/agents/providers/test_sdk_requests.py compares each request with the one that Anthropic's SDK makes.
Sources: https://platform.claude.com/docs/en/api/messages, .../build-with-claude/thinking, .../effort, .../prompt-caching,
.../preserved-thinking/prefix-checks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import httpx2

from agents.messages import ModelRequest, ModelSettings, Reminder, SystemPrompt
from agents.providers.answer_formats import JSON_ONLY, answer_schema, closed_schema
from agents.providers.anthropic.messages import (
    Block,
    Message,
    build_messages,
    ends_in_calls_without_thinking,
    waiting_container,
    without_thinking,
)
from agents.providers.anthropic.model_traits import ModelTraits, traits_of
from agents.providers.anthropic.server_tools import server_tools
from agents.providers.connection import Connection
from agents.providers.entry_tags import entry_as_tag
from agents.providers.http_requests import bearer, json_post
from agents.providers.option_merging import merge_provider_options
from tenants.json_encoding import json_bytes

DEFAULT_MAX_TOKENS = 32_000  # the API requires a number; every model accepts this one, and thinking counts towards it
MIN_THINKING_BUDGET = 1024  # the API's minimum, and what an answer keeps besides its thinking
DEFAULT_THINKING_BUDGET = 8192  # for an unlimited budget (-1), which this API does not have

_LEVEL_BUDGETS = {"minimal": MIN_THINKING_BUDGET, "low": 2048, "medium": DEFAULT_THINKING_BUDGET, "high": 16_384}
_EFFORTS = {"minimal": "low", "low": "low", "medium": "medium", "high": "high"}
_THINKING_ON = ("adaptive", "enabled")
_CACHE_CONTROL = {"cache_control": {"type": "ephemeral"}}
# System prompts, reminders and compaction change what precedes older thinking, which is an error by default.
_BINDING = {"block_binding": {"prefix_mismatch_behavior": "drop_block"}}
_BINDING_BETA = {"anthropic-beta": "thinking-binding-controls-2026-08-01"}

Thinking = Mapping[str, Any]
API_VERSION = "2026-10-21"


def build_body(request: ModelRequest, provider: str) -> dict[str, Any]:
    """Return the request's body. Raises RequestRefused for a provider option that is reserved for Parley."""
    traits = traits_of(request.model)
    max_tokens = request.settings.max_output_tokens or DEFAULT_MAX_TOKENS
    messages = _after_question(build_messages(request.entries, provider, request.model, request.attachments))
    container = waiting_container(request.entries, provider, request.model, messages)
    options = dict(request.settings.provider_options)
    thinking = _with_option(_thinking(request.settings, traits, max_tokens, messages), options.pop("thinking", None))
    thinks = thinking is not None and thinking["type"] in _THINKING_ON
    fields = {
        "system": [*_system(request.system), *_json_note(request.settings)],
        "thinking": thinking,
        "output_config": _output_config(request.settings, traits, thinks=thinks),
        "tools": _tools(request),
        "tool_choice": _tool_choice(request, can_force=traits.can_force_tools and not thinks),
        "stop_sequences": list(request.settings.stop_sequences),
    }
    return {
        "model": request.model,
        "max_tokens": max_tokens,
        "stream": True,
        "messages": messages if thinks else without_thinking(messages),
        **{name: value for name, value in fields.items() if value},
        **merge_provider_options(options, fields),
        **({"container": container} if container else {}),
    }


def _after_question(messages: list[Message]) -> list[Message]:
    """Return the messages with one of the user in front: a page may have greeted its visitor, and the API refuses what begins with an answer."""
    if not messages or messages[0]["role"] == "user":
        return messages
    note = entry_as_tag(Reminder("The conversation begins with your message."))
    return [{"role": "user", "content": [{"type": "text", "text": note}]}, *messages]


def continuation_body(body: Mapping[str, Any], blocks: Sequence[Block], container: str) -> dict[str, Any]:
    """Return `body` for the rest of a paused answer: the blocks received so far go back, with the container in which code ran."""
    again = {"role": "assistant", "content": list(blocks)}
    container_field = {"container": container} if container else {}
    return {**body, "messages": [*body["messages"], again], **container_field}


def _with_option(thinking: Thinking | None, option: Any) -> Thinking | None:
    """Apply the admin's option, which sets how the model thinks but not whether it does."""
    return {**thinking, **option} if thinking is not None and isinstance(option, Mapping) else thinking


def _thinking(settings: ModelSettings, traits: ModelTraits, max_tokens: int, messages: Sequence[Message]) -> Thinking | None:
    wants_thinking = bool(settings.thinking_level or settings.thinking_budget)
    if traits.takes_budget:
        budget = min(_budget(settings), max_tokens - MIN_THINKING_BUDGET) if wants_thinking else 0
        # A step in mid-turn must begin with the thinking that led to it; a step of another model has none here.
        if budget < MIN_THINKING_BUDGET or ends_in_calls_without_thinking(messages):
            return None
        return {"type": "enabled", "budget_tokens": budget}
    if wants_thinking or traits.thinking_off == "never":
        adaptive = {"type": "adaptive", "display": "summarized" if wants_thinking else "omitted"}
        return adaptive | _BINDING if traits.binds_thinking else adaptive
    return None if traits.thinking_off == "left_out" else {"type": traits.thinking_off}


def _budget(settings: ModelSettings) -> int:
    """Return the thinking budget in tokens, at least MIN_THINKING_BUDGET."""
    if settings.thinking_level:
        return _LEVEL_BUDGETS[settings.thinking_level]
    budget = settings.thinking_budget or 0
    return DEFAULT_THINKING_BUDGET if budget < 0 else max(budget, MIN_THINKING_BUDGET)


def _output_config(settings: ModelSettings, traits: ModelTraits, *, thinks: bool) -> dict[str, Any] | None:
    """Return the effort and the schema of the answer; None for the model's defaults."""
    schema = answer_schema(settings)
    answer_format = {} if schema is None else {"format": {"type": "json_schema", "schema": closed_schema(schema)}}
    return _effort(settings, traits, thinks=thinks) | answer_format or None


def _effort(settings: ModelSettings, traits: ModelTraits, *, thinks: bool) -> dict[str, Any]:
    """Return the effort, or nothing for the model's default.

    It is the thinking level, or the lowest effort when thinking is unwanted but can't be switched off.
    """
    if traits.takes_budget or not thinks:
        return {}
    if settings.thinking_level:
        return {"effort": _EFFORTS[settings.thinking_level]}
    return {} if settings.thinking_budget else {"effort": "low"}


def _json_note(settings: ModelSettings) -> list[dict[str, Any]]:
    """Return the instruction for JSON of any shape, for which this API has no setting."""
    wants_json = settings.answer_format is not None and answer_schema(settings) is None
    return [{"type": "text", "text": JSON_ONLY}] if wants_json else []


def _system(system: SystemPrompt) -> list[dict[str, Any]]:
    """Return the system blocks; the stable one is marked for the cache. The API refuses empty texts."""
    stable = [{"type": "text", "text": system.stable, **_CACHE_CONTROL}] if system.stable.strip() else []
    return stable + ([{"type": "text", "text": system.changing}] if system.changing.strip() else [])


def _tools(request: ModelRequest) -> list[dict[str, Any]]:
    """Return the tool declarations. The mark on the last one makes the provider cache all of them."""
    declarations: list[dict[str, Any]] = [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.input_schema)} for tool in request.tools
    ]
    declarations += server_tools(request.settings.builtin_tools)
    if declarations:
        declarations[-1] |= _CACHE_CONTROL
    return declarations


def _tool_choice(request: ModelRequest, *, can_force: bool) -> dict[str, Any] | None:
    """Return the tool choice, or None to let the model choose.

    A call that can't be forced (by this model, or while it thinks) is left to the model as well: the API would refuse it.
    """
    choice, names = request.settings.tool_choice, {tool.name for tool in request.tools}
    one = {"disable_parallel_tool_use": True} if request.settings.single_tool_call and names else {}
    if choice == "none" and (names or request.settings.builtin_tools):
        return {"type": "none"}
    if not names or not can_force or (choice != "required" and choice not in names):
        return {"type": "auto", **one} if one else None
    return {"type": "any", **one} if choice == "required" else {"type": "tool", "name": choice, **one}


def request_of(connection: Connection, body: Mapping[str, Any]) -> httpx2.Request:
    """Return the HTTP request with this body."""
    beta = _BINDING_BETA if "block_binding" in body.get("thinking", {}) else {}
    headers = {"anthropic-version": connection.api_version or API_VERSION, **beta, **bearer(connection)}
    return json_post(connection, "/v1/messages", headers, [json_bytes(body)])
