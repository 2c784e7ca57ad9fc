"""Profiles of the Gemini models: enough to refuse what the real API refuses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from doubles.gemini.errors import unknown_model_error

KNOWN_MODELS = (
    "gemini-2.0-flash",
    "gemini-2.5-flash",
    "gemini-2.5-flash-lite",
    "gemini-2.5-pro",
    "gemini-3-flash-preview",
    "gemini-3-pro-preview",
    "gemini-3.1-pro-preview",
    "gemini-3.5-flash",
    "gemini-flash-latest",
    "gemini-pro-latest",
)
LISTED_BY_DEMO = ("demo-standard", "demo-fast", *KNOWN_MODELS)  # where any model is accepted, as the demo does
INPUT_TOKEN_LIMIT = 1_048_576
OUTPUT_TOKEN_LIMIT = 65_536
_NUMBER = re.compile(r"^gemini-(\d+(?:\.\d+)?)-")


@dataclass(frozen=True)
class ModelProfile:
    """What a model accepts."""

    name: str
    generation: float  # a name outside the Gemini family counts as 3.0, the strictest
    takes_budget: bool
    takes_level: bool
    lowest_budget: int = 0  # tokens
    highest_budget: int = 24_576  # tokens
    can_stop_thinking: bool = True

    @property
    def thinks(self) -> bool:
        return self.takes_budget or self.takes_level

    @property
    def takes_minimal_level(self) -> bool:
        return self.takes_level and "pro" not in self.name

    @property
    def takes_penalties(self) -> bool:
        return self.generation < 2.5  # https://github.com/google-gemini/cookbook/issues/1290

    @property
    def needs_signatures(self) -> bool:
        return self.generation >= 3


def model_profile(name: str) -> ModelProfile:
    """Return the profile of a model, by its name."""
    match = _NUMBER.match(name)
    generation = float(match.group(1)) if match else 3.0
    if generation < 2.5:
        return ModelProfile(name, generation, takes_budget=False, takes_level=False)
    if generation >= 3:
        return ModelProfile(name, generation, takes_budget=True, takes_level=True, highest_budget=32_768)
    if "pro" in name:
        return ModelProfile(name, generation, True, False, lowest_budget=128, highest_budget=32_768, can_stop_thinking=False)
    return ModelProfile(name, generation, True, False, lowest_budget=512 if "lite" in name else 1)


def check_model(name: str, version: str, model_names: tuple[str, ...] | None) -> None:
    """Raise WireError (404) for an unknown model. `model_names` None accepts any name. Names ending in -latest exist on v1beta only."""
    if (model_names is not None and name not in model_names) or (name.endswith("-latest") and version == "v1"):
        raise unknown_model_error(name, version)


def model_listing(name: str) -> dict[str, Any]:
    return {
        "name": f"models/{name}",
        "version": "001",
        "displayName": name.replace("-", " ").title(),
        "description": "A provider double's model: it answers what was scripted.",
        "inputTokenLimit": INPUT_TOKEN_LIMIT,
        "outputTokenLimit": OUTPUT_TOKEN_LIMIT,
        "supportedGenerationMethods": ["generateContent", "streamGenerateContent"],
        "temperature": 1,
        "topP": 0.95,
        "topK": 64,
        "maxTemperature": 2,
        "thinking": model_profile(name).thinks,
    }
