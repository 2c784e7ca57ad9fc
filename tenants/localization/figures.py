"""Figures as the active language writes them: "12,345.6" in English, "12.345,6" in German."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Final

from django.utils.formats import number_format
from django.utils.translation import gettext

from tenants.localization.currency import DOLLARS, Currency, shown_currency

MINUS: Final = "\N{MINUS SIGN}"


def figure(value: float | Decimal, decimals: int = 0) -> str:
    """Return a number with so many decimals, rounded, and its thousands apart."""
    digits = str(value) if isinstance(value, int) and not decimals else f"{value:.{decimals}f}"
    return number_format(digits, decimals, use_l10n=True, force_grouping=True)


def figure_as_it_is(value: float) -> str:
    """Return a number with the decimals that it has, at most six, as prices have them: "0.3", "12"."""
    digits = f"{value:.6f}".rstrip("0").rstrip(".")
    return number_format(digits, len(digits.partition(".")[2]), use_l10n=True, force_grouping=True)


def us_dollars(value: float | Decimal, decimals: int = 2) -> str:
    """Return "$1,842.16"; in German "1.842,16 $". For limits and budgets where they are set, which is in dollars whatever costs are shown in."""
    return _amount(value, DOLLARS, decimals)


def allowed_money(usd: float | Decimal) -> str:
    """Return what a limit or a budget allows, or its part, in the currency that is shown, to the cent: "$1,842.16", "€0.50"."""
    currency = shown_currency()
    return _amount(Decimal(usd) * currency.per_usd, currency, currency.decimals)


def money(usd: float | Decimal) -> str:
    """Return a cost in the currency that is shown: "$1,842.16", "€1,694.79"; "$0.0251" below one, where cents say too little; "$0"."""
    currency = shown_currency()
    amount = Decimal(usd) * currency.per_usd
    return _amount(amount, currency, currency.decimals if amount >= 1 else 4 if amount else 0)


def dollar_rate(currency: Currency) -> str:
    """Return what a US dollar is worth in the currency: "€0.92"; in German "0,92 €"."""
    return _with_symbol(figure_as_it_is(float(currency.per_usd)), currency)


def _amount(value: float | Decimal, currency: Currency, decimals: int) -> str:
    return _with_symbol(figure(value, decimals), currency)


def _with_symbol(amount: str, currency: Currency) -> str:
    return (gettext("%(symbol)s%(amount)s") % {"symbol": currency.symbol, "amount": amount}).strip()


def signed(value: float) -> str:
    """Return one decimal with a sign, and 0.0 without."""
    words = figure(abs(value), 1)
    is_zero = round(abs(value), 1) == 0
    return words if is_zero else f"{'+' if value > 0 else MINUS}{words}"


def percent(value: float, decimals: int = 0) -> str:
    """Return "37 %" for 37."""
    return f"{figure(value, decimals)} %"


# How a measure that is stored as a number is written.
FORMS: Final[Mapping[str, Callable[[float], str]]] = {
    "share": lambda value: percent(100 * value, 1),
    "money": money,
    "milliseconds": lambda value: f"{figure(value / 1000, 2)} s",
    "seconds": lambda value: f"{figure(value, 1)} s",
}
