"""Models follow the catalogue, except for what an admin has set."""

from __future__ import annotations

import io
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from admin_config.defaults.prices import FIRST_DAY, Price, utc_today
from admin_config.errors import ModelNotListed
from admin_config.models import AppSettings, ModelConfig, ModelPrice, Release
from admin_config.release import ModelSnapshot
from admin_config.services.configuration import release_publish
from admin_config.services.model_catalogue import model_updates, prices_replace
from admin_config.services.models import CatalogueUpdateResult, model_add, models_available, models_update
from admin_config.services.selectors import live_release
from admin_config.tasks import organization_models_update
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import Organization
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME, errors, form_values, save
from tests.support.cast import Cast
from tests.support.prices import price, set_prices

FLASH = "gemini-2.5-flash"
LISTED = Price(input_usd=0.3, cached_usd=0.03, output_usd=2.5, search_usd=35.0)
PAGES = f"{ACME}admin_config/modelconfig/"


def change(organization: Organization, model_id: str = FLASH, **values: Any) -> None:
    with tenant_tx(organization.id):
        ModelConfig.objects.filter(model_id=model_id).update(**values)


def model(organization: Organization, model_id: str = FLASH) -> ModelConfig:
    with tenant_tx(organization.id):
        return ModelConfig.objects.prefetch_related("prices").get(model_id=model_id)


def prices(organization: Organization, model_id: str = FLASH) -> list[Price]:
    return [row.price for row in model(organization, model_id).prices.all()]


def live_model(organization: Organization, model_id: str = FLASH) -> ModelSnapshot:
    with tenant_tx(organization.id):
        models = live_release(organization_id=organization.id).snapshot.models
    (found,) = [model for model in models if model.model_id == model_id]
    return found


def publish(organization: Organization) -> None:
    with tenant_tx(organization.id):
        release_publish(organization_id=organization.id)


def update(organization: Organization) -> CatalogueUpdateResult:
    with tenant_tx(organization.id):
        return models_update(organization_id=organization.id)


def page_of(organization: Organization, model_id: str = FLASH) -> str:
    return f"{PAGES}{model(organization, model_id).id}/change/"


def command(*args: str) -> list[str]:
    out = io.StringIO()
    call_command("models_update", *args, stdout=out)
    return [line.strip() for line in out.getvalue().splitlines()]


# What a new organization has


def test_a_new_organization_has_the_prices_of_the_list(seeded_cast: Cast) -> None:
    assert prices(seeded_cast.acme) == [LISTED]
    assert live_model(seeded_cast.acme).prices == (LISTED,)
    assert [price.above_tokens for price in live_model(seeded_cast.acme, "gemini-2.5-pro").prices] == [0, 200_000]
    assert prices(seeded_cast.acme, "demo-standard") == []
    with tenant_tx(seeded_cast.acme.id):
        assert model_updates(ModelConfig.objects.all()) == [], "nothing is left to update"


# Updating


def test_an_update_fills_in_what_is_known_and_publishes_it(seeded_cast: Cast) -> None:
    change(seeded_cast.acme, context_window=2048, max_output_tokens=64, supports_thinking=False, thinking_style="none")
    set_prices(seeded_cast.acme.id)
    publish(seeded_cast.acme)
    run = update(seeded_cast.acme)
    assert [(each.what, each.before) for each in run.updates[0].changes] == [
        ("context window", "2048"),
        ("max output tokens", "64"),
        ("supports thinking", "no"),
        ("thinking style", "none"),
        ("prices", "none"),
    ]
    live = live_model(seeded_cast.acme)
    assert (live.context_window, live.max_output_tokens, live.thinking_style, live.prices) == (1_048_576, 65_536, "budget", (LISTED,))
    assert run.release is not None
    assert run.release.note.startswith("Model data updated from genai-prices ")
    with tenant_tx(seeded_cast.acme.id):
        event = AuditEvent.objects.filter(action="model.update", object_id=str(model(seeded_cast.acme).id)).get()
    assert event.detail["fields"][0] == "context window"


def test_a_second_update_changes_nothing(seeded_cast: Cast) -> None:
    set_prices(seeded_cast.acme.id)
    update(seeded_cast.acme)
    run = update(seeded_cast.acme)
    assert (run.updates, run.release) == ([], None)


