"""Admins set values for all providers on the base's page, see where each comes from, and copy between providers (SPEC 4.15)."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from admin_config.defaults.platform import CHAT_AGENT, KINDS
from admin_config.models import AgentConfig, AgentPlugin, AppSettings, ModelConfig, PromptSection, StepRule
from admin_config.release import AgentSnapshot
from admin_config.services.selectors import live_release
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import Organization
from tests.admin_config.agents import agent_url
from tests.admin_config.pages import ACME, Page, errors, form_values, save, send
from tests.support.accounts.cast import Cast

BASE, GOOGLE, OPENAI = (f"{CHAT_AGENT}_{provider}" for provider in ("all", "google", "openai"))


def live(organization: Organization, key: str) -> AgentSnapshot:
    with tenant_tx(organization.id):
        return live_release(organization_id=organization.id).snapshot.agents[key]


def source_of(page: Page, field: str) -> str:
    """What the page says of where the field's value comes from."""
    [origin] = re.findall(rf'data-of="{field}">([^<]+)<', page.content.decode())
    return str(origin)


def section(page: Page, name: str) -> str:
    """The prefix of the section's fields."""
    formset = next(inline.formset for inline in page.context["inline_admin_formsets"] if inline.formset.prefix == "sections")
    return str(next(form.prefix for form in formset.forms if form.instance.name == name))


def test_a_change_for_all_providers_is_live_everywhere(alice: Client, seeded_cast: Cast) -> None:
    url = agent_url(seeded_cast.acme, BASE)
    page = alice.get(url)
    skills = section(page, "skills")
    assert send(alice, url, page, max_steps="9", prune_empty="off", **{f"{skills}-text": "We sell tea."}).status_code == 302
    for key in (GOOGLE, OPENAI):
        agent = live(seeded_cast.acme, key)
        assert (agent.max_steps, agent.prune_empty, agent.sections["skills"].text) == (9, False, "We sell tea.")


def test_a_page_says_where_each_value_comes_from(alice: Client, seeded_cast: Cast) -> None:
    base, google = agent_url(seeded_cast.acme, BASE), agent_url(seeded_cast.acme, GOOGLE)
    save(alice, base, max_steps="9", thinking_budget="2048", is_enabled="on")
    save(alice, google, max_steps="3")
    origins = {field: source_of(alice.get(google), field) for field in ("max_steps", "thinking_budget", "temperature")}
    assert origins == {"max_steps": "This provider", "thinking_budget": "All providers", "temperature": "Platform"}
    assert source_of(alice.get(base), "max_steps") == "All providers"
    assert 'placeholder="2048"' in alice.get(google).content.decode()
    save(alice, google, max_steps="")
    assert source_of(alice.get(google), "max_steps") == "All providers"
    assert live(seeded_cast.acme, GOOGLE).max_steps == 9


def test_a_switch_has_three_states_below_a_base(alice: Client, seeded_cast: Cast) -> None:
    base, openai = agent_url(seeded_cast.acme, BASE), agent_url(seeded_cast.acme, OPENAI)
    save(alice, base, prune_empty="off")
    assert form_values(alice.get(openai))["prune_empty"] == ""
    save(alice, openai, prune_empty="on")
    assert [live(seeded_cast.acme, key).prune_empty for key in (GOOGLE, OPENAI)] == [False, True]
    save(alice, openai, prune_empty="")
    assert not live(seeded_cast.acme, OPENAI).prune_empty
    save(alice, base, prune_empty="on")
    with tenant_tx(seeded_cast.acme.id):
        assert getattr(AgentConfig.objects.get(key=BASE), "prune_empty") is None  # noqa: B009  # its column follows from the options


def test_a_base_has_no_fields_of_one_provider(alice: Client, seeded_cast: Cast) -> None:
    page = alice.get(agent_url(seeded_cast.acme, BASE))
    assert {"model", "builtin_tools", "provider_options"}.isdisjoint(page.context["adminform"].form.fields)
    assert [tab.name for tab in page.context["tabs"]] == ["prompt", "model", "tools", "limits", "providers", "history"]
    assert "providers" not in [tab.name for tab in alice.get(agent_url(seeded_cast.acme, GOOGLE)).context["tabs"]]


