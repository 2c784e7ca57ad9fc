"""Admins make agents and let agents call each other; what could never work is refused with its reason (SPEC 4.9)."""

from __future__ import annotations

from itertools import pairwise

from django.test import Client

from admin_config.models import AgentConfig, AgentTool, ProviderEndpoint
from admin_config.services.drafts.draft import draft_load, draft_problems
from admin_config.services.seeding import providers_add
from admin_config.services.selectors import live_release
from tenants.context import tenant_tx
from tenants.models import Organization
from tests.admin_config.agents import agent_url
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME, Page, form_values, save, send
from tests.support.accounts.cast import Cast

ADD = f"{ACME}admin_config/agentconfig/add/"
CHAT = "chat_model_agent_google"


def make(client: Client, name: str, provider: str = "google") -> Page:
    return save(client, ADD, agent_name=name, agent_provider=provider, description="Helps.", system_prompt="Help.")


def prefix_of(page: Page) -> str:
    formsets = [inline.formset for inline in page.context["inline_admin_formsets"]]
    return next(str(formset.prefix) for formset in formsets if "sub_agent" in formset.form.base_fields)


def let_call(client: Client, organization: Organization, caller: str, callee: str) -> Page:
    """Give an agent another one, after those that it has."""
    url = agent_url(organization, caller)
    page = client.get(url)
    prefix = prefix_of(page)
    number = int(form_values(page)[f"{prefix}-TOTAL_FORMS"])
    with tenant_tx(organization.id):
        callee_id = str(AgentConfig.objects.get(key=callee).id)
    row = {f"{prefix}-{number}-sub_agent": callee_id, f"{prefix}-{number}-position": "1"}
    return send(client, url, page, **{f"{prefix}-TOTAL_FORMS": str(number + 1)}, **row)


def chain(client: Client, organization: Organization, *names: str) -> Page:
    """What the last link's page answers."""
    return [let_call(client, organization, f"{caller}_google", f"{callee}_google") for caller, callee in pairwise(names)][-1]


def called_by(organization: Organization, key: str) -> list[str]:
    """In the live release."""
    with tenant_tx(organization.id):
        snapshot = live_release(organization_id=organization.id).snapshot
    return [agent.key for agent in snapshot.sub_agents_of(snapshot.agents[key])]


def test_an_admin_makes_an_agent_and_gives_it_to_the_chat_agent(alice: Client, seeded_cast: Cast) -> None:
    answer = make(alice, "helper", "anthropic")
    assert (answer.status_code, answer["Location"]) == (302, agent_url(seeded_cast.acme, "helper_anthropic"))
    assert let_call(alice, seeded_cast.acme, CHAT, "helper_anthropic").status_code == 302
    assert "helper_anthropic" in called_by(seeded_cast.acme, CHAT)
    assert called_by(seeded_cast.other, CHAT) == [key for key in called_by(seeded_cast.acme, CHAT) if key != "helper_anthropic"]
    with tenant_tx(seeded_cast.other.id):
        assert not AgentConfig.objects.filter(name="helper").exists()
        agent = live_release(organization_id=seeded_cast.other.id).snapshot.agents
        assert "helper_anthropic" not in agent


def test_an_agents_input_may_be_a_schema(alice: Client, seeded_cast: Cast) -> None:
    make(alice, "helper")
    url = agent_url(seeded_cast.acme, "helper_google")
    assert save(alice, url, input_arguments='{"type": "array"}').status_code == 200
    schema = '{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}'
    assert save(alice, url, input_arguments=schema, is_enabled="on").status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        snapshot = live_release(organization_id=seeded_cast.acme.id).snapshot.agents["helper_google"]
    assert snapshot.input_schema["required"] == ["city"]


def test_names_that_are_taken_or_no_names_are_refused(alice: Client, seeded_cast: Cast) -> None:
    make(alice, "helper")
    for name, error in [
        ("message", "is the platform&#x27;s own"),
        ("document_agent", "is the platform&#x27;s own"),
        ("web_search", "is the platform&#x27;s own"),
        ("plan", "is the platform&#x27;s own"),
        ("search", "is the platform&#x27;s own"),
        ("read_project_file", "is the platform&#x27;s own"),
        ("helper", "There is an agent helper_google already"),
        ("Two words", "A name is a small letter"),
    ]:
        answer = make(alice, name)
        assert (answer.status_code, error in answer.content.decode()) == (200, True), name