def test_what_an_admin_has_set_stays(seeded_cast: Cast) -> None:
    change(seeded_cast.acme, context_window=2048, own_facts=["context_window", "thinking", "prices"], thinking_style="level")
    set_prices(seeded_cast.acme.id, price(7, 8))
    change(seeded_cast.acme, max_output_tokens=64)
    update(seeded_cast.acme)
    after = model(seeded_cast.acme)
    assert (after.context_window, after.thinking_style, after.max_output_tokens) == (2048, "level", 65_536)
    assert prices(seeded_cast.acme) == [price(7, 8)]


def test_images_files_and_tools_are_given_only_to_models_that_are_known_to_take_them(seeded_cast: Cast) -> None:
    known = {
        "google": {
            "gemini-2.5-flash-lite": True,
            "gemini-3.8-flash": True,
            "gemini-2.5-pro-tts": False,
            "gemma-3": False,
            "gemini-1.5-pro": False,
        },
        "openai": {
            "gpt-4o-2024-08-06": True,
            "gpt-5.6-terra": True,
            "gpt-3.5-turbo": False,
            "o1-mini": False,
            "gpt-4o-audio-preview": False,
        },
        "anthropic": {"claude-haiku-4-5-20251001": True, "claude-opus-5": True, "claude-2": False, "claude-3-haiku": False},
        "compatible": {"gpt-3.5-turbo": False},
    }
    rows = [(provider, model_id, can) for provider, models in known.items() for model_id, can in models.items()]
    with tenant_tx(seeded_cast.acme.id):
        for provider, model_id, _ in rows:
            ModelConfig.objects.create(provider=provider, model_id=model_id, display_name=model_id)
        own = {"supports_images": True, "builtin_tools": ["web_search"], "own_facts": ["images", "builtin_tools"]}
        ModelConfig.objects.create(provider="openai", model_id="o1", display_name="o1", **own)
    update(seeded_cast.acme)
    for provider, model_id, can in rows:
        with tenant_tx(seeded_cast.acme.id):
            row = ModelConfig.objects.get(provider=provider, model_id=model_id)
        assert (row.supports_images, row.supports_pdf, bool(row.builtin_tools)) == (can, can, can), model_id
    own_row = model(seeded_cast.acme, "o1")
    assert (own_row.supports_images, own_row.supports_pdf, own_row.builtin_tools) == (True, False, ["web_search"]), "an admin's word stays"


def test_a_new_price_of_the_list_holds_from_today_and_the_old_one_stays_in_the_release(seeded_cast: Cast) -> None:
    set_prices(seeded_cast.acme.id, price(9, 9), price(8, 8, days=5))
    update(seeded_cast.acme)
    assert prices(seeded_cast.acme) == [price(9, 9), LISTED.on(utc_today())]
    live = live_model(seeded_cast.acme)
    tokens = {"fresh_input": 1_000_000, "cached_input": 0, "output": 0, "thinking": 0}
    assert live.cost_usd(day=utc_today() - timedelta(days=1), **tokens) == pytest.approx(9)
    assert live.cost_usd(day=utc_today() + timedelta(days=9), **tokens) == pytest.approx(0.3)


def test_with_a_draft_the_update_waits_in_it(seeded_cast: Cast) -> None:
    set_prices(seeded_cast.acme.id)
    with tenant_tx(seeded_cast.acme.id):
        AppSettings.objects.update(publish_on_save=False)
    assert update(seeded_cast.acme).release is None
    assert prices(seeded_cast.acme) == [LISTED]
    with tenant_tx(seeded_cast.acme.id):
        assert Release.objects.count() == 1


def test_an_update_that_cannot_be_published_waits_in_the_draft(seeded_cast: Cast) -> None:
    set_prices(seeded_cast.acme.id)
    change(seeded_cast.acme, is_default=False)
    run = update(seeded_cast.acme)
    assert run.updates
    assert run.release is None
    assert prices(seeded_cast.acme) == [LISTED]


def test_an_update_reaches_its_own_organization_only(seeded_cast: Cast) -> None:
    for organization in (seeded_cast.acme, seeded_cast.other):
        set_prices(organization.id, price(9, 9))
    assert organization_models_update(str(seeded_cast.acme.id)) > 0
    assert len(prices(seeded_cast.acme)) == 2
    assert prices(seeded_cast.other) == [price(9, 9)]
    assert live_model(seeded_cast.other).prices == (LISTED,)


# Adding


