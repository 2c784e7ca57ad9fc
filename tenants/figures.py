"""Figures as the active language writes them: "12,345.6" in English, "12.345,6" in German."""

from __future__ import annotations

from decimal import Decimal

from django.utils.formats import number_format
from django.utils.translation import gettext


def figure(value: float | Decimal, decimals: int = 0) -> str:
    """Return a number with so many decimals, rounded, and its thousands apart."""
    digits = str(value) if isinstance(value, int) and not decimals else f"{value:.{decimals}f}"
    return number_format(digits, decimals, use_l10n=True, force_grouping=True)


def figure_as_it_is(value: float) -> str:
    """Return a number with the decimals that it has, at most six, as prices have them: "0.3", "12"."""
    digits = f"{value:.6f}".rstrip("0").rstrip(".")
    return number_format(digits, len(digits.partition(".")[2]), use_l10n=True, force_grouping=True)


def us_dollars(value: float | Decimal, decimals: int = 2) -> str:
    """Return "$1,842.16"; in German "1.842,16 $"."""
    return gettext("$%(amount)s") % {"amount": figure(value, decimals)}


def usual_dollars(value: float | Decimal) -> str:
    """Return "$1,842.16", and "$0.0251" below a dollar, where cents say too little."""
    return us_dollars(value, 2 if value >= 1 else 4)


def percent(value: float, decimals: int = 0) -> str:
    """Return "37 %" for 37."""
    return f"{figure(value, decimals)} %"
