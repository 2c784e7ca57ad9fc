"""The admin's pages of models: what an admin enters is the admin's, and the rest follows the catalogue."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from admin_config.defaults.prices import FIRST_DAY, Price, utc_today
from admin_config.models import ModelConfig, ModelPrice
from admin_config.services.model_catalogue import prices_replace
from tenants.context import tenant_tx
from tests.admin_config.conftest import SignedIn
from tests.admin_config.model_rows import FLASH, LIST_PRICE, PAGES, live_model, model, page_of, prices, update
from tests.admin_config.pages import errors, form_values, save
from tests.support.accounts.cast import Cast
from tests.support.agents.prices import price, set_prices


def test_an_admins_price_starts_today_and_is_the_admins(alice: Client, seeded_cast: Cast) -> None:
    response = save(alice, page_of(seeded_cast.acme), input_usd="1", output_usd="4.5", cached_usd="")
    assert response.status_code == 302
    own = Price(valid_from=utc_today(), input_usd=1, output_usd=4.5, search_usd=35)
    assert prices(seeded_cast.acme) == [LIST_PRICE, own]
    assert live_model(seeded_cast.acme).prices == (LIST_PRICE, own)
    assert model(seeded_cast.acme).own_facts == ["prices"]
    save(alice, page_of(seeded_cast.acme), input_usd="2")
    assert prices(seeded_cast.acme) == [LIST_PRICE, own.model_copy(update={"input_usd": 2})], "a second price of the day takes its place"
    update(seeded_cast.acme)
    assert len(prices(seeded_cast.acme)) == 2


def test_an_admins_price_takes_the_place_of_those_to_come(alice: Client, seeded_cast: Cast) -> None:
    set_prices(seeded_cast.acme.id, price(1, 1), price(2, 2, days=5))
    save(alice, page_of(seeded_cast.acme), input_usd="3")
    assert [(each.valid_from, each.input_usd) for each in prices(seeded_cast.acme)] == [(FIRST_DAY, 1), (utc_today(), 3)]


def test_a_price_can_be_taken_away(alice: Client, seeded_cast: Cast) -> None:
    save(alice, page_of(seeded_cast.acme), input_usd="", cached_usd="", output_usd="")
    tokens = {"fresh_input": 1, "cached_input": 0, "output": 0, "thinking": 0}
    assert live_model(seeded_cast.acme).cost_usd(day=utc_today(), **tokens) is None


def test_saving_a_page_as_it_is_makes_nothing_the_admins(alice: Client, seeded_cast: Cast) -> None:
    for model_id in (FLASH, "gemini-2.5-pro", "gemini-3-flash-preview"):
        before = prices(seeded_cast.acme, model_id)
        save(alice, page_of(seeded_cast.acme, model_id))
        assert model(seeded_cast.acme, model_id).own_facts == []
        assert prices(seeded_cast.acme, model_id) == before


def test_what_an_admin_changed_can_follow_the_catalogue_again(alice: Client, seeded_cast: Cast) -> None:
    save(alice, page_of(seeded_cast.acme), context_window="2048", input_usd="1")
    assert model(seeded_cast.acme).own_facts == ["context_window", "prices"]
    assert "Set here: context window, prices." in alice.get(page_of(seeded_cast.acme)).content.decode()
    save(alice, page_of(seeded_cast.acme), gives_up_own="on")
    after = live_model(seeded_cast.acme)
    assert (after.context_window, after.prices[-1]) == (1_048_576, LIST_PRICE.on(utc_today()))
    assert model(seeded_cast.acme).own_facts == []


@pytest.mark.parametrize(
    ("changes", "field"), [({"input_usd": ""}, "input_usd"), ({"output_usd": ""}, "output_usd"), ({"output_usd": "-1"}, "output_usd")]
)
def test_a_price_is_complete_and_not_negative(alice: Client, seeded_cast: Cast, changes: dict[str, str], field: str) -> None:
    assert list(errors(save(alice, page_of(seeded_cast.acme), **changes))) == [field]
    assert prices(seeded_cast.acme) == [LIST_PRICE]


def add(client: Client, model_id: str, **values: str) -> Any:
    page = f"{PAGES}add/"
    defaults = {"provider": "google", "model_id": model_id, "display_name": model_id}
    return client.post(page, {**form_values(client.get(page)), **defaults, **values}, follow=True)


def test_an_unknown_model_works_with_careful_values_and_says_that_its_cost_is_not_counted(alice: Client, seeded_cast: Cast) -> None:
    response = add(alice, "our-own-model")
    assert "Not in the price list: the cost of this model is not counted" in response.content.decode()
    live = live_model(seeded_cast.acme, "our-own-model")
    assert (live.context_window, live.max_output_tokens, live.supports_tools, live.supports_thinking) == (128_000, 8_192, True, False)
    assert (live.thinking_style, live.prices) == ("none", ())


def test_a_known_model_is_filled_in_when_it_is_added(alice: Client, seeded_cast: Cast) -> None:
    add(alice, "gemini-3.8-flash", max_output_tokens="4096")
    added = model(seeded_cast.acme, "gemini-3.8-flash")
    assert (added.context_window, added.max_output_tokens, added.own_facts) == (1_000_000, 4096, ["max_output_tokens"])
    assert prices(seeded_cast.acme, "gemini-3.8-flash")[0].input_usd == 0.75


def test_the_list_shows_each_price_and_where_it_is_from(alice: Client, seeded_cast: Cast) -> None:
    save(alice, page_of(seeded_cast.acme, "gemini-2.5-pro"), input_usd="7")
    response = alice.get(PAGES)
    assert f'href="{PAGES}update/"' in response.content.decode()
    rows, page = {row.model_id: row for row in response.context["cl"].result_list}, response.context["cl"].model_admin
    assert (page.price(rows[FLASH]), page.price_source(rows[FLASH])[1]) == ("$0.3 / $2.5", "from the list")
    assert (page.price(rows["gemini-2.5-pro"]), page.price_source(rows["gemini-2.5-pro"])[1]) == ("$7 / $10", "own")
    assert (page.price(rows["demo-fast"]), page.price_source(rows["demo-fast"])[1]) == ("No price known", "unknown")


def test_the_page_shows_all_prices(alice: Client, seeded_cast: Cast) -> None:
    save(alice, page_of(seeded_cast.acme), input_usd="1")
    page = alice.get(page_of(seeded_cast.acme)).content.decode()
    assert "from the start: 0.3 input, 0.03 cached, 2.5 output, 35 a thousand searches (price list)" in page
    assert f"from {utc_today()}: 1 input, 0.03 cached, 2.5 output, 35 a thousand searches (entered here)" in page


def test_the_update_page_shows_first_and_then_changes(alice: Client, seeded_cast: Cast) -> None:
    set_prices(seeded_cast.acme.id, price(9, 9))
    preview = alice.get(f"{PAGES}update/").content.decode()
    assert "9 input, 9 output" in preview
    assert prices(seeded_cast.acme) == [price(9, 9)]
    response = alice.post(f"{PAGES}update/", follow=True)
    assert "models updated. Release 2 is live." in response.content.decode()
    assert prices(seeded_cast.acme) == [price(9, 9), LIST_PRICE.on(utc_today())]
    assert "All models are up to date." in alice.get(f"{PAGES}update/").content.decode()


def test_the_update_page_is_for_this_organizations_admins_and_rows(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    with tenant_tx(seeded_cast.other.id):
        other = ModelConfig.objects.get(model_id=FLASH)
        ModelConfig.objects.update(display_name="OTHERSECRET")
        prices_replace(other, [price(9, 9)], source=ModelPrice.Source.ADMIN)
    assert "OTHERSECRET" not in alice.get(f"{PAGES}update/").content.decode()
    alice.post(f"{PAGES}update/")
    assert prices(seeded_cast.other) == [price(9, 9)]
    for person in (seeded_cast.bob, seeded_cast.charlie):
        assert signed_in(person).post(f"{PAGES}update/").status_code == 404
