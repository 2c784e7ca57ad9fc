"""What a price is: it starts on a day and may depend on the length of the prompt (SPEC 2.3). Pure functions, no database.

The prices themselves come from admin_config.services.price_list.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Any

from django.utils.translation import gettext
from pydantic import BaseModel, ConfigDict

from tenants.localization.figures import figure, figure_as_it_is

# The start of prices without a known start.
FIRST_DAY = date(2000, 1, 1)
# Decimals of amounts in US dollars per million tokens. More would be lost in the database, so that prices would always look changed.
USD_DECIMALS = 6


class Price(BaseModel):
    """A price in US dollars per million tokens, if nothing else is said.

    Without an input and an output price, no costs are counted from that day on. A call whose searches or pictures have no price has no known
    cost.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    valid_from: date = FIRST_DAY  # the first day (UTC)
    above_tokens: int = 0  # applies to prompts of more tokens than this
    input_usd: float | None = None
    cached_usd: float | None = None  # input read from the provider's cache; None: the input price
    cache_write_usd: float | None = None  # input written to the provider's cache; None: the input price
    output_usd: float | None = None
    thinking_usd: float | None = None  # None: the output price
    image_usd: float | None = None  # pictures among the output tokens; None: the output price
    search_usd: float | None = None  # of a thousand web searches that the provider ran; None: not known
    picture_usd: float | None = None  # of one picture that a tool of the provider drew; None: not known

    @property
    def is_known(self) -> bool:
        return self.input_usd is not None and self.output_usd is not None

    def cost_usd(
        self,
        *,
        fresh_input: int,
        cached_input: int,
        output: int,
        thinking: int,
        cache_write: int = 0,
        images: int = 0,
        searches: int = 0,
        pictures: int = 0,
    ) -> float | None:
        """Return the cost of these numbers of tokens, searches and pictures in US dollars, or None when a price is unknown.

        `output` includes `images`.
        """
        tools_usd = self._provider_tools_usd(searches, pictures)
        if self.input_usd is None or self.output_usd is None or tools_usd is None:
            return None
        cached_price = self.input_usd if self.cached_usd is None else self.cached_usd
        write_price = self.input_usd if self.cache_write_usd is None else self.cache_write_usd
        thinking_price = self.output_usd if self.thinking_usd is None else self.thinking_usd
        prompt = fresh_input * self.input_usd + cached_input * cached_price + cache_write * write_price
        image_price = self.output_usd if self.image_usd is None else self.image_usd
        return (prompt + (output - images) * self.output_usd + images * image_price + thinking * thinking_price) / 1_000_000 + tools_usd

    def _provider_tools_usd(self, searches: int, pictures: int) -> float | None:
        """Return what the provider's own tools cost besides tokens; None when one of them was used whose price is unknown."""
        if (searches and self.search_usd is None) or (pictures and self.picture_usd is None):
            return None
        return searches * (self.search_usd or 0.0) / 1000 + pictures * (self.picture_usd or 0.0)

    def on(self, day: date) -> Price:
        """Return the same price, starting on another day."""
        return self.model_copy(update={"valid_from": day})

    def words(self) -> str:
        """Return the price as text for admins: `from 2027-01-01: 0.3 input, 0.03 cached, 2.5 output`. In the active language."""
        start = gettext("from the start") if self.valid_from == FIRST_DAY else gettext("from %(day)s") % {"day": self.valid_from}
        prompts = gettext(", prompts above %(tokens)s tokens") % {"tokens": figure(self.above_tokens)} if self.above_tokens else ""
        return f"{start}{prompts}: {self._amounts()}"

    def _amounts(self) -> str:
        amounts = {
            gettext("%(usd)s input"): self.input_usd,
            gettext("%(usd)s cached"): self.cached_usd,
            gettext("%(usd)s cache write"): self.cache_write_usd,
            gettext("%(usd)s output"): self.output_usd,
            gettext("%(usd)s thinking"): self.thinking_usd,
            gettext("%(usd)s pictures"): self.image_usd,
            gettext("%(usd)s a thousand searches"): self.search_usd,
            gettext("%(usd)s a picture drawn by a tool"): self.picture_usd,
        }
        lines = [words % {"usd": figure_as_it_is(usd)} for words, usd in amounts.items() if usd is not None]
        return ", ".join(lines) or gettext("no price")


def utc_today() -> date:
    return datetime.now(UTC).date()


def usd_text(usd: float) -> str:
    return f"{usd:.{USD_DECIMALS}f}".rstrip("0").rstrip(".")


def prices_on(prices: Iterable[Price], day: date) -> tuple[Price, ...]:
    """Return the prices that apply on this day, shortest prompts first. Empty when none has started."""
    past_prices = [price for price in prices if price.valid_from <= day]
    newest = max((price.valid_from for price in past_prices), default=None)
    return tuple(sorted((price for price in past_prices if price.valid_from == newest), key=lambda price: price.above_tokens))


def price_of_call(prices: Iterable[Price], *, day: date, prompt_tokens: int) -> Price | None:
    """Return the price of a call on that day with a prompt of that length, or None."""
    matches = [price for price in prices_on(prices, day) if price.above_tokens == 0 or prompt_tokens > price.above_tokens]
    return matches[-1] if matches else None


def prices_from_list(old_prices: Sequence[Price], list_prices: Sequence[Price], *, today: date) -> tuple[Price, ...]:
    """Return the prices to store, given those held and those of a price list. Past prices stay, and future ones come from the list.

    A price that the list changes without a new date applies from today on, because past calls were paid at the old one.
    """
    prices = tuple(price for price in old_prices if price.valid_from <= today)
    now = prices_on(list_prices, today)
    if now and _amounts(now) != _amounts(prices_on(prices, today)):
        newest = max((price.valid_from for price in prices), default=None)
        start = now[0].valid_from if newest is None or now[0].valid_from > newest else today
        prices = (*(price for price in prices if price.valid_from < start), *(price.on(start) for price in now))
    return tuple(sorted((*prices, *(price for price in list_prices if price.valid_from > today)), key=_sort_key))


def legacy_prices(model: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the prices of a release from before prices had dates, when a model had at most one of each kind."""
    amounts = {
        name: model.get(f"{name.removesuffix('_usd')}_price_usd") for name in ("input_usd", "cached_usd", "output_usd", "thinking_usd")
    }
    return [] if amounts["input_usd"] is None else [amounts]


def _amounts(prices: Iterable[Price]) -> list[Price]:
    return [price.on(FIRST_DAY) for price in prices]


def _sort_key(price: Price) -> tuple[date, int]:
    return price.valid_from, price.above_tokens
