"""A provider's value is edited in the table *By provider*: by the agent's own form, so with its checks, its audit event and its publication."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from admin_config.defaults.platform import ALL_PROVIDERS, CHAT_AGENT
from admin_config.models import AgentConfig, AppSettings, ModelConfig
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import Membership
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME, save
from tests.admin_config.value_editor import BASE, GOOGLE, OPENAI, SKILLS, Editor, agent_of, live, url_of
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import events


@pytest.mark.parametrize(
    ("place", "entry", "value", "words"),
    [
        ("max_steps", "3", 3, "3"),
        ("temperature", "0.25", 0.25, "0.25"),
        ("seed", "-7", -7, "-7"),
        ("tool_policy", "single", "single", "One in each step"),
        ("tool_choice", "required", "required", "required"),
        ("prune_empty", "off", False, "Off"),
        ("is_enabled", "off", False, "Off"),
    ],
)
def test_a_value_is_set_and_given_back_in_its_cell(
    alice: Client, seeded_cast: Cast, place: str, entry: str, value: Any, words: str
) -> None:
    before = live(seeded_cast.acme, GOOGLE).model_dump()
    editor = Editor(alice, url_of(seeded_cast.acme, OPENAI, place))
    assert editor.stored_text == ""
    assert editor.save(entry), editor.problems
    assert f"Set here: </span>{words}" in editor.text.replace("here:</span> ", "here: </span>")
    assert "Release 2 is live." in editor.text
    assert getattr(agent_of(seeded_cast.acme, OPENAI), place) == value
    if place != "is_enabled":
        assert getattr(live(seeded_cast.acme, OPENAI), place) == value
    assert live(seeded_cast.acme, GOOGLE).model_dump() == before, "no other provider's"
    editor = Editor(alice, url_of(seeded_cast.acme, OPENAI, place))
    assert editor.stored_text != ""
    assert editor.save(""), editor.problems
    assert "Set here:" not in editor.text
    assert Editor(alice, url_of(seeded_cast.acme, OPENAI, place)).stored_text == ""


def test_a_model_and_a_switch_of_a_section_are_set(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        model = ModelConfig.objects.get(provider="google", model_id="gemini-2.5-pro")
    editor = Editor(alice, url_of(seeded_cast.acme, GOOGLE, "model"))
    assert editor.save(str(model.pk))
    assert live(seeded_cast.acme, GOOGLE).model_id == model.pk
    editor = Editor(alice, url_of(seeded_cast.acme, GOOGLE, SKILLS))
    assert editor.save("off")
    assert not live(seeded_cast.acme, GOOGLE).sections["skills"].is_enabled
    assert live(seeded_cast.acme, OPENAI).sections["skills"].is_enabled
    assert live(seeded_cast.acme, GOOGLE).model_id == model.pk
    operation = Editor(alice, url_of(seeded_cast.acme, "document_agent_google", "operations.create.is_enabled"))
    assert operation.save("off")
    assert not live(seeded_cast.acme, "document_agent_google").operations["create"].is_enabled


def test_the_row_has_what_holds_at_each_stage_then(alice: Client, seeded_cast: Cast) -> None:
    base = f"{ACME}admin_config/agentconfig/{agent_of(seeded_cast.acme, BASE).pk}/change/"
    save(alice, base, max_steps="9")
    editor = Editor(alice, url_of(seeded_cast.acme, GOOGLE, "max_steps"))
    assert 'placeholder="9"' in editor.text
    assert editor.save("4")
    assert re.findall(r"(Set here|From all providers|From the platform): </span>(\w+)", editor.text)[:2] == [
        ("Set here", "9"),
        ("Set here", "4"),
    ]
    assert "2 of" in re.findall(r"<span data-value-count>(.*?)</span>", editor.text)[0]
    base_html = html.unescape(alice.get(base).content.decode())
    assert re.findall(r'<tr data-row="max_steps".*?</tr>', base_html) == re.findall(r"<tr data-row.*?</tr>", editor.text)


def test_an_error_is_told_and_what_was_typed_is_kept(alice: Client, seeded_cast: Cast) -> None:
    editor = Editor(alice, url_of(seeded_cast.acme, GOOGLE, "temperature"))
    assert not editor.save("3")
    assert editor.problems == ["Ensure this value is less than or equal to 2.0."]
    assert 'value="3"' in editor.text
    assert not editor.save("warm")
    assert editor.problems == ["Enter a number."]
    assert not events(seeded_cast.acme, "agentconfig.change")
    assert editor.save("1.5"), "the same editor, with another value"
    contradiction = Editor(alice, url_of(seeded_cast.acme, GOOGLE, "tail_percent"))
    assert not contradiction.save("90")
    [problem] = contradiction.problems
    assert problem.startswith("Shorten from (%): The shares must rise")
    assert 'value="90"' in contradiction.text
    assert agent_of(seeded_cast.acme, GOOGLE).temperature == 1.5


def test_a_change_is_an_event_with_both_values(alice: Client, seeded_cast: Cast) -> None:
    url = url_of(seeded_cast.acme, GOOGLE, "max_steps")
    for value in ("4", "6", "6"):
        Editor(alice, url).save(value)
    [first, second] = events(seeded_cast.acme, "agentconfig.change")
    assert (first.before, first.after) == ({}, {"max_steps": 4})
    assert (second.before, second.after) == ({"max_steps": 4}, {"max_steps": 6})
    assert (second.actor_user_id, second.detail["fields"]) == (seeded_cast.alice.pk, ["Max steps"])
    assert second.object_label == str(agent_of(seeded_cast.acme, GOOGLE))


def test_where_changes_are_collected_it_stays_in_the_draft(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        AppSettings.objects.update(publish_on_save=False)
    editor = Editor(alice, url_of(seeded_cast.acme, GOOGLE, "max_steps"))
    assert editor.save("4")
    assert "Saved to the draft." in editor.text
    assert "Draft: 1 change" in editor.text
    assert live(seeded_cast.acme, GOOGLE).max_steps != 4
    assert not list(alice.get(f"{ACME}admin_config/agentconfig/").context["messages"]), "it is told once"


def test_a_row_has_the_columns_of_its_page(alice: Client, seeded_cast: Cast) -> None:
    """A provider that members can't use is in the table because it sets something; it stays there when it sets nothing more."""
    anthropic = "chat_model_agent_anthropic"
    url = url_of(seeded_cast.acme, anthropic, "max_steps")
    assert Editor(alice, url).save("4")
    base = f"{ACME}admin_config/agentconfig/{agent_of(seeded_cast.acme, BASE).pk}/change/"
    columns = re.findall(r'data-column="([\w-]+)"', alice.get(base).content.decode())
    assert columns[-1] == str(agent_of(seeded_cast.acme, anthropic).pk)
    assert Editor(alice, url_of(seeded_cast.acme, OPENAI, "seed")).save("7", *columns), "a provider that the page has not"
    for order in (columns, columns[::-1]):
        editor = Editor(alice, url)
        assert editor.save("", *order)
        agents = re.findall(r"agentconfig/([\w-]+)/value/", editor.text)
        assert agents == order
    assert re.findall(r'data-column="([\w-]+)"', alice.get(base).content.decode()) != columns


