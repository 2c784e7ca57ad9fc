"""`manage.py providers_add`: organizations get what a later version brings, as a draft."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from admin_config.defaults.platform import KINDS
from admin_config.models import AgentConfig, AgentTool, AppSettings, ModelConfig, PromptSection, ProviderEndpoint, Release, ToolSource
from admin_config.release import ReleaseSnapshot
from admin_config.services.configuration import release_publish
from admin_config.services.drafts.draft import draft_compose, draft_load
from admin_config.services.selectors import draft_state, live_release
from tenants.context import tenant_tx
from tenants.models import Organization
from tests.support.accounts.cast import Cast


def run(*args: str) -> str:
    out = StringIO()
    call_command("providers_add", *args, stdout=out)
    return out.getvalue()


def forget(organization: Organization) -> None:
    """The organization as an older version left it: without Anthropic, one model and one section; published."""
    with tenant_tx(organization.id):
        AgentConfig.objects.filter(provider="anthropic").delete()
        ModelConfig.objects.filter(provider="anthropic").delete()
        ModelConfig.objects.filter(model_id="gpt-6-luna").delete()
        ProviderEndpoint.objects.filter(provider="anthropic").delete()
        PromptSection.objects.filter(agent__key="chat_model_agent_google", name="safety").delete()
        ModelConfig.objects.filter(model_id="gpt-6-astra").update(display_name="Ours")
        old = draft_compose(draft_load()).as_json()
        old["agents"]["chat_model_agent_google"]["system_prompt"] = "What the older version said."
        release = ReleaseSnapshot.model_validate(old)
        live = Release.objects.create(number=2, content=release.as_json(), content_hash=release.content_hash())
        AppSettings.objects.update(live_release=live)


def test_what_is_missing_is_added_once_in_the_draft_of_the_named_organization(seeded_cast: Cast) -> None:
    for organization in (seeded_cast.acme, seeded_cast.other):
        forget(organization)
    output = run("--organization", "acme")
    assert output.splitlines() == [
        "acme:",
        "  prompt section safety of chat_model_agent_google",
        "  model openai:gpt-6-luna, disabled",
        "  endpoint Anthropic Claude, disabled",
        "  model anthropic:claude-sonnet-5-5",
        "  model anthropic:claude-opus-5-5",
        "  model anthropic:claude-haiku-5-5",
        *(f"  agent {kind}_anthropic" for kind, defaults in KINDS.items() if not defaults.is_custom),
        "  All of this waits in the draft.",
    ]
    with tenant_tx(seeded_cast.acme.id):
        assert Release.objects.count() == 2
        assert draft_state().problems == []
        assert ModelConfig.objects.get(provider="anthropic", is_default=True).supports_images
        assert ModelConfig.objects.get(model_id="gpt-6-astra").display_name == "Ours"
        release_publish(organization_id=seeded_cast.acme.id)
    with tenant_tx(seeded_cast.other.id):
        assert not AgentConfig.objects.filter(provider="anthropic").exists()
    assert "Nothing to add." in run("--organization", "acme")
    assert "agent chat_model_agent_anthropic" in run()


def test_what_is_added_is_published_on_demand_where_every_save_is(seeded_cast: Cast) -> None:
    for organization in (seeded_cast.acme, seeded_cast.other):
        forget(organization)
    with tenant_tx(seeded_cast.other.id):
        AppSettings.objects.update(publish_on_save=False)
    output = run("--publish")
    assert "Published as release 3." in output
    assert "All of this waits in the draft." in output
    with tenant_tx(seeded_cast.acme.id):
        assert live_release(organization_id=seeded_cast.acme.id).snapshot.agent("python_agent", "anthropic").operations["fix"].is_enabled
    with tenant_tx(seeded_cast.other.id):
        assert Release.objects.count() == 2


def test_a_source_of_github_that_is_there_is_used_and_its_name_may_be_taken(seeded_cast: Cast) -> None:
    for organization, kinds in ((seeded_cast.acme, ("github", "github")), (seeded_cast.other, ("plan",))):
        forget(organization)
        with tenant_tx(organization.id):
            ToolSource.objects.filter(kind="github").delete()
            ToolSource.objects.bulk_create(ToolSource(kind=kind, name="github" * n) for n, kind in enumerate(kinds, start=1))
    assert run().count("agent git_mcp_agent_anthropic") == 2
    for organization, sources in ((seeded_cast.acme, 2), (seeded_cast.other, 1)):
        with tenant_tx(organization.id):
            assert ToolSource.objects.filter(kind="github").count() == sources


def test_an_organization_that_is_not_there_is_named(db: None) -> None:
    with pytest.raises(CommandError, match="There is no organization nowhere"):
        run("--organization", "nowhere")


def test_chat_agents_have_a_plan_and_web_pages_until_an_admin_takes_them_away(seeded_cast: Cast) -> None:
    def tool_kinds() -> set[tuple[str, str]]:
        return set(AgentTool.objects.exclude(source=None).values_list("agent__kind", "source__kind"))

    defaults = {("chat_model_agent", "plan"), ("chat_model_agent", "fetch_url")}
    with tenant_tx(seeded_cast.acme.id):
        assert defaults <= tool_kinds()
        AgentTool.objects.filter(source__kind="plan").delete()
        ToolSource.objects.filter(kind="fetch_url").delete()  # as an older version left it
    assert "tool fetch_url of the chat agents" in run("--organization", "acme")
    with tenant_tx(seeded_cast.acme.id):
        assert tool_kinds() & defaults == {("chat_model_agent", "fetch_url")}
        assert draft_state().problems == []
