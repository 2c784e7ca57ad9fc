"""Admins test an endpoint's connection, and add the models that it lists: one request, foreign errors in words, no key shown."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.test import Client
from django.utils.translation import override

from admin_config.models import ModelConfig, ProviderEndpoint
from admin_config.services.configuration import credential_set
from admin_config.services.endpoints.problems import problem_text
from security.models import AuditEvent
from tenants.context import tenant_tx
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME, save
from tests.support.accounts.cast import Cast
from tests.support.agents.anthropic import anthropic_double
from tests.support.agents.gemini import gemini_double, serve
from tests.support.agents.openai import openai_double
from tests.support.chat.workspace import allow_egress

LIST = f"{ACME}admin_config/providerendpoint/"
Double = Callable[[], AbstractContextManager[Any]]


def endpoint(cast: Cast, provider: str, url: str, key: str = "") -> str:
    """The address of the endpoint's page; the endpoint is at `url` and has this key."""
    with tenant_tx(cast.acme.id):
        row, _ = ProviderEndpoint.objects.get_or_create(provider=provider, defaults={"name": provider})
        row.base_url = url
        row.save()
        if key:
            credential_set(endpoint=row, value=key)
    return f"{LIST}{row.pk}/"


def try_connection(client: Client, address: str, **fields: str) -> str:
    return client.post(f"{address}test/", fields, follow=True).content.decode()


@pytest.mark.parametrize(
    ("provider", "double"),
    [("google", gemini_double), ("openai", openai_double), ("compatible", openai_double), ("anthropic", anthropic_double)],
)
def test_each_providers_models_are_listed_and_a_wrong_key_is_said(provider: str, double: Double, alice: Client, seeded_cast: Cast) -> None:
    with double() as server, allow_egress(server.base_url):
        address = endpoint(seeded_cast, provider, server.base_url, "key-NeverShown-wxyz")
        html = try_connection(alice, address)
        assert "The provider did not accept the API key." in html
        assert "key-NeverShown-wxyz" not in html
        assert "last test failed" in alice.get(LIST).content.decode()
        endpoint(seeded_cast, provider, server.base_url, server.key)
        assert "was not tested with this address and key" in alice.get(f"{address}change/").content.decode()
        assert "The connection works" in try_connection(alice, address)
    assert server.requests == [], "no model was called"
    with tenant_tx(seeded_cast.acme.id):
        details = list(AuditEvent.objects.filter(action="providerendpoint.test").order_by("created_at").values_list("detail", flat=True))
    assert [list(detail) for detail in details] == [["problem"], ["models"]]


@pytest.mark.parametrize(("provider", "double"), [("google", gemini_double), ("compatible", openai_double)])
def test_a_server_that_takes_no_key_lists_its_models_too(
    provider: str, double: Callable[..., Any], alice: Client, seeded_cast: Cast
) -> None:
    with double(keys=None) as server, allow_egress(server.base_url):
        assert "The connection works" in try_connection(alice, endpoint(seeded_cast, provider, server.base_url))


def test_ticked_models_are_added_and_the_first_becomes_the_default(alice: Client, seeded_cast: Cast) -> None:
    with openai_double(keys=None, models=("qwen-next", "llama-5", "gpt-4o")) as server, allow_egress(server.base_url):
        address = endpoint(seeded_cast, "compatible", server.base_url)
        assert "no model enabled" in alice.get(LIST).content.decode()
        assert "llama-5" in try_connection(alice, address, fetch="1")
        form = {"models": ["llama-5", "qwen-next"], "is_enabled": "on"}
        assert "2 models added." in alice.post(f"{address}models/", form, follow=True).content.decode()
        assert "Select a valid choice" in alice.post(f"{address}models/", {"models": ["not-listed"]}).content.decode()
        assert "llama-5" not in alice.get(f"{address}models/").content.decode()
    with tenant_tx(seeded_cast.acme.id):
        rows = ModelConfig.objects.filter(provider="compatible").order_by("model_id").values_list("model_id", "is_default", "is_enabled")
        assert list(rows) == [("llama-5", True, True), ("qwen-next", False, True)]
        ModelConfig.objects.filter(model_id="qwen-next").update(model_id="qwen-old")
        assert {event.detail["model_id"] for event in AuditEvent.objects.filter(action="modelconfig.create")} == {"llama-5", "qwen-next"}
    models = alice.get(f"{ACME}admin_config/modelconfig/?provider__exact=compatible").content.decode()
    assert "not listed by its endpoint" in models


async def a_web_page(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200 if scope["path"].startswith("/page") else 404, "headers": []})
    await send({"type": "http.response.body", "body": b"<html>Welcome</html>"})


def test_foreign_answers_are_said_in_plain_words(alice: Client, seeded_cast: Cast) -> None:
    with serve(a_web_page) as url, allow_egress(url):
        assert "did not answer with a list of models" in try_connection(alice, endpoint(seeded_cast, "compatible", f"{url}/page"))
        address = endpoint(seeded_cast, "compatible", f"{url}/none")
        assert "The provider refused the request." in try_connection(alice, address)
        german = alice.get(f"{address}change/", headers={"accept-language": "de"}).content.decode()
        assert "Der Anbieter hat die Anfrage abgelehnt." in german
    with allow_egress("http://127.0.0.1:9"):
        assert "could not be reached" in try_connection(alice, endpoint(seeded_cast, "compatible", "http://127.0.0.1:9"))
    assert problem_text("The provider refused the request: No.") == "The provider refused the request: No."
    with override("de"):
        words = problem_text("The provider's rate limit is reached. Try again in 7 s.")
        assert problem_text("The provider refused the request: No.") == "Der Anbieter hat die Anfrage abgelehnt: No."
    assert words == "Die Ratengrenze des Anbieters ist erreicht. Versuchen Sie es in 7 s noch einmal."


def test_the_rows_say_what_is_missing(alice: Client, seeded_cast: Cast) -> None:
    page = alice.get(LIST).content.decode()
    assert "no key" in page
    assert "no usable endpoint" in alice.get(f"{ACME}admin_config/modelconfig/").content.decode()
    added = save(alice, f"{LIST}add/", provider="compatible", name="Ours", base_url="https://llm.example/v1")
    assert "/change/" in added.headers["Location"], "its connection can be tested there"


def test_only_the_organizations_administrators_test_its_endpoints(seeded_cast: Cast, signed_in: SignedIn) -> None:
    address = endpoint(seeded_cast, "compatible", "http://127.0.0.1:9")
    for person in (seeded_cast.bob, seeded_cast.charlie):
        assert signed_in(person).post(f"{address}test/").status_code == 404
    assert signed_in(seeded_cast.charlie).post(f"{address}test/".replace("/o/acme/", "/o/other/")).status_code == 404
    assert signed_in(seeded_cast.alice).get(f"{address}test/").status_code == 404
    with tenant_tx(seeded_cast.acme.id):
        assert ProviderEndpoint.objects.get(provider="compatible").last_test == {}
