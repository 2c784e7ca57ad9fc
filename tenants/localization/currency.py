"""The currency in which costs are shown. They are stored and counted in US dollars, and so are limits and budgets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Final

USD: Final = "USD"
# What amounts are written with, as the browser writes them (CLDR): those in letters stand apart.
SYMBOLS: Final[Mapping[str, str]] = {
    "USD": "$",
    "EUR": "€",
    "GBP": "£",
    "CHF": "CHF\N{NO-BREAK SPACE}",
    "SEK": "SEK\N{NO-BREAK SPACE}",
    "NOK": "NOK\N{NO-BREAK SPACE}",
    "DKK": "DKK\N{NO-BREAK SPACE}",
    "PLN": "PLN\N{NO-BREAK SPACE}",
    "CZK": "CZK\N{NO-BREAK SPACE}",
    "CAD": "CA$",
    "AUD": "A$",
    "NZD": "NZ$",
    "BRL": "R$",
    "INR": "₹",
    "CNY": "CN¥",
    "JPY": "¥",
    "KRW": "₩",
}
WITHOUT_CENTS: Final = frozenset({"JPY", "KRW"})


@dataclass(frozen=True, slots=True)
class Currency:
    """A currency, and what a US dollar is worth in it since a day. `is_unknown`: there is no rate, so costs are shown in US dollars."""

    code: str = USD
    per_usd: Decimal = Decimal(1)
    since: date | None = None
    is_unknown: bool = False

    @property
    def symbol(self) -> str:
        return SYMBOLS[self.code]

    @property
    def decimals(self) -> int:
        return 0 if self.code in WITHOUT_CENTS else 2


DOLLARS: Final = Currency()

_currency: ContextVar[Callable[[], Currency]] = ContextVar("parley_currency", default=lambda: DOLLARS)


def shown_currency() -> Currency:
    """Return the currency of the enclosing `currency_shown`; US dollars outside of one."""
    return _currency.get()()


@contextmanager
def currency_shown(look_up: Callable[[], Currency]) -> Iterator[None]:
    """Show costs in the block in the currency that `look_up` gives. It is called once, when the first cost is written."""
    token = _currency.set(cache(look_up))
    try:
        yield
    finally:
        _currency.reset(token)
