"""What the adapter must know of a Gemini model by its name alone."""

from __future__ import annotations

import re
from typing import Literal

_GENERATION = re.compile(r"gemini-(\d+)")

# The text models: those for images, speech or live talk take no such setting, or another one.
_THINKER = re.compile(r"(?:.*/)?gemini-(\d+(?:\.\d+)?)-(pro|flash|flash-lite)(?:-(?:preview|latest|exp|\d+))*")
MIN_PRO_BUDGET = 128  # of Gemini 2.5 Pro, which can't stop thinking


def generation_of(model: str) -> int | None:
    """2 for gemini-2.5-flash; None for an alias (gemini-flash-latest) and for a name outside the family."""
    named = _GENERATION.search(model)
    return int(named[1]) if named else None


def supports_mixed_tools(model: str) -> bool:
    """Whether the API's own tools may stand beside functions. An alias may mean an older model; a name outside the family is a newer one."""
    generation = generation_of(model)
    return "gemini" not in model if generation is None else generation >= 3


def requires_thought_signature(model: str) -> bool:
    """Whether the first call of a step must carry a thought signature. An alias may mean a newer model; an older one takes it, too."""
    generation = generation_of(model)
    return "gemini" in model if generation is None else generation >= 3


def min_thinking(model: str) -> int | Literal["low", "minimal"] | None:
    """What keeps the model from thinking, or has it think least: a budget or a level, by its generation. None: it isn't known to take one.

    Source: https://ai.google.dev/gemini-api/docs/thinking, "Thinking levels and budgets".
    """
    named = _THINKER.fullmatch(model)
    if named is None or float(named[1]) < 2.5:
        return None
    is_pro = named[2] == "pro"
    if float(named[1]) < 3:
        return MIN_PRO_BUDGET if is_pro else 0
    return "low" if is_pro else "minimal"
