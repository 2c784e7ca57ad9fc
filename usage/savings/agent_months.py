"""What each agent used in the last 30 days, with the model that it used most and its price: hints count with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from admin_config.defaults.prices import Price
from admin_config.models import ModelConfig
from usage.reading.sums import Sums

Prices = Mapping[tuple[str, str], Price]  # by provider and model


@dataclass(frozen=True, slots=True)
class Month:
    """What an agent used in the last 30 days, and of it the model that it used most, which has a price."""

    agent: str  # its key
    sums: Sums
    provider: str
    model: str
    model_sums: Sums
    price: Price


def prices_today() -> Prices:
    """Return the known prices of prompts of usual length. Two statements."""
    return {
        (model.provider, model.model_id): model.prices_today[0]
        for model in ModelConfig.objects.prefetch_related("prices")
        if model.prices_today and model.prices_today[0].is_known
    }


def months_of(rows: Iterable[tuple[tuple[Any, ...], Sums]], prices: Prices) -> dict[str, Month]:
    """Return the month of each agent whose most used model has a price. `rows`: sums by agent, provider and model."""
    sums_of: dict[str, Sums] = {}
    models: dict[str, dict[tuple[str, str], Sums]] = {}
    for (agent, provider, model, *_), sums in rows:
        sums_of.setdefault(agent, Sums()).add(sums)
        if (provider, model) in prices:
            models.setdefault(agent, {}).setdefault((provider, model), Sums()).add(sums)
    most = {agent: max(by_model, key=lambda name: by_model[name].input_tokens) for agent, by_model in models.items()}
    return {agent: Month(agent, sums_of[agent], *name, models[agent][name], prices[name]) for agent, name in most.items()}