RICH = {
    "description": "Knows  teas.\r\nAnd pots.",
    "system_prompt": "Be brief.\n\n- Always.",
    "stop_sequences": "END\nSTOP",
    "cost_budget_usd": "0.2500",
    "prune_empty": False,
    "provider_options": {"labels": {"team": "tea"}, "shares": [1, 2.5, None]},
    "builtin_tools": ["web_search"],
}


def one_of_each_kind(agents: Sequence[AgentConfig]) -> list[AgentConfig]:
    """An agent of each kind, and of each provider: a kind's form is the same for all of them but for the provider's own settings."""
    providers = sorted({agent.provider for agent in agents})
    kinds = sorted({agent.kind for agent in agents} - {CHAT_AGENT})
    pairs = {(kind, providers[number % len(providers)]) for number, kind in enumerate(kinds)} | {(CHAT_AGENT, each) for each in providers}
    return [agent for agent in agents if (agent.kind, agent.provider) in pairs]


def test_a_save_of_one_value_changes_no_other_of_any_agent(request: pytest.FixtureRequest, alice: Client, seeded_cast: Cast) -> None:
    """The form gets all that it shows, so whatever it can't read back would be lost. By night every agent is saved."""
    with tenant_tx(seeded_cast.acme.id):
        AppSettings.objects.update(publish_on_save=False)
        all_agents = list(AgentConfig.objects.exclude(provider=ALL_PROVIDERS))
    agents = all_agents if request.config.getoption("nightly") else one_of_each_kind(all_agents)
    assert len(all_agents) > 25
    assert {agent.kind for agent in agents} == {agent.kind for agent in all_agents}
    assert {agent.provider for agent in agents} == {agent.provider for agent in all_agents}
    names = [field.attname for field in AgentConfig._meta.concrete_fields if field.attname not in ("updated_at", "max_steps")]
    for agent in agents:
        with tenant_tx(seeded_cast.acme.id):
            is_google = agent.provider == "google" and agent.kind == CHAT_AGENT
            rich = {**RICH, "provider_settings": {"thinking_level": "low", "harassment": "BLOCK_NONE"}} if is_google else {}
            AgentConfig.objects.filter(pk=agent.pk).update(**rich)
            before = AgentConfig.objects.filter(pk=agent.pk).values(*names).get()
        editor = Editor(alice, url_of(seeded_cast.acme, agent.key, "max_steps"))
        assert editor.save("4"), (agent.key, editor.problems)
        with tenant_tx(seeded_cast.acme.id):
            assert AgentConfig.objects.filter(pk=agent.pk).values(*names).get() == before, agent.key
    changed = [event.after for event in events(seeded_cast.acme, "agentconfig.change")]
    assert changed == [{"max_steps": 4}] * len(agents)


