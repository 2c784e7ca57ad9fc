"""What admins set of each provider's own API: typed, checked on save, released, and each organization's own."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from admin_config.defaults.platform import BUILTIN_TOOLS, PROVIDERS
from admin_config.models import AgentConfig, AppSettings, ModelConfig, Release
from admin_config.release import AgentSnapshot
from admin_config.services.discarding.discard import unpublished_draft
from admin_config.services.selectors import live_release
from agents.messages import BuiltinTool
from tenants.context import tenant_tx
from tenants.models import Organization
from tests.admin_config.pages import ACME, errors, form_values, save, send, send_each
from tests.support.accounts.cast import Cast


def page_of(organization: Organization, provider: str, kind: str = "chat_model_agent") -> str:
    with tenant_tx(organization.id):
        return f"{ACME}admin_config/agentconfig/{AgentConfig.objects.get(key=f'{kind}_{provider}').pk}/change/"


def live_agent(organization: Organization, provider: str, kind: str = "chat_model_agent") -> AgentSnapshot:
    with tenant_tx(organization.id):
        return live_release(organization_id=organization.id).snapshot.agents[f"{kind}_{provider}"]


SET: list[tuple[str, dict[str, str], dict[str, Any]]] = [
    ("google", {"thinking_level": "low", "hate_speech": "BLOCK_NONE"}, {"thinking_level": "low", "hate_speech": "BLOCK_NONE"}),
    (
        "openai",
        {"reasoning_effort": "xhigh", "reasoning_summary": "detailed"},
        {"reasoning_effort": "xhigh", "reasoning_summary": "detailed"},
    ),
    ("anthropic", {"effort": "max", "thinking_display": "omitted"}, {"effort": "max", "thinking_display": "omitted"}),
    (
        "compatible",
        {
            "gateway": "vercel",
            "order": "bedrock\r\nanthropic",
            "only": "",
            "tags": "chat, v2",
            "user": "parley",
            "provider_timeouts": "anthropic: 10\r\nbedrock: 15",
            "zero_data_retention": "on",
        },
        {
            "gateway": "vercel",
            "order": ["bedrock", "anthropic"],
            "tags": ["chat", "v2"],
            "user": "parley",
            "provider_timeouts": ["anthropic: 10", "bedrock: 15"],
            "zero_data_retention": True,
        },
    ),
]


@pytest.mark.parametrize(("provider", "changes", "expected"), SET)
def test_a_providers_settings_are_released_and_taken_back(
    alice: Client, seeded_cast: Cast, provider: str, changes: dict[str, str], expected: dict[str, Any]
) -> None:
    page = page_of(seeded_cast.acme, provider)
    response = alice.get(page)
    assert not form_values(response).keys() & {name for other, names, _ in SET if other != provider for name in names}
    assert send(alice, page, response, **changes, provider_options='{"service_tier": "flex"}').status_code == 302
    assert live_agent(seeded_cast.acme, provider).provider_settings == expected
    assert live_agent(seeded_cast.acme, provider).provider_options == {"service_tier": "flex"}
    assert live_agent(seeded_cast.other, provider).provider_settings == {}
    with tenant_tx(seeded_cast.acme.id):
        release_count = Release.objects.count()
    save(alice, page)  # as it is
    with tenant_tx(seeded_cast.acme.id):
        assert Release.objects.count() == release_count
    blank = dict.fromkeys(changes, "") | {"zero_data_retention": "off", "provider_options": ""}
    save(alice, page, **blank)
    assert (live_agent(seeded_cast.acme, provider).provider_settings, live_agent(seeded_cast.acme, provider).provider_options) == ({}, {})


# By provider: what is entered, and the field that is refused.
WRONG: dict[str, list[tuple[dict[str, str], str]]] = {
    "google": [({"hate_speech": "SOMETIMES"}, "hate_speech")],
    "openai": [({"reasoning_effort": "much"}, "reasoning_effort")],
    "compatible": [
        ({"order": "a"}, "gateway"),
        ({"gateway": "openrouter", "tags": "a"}, "gateway"),
        ({"gateway": "openrouter", "only": "two words"}, "only"),
        ({"gateway": "openrouter", "provider_timeouts": "a: 10"}, "gateway"),
        ({"gateway": "vercel", "provider_timeouts": "a: 601"}, "provider_timeouts"),
        ({"gateway": "vercel", "provider_timeouts": "a"}, "provider_timeouts"),
    ],
}


@pytest.mark.parametrize("provider", WRONG)
def test_a_wrong_setting_is_refused_at_its_field(alice: Client, seeded_cast: Cast, provider: str) -> None:
    answers = send_each(alice, page_of(seeded_cast.acme, provider), [changes for changes, _ in WRONG[provider]])
    assert [[*errors(answer)] for answer in answers] == [[field] for _, field in WRONG[provider]]
    assert not any("pattern" in str(errors(answer).get("provider_timeouts")) for answer in answers)


def test_further_fields_take_nothing_that_parley_sets_and_no_keys(alice: Client, seeded_cast: Cast) -> None:
    page = page_of(seeded_cast.acme, "openai")
    response = alice.get(page)
    for wrong, error in [
        ("[1]", "A JSON object is needed"),
        ('{"input": [], "previous_response_id": "r"}', "Parley sets input, previous_response_id itself."),
        ('{"systemInstruction": {}}', "Parley sets systemInstruction itself."),
        ('{"metadata": {"api_key": "x"}}', "api_key: keys and passwords don&#x27;t belong here."),
        ('{"metadata": {"note": ["sk-0123456789abcdefghij"]}}', "note: keys and passwords"),
        ('{"a": "' + "x" * 9000 + '"}', "At most 8,192 bytes"),
        ('{"a":' * 9 + "1" + "}" * 9, "At most 8 objects or lists inside each other."),
    ]:
        refusal = send(alice, page, response, provider_options=wrong)
        assert list(errors(refusal)) == ["provider_options"], wrong
        assert error in refusal.content.decode().replace("&quot;", '"')
    assert send(alice, page, response, provider_options='{"text": {"verbosity": "low"}, "max_tool_calls": 3}').status_code == 302


def test_built_in_tools_are_off_but_in_the_demo_and_each_is_switched(alice: Client, seeded_cast: Cast) -> None:
    assert list(BUILTIN_TOOLS) == [tool.value for tool in BuiltinTool]
    assert live_agent(seeded_cast.acme, "google").builtin_tools == ()
    assert live_agent(seeded_cast.acme, "demo").builtin_tools == ("web_search", "url_context", "code_execution"), (
        "all that Gemini's wire has"
    )
    save(alice, page_of(seeded_cast.acme, "demo"), max_steps="4")
    with tenant_tx(seeded_cast.acme.id):
        demo = AgentConfig.objects.get(key="chat_model_agent_demo")
    assert (demo.max_steps, demo.builtin_tools) == (4, None), "the provider's default, which may grow"
    save(alice, page_of(seeded_cast.acme, "google"), builtin_tools=["code_execution", "web_search"])
    assert live_agent(seeded_cast.acme, "google").builtin_tools == ("web_search", "code_execution")
    assert live_agent(seeded_cast.other, "google").builtin_tools == ()
    save(alice, page_of(seeded_cast.acme, "demo"), builtin_tools=[])
    assert live_agent(seeded_cast.acme, "demo").builtin_tools == ()
    document = page_of(seeded_cast.acme, "demo", "document_agent")
    response = alice.get(document)
    assert "builtin_tools" not in form_values(response)
    assert send(alice, document, response, harassment="OFF").status_code == 302
    assert live_agent(seeded_cast.acme, "demo", "document_agent").provider_settings == {"harassment": "OFF"}


def test_the_switches_of_gemini_say_when_its_older_models_do_not_follow_them(alice: Client, seeded_cast: Cast) -> None:
    note = "Gemini models before 3, so also Gemini 2.5, run none of them while the agent has tools of Parley"
    assert note in alice.get(page_of(seeded_cast.acme, "google")).content.decode()
    assert note not in alice.get(page_of(seeded_cast.acme, "demo")).content.decode()


def test_a_release_says_in_words_what_was_set(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        AgentConfig.objects.filter(key="chat_model_agent_google").update(
            provider_settings={"hate_speech": "OFF"}, provider_options={"labels": {"team": "a"}}, builtin_tools=["web_search"]
        )
        waiting = unpublished_draft()
        assert waiting is not None
        changes = {change.where[2:]: [line.text for line in change.lines] for change in waiting.changes}
    assert changes == {
        ("builtin tools",): ["web_search"],
        ("provider settings", "hate speech"): ["OFF"],
        ("provider options", "labels", "team"): ["a"],
    }


def test_what_a_model_can_is_known_for_each_provider_and_an_admins_word_counts(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        models_by_provider = {model.provider: model for model in ModelConfig.objects.filter(is_default=True)}
    assert {name: (model.supports_images, model.supports_pdf, model.builtin_tools) for name, model in models_by_provider.items()} == {
        name: (True, True, list(PROVIDERS[name].abilities.builtin_tools))  # type: ignore[union-attr]
        for name in models_by_provider
    }
    page = f"{ACME}admin_config/modelconfig/{models_by_provider['google'].pk}/change/"
    assert save(alice, page, supports_pdf="off", builtin_tools=["web_search"], reasons="false").status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        model = live_release(organization_id=seeded_cast.acme.id).snapshot.models[-1]
        row = ModelConfig.objects.get(pk=models_by_provider["google"].pk)
    assert (row.own_facts, row.supports_images, row.supports_pdf, row.reasons) == (["builtin_tools", "pdf"], True, False, False)
    assert model.supports_images


def test_how_long_a_question_for_permission_waits_is_the_organizations(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        page = f"{ACME}admin_config/appsettings/{AppSettings.objects.get().pk}/change/"
    assert list(errors(save(alice, page, approval_days="0"))) == ["approval_days"]
    assert save(alice, page, approval_days="2").status_code == 302
    for organization, days in ((seeded_cast.acme, 2), (seeded_cast.other, 7)):
        with tenant_tx(organization.id):
            assert AppSettings.objects.get().approval_days == days
