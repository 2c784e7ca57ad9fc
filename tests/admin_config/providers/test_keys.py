"""Provider keys go in and never come out (SECURITY 10, 11)."""

from __future__ import annotations

from html import unescape

import pytest
from django.test import Client
from pytest_django import Settings

from admin_config.models import ProviderEndpoint
from admin_config.services.selectors import live_release
from security.models import AuditEvent, Secret
from security.secrets.services import secret_reveal
from tenants.context import tenant_tx
from tests.admin_config.pages import ACME, Page, errors, save, send_each
from tests.support.accounts.cast import Cast

KEY = "AIzaSyNeverShownAgain-wxyz"
GOOGLE = "https://generativelanguage.googleapis.com"


@pytest.fixture
def endpoint(seeded_cast: Cast) -> ProviderEndpoint:
    with tenant_tx(seeded_cast.acme.id):
        return ProviderEndpoint.objects.get(provider="google")


def page_of(endpoint: ProviderEndpoint) -> str:
    return f"{ACME}admin_config/providerendpoint/{endpoint.id}/change/"


def test_a_key_is_saved_published_and_shown_by_its_last_four_characters(
    alice: Client, seeded_cast: Cast, endpoint: ProviderEndpoint
) -> None:
    assert save(alice, page_of(endpoint), new_key=KEY).status_code == 302
    assert "The key is set, ends in wxyz." in alice.get(page_of(endpoint)).content.decode()
    with tenant_tx(seeded_cast.acme.id):
        secret_id = live_release(organization_id=seeded_cast.acme.id).snapshot.endpoint("google").secret_id
        assert secret_id is not None
        assert secret_reveal(secret_id=secret_id, url=GOOGLE).reveal() == KEY


def test_no_page_shows_the_key_again(alice: Client, endpoint: ProviderEndpoint, seeded_cast: Cast) -> None:
    response = save(alice, page_of(endpoint), new_key=KEY, name="")
    assert list(errors(response)) == ["name"]
    assert "API key</a><span>Enter this again: it was not kept." in response.content.decode(), "all else that was typed is there still"
    save(alice, page_of(endpoint), new_key=KEY)
    pages = ["", "admin_config/providerendpoint/", "admin_config/release/"]
    responses: list[Page] = [response, alice.get(page_of(endpoint)), *(alice.get(ACME + page) for page in pages)]
    assert not any(KEY in page.content.decode() or KEY[:-4] in page.content.decode() for page in responses)
    with tenant_tx(seeded_cast.acme.id):
        assert not any(KEY in str(event.detail) for event in AuditEvent.objects.all())


def test_saving_without_a_new_key_keeps_the_old_one(alice: Client, seeded_cast: Cast, endpoint: ProviderEndpoint) -> None:
    save(alice, page_of(endpoint), new_key=KEY)
    save(alice, page_of(endpoint), timeout_s="60")
    with tenant_tx(seeded_cast.acme.id):
        assert str(ProviderEndpoint.objects.get(id=endpoint.id).secret) == "set, ends in wxyz"


def test_a_new_address_drops_the_key(alice: Client, seeded_cast: Cast, endpoint: ProviderEndpoint) -> None:
    save(alice, page_of(endpoint), new_key=KEY)
    values = {"base_url": "https://collector.example.org"}
    location = save(alice, page_of(endpoint), **values).headers["Location"]
    assert "its key was removed" in alice.get(location).content.decode()
    with tenant_tx(seeded_cast.acme.id):
        assert live_release(organization_id=seeded_cast.acme.id).snapshot.endpoint("google").secret_id is None
        assert not Secret.objects.exists()


def test_a_new_address_may_come_with_its_key(alice: Client, seeded_cast: Cast, endpoint: ProviderEndpoint) -> None:
    save(alice, page_of(endpoint), new_key=KEY)
    save(alice, page_of(endpoint), base_url="https://gateway.example.org", new_key="another-key-abcd")
    with tenant_tx(seeded_cast.acme.id):
        assert Secret.objects.get().bound_origin == "https://gateway.example.org:443"


def test_a_key_can_be_removed(alice: Client, seeded_cast: Cast, endpoint: ProviderEndpoint) -> None:
    assert "Remove the key" not in alice.get(page_of(endpoint)).content.decode(), "there is none"
    save(alice, page_of(endpoint), new_key=KEY)
    assert "Remove the key" in alice.get(page_of(endpoint)).content.decode()
    save(alice, page_of(endpoint), remove_key="on")
    with tenant_tx(seeded_cast.acme.id):
        assert not Secret.objects.exists()


def test_a_deleted_endpoint_takes_its_key_along(alice: Client, seeded_cast: Cast) -> None:
    added = {"provider": "google", "name": "Second", "is_enabled": "on", "priority": "2", "timeout_s": "90", "new_key": KEY}
    assert save(alice, f"{ACME}admin_config/providerendpoint/add/", **added).status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        second = ProviderEndpoint.objects.get(name="Second")
        assert Secret.objects.count() == 1
    alice.post(page_of(second).replace("change", "delete"), {"post": "yes"})
    with tenant_tx(seeded_cast.acme.id):
        assert not Secret.objects.exists()
        assert not ProviderEndpoint.objects.filter(name="Second").exists()


WRONG_ENTRIES = [
    ({"new_key": KEY, "remove_key": "on"}, "remove_key"),
    ({"new_key": "two\u00a0words"}, "new_key"),
    ({"base_url": "ftp://example.org"}, "base_url"),
    ({"base_url": "https://user:pass@example.org"}, "base_url"),
    ({"base_url": "https://example.org:22"}, "base_url"),
    ({"base_url": "http://169.254.169.254/"}, "base_url"),
    ({"timeout_s": "1"}, "timeout_s"),
]


def test_wrong_entries_are_named_at_their_field(alice: Client, endpoint: ProviderEndpoint) -> None:
    answers = send_each(alice, page_of(endpoint), (changes for changes, _ in WRONG_ENTRIES))
    assert [[*errors(answer)] for answer in answers] == [[field] for _, field in WRONG_ENTRIES]


def test_the_platforms_own_key_is_not_missing(alice: Client, endpoint: ProviderEndpoint, settings: Settings) -> None:
    pages = (f"{ACME}admin_config/providerendpoint/", ACME, page_of(endpoint))
    settings.PROVIDER_KEYS = {}
    pages_without_keys = [alice.get(page).content.decode() for page in pages]
    assert ["issing" in page for page in pages_without_keys] == [True, True, False]
    settings.PROVIDER_KEYS = {"google": "AIza-platform-key", "openai": "sk-platform", "anthropic": "sk-platform"}
    pages_with_keys = [unescape(alice.get(page).content.decode()) for page in pages]
    assert ["latform's key" in page for page in pages_with_keys] == [True, True, True]
    assert not any("issing" in page or "AIza" in page for page in pages_with_keys)


def test_the_platforms_key_serves_no_other_address(alice: Client, endpoint: ProviderEndpoint, settings: Settings) -> None:
    settings.PROVIDER_KEYS = {"google": "AIza-platform-key"}
    save(alice, page_of(endpoint), base_url="https://gateway.example.org")
    assert "Missing" in alice.get(ACME).content.decode()
    save(alice, page_of(endpoint), base_url="")
    assert "Platform&#x27;s key" in alice.get(ACME).content.decode()
    save(alice, page_of(endpoint), new_key=KEY)
    assert "Set, ends in wxyz" in alice.get(ACME).content.decode()