@pytest.mark.parametrize(
    "place", ["system_prompt", "stop_sequences", "sections.skills.text", "source", "provider", "provider_options", "x", ""]
)
def test_texts_lists_and_unknown_places_have_no_editor(alice: Client, seeded_cast: Cast, place: str) -> None:
    url = url_of(seeded_cast.acme, GOOGLE, place)
    assert alice.get(url).status_code == alice.post(url, {"stored": ""}).status_code == 404


def test_what_holds_for_all_providers_is_edited_on_its_tab(alice: Client, seeded_cast: Cast) -> None:
    assert alice.get(url_of(seeded_cast.acme, BASE, "max_steps")).status_code == 404
    response = alice.get(f"{ACME}admin_config/agentconfig/{agent_of(seeded_cast.acme, BASE).pk}/change/")
    rows = {row.key: row for row in response.context["by_provider"].rows}
    assert [cell.edited_in_place for cell in rows["max_steps"].cells][:3] == [False, False, True]
    assert not any(cell.edited_in_place for key in ("system_prompt", "stop_sequences", "sections.skills.text") for cell in rows[key].cells)
    assert rows[SKILLS].cells[2].edited_in_place


def test_nobody_else_and_no_other_organization_edits_a_value(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    Membership.objects.filter(user=seeded_cast.vera, organization=seeded_cast.acme).update(role=Membership.Role.AUDITOR)
    url = url_of(seeded_cast.acme, GOOGLE, "max_steps")
    for user in (seeded_cast.bob, seeded_cast.vera, seeded_cast.charlie):
        client = signed_in(user)
        assert client.get(url).status_code == client.post(url, {"max_steps": "3", "stored": ""}).status_code == 404
    foreign = agent_of(seeded_cast.other, GOOGLE)
    theirs = f"{ACME}admin_config/agentconfig/{foreign.pk}/value/?place=max_steps"
    assert alice.get(theirs).status_code == alice.post(theirs, {"max_steps": "3", "stored": ""}).status_code == 404
    assert Editor(alice, url).save("3")
    assert agent_of(seeded_cast.other, GOOGLE).max_steps is None
    with tenant_tx(seeded_cast.other.id):
        assert not AuditEvent.objects.filter(action="agentconfig.change").exists()


def test_an_editor_costs_few_statements(alice: Client, seeded_cast: Cast) -> None:
    url = url_of(seeded_cast.acme, GOOGLE, "max_steps")
    with CaptureQueriesContext(connection) as open_queries:
        editor = Editor(alice, url)
    with CaptureQueriesContext(connection) as save_queries:
        assert editor.save("3")
    print(f"opened: {len(open_queries)}, saved: {len(save_queries)}")
    assert len(open_queries) <= 16
    assert len(save_queries) <= 63  # with the publication of a release, and a savepoint around the lock
