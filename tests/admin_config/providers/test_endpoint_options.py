"""What an admin says about an endpoint's abilities: checked on save, in the release, and used."""

from __future__ import annotations

import pytest
from django.test import Client

from admin_config.models import AppSettings, ModelConfig, ProviderEndpoint
from admin_config.services.selectors import live_release
from tenants.context import tenant_tx
from tests.admin_config.pages import ACME, errors, form_values, save
from tests.support.accounts.cast import Cast


@pytest.fixture
def compatible(seeded_cast: Cast) -> ProviderEndpoint:
    with tenant_tx(seeded_cast.acme.id):
        return ProviderEndpoint.objects.get(provider="compatible")


def page_of(endpoint: ProviderEndpoint) -> str:
    return f"{ACME}admin_config/providerendpoint/{endpoint.id}/change/"


def test_a_provider_without_an_address_of_its_own_needs_one(alice: Client, compatible: ProviderEndpoint) -> None:
    response = save(alice, page_of(compatible), base_url="")
    assert list(errors(response)) == ["base_url"]


def test_options_reach_the_release(alice: Client, seeded_cast: Cast, compatible: ProviderEndpoint) -> None:
    options = {"output_limit_field": "max_completion_tokens", "parallel_tools": "false", "streams_usage": "off", "takes_pdf": "on"}
    body = {"extra_body": '{"provider": {"order": ["a", "b"]}}'}
    response = save(alice, page_of(compatible), base_url="https://llm.example.com/v1", tool_mode="xml", **options, **body)
    assert response.status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        endpoint = live_release(organization_id=seeded_cast.acme.id).snapshot.endpoints_of("compatible")[0]
        row_options = ProviderEndpoint.objects.get(pk=compatible.pk).compatible_options
    assert (endpoint.tool_mode, endpoint.compatible_options.model_dump(exclude_defaults=True)) == ("xml", row_options)
    assert row_options == {
        "streams_usage": False,
        "output_limit_field": "max_completion_tokens",
        "parallel_tools": False,
        "takes_pdf": True,
        "extra_body": {"provider": {"order": ["a", "b"]}},
    }
    save(alice, page_of(compatible))  # as it is
    with tenant_tx(seeded_cast.acme.id):
        assert ProviderEndpoint.objects.get(pk=compatible.pk).compatible_options == row_options
    with tenant_tx(seeded_cast.other.id):
        assert ProviderEndpoint.objects.get(provider="compatible").compatible_options == {}


def test_what_is_no_option_is_refused_at_its_field(alice: Client, compatible: ProviderEndpoint) -> None:
    wrong = {"output_limit_field": "limit", "parallel_tools": "maybe"}
    for field, value in [*wrong.items(), *(("extra_body", body) for body in ('["a"]', "1", '{"messages": []}', '{"api_key": "x"}', "{"))]:
        response = save(alice, page_of(compatible), base_url="https://llm.example.com/v1", **{field: value})
        assert list(errors(response)) == [field], value


def test_other_providers_have_no_options_of_compatible_servers(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        google = ProviderEndpoint.objects.get(provider="google")
    fields = form_values(alice.get(page_of(google)))
    assert "streams_usage" not in fields
    assert "api_version" in fields


@pytest.mark.parametrize(
    ("provider", "address", "error"),
    [
        ("compatible", "http://llm.example.com/v1", "A key is only sent to an address that starts with https://."),
        ("demo", "", "There is no address that this key could be for."),
    ],
)
def test_a_key_for_such_an_address_is_refused_beside_it(alice: Client, seeded_cast: Cast, provider: str, address: str, error: str) -> None:
    with tenant_tx(seeded_cast.acme.id):
        endpoint = ProviderEndpoint.objects.get(provider=provider)
    response = save(alice, page_of(endpoint), base_url=address, new_key="sk-0123456789abcdef")
    assert errors(response) == {"new_key": [error]}


def test_users_may_be_offered_the_models_of_other_providers(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        settings = AppSettings.objects.get()
    page = f"{ACME}admin_config/appsettings/{settings.pk}/change/"
    assert save(alice, page, offered_providers=["openai", "anthropic"]).status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        snapshot = live_release(organization_id=seeded_cast.acme.id).snapshot
        claude = ModelConfig.objects.filter(provider="anthropic", is_default=True).get()
    assert {model.provider for model in snapshot.offered_models()} == {"google", "openai", "anthropic"}
    agent, model = snapshot.chat_model(claude.pk)
    assert (agent.key, model.id) == ("chat_model_agent_anthropic", claude.pk)
    with tenant_tx(seeded_cast.other.id):
        assert {model.provider for model in live_release(organization_id=seeded_cast.other.id).snapshot.offered_models()} == {"google"}


def test_a_provider_that_cannot_answer_is_not_offered(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        settings = AppSettings.objects.get()
        ProviderEndpoint.objects.filter(provider="anthropic").update(is_enabled=False)
    response = save(alice, f"{ACME}admin_config/appsettings/{settings.pk}/change/", offered_providers=["anthropic"])
    assert "needs an enabled endpoint" in response.content.decode()
