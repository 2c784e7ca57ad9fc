"""Figures in words. A cost that is not known is never a number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.utils.translation import gettext_lazy

from usage.reading.facts import Sums

UNKNOWN: Final = gettext_lazy("Unknown")
_UNITS: Final = ((1_000_000_000, "B"), (1_000_000, "M"), (1_000, "k"))


def dollars(value: float) -> str:
    """Return "$1,842.16", and "$0.0251" below a dollar."""
    if value == 0:
        return "$0"
    return f"${value:,.2f}" if value >= 1 else f"${value:.4f}"


def short(value: float) -> str:
    """Return "861 M", "39.6 k" or "312"."""
    for size, unit in _UNITS:
        if value >= size * 0.9995:
            scaled = value / size
            return f"{scaled:.0f} {unit}" if scaled >= 99.5 else f"{scaled:.1f} {unit}"
    return f"{value:,.0f}"


def cost(sums: Sums) -> str:
    known = sums.known_cost_usd
    return cost_words(known or 0, sums.unpriced_tokens if sums.unpriced_calls else 0, is_known=known is not None)


def cost_words(usd: float, unpriced_tokens: int, *, is_known: bool) -> str:
    """Return the cost; "Unknown" where no call has a price, and with the tokens that no price counts."""
    if not is_known:
        return str(UNKNOWN)
    return f"{dollars(usd)} + {short(unpriced_tokens)} tokens" if unpriced_tokens else dollars(usd)


def percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %" if whole else ""


def sparkline(values: Sequence[float]) -> str:
    """Return the path of a line through the values, in a box 80 wide and 20 high; empty without any."""
    top = max(values, default=0)
    if not top:
        return ""
    step = 80 / max(1, len(values) - 1)
    return "M" + "L".join(f"{place * step:.1f} {18 - 16 * value / top:.1f}" for place, value in enumerate(values))
