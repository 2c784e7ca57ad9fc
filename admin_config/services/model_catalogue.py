"""Model catalogue: what is known about models, and how an organization's rows are updated from it (SPEC 2.3).

The platform's defaults take precedence over the price list, because they were checked by hand. What an admin has set (`own_facts`) is never
changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date

from django.db.models import QuerySet

from admin_config.defaults.platform import PROVIDERS, ProviderSpec
from admin_config.defaults.prices import Price, prices_from_list, utc_today
from admin_config.defaults.providers import Abilities
from admin_config.models import ModelConfig, ModelPrice
from admin_config.services.price_list import listed_model

PRICES = "prices"
# Each fact with its fields. Thinking is a single fact, because its fields mean nothing without each other.
FACTS = {
    "context_window": ("context_window",),
    "max_output_tokens": ("max_output_tokens",),
    "thinking": ("supports_thinking", "thinking_style"),
    "images": ("supports_images",),
    "pdf": ("supports_pdf",),
    "builtin_tools": ("builtin_tools",),
}


@dataclass(frozen=True)
class FieldChange:
    """One change in words."""

    what: str
    before: str
    after: str


@dataclass(frozen=True)
class ModelUpdate:
    """What the catalogue changes of a model."""

    model: ModelConfig
    values: dict[str, object]  # by field
    prices: tuple[Price, ...] | None  # all prices afterwards; None when they don't change
    changes: tuple[FieldChange, ...]


def known_values(provider: str, model_id: str) -> dict[str, object]:
    """Return what is known of the model, by field of ModelConfig."""
    listing = listed_model(provider, model_id)
    values: dict[str, object] = {"context_window": listing.context_window} if listing and listing.context_window else {}
    values |= known_abilities(provider, model_id)
    for defaults in PROVIDERS[provider].models:
        if defaults.model_id == model_id:
            values |= {"context_window": defaults.context_window, "max_output_tokens": defaults.max_output_tokens}
            values |= {"supports_thinking": defaults.thinking_style != "none", "thinking_style": defaults.thinking_style}
    return values


def known_abilities(provider: str, model_id: str) -> dict[str, object]:
    """Return the model's abilities, by field of ModelConfig; empty where only an admin knows them.

    An unknown model is assumed to have none: a file that it can't read would be refused at every later step of the conversation.
    """
    defaults = PROVIDERS[provider]
    if defaults.abilities is None:
        return {}
    abilities = defaults.abilities if _is_known(defaults, model_id) else Abilities()
    return asdict(abilities) | {"builtin_tools": list(abilities.builtin_tools)}


def _is_known(provider: ProviderSpec, model_id: str) -> bool:
    is_of_family = provider.families is not None and provider.families.fullmatch(model_id)
    return bool(is_of_family) or any(model.model_id == model_id for model in provider.models)


def model_updates(rows: QuerySet[ModelConfig]) -> list[ModelUpdate]:
    """Return what the catalogue would change of these models today. Models without changes are left out."""
    models = rows.prefetch_related("prices").order_by("provider", "model_id")
    updates = (model_update(model, today=utc_today()) for model in models)
    return [update for update in updates if update is not None]


def model_update(model: ModelConfig, *, today: date) -> ModelUpdate | None:
    own = {field for fact in model.own_facts for field in FACTS.get(fact, ())}
    catalogue_values = known_values(model.provider, model.model_id)
    values = {name: value for name, value in catalogue_values.items() if name not in own and getattr(model, name) != value}
    prices = _new_prices(model, today)
    changes = tuple(_changes(model, values, prices))
    return ModelUpdate(model, values, prices, changes) if changes else None


def model_update_apply(update: ModelUpdate) -> None:
    for name, value in update.values.items():
        setattr(update.model, name, value)
    update.model.save(update_fields=list(update.values))
    if update.prices is not None:
        prices_replace(update.model, update.prices, source=ModelPrice.Source.LIST)


def prices_replace(model: ModelConfig, prices: Iterable[Price], *, source: ModelPrice.Source) -> None:
    """Give the model exactly these prices. Rows that don't change keep their source."""
    rows = {row.price: row for row in ModelPrice.objects.filter(model=model)}
    price_set = set(prices)
    ModelPrice.objects.filter(id__in=[row.id for price, row in rows.items() if price not in price_set]).delete()
    new = [ModelPrice(model=model, source=source, **price.model_dump()) for price in price_set if price not in rows]
    ModelPrice.objects.bulk_create(new)


def _new_prices(model: ModelConfig, today: date) -> tuple[Price, ...] | None:
    """Return the new prices, or None when they don't change: an admin set them, or the list has the same."""
    listing = listed_model(model.provider, model.model_id)
    if listing is None or not listing.prices or PRICES in model.own_facts:
        return None
    old_prices = _current_prices(model)
    prices = prices_from_list(old_prices, listing.prices, today=today)
    return None if prices == old_prices else prices


def _changes(model: ModelConfig, values: dict[str, object], prices: tuple[Price, ...] | None) -> Iterator[FieldChange]:
    for name, value in values.items():
        yield FieldChange(name.replace("_", " "), _format_value(getattr(model, name)), _format_value(value))
    if prices is not None:
        yield FieldChange(PRICES, _format_prices(_current_prices(model)), _format_prices(prices))


def _current_prices(model: ModelConfig) -> tuple[Price, ...]:
    return tuple(row.price for row in model.prices.all())


def _format_value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return (", ".join(map(str, value)) or "none") if isinstance(value, list) else str(value)


def _format_prices(prices: Sequence[Price]) -> str:
    return "; ".join(price.words() for price in prices) or "none"
