"""Prices by day and length of the prompt, and what the price list says of a model."""

from __future__ import annotations

from datetime import date

import pytest

from admin_config.defaults.prices import FIRST_DAY, Price, legacy_prices, price_of_call, prices_from_list
from admin_config.services.price_list import listed_model, listed_models

TODAY = date(2026, 11, 21)
SOON = date(2027, 1, 1)


def flat(input_usd: float, day: date = FIRST_DAY, above: int = 0) -> Price:
    return Price(valid_from=day, above_tokens=above, input_usd=input_usd, output_usd=10 * input_usd)


@pytest.mark.parametrize(
    ("day", "prompt_tokens", "input_usd"),
    [
        (date(2026, 11, 20), 0, 1),
        (date(2026, 11, 20), 200_000, 1),
        (date(2026, 11, 20), 200_001, 2),
        (TODAY, 200_001, 3),  # the new list has no price of its own for long prompts
        (SOON, 1, 4),
    ],
)
def test_a_call_has_the_price_of_its_day_and_prompt(day: date, prompt_tokens: int, input_usd: float) -> None:
    prices = [flat(4, SOON), flat(1), flat(2, above=200_000), flat(3, TODAY)]
    price = price_of_call(prices, day=day, prompt_tokens=prompt_tokens)
    assert price is not None
    assert price.input_usd == input_usd


def test_before_its_first_price_a_model_has_none() -> None:
    assert price_of_call([flat(1, SOON)], day=TODAY, prompt_tokens=1) is None
    assert price_of_call([], day=TODAY, prompt_tokens=1) is None


@pytest.mark.parametrize(
    ("old_prices", "list_prices", "expected"),
    [
        ([], [flat(1)], [flat(1)]),
        ([], [flat(1), flat(2, date(2025, 6, 10))], [flat(2, date(2025, 6, 10))]),  # no price of a past without calls
        ([flat(1)], [flat(1)], [flat(1)]),
        ([flat(1)], [flat(2)], [flat(1), flat(2, TODAY)]),  # past calls were paid at the old price
        ([flat(1)], [flat(1), flat(2, date(2026, 11, 1))], [flat(1), flat(2, date(2026, 11, 1))]),
        ([flat(1, date(2026, 11, 15))], [flat(2, date(2026, 11, 1))], [flat(1, date(2026, 11, 15)), flat(2, TODAY)]),
        ([flat(1), flat(2, TODAY)], [flat(3)], [flat(1), flat(3, TODAY)]),
        ([flat(1)], [flat(1), flat(2, SOON)], [flat(1), flat(2, SOON)]),
        ([flat(1), flat(2, SOON)], [flat(1), flat(3, SOON)], [flat(1), flat(3, SOON)]),  # what is to come is the list's
        ([flat(1), flat(2, SOON)], [flat(1)], [flat(1)]),
        ([flat(1)], [flat(1), flat(2, above=9)], [flat(1), flat(1, TODAY), flat(2, TODAY, 9)]),
        ([flat(1)], [flat(2, SOON)], [flat(1), flat(2, SOON)]),
    ],
)
def test_the_list_changes_today_and_the_future_never_the_past(
    old_prices: list[Price], list_prices: list[Price], expected: list[Price]
) -> None:
    assert list(prices_from_list(old_prices, list_prices, today=TODAY)) == expected


def test_following_the_list_again_changes_nothing() -> None:
    list_prices = [flat(1), flat(2, above=9), flat(5, SOON)]
    once = prices_from_list([flat(7)], list_prices, today=TODAY)
    assert prices_from_list(once, list_prices, today=TODAY) == once
    assert prices_from_list(once, list_prices, today=SOON) == once


def test_prices_of_an_old_release_always_held() -> None:
    old = {"input_price_usd": 0.3, "cached_price_usd": None, "output_price_usd": 2.5}
    [content] = legacy_prices(old)
    assert Price.model_validate(content) == Price(input_usd=0.3, output_usd=2.5)
    assert legacy_prices({"input_price_usd": None}) == []


def test_a_price_reads_as_words() -> None:
    price = Price(valid_from=SOON, above_tokens=200_000, input_usd=0.0375, cached_usd=0, output_usd=15)
    assert price.words() == "from 2027-01-01, prompts above 200,000 tokens: 0.0375 input, 0 cached, 15 output"
    assert Price().words() == "from the start: no price"


def test_the_price_list_knows_tiers_and_days() -> None:
    pro, sol = listed_model("google", "gemini-2.5-pro"), listed_model("openai", "gpt-5.6-sol")
    assert pro is not None
    assert sol is not None
    assert [(price.above_tokens, price.input_usd, price.output_usd) for price in pro.prices] == [(0, 1.25, 10), (200_000, 2.5, 15)]
    assert [(price.valid_from, price.above_tokens, price.input_usd) for price in sol.prices] == [
        (FIRST_DAY, 0, 5),
        (FIRST_DAY, 272_000, 10),
        (date(2026, 8, 21), 0, 4),
        (date(2026, 8, 21), 272_000, 8),
    ]


def test_searches_are_priced_from_the_day_that_the_list_names() -> None:
    flash = listed_model("google", "gemini-3-flash-preview")
    assert flash is not None
    assert [price.words() for price in flash.prices] == [
        "from the start: 0.5 input, 0.05 cached, 3 output",
        "from 2026-01-05: 0.5 input, 0.05 cached, 3 output, 14 a thousand searches",
    ]


def test_what_the_cache_takes_has_its_price() -> None:
    sonnet = listed_model("anthropic", "claude-sonnet-4-6")
    assert sonnet is not None
    price = sonnet.prices[0]
    assert (price.input_usd, price.cache_write_usd, price.search_usd, price.picture_usd) == (3, 3.75, 10, None)
    assert price.cost_usd(fresh_input=0, cached_input=0, cache_write=1_000_000, output=0, thinking=0) == pytest.approx(3.75)


@pytest.mark.parametrize(("provider", "model_id"), [("google", "gemini-unheard-of"), ("demo", "demo-fast"), ("compatible", "gpt-5")])
def test_the_price_list_does_not_know_every_model(provider: str, model_id: str) -> None:
    assert listed_model(provider, model_id) is None


def test_only_own_text_models_that_are_sold_can_be_added() -> None:
    ids = {provider: [model.model_id for model in listed_models(provider)] for provider in ("google", "openai", "anthropic", "demo")}
    assert "gemini-3.8-flash" in ids["google"]
    assert not [name for name in ids["google"] if "claude" in name], "sold by Google elsewhere"
    assert not {"gemini-2.0-flash", "gemini-embedding-001", "gemini-3-pro-image-preview"} & set(ids["google"])
    assert {"gpt-5", "o3"} < set(ids["openai"])
    assert not {"gpt-realtime", "gpt-image-2", "text-embedding-3-large", "whisper-1"} & set(ids["openai"])
    assert "claude-sonnet-5-5" in ids["anthropic"]
    assert ids["demo"] == []
