"""The pages of the agents that write artifacts: what an admin can tune of each operation, and what is refused."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from admin_config.defaults.artifact_agents import ARTIFACT_AGENTS
from admin_config.models import AgentOperation
from admin_config.services.selectors import live_release
from tenants.context import tenant_tx
from tests.admin_config.agents import agent_url
from tests.admin_config.pages import errors, save
from tests.support.accounts.cast import Cast


def test_every_template_takes_its_own_placeholders_and_no_others(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        operations = list(AgentOperation.objects.filter(agent__kind__in=ARTIFACT_AGENTS, agent__provider="google").select_related("agent"))
        assert len(operations) == sum(len(defaults.operations) for defaults in ARTIFACT_AGENTS.values())
        for operation in operations:
            defaults = ARTIFACT_AGENTS[operation.agent.kind].operation(operation.name)
            assert defaults is not None
            operation.user_prompt_template = defaults.user_prompt_template
            operation.full_clean()
            operation.user_prompt_template = defaults.user_prompt_template + "{colour}"
            with pytest.raises(ValidationError, match=r"\{colour\} is not a known placeholder"):
                operation.full_clean()


def test_repairs_and_attached_files_are_set_on_the_agents_page(alice: Client, seeded_cast: Cast) -> None:
    url = agent_url(seeded_cast.acme, "mermaid_agent_google")
    assert 'placeholder="2"' in alice.get(url).content.decode()
    assert "max_repairs" not in alice.get(agent_url(seeded_cast.acme, "python_agent_google")).content.decode()
    assert list(errors(save(alice, url, max_repairs="11"))) == ["max_repairs"]
    assert save(alice, url, max_repairs="0", attached_files="off").status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        agent = live_release(organization_id=seeded_cast.acme.id).snapshot.agent("mermaid_agent", "google")
    assert (agent.max_repairs, agent.attached_files) == (0, False)


def test_an_operation_that_asks_no_model_is_only_switched(alice: Client, seeded_cast: Cast) -> None:
    url = agent_url(seeded_cast.acme, "python_agent_google")
    formset = alice.get(url).context["inline_admin_formsets"][0].formset
    number, form = next((number, form) for number, form in enumerate(formset.forms) if form.instance.name == "revert")
    assert [field.name for field in form.visible_fields()] == ["is_enabled"]
    assert save(alice, url, **{f"operations-{number}-is_enabled": "off"}).status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        live = live_release(organization_id=seeded_cast.acme.id).snapshot.agent("python_agent", "google")
    assert [name for name, operation in live.operations.items() if not operation.is_enabled] == ["revert"]
