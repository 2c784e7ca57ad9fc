"""Models follow the catalogue, except for what an admin has set."""

from __future__ import annotations

import io
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from admin_config.defaults.prices import utc_today
from admin_config.errors import ModelNotListed
from admin_config.models import AppSettings, ModelConfig, Release
from admin_config.services.configuration import release_publish
from admin_config.services.model_catalogue import model_updates
from admin_config.services.model_configs import model_add, models_available
from admin_config.tasks import organization_models_update
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import Organization
from tests.admin_config.model_rows import FLASH, LIST_PRICE, live_model, model, prices, update
from tests.support.accounts.cast import Cast
from tests.support.agents.prices import price, set_prices


def change(organization: Organization, model_id: str = FLASH, **values: Any) -> None:
    with tenant_tx(organization.id):
        ModelConfig.objects.filter(model_id=model_id).update(**values)


def publish(organization: Organization) -> None:
    with tenant_tx(organization.id):
        release_publish(organization_id=organization.id)


def command(*args: str) -> list[str]:
    out = io.StringIO()
    call_command("models_update", *args, stdout=out)
    return [line.strip() for line in out.getvalue().splitlines()]


# What a new organization has


def test_a_new_organization_has_the_prices_of_the_list(seeded_cast: Cast) -> None:
    assert prices(seeded_cast.acme) == [LIST_PRICE]
    assert live_model(seeded_cast.acme).prices == (LIST_PRICE,)
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
    assert (live.context_window, live.max_output_tokens, live.thinking_style, live.prices) == (1_048_576, 65_536, "budget", (LIST_PRICE,))
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
    abilities = {
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
    rows = [(provider, model_id, can) for provider, models in abilities.items() for model_id, can in models.items()]
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
    assert prices(seeded_cast.acme) == [price(9, 9), LIST_PRICE.on(utc_today())]
    live = live_model(seeded_cast.acme)
    tokens = {"fresh_input": 1_000_000, "cached_input": 0, "output": 0, "thinking": 0}
    assert live.cost_usd(day=utc_today() - timedelta(days=1), **tokens) == pytest.approx(9)
    assert live.cost_usd(day=utc_today() + timedelta(days=9), **tokens) == pytest.approx(0.3)


def test_with_a_draft_the_update_waits_in_it(seeded_cast: Cast) -> None:
    set_prices(seeded_cast.acme.id)
    with tenant_tx(seeded_cast.acme.id):
        AppSettings.objects.update(publish_on_save=False)
    assert update(seeded_cast.acme).release is None
    assert prices(seeded_cast.acme) == [LIST_PRICE]
    with tenant_tx(seeded_cast.acme.id):
        assert Release.objects.count() == 1


def test_an_update_that_cannot_be_published_waits_in_the_draft(seeded_cast: Cast) -> None:
    set_prices(seeded_cast.acme.id)
    change(seeded_cast.acme, is_default=False)
    run = update(seeded_cast.acme)
    assert run.updates
    assert run.release is None
    assert prices(seeded_cast.acme) == [LIST_PRICE]


def test_an_update_reaches_its_own_organization_only(seeded_cast: Cast) -> None:
    for organization in (seeded_cast.acme, seeded_cast.other):
        set_prices(organization.id, price(9, 9))
    assert organization_models_update(str(seeded_cast.acme.id)) > 0
    assert len(prices(seeded_cast.acme)) == 2
    assert prices(seeded_cast.other) == [price(9, 9)]
    assert live_model(seeded_cast.other).prices == (LIST_PRICE,)


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
    assert (prices(seeded_cast.acme), prices(seeded_cast.other)) == ([LIST_PRICE], [])
    lines = command()
    assert lines[lines.index("acme:") + 1] == "Nothing to change."
    assert prices(seeded_cast.other) == [LIST_PRICE]


def test_the_command_lists_and_adds_models(seeded_cast: Cast) -> None:
    output = command("--organization", "acme", "--available", "google")
    assert any(line.startswith("google:gemini-3.8-flash  1000000 tokens; from ") for line in output)
    assert "google:gemini-3.8-flash added, disabled" in command("--organization", "acme", "--add", "google:gemini-3.8-flash")
    assert not model(seeded_cast.acme, "gemini-3.8-flash").is_enabled


@pytest.mark.parametrize("args", [["--organization", "nobody"], ["--add", "google:gemini-unheard-of"], ["--add", "gemini-3.8-flash"]])
def test_the_command_says_what_it_cannot_find(seeded_cast: Cast, args: list[str]) -> None:
    with pytest.raises(CommandError):
        command(*args)
