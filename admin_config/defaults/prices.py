"""What tokens cost: prices that start on a day and may depend on the length of the prompt. Pure (SPEC 2.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

# The first day of a price that has no known beginning.
FIRST_DAY = date(2000, 1, 1)
# Of amounts in US dollars for a million tokens; finer ones would be another amount each time they are read from the database.
USD_DECIMALS = 6


class Price(BaseModel):
    """US dollars for a million tokens, from the day `valid_from` (UTC) on, for prompts of more than `above_tokens` tokens.

    Without an input and output price nothing is counted from that day on. `cached_usd` and `cache_write_usd` (of what the provider's
    cache had, and took) None: the input price; `thinking_usd` None: the output price.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    valid_from: date = FIRST_DAY
    above_tokens: int = 0
    input_usd: float | None = None
    cached_usd: float | None = None
    cache_write_usd: float | None = None
    output_usd: float | None = None
    thinking_usd: float | None = None

    @property
    def is_known(self) -> bool:
        return self.input_usd is not None and self.output_usd is not None

    def cost_usd(self, *, fresh_input: int, cached_input: int, output: int, thinking: int, cache_write: int = 0) -> float | None:
        """The price of so many tokens in US dollars; None when this is no price."""
        if self.input_usd is None or self.output_usd is None:
            return None
        cached = self.input_usd if self.cached_usd is None else self.cached_usd
        written = self.input_usd if self.cache_write_usd is None else self.cache_write_usd
        thought = self.output_usd if self.thinking_usd is None else self.thinking_usd
        prompt = fresh_input * self.input_usd + cached_input * cached + cache_write * written
        return (prompt + output * self.output_usd + thinking * thought) / 1_000_000

    def on(self, day: date) -> Price:
        """The same price from another day on."""
        return self.model_copy(update={"valid_from": day})

    def words(self) -> str:
        """For admins: `from 2027-01-01: 0.3 input, 0.03 cached, 2.5 output`."""
        start = "from the start" if self.valid_from == FIRST_DAY else f"from {self.valid_from}"
        prompts = f", prompts above {self.above_tokens:,} tokens" if self.above_tokens else ""
        return f"{start}{prompts}: {self._amounts()}"

    def _amounts(self) -> str:
        named = {
            "input": self.input_usd,
            "cached": self.cached_usd,
            "cache write": self.cache_write_usd,
            "output": self.output_usd,
            "thinking": self.thinking_usd,
        }
        return ", ".join(f"{usd_text(usd)} {name}" for name, usd in named.items() if usd is not None) or "no price"


def utc_today() -> date:
    return datetime.now(UTC).date()


def usd_text(usd: float) -> str:
    return f"{usd:.{USD_DECIMALS}f}".rstrip("0").rstrip(".")


def prices_on(prices: Iterable[Price], day: date) -> tuple[Price, ...]:
    """The prices of the newest start that has come by then, shortest prompts first; empty when none has."""
    started = [price for price in prices if price.valid_from <= day]
    newest = max((price.valid_from for price in started), default=None)
    return tuple(sorted((price for price in started if price.valid_from == newest), key=lambda price: price.above_tokens))


def price_of_call(prices: Iterable[Price], *, day: date, prompt_tokens: int) -> Price | None:
    """The price of a call on that day with a prompt of that length."""
    fitting = [price for price in prices_on(prices, day) if price.above_tokens == 0 or prompt_tokens > price.above_tokens]
    return fitting[-1] if fitting else None


def prices_from_list(held: Sequence[Price], listed: Sequence[Price], *, today: date) -> tuple[Price, ...]:
    """The prices that follow from those held and those of a list: what has begun stays, what is to come is the list's.

    A price that the list changes without a new date holds from today on: calls of the past were paid at the old one.
    """
    kept = tuple(price for price in held if price.valid_from <= today)
    now = prices_on(listed, today)
    if now and _amounts(now) != _amounts(prices_on(kept, today)):
        newest = max((price.valid_from for price in kept), default=None)
        start = now[0].valid_from if newest is None or now[0].valid_from > newest else today
        kept = (*(price for price in kept if price.valid_from < start), *(price.on(start) for price in now))
    return tuple(sorted((*kept, *(price for price in listed if price.valid_from > today)), key=_sort_key))


def legacy_prices(model: dict[str, Any]) -> list[dict[str, Any]]:
    """Before prices had dates, a model had at most one of each kind."""
    amounts = {
        name: model.get(f"{name.removesuffix('_usd')}_price_usd") for name in ("input_usd", "cached_usd", "output_usd", "thinking_usd")
    }
    return [] if amounts["input_usd"] is None else [amounts]


def _amounts(prices: Iterable[Price]) -> list[Price]:
    return [price.on(FIRST_DAY) for price in prices]


def _sort_key(price: Price) -> tuple[date, int]:
    return price.valid_from, price.above_tokens