def test_the_base_page_shows_which_provider_differs(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        AppSettings.objects.update(offered_providers=["openai"])
    save(alice, agent_url(seeded_cast.acme, BASE), max_steps="9")
    save(alice, agent_url(seeded_cast.acme, OPENAI), max_steps="3", tool_policy="single")
    save(alice, agent_url(seeded_cast.acme, "chat_model_agent_anthropic"), prune_empty="off")
    values = alice.get(agent_url(seeded_cast.acme, BASE)).context["by_provider"]
    assert [(column.label, column.note, column.own) for column in values.columns] == [
        ("Google Gemini", "Active", 0),
        ("OpenAI", "Offered", 2),
        ("Anthropic Claude", "", 1),
    ]
    cells_by_row = {
        row.label: [(cell.text, cell.level) for cell in row.cells] for row in values.rows if row.is_set and row.label != "Sources of tools"
    }
    side_by_side, on = ("All, side by side", "platform"), ("On", "platform")
    assert cells_by_row == {
        "Max steps": [("5", "platform"), ("9", "own"), ("9", "all"), ("3", "own"), ("9", "all")],
        "Calls of one step": [side_by_side, side_by_side, side_by_side, ("One in each step", "own"), side_by_side],
        "Drop empty answers": [on, on, on, on, ("Off", "own")],
    }
    assert values.set_count == 4


def test_the_base_page_shows_every_field_with_a_link_to_where_it_is_set(alice: Client, seeded_cast: Cast) -> None:
    page = alice.get(agent_url(seeded_cast.acme, BASE))
    values = page.context["by_provider"]
    [tabs] = [{tab.name: tab.field_names for tab in page.context["tabs"]}]
    assert [group.label for group in values.groups] == ["Prompt", "Model", "Tools", "Limits"]
    assert len(values.groups[3].rows) == len(tabs["limits"])
    assert {"Model", "Temperature", "Sources of tools", "Skills", "Skills, enabled"} <= {row.label for row in values.rows}
    for agent_id in {cell.agent_id for row in values.rows for cell in row.cells if cell.agent_id}:
        html = alice.get(f"{ACME}admin_config/agentconfig/{agent_id}/change/").content.decode()
        field_ids = {cell.field_id for row in values.rows for cell in row.cells if cell.agent_id == agent_id}
        assert not [field_id for field_id in field_ids if f'id="{field_id}"' not in html and f'id="{field_id}_0"' not in html]


def test_the_sections_of_the_values_are_those_of_the_linked_fields(alice: Client, seeded_cast: Cast) -> None:
    base = agent_url(seeded_cast.acme, BASE)
    page = alice.get(base)
    assert send(alice, base, page, **{f"{section(page, 'skills')}-text": "We sell tea."}).status_code == 302
    [row] = [row for row in alice.get(base).context["by_provider"].rows if row.label == "Skills"]
    assert row.cells[1].text == "We sell tea."
    assert row.cells[1].field_id == f"id_{section(page, 'skills')}-text"
    assert {cell.text for cell in row.cells[2:]} == {"We sell tea."}


@pytest.mark.parametrize("kind", [kind for kind, defaults in KINDS.items() if not defaults.is_custom])
def test_every_kind_shows_its_values(alice: Client, seeded_cast: Cast, kind: str) -> None:
    values = alice.get(agent_url(seeded_cast.acme, f"{kind}_all")).context["by_provider"]
    assert {row.label for row in values.rows if row.is_set} <= {"Sources of tools"}
    assert len(values.rows) > 5


def test_a_contradiction_with_the_base_is_refused_at_its_field(alice: Client, seeded_cast: Cast) -> None:
    save(alice, agent_url(seeded_cast.acme, BASE), compact_at_percent="20")
    response = save(alice, agent_url(seeded_cast.acme, GOOGLE), tail_percent="30")
    assert list(errors(response)) == ["compact_at_percent"]
    response = save(alice, agent_url(seeded_cast.acme, BASE), compact_at_percent="5")
    assert list(errors(response)) == ["compact_at_percent"]


def test_a_prompt_for_all_providers_must_fit_the_smallest_offered(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        ModelConfig.objects.filter(model_id="gemini-2.5-flash").update(context_window=32_000)
    url = agent_url(seeded_cast.acme, BASE)
    page = alice.get(url)
    response = send(alice, url, page, **{f"{section(page, 'skills')}-text": "word " * 10_000})
    formset = next(inline.formset for inline in response.context["inline_admin_formsets"] if inline.formset.prefix == "sections")
    assert "may have 8,000: a quarter of the window of Gemini 2.5 Flash" in formset.non_form_errors()[0]


def test_values_are_copied_to_other_providers(alice: Client, seeded_cast: Cast) -> None:
    source = agent_url(seeded_cast.acme, GOOGLE)
    page = alice.get(source)
    send(alice, source, page, max_steps="3", system_prompt="Be brief.", **{f"{section(page, 'skills')}-text": "We sell tea."})
    with tenant_tx(seeded_cast.acme.id):
        google, openai, other = (AgentConfig.objects.get(key=key) for key in (GOOGLE, OPENAI, "chat_model_agent_anthropic"))
        StepRule.objects.create(agent=google, first_step=2, tool_choice="none")
        plugins = list(AgentPlugin.objects.filter(agent=openai).values_list("pk", "is_enabled"))
    copy = agent_url(seeded_cast.acme, GOOGLE, "copy")
    assert "Copy to" in alice.get(copy).content.decode()
    assert {*alice.post(copy, {}).context["form"].errors} == {"targets", "what"}
    assert alice.post(copy, {"what": "everything", "targets": [str(openai.pk), str(other.pk)]}).status_code == 302
    for key in (OPENAI, "chat_model_agent_anthropic"):
        agent = live(seeded_cast.acme, key)
        assert (agent.max_steps, agent.system_prompt, agent.sections["skills"].text) == (3, "Be brief.", "We sell tea.")
        assert [rule.first for rule in agent.step_rules] == [2]
        assert agent.model_id is None
    with tenant_tx(seeded_cast.acme.id):
        assert list(AgentPlugin.objects.filter(agent=openai).values_list("pk", "is_enabled")) == plugins
        events = AuditEvent.objects.filter(action="agentconfig.copy")
        assert {(event.object_id, event.detail["from"]) for event in events} == {(str(row.pk), GOOGLE) for row in (openai, other)}


def test_chosen_overrides_are_copied_and_nothing_else(alice: Client, seeded_cast: Cast) -> None:
    source, copy = agent_url(seeded_cast.acme, GOOGLE), agent_url(seeded_cast.acme, GOOGLE, "copy")
    page = alice.get(source)
    skills = section(page, "skills")
    send(alice, source, page, max_steps="3", temperature="0.5", **{f"{skills}-text": "We sell tea.", f"{skills}-is_enabled": "off"})
    save(alice, agent_url(seeded_cast.acme, OPENAI), max_steps="8", top_p="0.9")
    form = alice.get(copy).context["form"]
    keys = ["sections.skills.is_enabled", "sections.skills.text", "temperature", "max_steps"]
    assert [key for key, _ in form.fields["values"].choices] == form.fields["values"].initial == keys
    with tenant_tx(seeded_cast.acme.id):
        openai = AgentConfig.objects.get(key=OPENAI)
    choice = {"what": "chosen", "targets": [str(openai.pk)]}
    assert {*alice.post(copy, choice).context["form"].errors} == {"values"}
    assert {*alice.post(copy, {**choice, "values": ["top_p"]}).context["form"].errors} == {"values"}, "it does not set that"
    assert alice.post(copy, {**choice, "values": ["max_steps", "sections.skills.text"]}).status_code == 302
    agent = live(seeded_cast.acme, OPENAI)
    assert (agent.max_steps, agent.top_p, agent.temperature) == (3, 0.9, live(seeded_cast.acme, "chat_model_agent_anthropic").temperature)
    assert (agent.sections["skills"].text, agent.sections["skills"].is_enabled) == ("We sell tea.", True)
    with tenant_tx(seeded_cast.acme.id):
        [event] = AuditEvent.objects.filter(action="agentconfig.copy")
        assert event.detail == {"from": GOOGLE, "fields": ["sections.skills.text", "max_steps"]}


def test_nothing_is_copied_to_or_from_another_organization_or_kind(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.other.id):
        foreign = AgentConfig.objects.get(key=OPENAI)
    with tenant_tx(seeded_cast.acme.id):
        document = AgentConfig.objects.get(key="document_agent_openai")
    copy = agent_url(seeded_cast.acme, GOOGLE, "copy")
    for target in (foreign, document):
        assert "targets" in alice.post(copy, {"what": "everything", "targets": [str(target.pk)]}).context["form"].errors
    assert alice.post(f"{ACME}admin_config/agentconfig/{foreign.pk}/copy/", {"targets": []}).status_code == 404
    save(alice, agent_url(seeded_cast.acme, BASE), system_prompt="Ours alone.")
    with tenant_tx(seeded_cast.other.id):
        assert not PromptSection.objects.filter(agent__system_prompt="Ours alone.").exists()
    assert live(seeded_cast.other, GOOGLE).system_prompt == ""
