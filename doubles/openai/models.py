"""What the double knows of a model: enough to refuse what the real one refuses."""

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
    """`efforts`: what `reasoning.effort` may be; none for models that do not reason."""

    name: str
    efforts: tuple[str, ...]

    @property
    def reasons(self) -> bool:
        return bool(self.efforts)


def model_profile(name: str) -> ModelProfile:
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


def check_model(name: str, known: Collection[str] | None) -> None:
    """`known` None: any name."""
    if known is not None and name not in known:
        raise unknown_model_error(name)


def model_listing(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 1_780_000_000, "owned_by": "openai"}
