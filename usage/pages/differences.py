"""Differences between a provider's export and the log, in words. They are stored as figures and names of fields."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext, gettext_lazy

from tenants.localization.figures import figure, us_dollars

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

UNKNOWN: Final = "unknown"  # in the stored figure of a cost that calls without a price are part of
# The fields that are compared (usage.reconciliation.provider_exports).
FIELD_WORDS: Final[Mapping[str, StrOrPromise]] = {
    "input_tokens": gettext_lazy("Input tokens"),
    "cached_tokens": gettext_lazy("Tokens from the cache"),
    "output_tokens": gettext_lazy("Output tokens"),
    "cost_usd": gettext_lazy("Cost (USD)"),
}


def difference_texts(difference: Mapping[str, str]) -> dict[str, StrOrPromise]:
    """Return the cells of a difference in the reader's language."""
    field = difference["field"]
    figures = {name: _figure(field, difference[name]) for name in ("provider", "ledger")}
    return {"day": difference["day"], "model": difference["model"], "field": FIELD_WORDS.get(field, field), **figures}


def _figure(field: str, text: str) -> str:
    amount_text, plus, _ = text.partition(" + ")
    if amount_text == UNKNOWN:
        return gettext("unknown")
    try:
        amount = Decimal(amount_text)
    except InvalidOperation:
        return text
    words = us_dollars(amount, 2 if amount >= 1 else 4) if field == "cost_usd" else figure(amount)
    return gettext("%(cost)s + unknown") % {"cost": words} if plus else words
