"""The platform's default changed after a text was customized: the agent's page says so, and the own text is kept or given up."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from admin_config.models import AgentConfig, CustomizedText, PromptSection
from admin_config.services.canary.lifecycle import Audience, canary_start
from admin_config.services.drafts.draft import draft_compose, draft_load
from admin_config.services.scheduling import release_schedule
from tenants.context import tenant_tx
from tests.admin_config.pages import ACME, Page, form_values, save
from tests.support.accounts.cast import Cast

NOTICE = 'data-former-default="You were another agent.'


def text_field(page: Page) -> str:
    """The name of the field with the text of the section `identity`."""
    [formset] = [inline.formset for inline in page.context["inline_admin_formsets"] if inline.formset.model is PromptSection]
    return str(next(form.add_prefix("text") for form in formset.forms if form.instance.name == "identity"))


def customized_texts(cast: Cast) -> list[tuple[str, str, str]]:
    with tenant_tx(cast.acme.id):
        return list(CustomizedText.objects.order_by("field").values_list("part", "field", "default_text"))


def test_a_customized_text_tells_of_its_new_default_until_it_is_kept_or_given_up(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        agent = AgentConfig.objects.get(key="chat_model_agent_google")
    address = f"{ACME}admin_config/agentconfig/{agent.pk}/change/"
    page = alice.get(address)
    identity = text_field(page)
    save(alice, address, **{identity: "You are Tea.", "description": "Knows tea."})
    [(_, _, about), (part, field, default)] = customized_texts(seeded_cast)
    assert (part, field, default[:7]) == ("identity", "text", "You are")
    assert about

    html = alice.get(address).content.decode()
    assert "data-former-default" not in html, "the default is the same"
    with tenant_tx(seeded_cast.acme.id):  # as an earlier version of the platform would have left it
        CustomizedText.objects.filter(part="identity").update(default_text="You were another agent.")
    assert alice.get(address).content.decode().count(NOTICE) == 1

    save(alice, address, **{identity: "You are Green Tea."})
    assert NOTICE in alice.get(address).content.decode(), "a further change of one's own text does not answer the question"
    save(alice, address, keep_default="identity|text")
    later_page = alice.get(address)
    assert NOTICE not in later_page.content.decode()
    assert form_values(later_page)[identity] == "You are Green Tea."

    save(alice, address, **{identity: "", "description": ""})
    assert customized_texts(seeded_cast) == []


@pytest.mark.parametrize("audience", [None, Audience(percent=10)])
def test_the_default_is_noted_when_a_text_goes_live_later_or_for_some_first(seeded_cast: Cast, audience: Audience | None) -> None:
    acme, alice = seeded_cast.acme, seeded_cast.alice
    with tenant_tx(acme.id):
        AgentConfig.objects.filter(key="chat_model_agent_google").update(description="Knows tea.")
        draft_hash = draft_compose(draft_load()).content_hash()
        if audience is None:
            later = timezone.now() + timedelta(hours=1)
            release_schedule(organization_id=acme.id, author_id=alice.pk, note="", expected_hash=draft_hash, publish_at=later)
        else:
            canary_start(organization_id=acme.id, author_id=alice.pk, note="", expected_hash=draft_hash, audience=audience)
    [(part, field, default)] = customized_texts(seeded_cast)
    assert (part, field, bool(default)) == ("", "description", True)


def test_a_text_of_all_providers_tells_it_and_not_the_one_below(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        base = AgentConfig.objects.get(kind="document_agent", provider="all")
        below = AgentConfig.objects.get(key="document_agent_google")
        for agent in (base, below):
            create = agent.operations.get(name="create")
            create.system_prompt = "Write well."
            create.save()
    save(alice, f"{ACME}admin_config/agentconfig/{base.pk}/change/")
    with tenant_tx(seeded_cast.acme.id):
        assert CustomizedText.objects.filter(part="create", field="system_prompt").update(default_text="You were another agent.") == 2
    assert NOTICE in alice.get(f"{ACME}admin_config/agentconfig/{base.pk}/change/").content.decode()
    assert NOTICE not in alice.get(f"{ACME}admin_config/agentconfig/{below.pk}/change/").content.decode(), "its default is the base's text"
