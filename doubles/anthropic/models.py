"""Profiles of the Claude models: enough to refuse what the real API refuses.

Sources: https://platform.claude.com/docs/en/about-claude/models/overview, .../build-with-claude/thinking, and the pages on what is new in
each model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from doubles.anthropic.errors import WireError

KNOWN_MODELS = (
    "claude-opus-5-5",
    "claude-sonnet-5-5",
    "claude-haiku-5-5",
    "claude-fable-5-1",
    "claude-opus-5",
    "claude-sonnet-5",
    "claude-opus-4-8",
    "claude-opus-4-6",
    "claude-sonnet-4-6",
    "claude-haiku-4-5",
    "claude-haiku-4-5-20251001",
)
_NAME = re.compile(r"^claude-(?P<family>[a-z]+)-(?P<major>\d+)(?:-(?P<minor>\d{1,2}))?(?!\d)")


@dataclass(frozen=True)
class ModelProfile:
    """What a model accepts."""

    name: str
    version: tuple[int, int]
    thinking_types: frozenset[str]  # accepted values of thinking.type
    default_thinking: str  # what a request without the field means
    default_display: str
    can_force_tools: bool
    binds_thinking: bool

    @property
    def takes_effort(self) -> bool:
        return self.version >= (4, 6)

    @property
    def takes_prefill(self) -> bool:
        return self.version < (4, 6)

    @property
    def takes_sampling(self) -> bool:
        return self.version < (4, 7)

    @property
    def context_window(self) -> int:
        return 1_000_000 if self.version >= (4, 6) else 200_000

    @property
    def max_tokens(self) -> int:
        return 128_000 if self.version >= (4, 6) else 64_000


def model_profile(name: str) -> ModelProfile:
    """Return the model's profile. An unknown family counts as the newest and strictest."""
    match = _NAME.match(name)
    family = match["family"] if match else "fable"
    version = (int(match["major"]), int(match["minor"] or 0)) if match else (9, 0)
    types = _thinking_types(family, version)
    return ModelProfile(
        name,
        version,
        types,
        default_thinking="adaptive" if version >= (5, 0) else "disabled",
        default_display="omitted" if version >= (4, 7) else "summarized",
        can_force_tools="disabled" in types,
        binds_thinking=version >= ((5, 1) if family in ("fable", "mythos") else (5, 5)),
    )


def _thinking_types(family: str, version: tuple[int, int]) -> frozenset[str]:
    if version < (4, 6):
        return frozenset({"enabled", "disabled"})
    if version < (4, 7):
        return frozenset({"enabled", "adaptive", "disabled"})
    if family == "sonnet" and version >= (5, 5):
        return frozenset({"adaptive", "between_tools"})
    if family in ("fable", "mythos") or (family == "opus" and version >= (5, 5)):
        return frozenset({"adaptive"})
    return frozenset({"adaptive", "disabled"})


def check_model(name: str, model_names: tuple[str, ...] | None) -> None:
    """Raise WireError (404) for a model that is not known. `model_names` None accepts any name."""
    if model_names is not None and name not in model_names:
        raise WireError(404, f"model: {name}")


def model_listing(name: str) -> dict[str, Any]:
    profile = model_profile(name)
    return {
        "type": "model",
        "id": name,
        "display_name": name.replace("-", " ").title(),
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active",
        "max_input_tokens": profile.context_window,
        "max_tokens": profile.max_tokens,
    }
