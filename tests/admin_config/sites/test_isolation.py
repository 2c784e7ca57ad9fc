"""Nothing of another organization can be seen, chosen or changed at any address of the organization's admin."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest
from django.apps import apps
from django.test import Client

from admin_config.models import AgentConfig, AgentOperation, AppSettings, ModelConfig, PromptSection, ProviderEndpoint, Release, StepRule
from admin_config.services.configuration import release_publish
from tenants.context import tenant_tx
from tenants.models import Membership, Organization
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME, errors, form_values
from tests.support.accounts.cast import Cast

MODELS = ["agentconfig", "providerendpoint", "modelconfig", "release", "appsettings"]


@pytest.fixture
def marked(seeded_cast: Cast) -> Cast:
    """Every row of Other Ltd carries a word that Acme's pages must never show."""
    with tenant_tx(seeded_cast.other.id):
        AgentConfig.objects.update(system_prompt="OTHERSECRET", description="OTHERSECRET")
        AgentOperation.objects.update(system_prompt="OTHERSECRET")
        PromptSection.objects.filter(name="identity").update(text="OTHERSECRET")
        ModelConfig.objects.update(display_name="OTHERSECRET")
        ProviderEndpoint.objects.update(base_url="https://othersecret.example.org")
        release_publish(organization_id=seeded_cast.other.id, note="OTHERSECRET")
    return seeded_cast


def first_id(organization: Organization, model: str) -> UUID:
    with tenant_tx(organization.id):
        row_id: UUID = apps.get_model("admin_config", model)._default_manager.values_list("id", flat=True)[0]
        return row_id


def chat_agent_id(organization: Organization) -> UUID:
    with tenant_tx(organization.id):
        return AgentConfig.objects.get(key="chat_model_agent_google").id


@pytest.mark.parametrize("person", ["bob", "vera", "charlie"])
@pytest.mark.parametrize("page", ["", "admin_config/agentconfig/", "admin_config/release/publish/", "jsi18n/", "no/such/page/"])
def test_only_the_organizations_administrators_find_anything(seeded_cast: Cast, signed_in: SignedIn, person: str, page: str) -> None:
    client = signed_in(getattr(seeded_cast, person))
    assert client.get(ACME + page).status_code == 404
    assert client.post(ACME + page).status_code == 404


def test_an_organization_that_does_not_exist_looks_the_same(alice: Client) -> None:
    assert alice.get("/o/missing/admin/").status_code == alice.get("/o/other/admin/").status_code == 404


def test_strangers_are_asked_to_sign_in(seeded_cast: Cast) -> None:
    assert Client().get(ACME).headers["Location"] == f"/login/?next={ACME}"


def test_a_demoted_administrator_is_out_with_the_next_request(alice: Client, seeded_cast: Cast) -> None:
    assert alice.get(ACME).status_code == 200
    seeded_cast.alice.memberships.update(role=Membership.Role.MEMBER)
    assert alice.get(ACME).status_code == 404


@pytest.mark.parametrize("model", MODELS)
def test_lists_and_pages_hold_own_rows_only(alice: Client, marked: Cast, model: str) -> None:
    own = f"{ACME}admin_config/{model}/"
    pages = [own, f"{own}?q=THERSECRE", f"{own}{first_id(marked.acme, model)}/change/"]
    assert not [page for page in pages if "othersecret" in alice.get(page, follow=True).content.decode().lower()]


@pytest.mark.parametrize("action", ["change/", "delete/", "history/", "restore/", ""])
@pytest.mark.parametrize("model", MODELS)
def test_a_foreign_row_looks_like_a_missing_one(alice: Client, marked: Cast, model: str, action: str) -> None:
    def answer(send: Callable[..., object], row_id: object) -> tuple[int, str]:
        response = send(f"{ACME}admin_config/{model}/{row_id}/{action}", {"post": "yes", "_save": "Save"})
        location = response.headers.get("Location", "")  # type: ignore[attr-defined]
        return response.status_code, location.replace(str(row_id), "ID")  # type: ignore[attr-defined]

    foreign, missing = first_id(marked.other, model), UUID(int=7)
    for send in (alice.get, alice.post):
        assert answer(send, foreign) == answer(send, missing)
    with tenant_tx(marked.other.id):
        assert apps.get_model("admin_config", model)._default_manager.filter(id=foreign).exists()


