from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from accounts.sign_in.demo_logins import DEMO_LOGIN, OPERATOR_LOGIN
from admin_config.defaults.platform import DEMO_WIRES, PROVIDERS
from admin_config.models import AppSettings, ToolSource
from admin_config.services.selectors import live_release
from tenants.context import tenant_tx
from tenants.models import Organization, User

LOGINS = [DEMO_LOGIN, OPERATOR_LOGIN]


@pytest.fixture
def seeded(db: None, settings: Settings) -> None:
    settings.DEMO_PROVIDER_URL = "http://127.0.0.1:9"
    seed()


def seed(**options: Any) -> None:
    call_command("demo_seed", verbosity=0, **options)


def password_checks() -> list[bool]:
    return [User.objects.get(email=email).check_password(password) for email, password, _ in LOGINS]


def test_the_accounts_are_opened_closed_and_opened_again(seeded: None) -> None:
    assert password_checks() == [True, True]
    seed(close=True)
    seed(close=True)
    assert password_checks() == [False, False]
    seed()
    assert password_checks() == [True, True]


def test_closing_ends_the_sessions(seeded: None) -> None:
    client = Client()
    client.force_login(User.objects.get(email=OPERATOR_LOGIN[0]))
    assert client.get("/operator/").status_code == 200
    seed(close=True)
    assert client.get("/operator/").headers["Location"] == "/login/?next=/operator/"


def test_a_password_of_its_own_stays(seeded: None) -> None:
    user = User.objects.get(email=DEMO_LOGIN[0])
    user.set_password("chosen by somebody")
    user.save()
    for options in ({"close": True}, {}):
        seed(**options)
        user.refresh_from_db()
        assert user.check_password("chosen by somebody")
    assert password_checks() == [False, True]


def test_where_there_was_no_demo_there_is_nothing_to_close(db: None, settings: Settings) -> None:
    settings.DEMO_PROVIDER_URL = ""
    seed(close=True)
    assert not User.objects.exists()
    with pytest.raises(CommandError, match="known passwords"):
        seed()


def test_the_demo_is_offered_on_every_wire(seeded: None) -> None:
    organization = Organization.objects.get(slug="demo")
    with tenant_tx(organization.pk):
        snapshot = live_release(organization_id=organization.pk).snapshot
    assert snapshot.active_provider == "demo"
    assert [model.provider for model in snapshot.offered_models()] == ["demo", "demo", *DEMO_WIRES]
    assert {provider: snapshot.endpoint(provider).base_url for provider in ("demo", *DEMO_WIRES)} == {
        "demo": "http://127.0.0.1:9",
        "demo_openai": "http://127.0.0.1:9/v1",
        "demo_anthropic": "http://127.0.0.1:9",
        "demo_compatible": "http://127.0.0.1:9/v1",
    }
    assert snapshot.endpoint("openai").base_url == PROVIDERS["openai"].base_url, "the real one is untouched"


def test_a_wire_that_an_admin_took_away_stays_away(seeded: None) -> None:
    organization = Organization.objects.get(slug="demo")
    with tenant_tx(organization.pk):
        AppSettings.objects.update(offered_providers=["demo_openai"])
    seed()
    with tenant_tx(organization.pk):
        assert AppSettings.objects.get().offered_providers == ["demo_openai"]


def test_an_unfinished_draft_keeps_neither_parley_from_starting_nor_its_release_from_staying_live(seeded: None) -> None:
    organization = Organization.objects.get(slug="demo")
    with tenant_tx(organization.pk):
        live = AppSettings.objects.get().live_release_id
        ToolSource.objects.create(name="gone", kind="http", settings={"description": "It is gone.", "url": "http://127.0.0.1:8/"})
    seed()
    with tenant_tx(organization.pk):
        assert AppSettings.objects.get().live_release_id == live
        AppSettings.objects.update(publish_on_save=False)
        ToolSource.objects.filter(name="gone").update(settings={"description": "It waits.", "url": "https://shop.example/"})
    seed()
    with tenant_tx(organization.pk):
        assert AppSettings.objects.get().live_release_id == live
