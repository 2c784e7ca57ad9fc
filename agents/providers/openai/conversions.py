"""What both OpenAI wires spell alike."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from agents.engine.messages import ModelSettings, ProviderMetadata, ToolDefinition, ToolResult
from tenants.json_encoding import json_bytes

Effort = Literal["low", "medium", "high"]

MAX_LOW_BUDGET = 2048  # tokens of a thinking budget
MAX_MEDIUM_BUDGET = 8192

_REASONING = re.compile(r"^(?:o\d|gpt-(?:[5-9]|\d\d)(?!.*-chat))")


def is_reasoning_model(model: str) -> bool:
    """Of OpenAI's own models. They refuse sampling settings, others refuse reasoning settings."""
    return bool(_REASONING.match(model.rsplit("/", 1)[-1]))


def effort_of(settings: ModelSettings) -> Effort | None:
    """A level or a budget as an effort; None: the model's own habit.

    Every reasoning model takes low to high, but not all take less ("none", "minimal"): those become low.
    """
    if settings.thinking_level:
        return "low" if settings.thinking_level == "minimal" else settings.thinking_level
    budget = settings.thinking_budget
    if budget is None or budget < 0:
        return None
    if budget <= MAX_LOW_BUDGET:
        return "low"
    return "medium" if budget <= MAX_MEDIUM_BUDGET else "high"


def thinks(settings: ModelSettings) -> bool:
    return bool(settings.thinking_level or settings.thinking_budget)


def tool_choice_to_send(settings: ModelSettings, tools: Sequence[ToolDefinition]) -> str | None:
    """The tool choice to send; None, the API's default, without tools and for one that is not offered at this step."""
    known = {"none", "required", *(tool.name for tool in tools)}
    return settings.tool_choice if tools and settings.tool_choice in known else None


def call_id(given: str, longest: int) -> str:
    """The id as this API takes it: another provider's may be longer. A call and its result are changed alike."""
    return given if len(given) <= longest else hashlib.sha256(given.encode()).hexdigest()[:longest]


def arguments_text(arguments: Mapping[str, Any]) -> str:
    return json_bytes(dict(arguments), default=str).decode()


def output_text(result: ToolResult) -> str:
    """A result as text. These APIs have no sign for an error, so it stands in an object of its own."""
    if result.is_error:
        return json_bytes({"error": result.output}, default=str).decode()
    return result.output if isinstance(result.output, str) else json_bytes(result.output, default=str).decode()


def own_metadata(provider_metadata: ProviderMetadata | None, provider: str, model: str) -> ProviderMetadata:
    """The entry's extras; none when another model made them, for which they are no use or an error."""
    if provider_metadata is None or (provider_metadata.get("provider"), provider_metadata.get("model")) != (provider, model):
        return {}
    return provider_metadata


def nested_count(counts: Any, *names: str) -> int:
    """The number under `names`, one below the other; what is missing or no number counts as 0."""
    for name in names:
        counts = counts.get(name) if isinstance(counts, dict) else None
    return counts if isinstance(counts, int) and counts > 0 else 0
