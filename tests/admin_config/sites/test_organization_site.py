"""Admins tune their organization's agents at /o/<slug>/admin/."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from admin_config.defaults.platform import DOCUMENT_AGENT
from admin_config.models import AgentConfig, AppSettings, ModelConfig, ProviderEndpoint, Release, ToolSource
from admin_config.services.drafts.draft import draft_load, draft_problems
from admin_config.services.selectors import live_release
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import Organization
from tests.admin_config.agents import DOCUMENT, agent_url
from tests.admin_config.pages import ACME, errors, header_trail, publish, save
from tests.support.accounts.cast import Cast

LISTS = [
    "",
    "admin_config/agentconfig/",
    "admin_config/providerendpoint/",
    "admin_config/providerendpoint/add/",
    "admin_config/modelconfig/",
    "admin_config/modelconfig/add/",
    "admin_config/release/",
    "tenants/membership/",
    "tenants/membership/service-account/",
    "tenants/membergroup/",
    "tenants/membergroup/add/",
    "tenants/apitoken/",
    "accounts/invitation/",
    "accounts/invitation/add/",
    "accounts/invitation/add/?way=csv",
    "accounts/invitation/add/?way=link",
]


def row_url(organization: Organization, model: type[ModelConfig | ProviderEndpoint | AppSettings], **conditions: object) -> str:
    with tenant_tx(organization.id):
        row = model.objects.get(**conditions)
    return f"{ACME}admin_config/{model.__name__.lower()}/{row.id}/change/"


def live_prompt(organization: Organization) -> str:
    with tenant_tx(organization.id):
        return live_release(organization_id=organization.id).snapshot.agent(DOCUMENT_AGENT).system_prompt


@pytest.mark.parametrize("page", LISTS)
def test_every_page_opens_and_all_its_links_stay_in_the_organization(alice: Client, page: str) -> None:
    response = alice.get(ACME + page)
    assert response.status_code == 200
    links = [part.split('"')[0] for part in response.content.decode().split('href="/')[1:]]
    assert all(link.startswith(("o/acme/", "static/")) for link in links)
    assert any(link.startswith("o/acme/admin/admin_config/agentconfig/") for link in links)


@pytest.mark.parametrize(
    ("page", "trail"),
    [
        ("", ["Overview"]),
        ("admin_config/agentconfig/", ["Agents"]),
        ("admin_config/agentconfig/add/", ["Agents", "Add agent"]),
        ("admin_config/agentconfig/file/", ["Agents", "Agents as a file"]),
        ("chat/run/", ["Runs"]),
        ("chat/run/policy/", ["Runs", "Who may read chats"]),
        ("limits/ratelimit/violations/", ["Limits", "Violations"]),
        ("tenants/organization/", ["Organization"]),
        ("tenants/apitoken/", ["API tokens"]),
    ],
)
def test_the_header_leads_back_to_the_list(alice: Client, page: str, trail: list[str]) -> None:
    *before, title = header_trail(alice.get(ACME + page).content.decode())
    assert ([name for name, _ in before], title) == (trail[:-1], (trail[-1], ""))
    assert all(alice.get(link).status_code == 200 for _, link in before)


def test_each_page_of_the_sidebar_has_one_name(alice: Client) -> None:
    groups = alice.get(ACME).context["sidebar_navigation"]
    for item in (item for group in groups for item in group["items"]):
        page = alice.get(item["link"], follow=True).content.decode()
        [window] = re.findall(r"<title>\s*([^|<]+?) \|", page)
        assert (header_trail(page)[0][0], window) == (item["title"], item["title"])


def test_a_row_has_its_own_name_in_the_header(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        source, settings = ToolSource.objects.get(name="plan"), AppSettings.objects.get()
    page = f"{ACME}admin_config/toolsource/{source.id}/"
    assert [name for name, _ in header_trail(alice.get(f"{page}change/").content.decode())] == ["Tools", "plan (Plan)"]
    assert [name for name, _ in header_trail(alice.get(f"{page}delete/").content.decode())] == ["Tools", "plan (Plan)", "Delete"]
    settings_page = alice.get(f"{ACME}admin_config/appsettings/{settings.id}/change/")
    assert [name for name, _ in header_trail(settings_page.content.decode())] == ["Settings"]


def test_what_keeps_a_form_from_being_saved_is_listed_above_it(alice: Client) -> None:
    page = save(alice, f"{ACME}admin_config/providerendpoint/add/", provider="openai", name="", base_url="ftp://x").content.decode()
    [error_html] = re.findall(r'<div class="parley-errors".*?</div>', page, re.DOTALL)
    assert re.findall(r'<a href="#(\w+)">([^<]+)</a><span>([^<]+)<', error_html) == [
        ("id_name", "Name", "This field is required."),
        ("id_base_url", "Address", "The address must start with https://."),
    ]


@pytest.mark.parametrize("page", ["admin_config/appsettings/", "admin_config/", "admin_config/release"])
def test_redirects_stay_in_the_organization(alice: Client, page: str) -> None:
    assert alice.get(ACME + page).headers["Location"].startswith(ACME)


def test_a_saved_prompt_is_live_at_once(alice: Client, seeded_cast: Cast) -> None:
    response = save(alice, agent_url(seeded_cast.acme, DOCUMENT), system_prompt="You are the document agent of Acme.")
    assert response.headers["Location"] == f"{ACME}admin_config/agentconfig/"
    assert live_prompt(seeded_cast.acme) == "You are the document agent of Acme."
    with tenant_tx(seeded_cast.acme.id):
        assert Release.objects.latest("number").author == seeded_cast.alice
        event = AuditEvent.objects.get(action="agentconfig.change")
    assert (event.actor_user_id, event.detail) == (seeded_cast.alice.pk, {"fields": ["System prompt"]})


def test_a_blank_prompt_means_the_default_which_the_page_shows(alice: Client, seeded_cast: Cast) -> None:
    url = agent_url(seeded_cast.acme, DOCUMENT)
    default = live_prompt(seeded_cast.acme)
    save(alice, url, system_prompt="Ours.")
    assert default.splitlines()[0] in alice.get(url).content.decode()
    save(alice, url, system_prompt="")
    assert live_prompt(seeded_cast.acme) == default


def test_saving_without_a_change_publishes_nothing(alice: Client, seeded_cast: Cast) -> None:
    assert save(alice, agent_url(seeded_cast.acme, DOCUMENT)).status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        assert Release.objects.count() == 1


@pytest.mark.parametrize(
    ("template", "error"),
    [
        ("{instruction} {topic}", "{topic} is not a known placeholder. Known here: {instruction}, {title}."),
        ("{instruction", "A brace is not balanced. Write {{ or }} for a literal brace."),
        ("{title}", "The placeholder {instruction} is missing."),
    ],
)
def test_a_bad_template_is_refused_beside_its_field(alice: Client, seeded_cast: Cast, template: str, error: str) -> None:
    url = agent_url(seeded_cast.acme, DOCUMENT)
    page = alice.get(url)
    number = next(
        index for index, form in enumerate(page.context["inline_admin_formsets"][0].formset.forms) if form.instance.name == "create"
    )
    response = save(alice, url, **{f"operations-{number}-user_prompt_template": template})
    assert errors(response) == {"create.user_prompt_template": [error]}


@pytest.mark.parametrize(
    ("field", "value"),
    [("temperature", "3"), ("max_steps", "0"), ("max_steps", "26"), ("thinking_budget", "1"), ("max_output_tokens", "x")],
)
def test_numbers_have_limits(alice: Client, seeded_cast: Cast, field: str, value: str) -> None:
    assert list(errors(save(alice, agent_url(seeded_cast.acme, DOCUMENT), **{field: value}))) == [field]


@pytest.mark.parametrize(
    ("version", "is_accepted"),
    [("v1", True), ("v1beta2", True), ("", True), ("v1/../v2", False), ("V1", False), ("v", False), ("v1?key=", False), ("1", False)],
)
def test_an_api_version_is_one_word_of_an_address(alice: Client, seeded_cast: Cast, version: str, is_accepted: bool) -> None:
    response = save(alice, row_url(seeded_cast.acme, ProviderEndpoint, provider="google"), api_version=version)
    if is_accepted:
        assert response.status_code == 302
    else:
        assert [*errors(response)] == ["api_version"]


def test_a_wrong_api_version_is_not_published(seeded_cast: Cast) -> None:
    """However it came into the row."""
    with tenant_tx(seeded_cast.acme.id):
        ProviderEndpoint.objects.filter(provider="google").update(api_version="v1/../v2")
        assert [problem.field for problem in draft_problems(draft_load())] == ["api_version"]


def test_the_active_providers_chat_agent_cannot_be_switched_off(alice: Client, seeded_cast: Cast) -> None:
    response = save(alice, agent_url(seeded_cast.acme, "chat_model_agent_google"), is_enabled="off")
    assert errors(response) == {"__all__": ["Google Gemini is the active provider and needs its chat agent enabled."]}
    with tenant_tx(seeded_cast.acme.id):
        assert AgentConfig.objects.get(key="chat_model_agent_google").is_on


def test_a_new_default_model_takes_the_place_of_the_old_one(alice: Client, seeded_cast: Cast) -> None:
    assert save(alice, row_url(seeded_cast.acme, ModelConfig, model_id="gemini-2.5-pro"), is_default="on").status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        assert [model.model_id for model in ModelConfig.objects.filter(provider="google", is_default=True)] == ["gemini-2.5-pro"]


def test_the_only_default_model_stays(alice: Client, seeded_cast: Cast) -> None:
    url = row_url(seeded_cast.acme, ModelConfig, model_id="gemini-2.5-flash")
    refusal = "Google Gemini needs exactly one default model that is enabled."
    assert errors(save(alice, url, is_default="off")) == {"__all__": [refusal]}
    response = alice.post(url.replace("change", "delete"), {"post": "yes"}, follow=True)
    assert f"Not deleted. {refusal}" in response.content.decode()
    with tenant_tx(seeded_cast.acme.id):
        assert ModelConfig.objects.filter(model_id="gemini-2.5-flash").exists()


def test_a_model_id_is_unique_for_its_provider(alice: Client) -> None:
    added = {"provider": "google", "model_id": "gemini-2.5-pro", "display_name": "Again"}
    response = save(alice, f"{ACME}admin_config/modelconfig/add/", **added)
    assert errors(response) == {"__all__": ["This provider already has a model with this id."]}


def test_a_model_is_added_and_deleted(alice: Client, seeded_cast: Cast) -> None:
    added = {"provider": "google", "model_id": "gemini-4", "display_name": "Gemini 4", "is_enabled": "on"}
    assert save(alice, f"{ACME}admin_config/modelconfig/add/", **added).status_code == 302
    url = row_url(seeded_cast.acme, ModelConfig, model_id="gemini-4")
    assert alice.post(url.replace("change", "delete"), {"post": "yes"}).status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        assert Release.objects.latest("number").number == 3


def test_switching_the_provider_publishes(alice: Client, seeded_cast: Cast) -> None:
    assert save(alice, row_url(seeded_cast.acme, AppSettings), active_provider="demo").status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        assert live_release(organization_id=seeded_cast.acme.id).snapshot.active_provider == "demo"


def test_changes_wait_in_the_draft_until_they_are_published(alice: Client, seeded_cast: Cast) -> None:
    default = live_prompt(seeded_cast.acme)
    save(alice, row_url(seeded_cast.acme, AppSettings), publish_on_save="off")
    save(alice, agent_url(seeded_cast.acme, DOCUMENT), system_prompt="Ours.")
    assert live_prompt(seeded_cast.acme) == default
    assert "The draft differs from" in alice.get(f"{ACME}admin_config/release/").content.decode()
    response = publish(alice, note="House style")
    assert "Release 2 is live." in response.content.decode()
    assert live_prompt(seeded_cast.acme) == "Ours."


def test_an_unfinished_draft_is_saved_but_not_published(alice: Client, seeded_cast: Cast) -> None:
    save(alice, row_url(seeded_cast.acme, AppSettings), publish_on_save="off")
    save(alice, agent_url(seeded_cast.acme, "chat_model_agent_google"), is_enabled="off")
    response = publish(alice)
    assert "Not published. Google Gemini is the active provider and needs its chat agent enabled." in response.content.decode()


def test_a_release_shows_its_changes_and_can_be_restored(alice: Client, seeded_cast: Cast) -> None:
    default = live_prompt(seeded_cast.acme)
    save(alice, agent_url(seeded_cast.acme, DOCUMENT), system_prompt="Ours.")
    with tenant_tx(seeded_cast.acme.id):
        second, first = Release.objects.all()
    page = alice.get(f"{ACME}admin_config/release/{second.id}/change/").content.decode()
    assert '<li class="added">Ours.</li>' in page
    response = alice.post(f"{ACME}admin_config/release/{first.id}/restore/", follow=True)
    assert "The content of release 1 is live again, as release 3." in response.content.decode()
    assert live_prompt(seeded_cast.acme) == default


def test_nothing_is_published_by_a_link(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        release_id = Release.objects.get().id
        AgentConfig.objects.filter(key="chat_model_agent_google").update(max_steps=7)
    assert alice.get(f"{ACME}admin_config/release/{release_id}/restore/").status_code == 404
    assert alice.get(f"{ACME}admin_config/release/publish/").status_code == 200
    with tenant_tx(seeded_cast.acme.id):
        assert Release.objects.count() == 1


def test_signing_out_ends_the_session(alice: Client) -> None:
    alice.post(f"{ACME}logout/")
    assert alice.get(ACME).headers["Location"] == f"/login/?next={ACME}"
