"""Capabilities of Gemini models, derived from their names."""

from __future__ import annotations

import re
from typing import Literal

_GENERATION = re.compile(r"gemini-(\d+)")

# The text models. Models for images, speech or live audio have no thinking budget, or another kind of one.
_THINKER = re.compile(r"(?:.*/)?gemini-(\d+(?:\.\d+)?)-(pro|flash|flash-lite)(?:-(?:preview|latest|exp|\d+))*")
MIN_PRO_BUDGET = 128  # tokens; the minimum of Gemini 2.5 Pro, which can't stop thinking


def generation_of(model: str) -> int | None:
    """Return the major version, such as 2 for gemini-2.5-flash; None for an alias (gemini-flash-latest) and for other names."""
    match = _GENERATION.search(model)
    return int(match[1]) if match else None


def supports_mixed_tools(model: str) -> bool:
    """Return whether the API's own tools may be combined with functions.

    An alias may mean an older model, so it counts as not supporting this. A name outside the Gemini family counts as a newer model.
    """
    generation = generation_of(model)
    return "gemini" not in model if generation is None else generation >= 3


def bills_each_query(model: str) -> bool:
    """Return whether each query of a search is billed, not the prompt that searched. True for an alias, which may mean a newer model."""
    generation = generation_of(model)
    return generation is None or generation >= 3


def requires_thought_signature(model: str) -> bool:
    """Return whether the first call of a step must carry a thought signature.

    True for aliases: they may mean a newer model, and older models accept a signature as well.
    """
    generation = generation_of(model)
    return "gemini" in model if generation is None else generation >= 3


def min_thinking(model: str) -> int | Literal["low", "minimal"] | None:
    """Return the budget or level with which the model thinks least or not at all; None when it is not known to take one.

    Source: https://ai.google.dev/gemini-api/docs/thinking, "Thinking levels and budgets".
    """
    match = _THINKER.fullmatch(model)
    if match is None or float(match[1]) < 2.5:
        return None
    is_pro = match[2] == "pro"
    if float(match[1]) < 3:
        return MIN_PRO_BUDGET if is_pro else 0
    return "low" if is_pro else "minimal"
