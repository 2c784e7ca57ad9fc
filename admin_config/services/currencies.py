"""In which currency an organization sees its costs."""

from __future__ import annotations

from datetime import date

from django.db.models import Case, When

from admin_config.defaults.prices import utc_today
from admin_config.models import CurrencyRate
from tenants.localization.currency import DOLLARS, Currency


def currency_on(day: date | None = None) -> Currency:
    """Return the currency of a day (UTC), today's without one. One query, in the organization's `tenant_tx`.

    US dollars as long as no rate was entered; also before the first one, which is then called unknown.
    """
    day = day or utc_today()
    has_begun = Case(When(valid_from__lte=day, then=True), default=False)
    rate = CurrencyRate.objects.order_by(has_begun.desc(), "-valid_from").first()
    if rate is None:
        return DOLLARS
    return rate.as_currency if rate.valid_from <= day else Currency(is_unknown=True)
