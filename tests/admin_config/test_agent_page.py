"""An agent's page in tabs: everything of the form is on one of them, errors lead to their field, and nobody overwrites another unasked."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from admin_config.models import AgentConfig, AppSettings, ModelConfig, PromptSection, Release
from admin_config.services.prompt_limits import prompt_tokens
from agents.engine.tokens import estimate_text
from tenants.context import tenant_tx
from tenants.models import Membership, Organization, User
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME, form_values, save, send
from tests.support.cast import Cast

KINDS = ["chat_model_agent", "document_agent", "mermaid_agent", "provider_tools_agent", "git_mcp_agent"]


@pytest.fixture
def alice(seeded_cast: Cast, signed_in: SignedIn) -> Client:
    return signed_in(seeded_cast.alice)


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
    shown = response.content.decode()
    for name in response.context["adminform"].form.fields:
        assert max(shown.count(f' id="id_{name}"'), shown.count(f' id="id_{name}_0"')) == 1, name
    prefixes = [inline.formset.prefix for inline in response.context["inline_admin_formsets"]]
    assert all(shown.count(f'id="{prefix}-group"') == 1 for prefix in prefixes)
    labels = [tab.label for tab in response.context["tabs"]]
    assert labels[:2] == ["Prompt", "Model"]
    assert labels[-2:] == ["Try it", "History"]


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
    found = [(label, error.place, error.target) for label, error in response.context["tab_errors"]]
    assert found == [
        ("Prompt", "Environment, own text, Text", f"id_sections-{number}-text"),
        ("Model", "Temperature", "id_temperature"),
        ("Limits", "Max steps", "id_max_steps"),
    ]
    shown = response.content.decode()
    assert "Nothing was saved: 3 errors on 3 tabs." in shown
    assert 'href="#id_temperature"' in shown
    assert 'name="temperature" value="3"' in shown


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
    opened = alice.get(url)
    assert save(bob, url, system_prompt="Bob's text.").status_code == 302
    refused = send(alice, url, opened, max_steps="7")
    [text] = refused.context["adminform"].form.non_field_errors()
    assert text.startswith("Bob changed the agent Chat agent (Google Gemini): Custom prompt, while you had this page open.")
    assert form_values(refused)["max_steps"] == "7"
    assert send(alice, url, refused).status_code == 302
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


class TestPreview:
    def ask(self, client: Client, agent: AgentConfig, **texts: object) -> tuple[int, dict[str, object]]:
        answer = client.post(f"/o/acme/api/agents/{agent.pk}/prompt/", json.dumps(texts), content_type="application/json")
        return answer.status_code, answer.json()

    def test_shows_what_the_model_gets_of_unsaved_texts(self, alice: Client, seeded_cast: Cast) -> None:
        sections = {"identity": {"text": "You are Tea."}, "safety": {"is_enabled": False}, "environment": {"text": "For {user}."}}
        status, told = self.ask(alice, agent_of(seeded_cast.acme), system_prompt="House rules.", sections=sections)
        assert status == 200
        stable = str(told["stable"])
        assert stable.startswith("House rules.\n\n<identity>\nYou are Tea.\n</identity>")
        assert "<safety>" not in stable
        assert told["changing"] == "<environment>\nFor Alice.\n</environment>"
        assert (told["maxTokens"], told["tokens"]) == (262_144, estimate_text(stable) + estimate_text(str(told["changing"])))
        with tenant_tx(seeded_cast.acme.id):
            assert Release.objects.count() == 1

    def test_an_unknown_placeholder_is_named(self, alice: Client, seeded_cast: Cast) -> None:
        status, told = self.ask(alice, agent_of(seeded_cast.acme), sections={"environment": {"text": "{usr}"}})
        assert (status, told["error"]) == (400, told["error"])
        assert "{usr} is not a known placeholder" in str(told["error"])

    def test_is_for_admins_of_the_organization_alone(self, seeded_cast: Cast, signed_in: SignedIn) -> None:
        agent = agent_of(seeded_cast.acme)
        assert self.ask(signed_in(seeded_cast.bob), agent)[0] == 403
        assert self.ask(signed_in(seeded_cast.charlie), agent)[0] == 404
        assert self.ask(signed_in(seeded_cast.alice), agent_of(seeded_cast.other))[0] == 404
