"""An agent's page in tabs: everything of the form is on one of them, errors lead to their field, and nobody overwrites another unasked."""

from __future__ import annotations

import json
from html import unescape

import pytest
from django.test import Client

from admin_config.defaults.wires import NOT_SENT
from admin_config.models import (
    AgentConfig,
    AgentPlugin,
    AgentTool,
    AppSettings,
    ModelConfig,
    PromptSection,
    Release,
    StepRule,
    ToolSource,
)
from admin_config.services.agents.prompt_limits import prompt_tokens
from admin_config.services.configuration import plugin_secret_set
from agents.context.tokens import estimate_text
from tenants.context import tenant_tx
from tenants.models import Membership, Organization, User
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME, form_values, save, send
from tests.support.accounts.cast import Cast

KINDS = ["chat_model_agent", "document_agent", "mermaid_agent", "provider_tools_agent", "git_mcp_agent"]


def agent_of(organization: Organization, key: str = "chat_model_agent_google") -> AgentConfig:
    with tenant_tx(organization.id):
        return AgentConfig.objects.get(key=key)


def page_of(organization: Organization, key: str = "chat_model_agent_google") -> str:
    return f"{ACME}admin_config/agentconfig/{agent_of(organization, key).pk}/change/"


def made_admin(user: User) -> User:
    Membership.objects.filter(user=user).update(role=Membership.Role.ADMIN)
    return user


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_stands_on_exactly_one_tab(alice: Client, seeded_cast: Cast, kind: str) -> None:
    response = alice.get(page_of(seeded_cast.acme, f"{kind}_google"))
    html = response.content.decode()
    for name in response.context["adminform"].form.fields:
        assert max(html.count(f' id="id_{name}"'), html.count(f' id="id_{name}_0"')) == 1, name
    prefixes = [inline.formset.prefix for inline in response.context["inline_admin_formsets"]]
    assert all(html.count(f'id="{prefix}-group"') == 1 for prefix in prefixes)
    labels = [tab.label for tab in response.context["tabs"]]
    assert labels[:2] == ["Prompt", "Model"]
    assert labels[-1] == "History"
    assert ("Evaluations" in labels) is (kind == "chat_model_agent")


