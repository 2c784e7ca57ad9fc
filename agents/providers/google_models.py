"""What the adapter must know of a Gemini model by its name alone."""

from __future__ import annotations

import re

_GENERATION = re.compile(r"gemini-(\d+)")


def generation_of(model: str) -> int | None:
    """2 for gemini-2.5-flash; None for an alias (gemini-flash-latest) and for a name outside the family."""
    named = _GENERATION.search(model)
    return int(named[1]) if named else None


def takes_both_kinds_of_tools(model: str) -> bool:
    """Whether the API's own tools may stand beside functions. An alias may mean an older model; a name outside the family is a newer one."""
    generation = generation_of(model)
    return "gemini" not in model if generation is None else generation >= 3


def wants_signed_calls(model: str) -> bool:
    """Whether the first call of a step must carry a thought signature. An alias may mean a newer model; an older one takes it, too."""
    generation = generation_of(model)
    return "gemini" in model if generation is None else generation >= 3
