"""Profiles of OpenAI's models: enough to refuse what the real API refuses."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from doubles.openai.errors import unknown_model_error

KNOWN_MODELS = ("gpt-6.2-sol", "gpt-6-astra", "gpt-6-luna", "gpt-5", "gpt-4.1", "gpt-4.1-mini", "o3")
_REASONING = re.compile(r"^(?:o\d|gpt-(?:[5-9]|\d\d)(?!.*-chat))")
_GENERATION = re.compile(r"^gpt-(\d+(?:\.\d+)?)")
OUTPUT_TOKEN_LIMIT = 128_000


@dataclass(frozen=True)
class ModelProfile:
    """What a model accepts."""

    name: str
    efforts: tuple[str, ...]  # accepted values of `reasoning.effort`; empty for models that do not reason

    @property
    def reasons(self) -> bool:
        return bool(self.efforts)


def model_profile(name: str) -> ModelProfile:
    """Return the profile of a model, by its name."""
    if not _REASONING.match(name):
        return ModelProfile(name, ())
    generation = _GENERATION.match(name)
    number = float(generation.group(1)) if generation else 0.0
    efforts: tuple[str, ...] = ("low", "medium", "high")
    if number == 5:
        efforts = ("minimal", *efforts)
    elif 5 < number < 6.1:
        efforts = ("none", *efforts, "xhigh")
    elif number >= 6.1:
        efforts = (*efforts, "xhigh", "max")
    return ModelProfile(name, efforts)


def check_model(name: str, model_names: Collection[str] | None) -> None:
    """Raise WireError (404) for an unknown model. `model_names` None accepts any name."""
    if model_names is not None and name not in model_names:
        raise unknown_model_error(name)


def model_listing(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 1_780_000_000, "owned_by": "openai"}
