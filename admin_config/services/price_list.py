"""What the maintained price list (genai-prices) knows about models.

Its data ships with the package; nothing here uses the network.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from importlib.metadata import version
from itertools import groupby
from typing import TYPE_CHECKING

from admin_config.defaults.prices import FIRST_DAY, USD_DECIMALS, Price

if TYPE_CHECKING:
    from genai_prices.types import ConditionalPrice, ModelInfo, ModelPrice, Provider, TieredPrices

PRICE_LIST_NAME = f"genai-prices {version('genai-prices')}"
# Prices in these units belong to models that do not answer with text.
NON_TEXT_UNITS = ("output_audio_mtok", "output_image_mtok", "output_video_mtok", "input_audio_hours", "input_mchars")


@dataclass(frozen=True)
class ListedModel:
    """A model of the price list."""

    model_id: str
    name: str
    context_window: int | None  # in tokens; None when the list doesn't know it
    prices: tuple[Price, ...]  # all known ones, including past and future prices


def listed_model(provider: str, model_id: str) -> ListedModel | None:
    """Return what the list says about the provider's model, or None when it doesn't have it."""
    provider_info = _providers().get(provider)
    entry = provider_info and provider_info.find_model(model_id)
    return _to_listed_model(entry) if entry else None


def listed_models(provider: str) -> list[ListedModel]:
    """Return the provider's own text models that are currently sold, by id."""
    provider_info = _providers().get(provider)
    models = [model for model in provider_info.models if _is_current_text_model(provider_info, model)] if provider_info else []
    return sorted((_to_listed_model(model) for model in models), key=lambda model: model.model_id)


@cache
def _providers() -> dict[str, Provider]:
    from genai_prices.data import providers  # 2 MB of data that most processes never need

    return {provider.id: provider for provider in providers}


def _to_listed_model(model: ModelInfo) -> ListedModel:
    return ListedModel(model.id, model.name or model.id, model.context_window, tuple(_prices(model)))


def _is_current_text_model(provider: Provider, model: ModelInfo) -> bool:
    """Return whether the model is current, answers with text, and is the provider's own: providers also list resold models of others."""
    is_own = provider.model_match is None or provider.model_match.is_match(model.id)
    last = model.prices if not isinstance(model.prices, list) else model.prices[-1].prices
    is_text = last.output_mtok is not None and not any(getattr(last, unit) for unit in NON_TEXT_UNITS)
    return is_own and is_text and not model.deprecated and model.context_window is not None and bool(tuple(_prices(model)))


def _prices(model: ModelInfo) -> Iterator[Price]:
    """Yield the prices, oldest first. A start that changes none of the amounts we count is skipped."""
    before: list[Price] = []
    for start, prices in _dated_prices(model):
        steps = [_price(start, above, prices) for above in _thresholds(prices)]
        amounts = [price.on(FIRST_DAY) for price in steps]
        if all(price.is_known for price in steps) and amounts != before:
            before = amounts
            yield from steps


def _dated_prices(model: ModelInfo) -> Iterator[tuple[date, ModelPrice]]:
    """Yield prices by start. By the library's rules, the first price applies until another starts, and the last of equal starts wins."""
    if not isinstance(model.prices, list):
        yield FIRST_DAY, model.prices
        return
    dated_prices = [(FIRST_DAY if number == 0 else _start(price), price.prices) for number, price in enumerate(model.prices)]
    entries = sorted(((start, price) for start, price in dated_prices if start), key=lambda entry: entry[0])
    for _, group in groupby(entries, key=lambda entry: entry[0]):
        yield list(group)[-1]


def _start(price: ConditionalPrice) -> date | None:
    """Return the start of a price, or None for a price of certain hours of the day, which we don't support."""
    if price.constraint is None:
        return FIRST_DAY
    start: date | None = getattr(price.constraint, "start_date", None)
    return start


def _thresholds(prices: ModelPrice) -> list[int]:
    token_prices = (getattr(prices, unit) for unit in ("input_mtok", "cache_read_mtok", "cache_write_mtok", "output_mtok"))
    return sorted({0} | {tier.start for price in token_prices for tier in getattr(price, "tiers", ())})


def _price(start: date, above: int, prices: ModelPrice) -> Price:
    return Price(
        valid_from=start,
        above_tokens=above,
        input_usd=_amount(prices.input_mtok, above),
        cached_usd=_amount(prices.cache_read_mtok, above),
        cache_write_usd=_amount(prices.cache_write_mtok, above),
        output_usd=_amount(prices.output_mtok, above),
        image_usd=_amount(prices.output_image_mtok, above),
        search_usd=_amount(prices.web_searches_kcount, above),
    )


def _amount(price: Decimal | TieredPrices | None, above: int) -> float | None:
    """Return the amount for prompts of more than `above` tokens. Tiers are sorted by their start."""
    if price is None:
        return None
    steps = [price] if isinstance(price, Decimal) else [price.base, *(tier.price for tier in price.tiers if tier.start <= above)]
    return round(float(steps[-1]), USD_DECIMALS)