def test_a_foreign_model_cannot_be_chosen(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        url = f"{ACME}admin_config/agentconfig/{AgentConfig.objects.get(key='chat_model_agent_demo').id}/change/"
        own = ModelConfig.objects.get(model_id="demo-fast").id
    with tenant_tx(seeded_cast.other.id):
        foreign = ModelConfig.objects.get(model_id="demo-fast").id
    values = form_values(alice.get(url))
    assert alice.post(url, {**values, "model": str(own)}).status_code == 302
    response = alice.post(url, {**values, "model": str(foreign)})
    assert errors(response) == {"model": ["Select a valid choice. That choice is not one of the available choices."]}


def test_a_foreign_operation_cannot_be_sent_with_the_own_agent(alice: Client, seeded_cast: Cast) -> None:
    url = f"{ACME}admin_config/agentconfig/{first_id(seeded_cast.acme, 'agentconfig')}/change/"
    values = form_values(alice.get(url))
    foreign = first_id(seeded_cast.other, "agentoperation")
    response = alice.post(url, {**values, "operations-0-id": str(foreign), "operations-0-system_prompt": "Stolen."})
    assert response.status_code == 200
    with tenant_tx(seeded_cast.other.id):
        assert not AgentOperation.objects.filter(system_prompt="Stolen.").exists()


@pytest.mark.parametrize(("part", "field"), [("sections", "text"), ("step_rules", "temperature")])
def test_a_foreign_part_cannot_be_sent_with_the_own_agent(alice: Client, seeded_cast: Cast, part: str, field: str) -> None:
    url = f"{ACME}admin_config/agentconfig/{chat_agent_id(seeded_cast.acme)}/change/"
    values = form_values(alice.get(url))
    with tenant_tx(seeded_cast.other.id):
        foreign_agent = AgentConfig.objects.get(key="chat_model_agent_google")
        rule = StepRule.objects.create(agent=foreign_agent, first_step=1, temperature=0.1)
        foreign = {"sections": foreign_agent.sections.get(name="identity").id, "step_rules": rule.id}[part]
    counts = {f"{part}-TOTAL_FORMS": "1", f"{part}-INITIAL_FORMS": "1", f"{part}-0-first_step": "1", f"{part}-0-position": "1"}
    response = alice.post(url, {**values, **counts, f"{part}-0-id": str(foreign), f"{part}-0-{field}": "2"})
    assert response.status_code == 200
    with tenant_tx(seeded_cast.other.id):
        assert not PromptSection.objects.filter(text="2").exists()
        assert StepRule.objects.get().temperature == 0.1


def test_a_new_rule_belongs_to_the_own_organization(alice: Client, seeded_cast: Cast) -> None:
    url = f"{ACME}admin_config/agentconfig/{chat_agent_id(seeded_cast.acme)}/change/"
    with tenant_tx(seeded_cast.other.id):
        foreign_agent = AgentConfig.objects.get(key="chat_model_agent_google").id
    rule = {"step_rules-TOTAL_FORMS": "1", "step_rules-0-agent": str(foreign_agent), "step_rules-0-position": "1"}
    response = alice.post(
        url,
        {
            **form_values(alice.get(url)),
            **rule,
            "step_rules-0-organization": str(seeded_cast.other.id),
            "step_rules-0-first_step": "1",
            "step_rules-0-temperature": "0",
        },
    )
    with tenant_tx(seeded_cast.other.id):
        assert not StepRule.objects.exists()
    assert response.status_code in {200, 302}


def test_the_organization_of_a_row_is_no_field(alice: Client, seeded_cast: Cast) -> None:
    values = {"provider": "google", "model_id": "gemini-4", "display_name": "G", "is_enabled": "on", "thinking_style": "none"}
    sizes = {"context_window": "1024", "max_output_tokens": "64", "organization": str(seeded_cast.other.id)}
    assert alice.post(f"{ACME}admin_config/modelconfig/add/", {**values, **sizes}).status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        assert ModelConfig.objects.filter(model_id="gemini-4").exists()
    with tenant_tx(seeded_cast.other.id):
        assert not ModelConfig.objects.filter(model_id="gemini-4").exists()


def test_autocomplete_finds_own_rows_only(alice: Client, marked: Cast) -> None:
    query = {"app_label": "admin_config", "model_name": "agentconfig", "field_name": "model"}
    results = alice.get(f"{ACME}autocomplete/", {**query, "term": ""}).json()["results"]
    with tenant_tx(marked.acme.id):
        own = {str(row_id) for row_id in ModelConfig.objects.values_list("id", flat=True)}
    assert {row["id"] for row in results} == own
    assert alice.get(f"{ACME}autocomplete/", {**query, "term": "OTHERSECRET"}).json()["results"] == []


@pytest.mark.parametrize(
    "lookup", ["secret__ciphertext__startswith", "organization__slug", "agents__system_prompt__contains", "secret__organization__name"]
)
def test_lookups_through_relations_are_refused(alice: Client, seeded_cast: Cast, lookup: str) -> None:
    response = alice.get(f"{ACME}admin_config/providerendpoint/", {lookup: "x"})
    assert response.status_code in {302, 400}


def test_members_of_other_organizations_are_not_there(alice: Client, seeded_cast: Cast) -> None:
    foreign = seeded_cast.charlie.memberships.get()
    assert "charlie@example.org" not in alice.get(f"{ACME}tenants/membership/").content.decode()
    response = alice.post(f"{ACME}tenants/membership/{foreign.id}/change/", {"role": "viewer"})
    assert response.headers["Location"] == ACME
    foreign.refresh_from_db()
    assert foreign.role == Membership.Role.OWNER


@pytest.mark.parametrize("page", ["tenants/user/", "auth/group/", "password_change/", "login/", "search/?s=a", "r/1/1/"])
def test_users_and_rights_have_no_page(alice: Client, seeded_cast: Cast, page: str) -> None:
    assert alice.get(ACME + page).status_code == 404


@pytest.mark.parametrize("model", ["agentconfig", "release", "appsettings"])
def test_fixed_rows_are_neither_added_nor_deleted(alice: Client, seeded_cast: Cast, model: str) -> None:
    if model != "agentconfig":  # custom agents are added there
        assert alice.post(f"{ACME}admin_config/{model}/add/").status_code in {403, 404}
    assert alice.post(f"{ACME}admin_config/{model}/{first_id(seeded_cast.acme, model)}/delete/", {"post": "yes"}).status_code == 403


def test_the_two_organizations_do_not_share_a_release(seeded_cast: Cast) -> None:
    assert first_id(seeded_cast.acme, "release") != first_id(seeded_cast.other, "release")
    with tenant_tx(seeded_cast.acme.id):
        assert AppSettings.objects.get().live_release == Release.objects.get()