def test_circles_and_long_chains_are_refused_with_their_path(alice: Client, seeded_cast: Cast) -> None:
    names = "abcdef"
    for name in names:
        make(alice, name)
    assert chain(alice, seeded_cast.acme, *names).status_code == 302, "five below the first"
    circle = let_call(alice, seeded_cast.acme, "c_google", "a_google")
    assert "a_google -&gt; b_google -&gt; c_google -&gt; a_google" in circle.content.decode()
    assert called_by(seeded_cast.acme, "c_google") == ["d_google"]
    long = let_call(alice, seeded_cast.acme, CHAT, "a_google")
    path = " -&gt; ".join((CHAT, *(f"{name}_google" for name in names)))
    assert f"At most 5 agents may work below each other: {path}" in long.content.decode()
    assert let_call(alice, seeded_cast.acme, CHAT, "b_google").status_code == 302


def test_what_is_used_can_neither_be_deleted_nor_switched_off(alice: Client, seeded_cast: Cast) -> None:
    make(alice, "helper")
    let_call(alice, seeded_cast.acme, CHAT, "helper_google")
    answer = alice.post(agent_url(seeded_cast.acme, "helper_google", "delete"), {"post": "yes"}, follow=True)
    assert f"helper_google is used by {CHAT}" in answer.content.decode()
    off = save(alice, agent_url(seeded_cast.acme, "helper_google"), is_enabled="off")
    assert "it uses helper_google, which is not enabled" in off.content.decode()
    with tenant_tx(seeded_cast.acme.id):
        AgentTool.objects.filter(sub_agent__key="helper_google").delete()
    assert alice.post(agent_url(seeded_cast.acme, "helper_google", "delete"), {"post": "yes"}).status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        assert not AgentConfig.objects.filter(key="helper_google").exists()
    assert alice.post(agent_url(seeded_cast.acme, CHAT, "delete"), {"post": "yes"}).status_code == 403, "the platform's own stay"


def test_a_draft_is_checked_as_well(seeded_cast: Cast) -> None:
    """Whatever way the rows came into it."""
    with tenant_tx(seeded_cast.acme.id):
        chat, document = (AgentConfig.objects.get(key=f"{kind}_google") for kind in ("chat_model_agent", "document_agent"))
        other = AgentConfig.objects.get(key="provider_tools_agent_openai")
        AgentTool.objects.create(agent=chat, sub_agent=document)
        AgentTool.objects.create(agent=chat, sub_agent=other)
        ProviderEndpoint.objects.filter(provider="openai").update(is_enabled=False)
        texts = " ".join(problem.text for problem in draft_problems(draft_load()))
    assert "document_agent_google works for no other agent." in texts
    assert "OpenAI has no enabled endpoint." in texts
    assert "both give a tool named provider_tools_agent" in texts


def test_an_organization_of_before_gets_the_agent_once(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        AgentTool.objects.filter(sub_agent__kind="provider_tools_agent").delete()
        AgentConfig.objects.filter(key="provider_tools_agent_google").delete()
        assert "agent provider_tools_agent_google" in providers_add()
        agent_tools = AgentTool.objects.filter(agent__kind="chat_model_agent", sub_agent__kind="provider_tools_agent")
        assert [tool.sub_agent.key for tool in agent_tools if tool.sub_agent] == ["provider_tools_agent_google"], (
            "the others were taken away"
        )
        assert providers_add() == []


def test_members_and_strangers_make_no_agents(seeded_cast: Cast, signed_in: SignedIn) -> None:
    for user in (seeded_cast.bob, seeded_cast.charlie):
        assert signed_in(user).post(ADD, {"agent_name": "spy", "agent_provider": "google", "description": "x"}).status_code in (
            302,
            403,
            404,
        )
    with tenant_tx(seeded_cast.acme.id):
        assert not AgentConfig.objects.filter(name="spy").exists()
