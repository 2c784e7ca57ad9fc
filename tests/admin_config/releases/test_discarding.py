"""A draft is thrown away: the live release is written back into the rows, and publishing on save can be switched on again."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.test import Client

from admin_config.defaults.platform import CHAT_AGENT, KINDS
from admin_config.errors import DraftNotRestored
from admin_config.models import (
    AgentConfig,
    AgentOperation,
    AgentPlugin,
    AgentTool,
    AppSettings,
    ModelConfig,
    ModelPrice,
    PromptSection,
    ProviderEndpoint,
    Release,
    StepRule,
    ToolSource,
)
from admin_config.services.agents.custom_agents import custom_agent_save_new
from admin_config.services.configuration import credential_set, release_publish
from admin_config.services.discarding.discard import DiscardedDraft, draft_discard, unpublished_draft
from admin_config.services.drafts.draft import draft_compose, draft_load
from admin_config.services.selectors import live_release
from security.models import AuditEvent, Secret
from tenants.context import tenant_tx
from tenants.errors import Conflict
from tenants.models import Organization, TenantModel
from tests.admin_config.agents import agent_url, live_agent
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import Page, save
from tests.admin_config.releases.releases import RELEASES, settings_url
from tests.support.accounts.cast import Cast

GOOGLE = "https://generativelanguage.googleapis.com"


def chat_agent() -> AgentConfig:
    return AgentConfig.objects.get(key="chat_model_agent_google")


def discard_by_page(client: Client) -> Page:
    """Look at what is thrown away, then throw away exactly that."""
    [draft_hash] = re.findall(r'name="seen" value="(\w+)"', client.get(f"{RELEASES}discard/").content.decode())
    return client.post(f"{RELEASES}discard/", {"seen": draft_hash}, follow=True)


def discard(cast: Cast) -> DiscardedDraft:
    draft = unpublished_draft()
    assert draft is not None
    return draft_discard(organization_id=cast.acme.id, expected_hash=draft.rows_hash, author_id=cast.alice.pk)


def rows_of(organization: Organization) -> dict[str, list[Any]]:
    """All rows of the organization, by table."""
    with tenant_tx(organization.id):
        models = [model for model in apps.get_models() if issubclass(model, TenantModel)]
        return {model._meta.db_table: list(model._default_manager.order_by("pk").values()) for model in models}


def test_after_going_back_the_draft_is_discarded_and_publishing_on_save_can_be_switched_on(alice: Client, seeded_cast: Cast) -> None:
    default, settings = live_agent(seeded_cast.acme).system_prompt, settings_url(seeded_cast.acme)
    save(alice, agent_url(seeded_cast.acme), system_prompt="Wrong.")
    with tenant_tx(seeded_cast.acme.id):
        first = Release.objects.get(number=1)
        AppSettings.objects.update(publish_on_save=False)
    save(alice, agent_url(seeded_cast.acme), description="Half done.")
    page = alice.post(f"{RELEASES}{first.id}/restore/", follow=True).content.decode()
    assert "The draft keeps its unpublished changes." in page
    assert "Discard draft" in page
    question_html = save(alice, settings, publish_on_save="on").content.decode()
    assert "The draft differs from the live release 3." in question_html
    assert '<li class="added">Wrong.</li>' in question_html
    assert '<li class="added">Half done.</li>' in question_html
    assert "<strong>Alice</strong> (1 thing)" in question_html
    assert live_agent(seeded_cast.acme).system_prompt == default
    assert save(alice, settings, approval_days="9").status_code == 302
    discard_html = alice.get(f"{RELEASES}discard/").content.decode()
    assert '<li class="removed">Wrong.</li>' in discard_html
    assert "The draft is discarded. It has the content of release 3 again." in discard_by_page(alice).content.decode()
    with tenant_tx(seeded_cast.acme.id):
        assert (chat_agent().system_prompt, chat_agent().description) == ("", "")
    assert save(alice, settings, publish_on_save="on").status_code == 302
    assert live_agent(seeded_cast.acme).system_prompt == default
    with tenant_tx(seeded_cast.acme.id):
        assert (Release.objects.count(), AppSettings.objects.get().publish_on_save) == (3, True)
        assert AppSettings.objects.get().approval_days == 9


def fill() -> None:
    """Give every kind of row something of its own, which the next release has."""
    agent, other = chat_agent(), AgentConfig.objects.get(key="document_agent_google")
    AppSettings.objects.update(offered_providers=["openai"], publish_on_save=False)
    AgentConfig.objects.filter(id=agent.id).update(
        system_prompt="Ours.",
        temperature=0.5,
        cost_budget_usd="1.25",
        stop_sequences="END\nSTOP",
        hidden_tools="plan",
        prune_tools="plan: all\nmessage: none",
        ask_first=True,
        builtin_tools=["web_search"],
        model=ModelConfig.objects.get(model_id="gemini-2.5-pro"),
    )
    AgentOperation.objects.filter(agent=other).update(system_prompt="Ours too.")
    PromptSection.objects.filter(agent=agent, name="skills").update(text="We sell tea.")
    StepRule.objects.create(agent=agent, first_step=1, last_step=2, temperature=0.1, active_tools="plan")
    source = ToolSource.objects.create(kind="fetch_url", name="pages", prefix="web", allowed_tools="web_fetch_url", confirm=True)
    AgentTool.objects.create(agent=agent, source=source, position=1)
    helper = AgentConfig(name="helper", provider="google", description="Helps.")
    custom_agent_save_new(helper)
    AgentTool.objects.create(agent=agent, sub_agent=helper, position=2)
    AgentPlugin.objects.filter(agent=agent, name="suggestions").update(is_enabled=True, settings={"prompt": "Ask."})
    AgentPlugin.objects.create(
        agent=agent, name="webhook", is_enabled=True, position=9, settings={"url": "https://hooks.example.org/parley"}
    )


def break_settings() -> None:
    AppSettings.objects.update(active_provider="openai", offered_providers=["google"])


def break_endpoints() -> None:
    ProviderEndpoint.objects.filter(provider="openai").delete()
    ProviderEndpoint.objects.filter(provider="google").update(name="Mine", timeout_s=7, priority=3)
    ProviderEndpoint.objects.create(provider="openai", name="OpenAI")
    ProviderEndpoint.objects.create(provider="google", name="Google Gemini")


def break_models() -> None:
    pro = ModelConfig.objects.get(model_id="gemini-2.5-pro")
    AgentConfig.objects.filter(model=pro).update(model=None)
    pro.delete()
    again = ModelConfig.objects.create(provider="google", model_id="gemini-2.5-pro", display_name="Again")
    AgentConfig.objects.filter(key="chat_model_agent_google").update(model=again)
    ModelConfig.objects.filter(provider="google").update(is_default=False, context_window=5000)
    ModelConfig.objects.create(provider="google", model_id="gemini-9", display_name="New", is_default=True)
    ModelPrice.objects.all().delete()


def break_agents() -> None:
    AgentConfig.objects.update(system_prompt="Theirs.", temperature=1, hidden_tools="", prune_tools="", builtin_tools=None, ask_first=False)
    AgentConfig.objects.update(cost_budget_usd=None, stop_sequences="", max_steps=3, description="Theirs.", is_enabled=True)
    AgentOperation.objects.update(system_prompt="Theirs.", is_enabled=False)
    PromptSection.objects.update(text="Theirs.", is_enabled=False)
    StepRule.objects.all().delete()
    StepRule.objects.create(agent=chat_agent(), first_step=3, temperature=1)
    AgentPlugin.objects.filter(name="webhook").delete()
    AgentPlugin.objects.all().update(is_enabled=False, settings={})


def break_sources() -> None:
    ToolSource.objects.get(name="pages").delete()
    ToolSource.objects.filter(name="plan").update(name="plans", prefix="a")
    added = ToolSource.objects.create(kind="plan", name="pages")
    AgentTool.objects.all().delete()
    AgentTool.objects.create(agent=chat_agent(), source=added)


def break_custom_agents() -> None:
    AgentConfig.objects.filter(name="helper").delete()
    added = AgentConfig(name="added", provider="openai", description="Adds.")
    custom_agent_save_new(added)
    AgentTool.objects.create(agent=AgentConfig.objects.get(key="chat_model_agent_openai"), sub_agent=added)


def exchange_names() -> None:
    first, second = ToolSource.objects.filter(name__in=["page_state", "fetch_url"])
    ToolSource.objects.filter(id=first.id).update(name="parked")
    ToolSource.objects.filter(id=second.id).update(name=first.name)
    ToolSource.objects.filter(id=first.id).update(name=second.name)


BREAKS = (break_settings, break_endpoints, break_models, break_agents, break_sources, break_custom_agents, exchange_names)


def break_all() -> None:
    for change in BREAKS:
        change()


@pytest.mark.parametrize("change", [*BREAKS, break_all], ids=lambda change: change.__name__)
def test_everything_of_the_live_release_comes_back(seeded_cast: Cast, change: Callable[[], None]) -> None:
    with tenant_tx(seeded_cast.acme.id):
        fill()
        live = release_publish(organization_id=seeded_cast.acme.id)
    before = rows_of(seeded_cast.other)
    with tenant_tx(seeded_cast.acme.id):
        change()
        assert draft_compose(draft_load()).content_hash() != live.content_hash
        assert discard(seeded_cast).release == live
        assert draft_compose(draft_load()).content_hash() == live.content_hash
        assert unpublished_draft() is None
        event = AuditEvent.objects.get(action="draft.discard")
        assert (event.actor_user_id, event.object_id, event.detail["number"]) == (seeded_cast.alice.pk, str(live.id), live.number)
        assert Release.objects.count() == 2
    assert rows_of(seeded_cast.other) == before


def test_what_equals_the_platforms_default_is_blank_again(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        AppSettings.objects.update(publish_on_save=False)
        break_agents()
        ProviderEndpoint.objects.update(base_url="https://elsewhere.example.org")
        discard(seeded_cast)
        agent = chat_agent()
        assert (agent.system_prompt, agent.description, agent.temperature, agent.max_steps) == ("", "", None, None)
        assert not PromptSection.objects.exclude(text="").exists()
        assert not AgentOperation.objects.exclude(system_prompt="").exists()
        assert not ProviderEndpoint.objects.filter(provider="google").exclude(base_url="").exists()
        assert live_release(organization_id=seeded_cast.acme.id).snapshot.agent(CHAT_AGENT).description == KINDS[CHAT_AGENT].description


def test_rows_that_were_added_are_disabled_or_deleted(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        fill()
        release_publish(organization_id=seeded_cast.acme.id)
        break_all()
        discard(seeded_cast)
        assert not ModelConfig.objects.get(model_id="gemini-9").is_enabled
        assert ModelConfig.objects.filter(model_id="gemini-2.5-pro").count() == 1
        assert not ProviderEndpoint.objects.get(provider="openai", name__startswith="OpenAI_").is_enabled
        assert not ToolSource.objects.get(name__startswith="pages_").is_enabled
        assert not AgentConfig.objects.filter(name="added").exists()
        assert AgentConfig.objects.get(name="helper").sections.count() == len(KINDS["custom_agent"].sections)


def test_a_key_stays_where_the_address_stays(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        AppSettings.objects.update(publish_on_save=False)
        endpoint, other_endpoint = ProviderEndpoint.objects.get(provider="google"), ProviderEndpoint.objects.get(provider="openai")
        for row in (endpoint, other_endpoint):
            credential_set(endpoint=row, value=f"first-key-of-{row.provider}")
        release_publish(organization_id=seeded_cast.acme.id)
        endpoint.timeout_s, other_endpoint.base_url = 60, "https://gateway.example.org"
        for row in (endpoint, other_endpoint):
            row.save()
            credential_set(endpoint=row, value=f"second-key-of-{row.provider}")
        old_secret_id = endpoint.secret_id
        assert discard(seeded_cast).keys_needed == (other_endpoint.name,)
        assert ProviderEndpoint.objects.get(id=endpoint.id).secret_id == old_secret_id
        assert ProviderEndpoint.objects.get(id=other_endpoint.id).secret_id is None
        assert [secret.bound_origin for secret in Secret.objects.all()] == [f"{GOOGLE}:443"]


def test_what_cannot_be_restored_is_named_and_nothing_changes(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        AppSettings.objects.update(publish_on_save=False)
        source = ToolSource.objects.create(kind="plan", name="gone", is_enabled=False)
        AgentTool.objects.create(agent=chat_agent(), source=source)
        release_publish(organization_id=seeded_cast.acme.id)
        source.delete()
        AgentConfig.objects.filter(key="chat_model_agent_google").update(max_steps=9)
        with pytest.raises(DraftNotRestored, match="agents > chat_model_agent_google > tools"):
            discard(seeded_cast)
        assert chat_agent().max_steps == 9
        assert not AuditEvent.objects.filter(action="draft.discard").exists()


def test_only_what_was_seen_is_thrown_away(alice: Client, seeded_cast: Cast) -> None:
    save(alice, settings_url(seeded_cast.acme), publish_on_save="off")
    save(alice, agent_url(seeded_cast.acme), system_prompt="Ours.")
    page = alice.post(f"{RELEASES}discard/", {"seen": "x"}, follow=True).content.decode()
    assert "Not discarded. The draft has changed since you looked." in page
    with tenant_tx(seeded_cast.acme.id):
        assert chat_agent().system_prompt == "Ours."
        discard(seeded_cast)
        with pytest.raises(Conflict):
            draft_discard(organization_id=seeded_cast.acme.id, expected_hash="x")


@pytest.mark.parametrize("person", ["bob", "vera", "charlie"])
def test_only_administrators_of_the_organization_discard(seeded_cast: Cast, signed_in: SignedIn, person: str) -> None:
    client = signed_in(getattr(seeded_cast, person))
    assert client.get(f"{RELEASES}discard/").status_code == client.post(f"{RELEASES}discard/").status_code == 404


def test_a_release_of_another_organization_is_not_there(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.other.id):
        foreign = Release.objects.get().id
    before = rows_of(seeded_cast.other)
    assert alice.post(f"{RELEASES}{foreign}/restore/").status_code == 404
    assert rows_of(seeded_cast.other) == before
