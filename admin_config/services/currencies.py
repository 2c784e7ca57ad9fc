"""In which currency an organization sees its costs."""

from __future__ import annotations

from datetime import date

from admin_config.defaults.prices import utc_today
from admin_config.models import CurrencyRate
from tenants.currency import DOLLARS, Currency


def currency_on(day: date | None = None) -> Currency:
    """Return the currency of a day (UTC), today's without one. One query, in the organization's `tenant_tx`.

    US dollars as long as no rate was entered; also before the first one, which is then called unknown.
    """
    rates = list(CurrencyRate.objects.order_by("-valid_from"))
    if not rates:
        return DOLLARS
    holding = next((rate for rate in rates if rate.valid_from <= (day or utc_today())), None)
    return holding.shown if holding else Currency(is_unknown=True)
