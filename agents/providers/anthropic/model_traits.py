"""Capabilities of each Claude generation: how it thinks, how thinking is switched off, whether a tool can be forced.

An unknown name is treated as the newest and strictest model.
Sources: https://platform.claude.com/docs/en/build-with-claude/thinking, .../preserved-thinking, .../models/opus-5-5/whats-new-opus-5-5,
.../models/sonnet-5-5/whats-new-sonnet-5-5, .../models/haiku-5-5/migration-guide.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

# How a request switches thinking off. "left_out": by omitting the field. "never": it can't be switched off.
ThinkingOffMode = Literal["left_out", "disabled", "between_tools", "never"]

_NAME = re.compile(r"claude-(opus|sonnet|haiku|fable|mythos)-(\d+)(?:-(\d{1,2}))?(?!\d)")
_ALWAYS_THINKING = ("fable", "mythos")


@dataclass(frozen=True, slots=True)
class ModelTraits:
    """What the adapter must know about a model."""

    takes_budget: bool  # whether thinking has a token budget; other models choose the amount themselves and take an effort
    thinking_off: ThinkingOffMode
    can_force_tools: bool
    binds_thinking: bool  # whether thinking is valid only in the exact conversation it came from, system prompt and tools included


_NEWEST = ModelTraits(takes_budget=False, thinking_off="never", can_force_tools=False, binds_thinking=True)


def traits_of(model: str) -> ModelTraits:
    """Return the traits of a model, by its name."""
    match = _NAME.search(model)
    if match is None:
        return _NEWEST
    family, version = match[1], (int(match[2]), int(match[3] or 0))
    thinking_off = _thinking_off_mode(family, version)
    return ModelTraits(
        takes_budget=version < (4, 6),
        thinking_off=thinking_off,
        can_force_tools=thinking_off in ("left_out", "disabled"),
        binds_thinking=version >= ((5, 1) if family in _ALWAYS_THINKING else (5, 5)),
    )


def _thinking_off_mode(family: str, version: tuple[int, int]) -> ThinkingOffMode:
    if family in _ALWAYS_THINKING:
        return "never"
    if version < (5, 0):
        return "left_out"
    if version < (5, 5) or family == "haiku":
        return "disabled"
    return "between_tools" if family == "sonnet" else "never"
