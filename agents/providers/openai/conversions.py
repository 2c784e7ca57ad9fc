"""Conversions shared by the two OpenAI wires."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from agents.messages import ModelSettings, ProviderMetadata, ToolDefinition, ToolResult
from tenants.json_encoding import json_bytes

Effort = Literal["low", "medium", "high"]

MAX_LOW_BUDGET = 2048  # tokens of a thinking budget, also below
MAX_MEDIUM_BUDGET = 8192

_MISTRAL = re.compile(r"\b(?:mi(?:s|ni|x)tral|codestral|devstral|magistral|pixtral|voxtral)", re.IGNORECASE)
_REASONING = re.compile(r"^(?:o\d|gpt-(?:[5-9]|\d\d)(?!.*-chat))")


def is_reasoning_model(model: str) -> bool:
    """Return whether this is one of OpenAI's reasoning models. They refuse sampling settings; other models refuse reasoning settings."""
    return bool(_REASONING.match(model.rsplit("/", 1)[-1]))


def is_mistral_model(model: str) -> bool:
    """Return whether this is one of Mistral's models. Its API and servers with its templates refuse more than OpenAI's does."""
    return bool(_MISTRAL.search(model))


def effort_of(settings: ModelSettings) -> Effort | None:
    """Return the thinking level or budget as an effort; None for the model's default.

    Every reasoning model accepts low to high, but not all accept less ("none", "minimal"), which becomes low.
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
    """Return the tool choice to send; None (the API's default) without tools, or for a tool that this step does not offer."""
    choices = {"none", "required", *(tool.name for tool in tools)}
    return settings.tool_choice if tools and settings.tool_choice in choices else None


def call_id(original_id: str, longest: int) -> str:
    """Return the id, hashed when it is longer than this API allows. A call and its result get the same id."""
    return original_id if len(original_id) <= longest else hashlib.sha256(original_id.encode()).hexdigest()[:longest]


def arguments_text(arguments: Mapping[str, Any]) -> str:
    return json_bytes(dict(arguments), default=str).decode()


def output_text(result: ToolResult) -> str:
    """Return a result as text. These APIs have no error flag, so an error becomes a JSON object."""
    if result.is_error:
        return json_bytes({"error": result.output}, default=str).decode()
    return result.output if isinstance(result.output, str) else json_bytes(result.output, default=str).decode()


def own_metadata(provider_metadata: ProviderMetadata | None, provider: str, model: str) -> ProviderMetadata:
    """Return the entry's provider metadata; {} when another model made it, for which it is useless or an error."""
    if provider_metadata is None or (provider_metadata.get("provider"), provider_metadata.get("model")) != (provider, model):
        return {}
    return provider_metadata


def nested_count(counts: Any, *names: str) -> int:
    """Return the number at the path `names`; 0 when it is missing, negative or not a number."""
    for name in names:
        counts = counts.get(name) if isinstance(counts, dict) else None
    return counts if isinstance(counts, int) and counts > 0 else 0
