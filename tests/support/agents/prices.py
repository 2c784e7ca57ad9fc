"""Prices of models, as tests need them."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from admin_config.defaults.prices import FIRST_DAY, Price, utc_today
from admin_config.models import ModelConfig, ModelPrice
from admin_config.services.model_catalogue import prices_replace
from tenants.context import tenant_tx


def price(input_usd: float, output_usd: float, *, days: int | None = None) -> Price:
    """A price that starts so many days from now; without `days`, one that always held."""
    start = FIRST_DAY if days is None else utc_today() + timedelta(days=days)
    return Price(valid_from=start, input_usd=input_usd, output_usd=output_usd)


def set_prices(organization_id: UUID, *prices: Price, provider: str = "google") -> None:
    """Give all models of the provider exactly these prices; none: no price. Publish afterwards."""
    with tenant_tx(organization_id):
        for model in ModelConfig.objects.filter(provider=provider):
            prices_replace(model, prices, source=ModelPrice.Source.ADMIN)