@pytest.mark.parametrize(
    ("provider", "noted"),
    [
        ("google", set()),
        ("anthropic", {"temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "seed"}),
        ("openai", {"top_k", "presence_penalty", "frequency_penalty", "seed", "stop_sequences"}),
        ("all", set()),
    ],
)
def test_a_setting_that_the_provider_does_not_take_says_so(alice: Client, seeded_cast: Cast, provider: str, noted: set[str]) -> None:
    response = alice.get(page_of(seeded_cast.acme, f"chat_model_agent_{provider}"))
    fields = response.context["adminform"].form.fields
    assert {name for name, field in fields.items() if NOT_SENT in unescape(str(field.help_text))} == noted
    rules = [inline.formset.form.base_fields for inline in response.context["inline_admin_formsets"] if inline.formset.model is StepRule]
    rule_notes = [NOT_SENT in str(rule["temperature"].help_text) for rule in rules]
    assert rule_notes == ([] if provider == "all" else ["temperature" in noted])


def test_an_error_names_its_tab_and_leads_to_its_field(alice: Client, seeded_cast: Cast) -> None:
    url = page_of(seeded_cast.acme)
    sections = alice.get(url).context["inline_admin_formsets"]
    number = next(
        index
        for inline in sections
        for index, form in enumerate(inline.formset.forms)
        if isinstance(form.instance, PromptSection) and form.instance.name == "environment"
    )
    response = save(alice, url, temperature="3", max_steps="0", **{f"sections-{number}-text": "{usr}"})
    tab_errors = [(label, error.place, error.target) for label, error in response.context["tab_errors"]]
    assert tab_errors == [
        ("Prompt", "Environment, own text, Text", f"id_sections-{number}-text"),
        ("Model", "Temperature", "id_temperature"),
        ("Limits", "Max steps", "id_max_steps"),
    ]
    html = response.content.decode()
    assert "Nothing was saved: 3 errors on 3 tabs." in html
    assert 'href="#id_temperature"' in html
    assert 'name="temperature" value="3"' in html


def test_a_prompt_has_a_limit_that_is_a_share_of_the_smallest_window(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        ModelConfig.objects.filter(model_id="gemini-2.5-pro").update(context_window=8000)
    url = page_of(seeded_cast.acme)
    response = save(alice, url, system_prompt="Tea. " * 2000)
    [(label, error)] = response.context["tab_errors"]
    assert (label, error.target) == ("Prompt", "id_system_prompt")
    assert "All its texts together may have 2,000: a quarter of the window of Gemini 2.5 Pro" in error.text
    response = save(alice, url, **{"sections-0-text": "Tea. " * 2000})
    assert [(error.target, "All its texts together" in error.text) for _, error in response.context["tab_errors"]] == [
        ("sections-group", True)
    ]
    assert save(alice, url, system_prompt="Tea.").status_code == 302


@pytest.mark.parametrize("text", ["", "abc", "Tea and more tea.", "Grüße aus Köln", "お茶を飲む"])
def test_tokens_are_counted_as_the_engine_counts_them(text: str) -> None:
    assert prompt_tokens([text]) == estimate_text(text)


def test_a_save_over_somebody_elses_is_refused_once_and_names_them(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    bob, url = signed_in(made_admin(seeded_cast.bob)), page_of(seeded_cast.acme)
    page = alice.get(url)
    assert save(bob, url, system_prompt="Bob's text.").status_code == 302
    response = send(alice, url, page, max_steps="7")
    [text] = response.context["adminform"].form.non_field_errors()
    assert text.startswith("Bob changed the agent Chat agent (Google Gemini): Custom prompt, while you had this page open.")
    assert form_values(response)["max_steps"] == "7"
    assert send(alice, url, response).status_code == 302
    assert save(alice, url, max_steps="8").status_code == 302


def test_the_history_says_who_changed_what(alice: Client, seeded_cast: Cast) -> None:
    url = page_of(seeded_cast.acme)
    assert "Nobody has changed this agent yet" in alice.get(url).content.decode()
    save(alice, url, max_steps="7")
    [line] = alice.get(url).context["history"]
    assert (line.who, line.what, line.is_draft) == ("Alice", "changed the agent Chat agent (Google Gemini): Max steps", False)


def test_where_changes_are_collected_the_page_shows_the_draft_and_its_authors(
    alice: Client, seeded_cast: Cast, signed_in: SignedIn
) -> None:
    with tenant_tx(seeded_cast.acme.id):
        AppSettings.objects.update(publish_on_save=False)
    bob, url = signed_in(made_admin(seeded_cast.bob)), page_of(seeded_cast.acme)
    assert alice.get(url).context["draft_bar"] is None
    save(alice, url, max_steps="7")
    save(bob, page_of(seeded_cast.acme, "document_agent_google"), max_steps="3")
    bar = alice.get(url).context["draft_bar"]
    assert (bar.live_number, bar.changes, [(author.who, author.rows) for author in bar.authors]) == (1, 2, [("Bob", 1), ("Alice", 1)])
    assert alice.get(url).context["history"][0].is_draft


class TestPreparedTrial:
    def prepared(self, client: Client, organization: Organization, /, **fields: str) -> Release:
        url = page_of(organization)
        body = client.post(url.replace("change/", "try/"), {**form_values(client.get(url)), **fields}).json()
        with tenant_tx(organization.id):
            return Release.objects.get(pk=body["draft"])

    def test_tools_that_reach_out_ask_first_and_plugins_that_report_are_left_out(self, alice: Client, seeded_cast: Cast) -> None:
        with tenant_tx(seeded_cast.acme.id):
            agent = AgentConfig.objects.get(key="chat_model_agent_google")
            shop = {"url": "https://shop.example/orders", "description": "Orders"}
            AgentTool.objects.create(agent=agent, source=ToolSource.objects.create(name="orders", kind="http", settings=shop))
            webhook = AgentPlugin.objects.create(agent=agent, name="webhook", settings={"url": "https://hooks.example/"})
            plugin_secret_set(plugin=webhook, value="token-0123456789")
        content = self.prepared(alice, seeded_cast.acme, _trial_ask="on").content
        assert {source["name"]: source["confirm"] for source in content["tool_sources"]}["orders"] is True
        assert {source["name"]: source["confirm"] for source in content["tool_sources"]}["plan"] is False
        assert [plugin["name"] for plugin in content["agents"]["chat_model_agent_google"]["plugins"]] == ["title"]
        tool_sources = self.prepared(alice, seeded_cast.acme).content["tool_sources"]
        assert not any(source["confirm"] for source in tool_sources)

    def test_the_same_page_is_stored_once_and_never_live(self, alice: Client, seeded_cast: Cast) -> None:
        first, second = (self.prepared(alice, seeded_cast.acme, max_steps="9") for _ in range(2))
        assert (first.pk, first.is_trial, first.number) == (second.pk, True, 1)
        assert {agent["provider"] for agent in first.content["agents"].values()} == {"google"}
        assert {endpoint["provider"] for endpoint in first.content["endpoints"]} == {"google"}
        releases = alice.get(f"{ACME}admin_config/release/").context["cl"].result_list
        assert [release.pk for release in releases if release.is_trial] == []
        assert alice.get(f"{ACME}admin_config/release/{first.pk}/change/").status_code == 404
        assert alice.post(f"{ACME}admin_config/release/{first.pk}/restore/").status_code == 404

    def test_only_admins_of_the_organization_prepare_one(self, seeded_cast: Cast, signed_in: SignedIn) -> None:
        url = page_of(seeded_cast.acme).replace("change/", "try/")
        for person in (seeded_cast.bob, seeded_cast.charlie):
            assert signed_in(person).post(url, {}).status_code == 404
        foreign = agent_of(seeded_cast.other).pk
        alice = signed_in(seeded_cast.alice)
        assert alice.post(f"{ACME}admin_config/agentconfig/{foreign}/try/", {}).status_code == 404
        assert alice.get(url).status_code == 404


class TestPreview:
    def ask(self, client: Client, agent: AgentConfig, **texts: object) -> tuple[int, dict[str, object]]:
        answer = client.post(f"/o/acme/api/agents/{agent.pk}/prompt/", json.dumps(texts), content_type="application/json")
        return answer.status_code, answer.json()

    def test_shows_what_the_model_gets_of_unsaved_texts(self, alice: Client, seeded_cast: Cast) -> None:
        sections = {"identity": {"text": "You are Tea."}, "safety": {"isEnabled": False}, "environment": {"text": "For {user}."}}
        status, body = self.ask(alice, agent_of(seeded_cast.acme), systemPrompt="House rules.", sections=sections)
        assert status == 200
        stable = str(body["stable"])
        assert stable.startswith("House rules.\n\n<identity>\nYou are Tea.\n</identity>")
        assert "<safety>" not in stable
        assert body["changing"] == "<environment>\nFor Alice.\n</environment>"
        tokens = body["sectionTokens"]
        assert isinstance(tokens, dict)
        assert tokens["identity"] == estimate_text("You are Tea.")
        assert tokens["safety"] > 0, "what a section would add counts although it is switched off"
        assert (body["maxTokens"], body["tokens"]) == (262_144, estimate_text(stable) + estimate_text(str(body["changing"])))
        with tenant_tx(seeded_cast.acme.id):
            assert Release.objects.count() == 1

    def test_an_unknown_placeholder_is_named(self, alice: Client, seeded_cast: Cast) -> None:
        status, body = self.ask(alice, agent_of(seeded_cast.acme), sections={"environment": {"text": "{usr}"}})
        assert status == 400
        assert "{usr} is not a known placeholder" in str(body["error"])

    def test_is_for_admins_of_the_organization_alone(self, seeded_cast: Cast, signed_in: SignedIn) -> None:
        agent = agent_of(seeded_cast.acme)
        assert self.ask(signed_in(seeded_cast.bob), agent)[0] == 403
        assert self.ask(signed_in(seeded_cast.charlie), agent)[0] == 404
        assert self.ask(signed_in(seeded_cast.alice), agent_of(seeded_cast.other))[0] == 404