def test_a_model_of_the_list_is_added_disabled_and_filled_in(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        assert "gemini-3.8-flash" in [each.model_id for each in models_available("google")]
        assert FLASH not in [each.model_id for each in models_available("google")]
        model_add("google", "gemini-3.8-flash")
        assert "gemini-3.8-flash" not in [each.model_id for each in models_available("google")]
    added = model(seeded_cast.acme, "gemini-3.8-flash")
    assert (added.display_name, added.is_enabled, added.context_window, added.own_facts) == ("Gemini 3.8 Flash", False, 1_000_000, [])
    assert prices(seeded_cast.acme, "gemini-3.8-flash")[0].input_usd == 0.75
    with tenant_tx(seeded_cast.other.id):
        assert not ModelConfig.objects.filter(model_id="gemini-3.8-flash").exists()


@pytest.mark.parametrize("model_id", [FLASH, "gemini-unheard-of"])
def test_only_a_listed_model_that_is_missing_can_be_added(seeded_cast: Cast, model_id: str) -> None:
    with tenant_tx(seeded_cast.acme.id), pytest.raises(ModelNotListed):
        model_add("google", model_id)


# The command


def test_a_dry_run_shows_and_changes_nothing(seeded_cast: Cast) -> None:
    set_prices(seeded_cast.acme.id, price(9, 9))
    lines = command("--organization", "acme", "--dry-run")
    today = utc_today()
    before = "from the start: 9 input, 9 output"
    assert f"google:{FLASH} prices: {before} -> {before}; from {today}: 0.3 input, 0.03 cached, 2.5 output, 35 a thousand searches" in lines
    assert prices(seeded_cast.acme) == [price(9, 9)]


def test_the_command_updates_all_organizations_or_the_named_one(seeded_cast: Cast) -> None:
    for organization in (seeded_cast.acme, seeded_cast.other):
        set_prices(organization.id)
        publish(organization)
    assert command("--organization", "acme")[-1] == "Release 3 is live."
    assert (prices(seeded_cast.acme), prices(seeded_cast.other)) == ([LISTED], [])
    lines = command()
    assert lines[lines.index("acme:") + 1] == "Nothing to change."
    assert prices(seeded_cast.other) == [LISTED]


def test_the_command_lists_and_adds_models(seeded_cast: Cast) -> None:
    listed = command("--organization", "acme", "--available", "google")
    assert any(line.startswith("google:gemini-3.8-flash  1000000 tokens; from ") for line in listed)
    assert "google:gemini-3.8-flash added, disabled" in command("--organization", "acme", "--add", "google:gemini-3.8-flash")
    assert not model(seeded_cast.acme, "gemini-3.8-flash").is_enabled


@pytest.mark.parametrize("args", [["--organization", "nobody"], ["--add", "google:gemini-unheard-of"], ["--add", "gemini-3.8-flash"]])
def test_the_command_says_what_it_cannot_find(seeded_cast: Cast, args: list[str]) -> None:
    with pytest.raises(CommandError):
        command(*args)


# The pages


def test_an_admins_price_starts_today_and_is_the_admins(alice: Client, seeded_cast: Cast) -> None:
    response = save(alice, page_of(seeded_cast.acme), input_usd="1", output_usd="4.5", cached_usd="")
    assert response.status_code == 302
    own = Price(valid_from=utc_today(), input_usd=1, output_usd=4.5, search_usd=35)
    assert prices(seeded_cast.acme) == [LISTED, own]
    assert live_model(seeded_cast.acme).prices == (LISTED, own)
    assert model(seeded_cast.acme).own_facts == ["prices"]
    save(alice, page_of(seeded_cast.acme), input_usd="2")
    assert prices(seeded_cast.acme) == [LISTED, own.model_copy(update={"input_usd": 2})], "a second price of the day takes its place"
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
    assert (after.context_window, after.prices[-1]) == (1_048_576, LISTED.on(utc_today()))
    assert model(seeded_cast.acme).own_facts == []


@pytest.mark.parametrize(
    ("entered", "field"), [({"input_usd": ""}, "input_usd"), ({"output_usd": ""}, "output_usd"), ({"output_usd": "-1"}, "output_usd")]
)
def test_a_price_is_complete_and_not_negative(alice: Client, seeded_cast: Cast, entered: dict[str, str], field: str) -> None:
    assert list(errors(save(alice, page_of(seeded_cast.acme), **entered))) == [field]
    assert prices(seeded_cast.acme) == [LISTED]


def add(client: Client, model_id: str, **values: str) -> Any:
    page = f"{PAGES}add/"
    named = {"provider": "google", "model_id": model_id, "display_name": model_id}
    return client.post(page, {**form_values(client.get(page)), **named, **values}, follow=True)


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
    assert (page.price(rows["demo-fast"]), page.price_source(rows["demo-fast"])[1]) == ("no price known", "unknown")


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
    assert prices(seeded_cast.acme) == [price(9, 9), LISTED.on(utc_today())]
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
