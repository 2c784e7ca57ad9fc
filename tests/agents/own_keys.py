"""Members' own keys by the API, with Google at the double."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from admin_config.defaults.platform import PROVIDERS
from admin_config.models import AppSettings, ProviderEndpoint
from admin_config.services.configuration import credential_remove, organization_seed, release_publish
from security.models import MemberKey, Secret
from tenants.context import tenant_tx
from tests.rest.conftest import signed_in
from tests.support.accounts.cast import Cast
from tests.support.agents.gemini import ServedGemini, gemini
from tests.support.chat.seeding import make_or_copy
from tests.support.chat.workspace import allow_egress

__all__ = ["gemini"]

URL = "/o/acme/api/keys/"

KEY = "AIzaSyNeverShownAgain-wxyz"


@pytest.fixture(autouse=True)
def google_at_the_double(cast: Cast, gemini: ServedGemini, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Both organizations use Google at its own address, which is the double's."""
    settings.DEMO_PROVIDER_URL, settings.PROVIDER_KEYS = "", {}
    monkeypatch.setitem(PROVIDERS, "google", replace(PROVIDERS["google"], base_url=gemini.base_url))
    with allow_egress(gemini.base_url):
        for organization in (cast.acme, cast.other):
            with tenant_tx(organization.pk):
                make_or_copy(organization, "own keys", partial(organization_seed, organization_id=organization.pk), (gemini.base_url,))
        allow(cast)
        yield


def allow(cast: Cast, allowed: bool = True) -> None:
    with tenant_tx(cast.acme.pk):
        AppSettings.objects.update(own_keys_allowed=allowed)


@pytest.fixture
def bob(cast: Cast) -> Client:
    return signed_in(cast.bob)


def put(client: Client, key: str = KEY, url: str = URL, **fields: Any) -> Any:
    return client.put(url, {"provider": "google", "key": key, **fields}, content_type="application/json")


def google(client: Client, url: str = URL) -> dict[str, Any]:
    """Google's item of the list."""
    items: list[dict[str, Any]] = client.get(url).json()["keys"]
    return next(item for item in items if item["provider"] == "google")


def rows(cast: Cast) -> tuple[list[MemberKey], int]:
    """Acme's keys of members, and the number of its secrets."""
    with tenant_tx(cast.acme.pk):
        return list(MemberKey.objects.select_related("secret").order_by("created_at")), Secret.objects.count()


def move(cast: Cast, url: str) -> None:
    """Give Acme's Google endpoint another address, as an admin does."""
    with tenant_tx(cast.acme.pk):
        endpoint = ProviderEndpoint.objects.get(provider="google")
        endpoint.base_url = url
        endpoint.save()
        credential_remove(endpoint=endpoint)
        release_publish(organization_id=cast.acme.pk)
