"""Template filters for the figures of runs, in the reader's language. A figure that is not known is a dash, never 0."""

from __future__ import annotations

from django.template import Library

from tenants.localization.figures import allowed_money as allowed_words, figure, money as money_words, us_dollars as dollar_words

register = Library()
UNKNOWN = "\N{EN DASH}"


@register.filter
def money(value: float | None) -> str:
    """Return "$0.0251": four decimals below a dollar, else two; in the currency that is shown."""
    return UNKNOWN if value is None else money_words(value)


@register.filter
def us_dollars(value: float) -> str:
    """Return "$12.50". For limits and budgets where they are set."""
    return dollar_words(value)


@register.filter
def allowed_money(value: float) -> str:
    """Return "€11.50". For limits and budgets where they are read."""
    return allowed_words(value)


@register.filter
def milliseconds(value: float | None) -> str:
    """Return "640 ms", "1.6 s" or "3:55"."""
    if value is None:
        return UNKNOWN
    return f"{value:.0f} ms" if value < 1000 else seconds(value / 1000)


@register.filter
def seconds(value: float | None) -> str:
    """Return "1.6 s" below a minute, else "3:55"."""
    if value is None:
        return UNKNOWN
    if value < 59.95:
        return f"{figure(value, 1)} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes}:{rest:02}"


@register.filter
def thousands(value: int | None) -> str:
    return UNKNOWN if value is None else figure(value)
