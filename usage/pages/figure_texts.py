"""Figures in words, in the reader's language. A cost that is not known is never a number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext, gettext_lazy

from tenants.localization.currency import USD, shown_currency
from tenants.localization.figures import dollar_rate, figure, money, percent
from tenants.localization.language import date_in_words
from usage.reading.sums import Sums

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

UNKNOWN: Final = gettext_lazy("Unknown")
_UNITS: Final[tuple[tuple[int, StrOrPromise], ...]] = (
    (1_000_000_000, gettext_lazy("%(number)s B")),
    (1_000_000, gettext_lazy("%(number)s M")),
    (1_000, gettext_lazy("%(number)s k")),
)


def currency_note() -> str:
    """Return what a cost on the page is taken for; empty where it stands in US dollars and nobody wanted otherwise."""
    currency = shown_currency()
    if currency.is_unknown:
        return gettext("No rate was entered for this time: costs are in US dollars.")
    if currency.since is None or currency.code == USD:
        return ""
    return gettext("1 US dollar is taken for %(rate)s, the rate since %(day)s. Files for programs have US dollars.") % {
        "rate": dollar_rate(currency),
        "day": date_in_words(currency.since, "j F Y"),
    }


def short(value: float) -> str:
    """Return "861 M", "39.6 k" or "312"."""
    for size, words in _UNITS:
        if value >= size * 0.9995:
            amount = value / size
            return str(words) % {"number": figure(amount, 0 if amount >= 99.5 else 1)}
    return figure(value)


def cost(sums: Sums) -> str:
    cost_usd = sums.known_cost_usd
    return cost_text(cost_usd or 0, sums.unpriced_tokens if sums.unpriced_calls else 0, is_known=cost_usd is not None)


def cost_text(usd: float, unpriced_tokens: int, *, is_known: bool) -> str:
    """Return the cost; "Unknown" where no call has a price, and with the tokens that no price counts."""
    if not is_known:
        return str(UNKNOWN)
    if not unpriced_tokens:
        return money(usd)
    return gettext("%(cost)s + %(tokens)s tokens") % {"cost": money(usd), "tokens": short(unpriced_tokens)}


def share(part: float, whole: float) -> str:
    return percent(100 * part / whole) if whole else ""


def sparkline(values: Sequence[float]) -> str:
    """Return the path of a line through the values, in a box 80 wide and 20 high; empty without any."""
    top = max(values, default=0)
    if not top:
        return ""
    step = 80 / max(1, len(values) - 1)
    return "M" + "L".join(f"{place * step:.1f} {18 - 16 * value / top:.1f}" for place, value in enumerate(values))
