"""Trials: an admin talks to an agent as its page stands, unsaved and unpublished, and no member sees anything of it."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from admin_config.models import AgentConfig, AppSettings, Release
from admin_config.services.agents.custom_agents import custom_agent_save_new
from artifacts.models import Version
from chat.models import Conversation, ModelCall, Run
from doubles.script import Call, Text, Usage
from security.models import AuditEvent
from tenants.context import tenant_tx
from tests.admin_config.pages import ACME, form_values
from tests.chat.api.test_http_streams import client_of, events
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket, text_of
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

TEA = {"operation": "create", "title": "Tea", "instruction": "About tea"}


@sync_to_async
def agent_of(cast: Cast, key: str = "chat_model_agent_google") -> AgentConfig:
    with tenant_tx(cast.acme.pk):
        return AgentConfig.objects.get(key=key)


@sync_to_async
def prepare(cast: Cast, agent: AgentConfig, /, **changes: str) -> Any:
    """Change these fields of the agent's page without saving it, and prepare a trial."""
    client = Client()
    client.force_login(cast.alice)
    page = f"{ACME}admin_config/agentconfig/{agent.pk}/"
    return client.post(f"{page}try/", {**form_values(client.get(f"{page}change/")), **changes})


async def ask(browser: Browser, agent: AgentConfig, text: str, release: str, **fields: Any) -> Any:
    body = {"text": text, "release": release, **fields}
    return await (await client_of(browser)).post(f"/o/acme/api/agents/{agent.pk}/trial", body, content_type="application/json")


async def test_the_page_is_tried_as_it_stands_unsaved(acme: Workspace, cast: Cast, alice: Browser) -> None:
    acme.double.default(Text("Ahoy."), Usage(120, 3))
    agent, release_count = await agent_of(cast), len(await acme.rows(Release))
    releases = (await prepare(cast, agent, system_prompt="Talk like a sailor.")).json()
    response = await ask(alice, agent, "Hello", releases["draft"])
    assert text_of((await events(response))[:-1]) == "Ahoy."
    await events(await ask(alice, agent, "Hello", releases["live"]))
    draft_request, live_request = acme.double.requests
    assert "Talk like a sailor." in draft_request.system_text
    assert "Talk like a sailor." not in live_request.system_text
    assert (await agent_of(cast)).system_prompt == ""
    assert [release.is_trial for release in await acme.rows(Release)].count(False) == release_count
    [event, _] = [event for event in await acme.rows(AuditEvent) if event.action == "agent.try"]
    assert (event.actor_user_id, event.object_id) == (cast.alice.pk, str(agent.pk))


async def test_a_trial_goes_on_and_is_in_no_list_search_or_usage_of_a_member(acme: Workspace, cast: Cast, alice: Browser) -> None:
    acme.double.default(Text("Ahoy."), Usage(120, 3))
    agent = await agent_of(cast)
    release = (await prepare(cast, agent)).json()["draft"]
    first = await ask(alice, agent, "Hello", release)
    await events(first)
    trial = first.headers["x-parley-conversation"]
    await events(await ask(alice, agent, "And again", release, conversation=trial))
    [conversation] = await acme.rows(Conversation)
    assert (str(conversation.pk), conversation.is_trial, conversation.listed) == (trial, True, False)
    assert "Hello" in str(acme.double.requests[-1].body)
    assert len(acme.double.requests) == 2  # nobody is asked for a title
    assert (await alice.get("/o/acme/api/conversations/"))["items"] == []
    summary = await alice.get("/o/acme/api/usage/summary/")
    assert (summary["days"], summary["conversations"]) == ([], [])
    everyone = await alice.get("/o/acme/api/usage/?whose=organization&group=model")
    assert [item["calls"] for item in everyone["items"]] == [2]  # it was paid for
    assert [call.agent_key for call in await acme.rows(ModelCall)] == ["chat_model_agent_google"] * 2
    runs = await acme.rows(Run)
    assert all(run.display["isTrial"] for run in runs)
    html = (await alice.call("GET", f"/o/acme/admin/chat/run/{runs[0].pk}/?texts=1")).content.decode()
    assert "Ahoy." in html
    assert "Trial" in html


async def test_an_agent_of_ones_own_is_talked_to_itself(acme: Workspace, cast: Cast, alice: Browser) -> None:
    acme.double.default(Text("Ahoy."))

    @sync_to_async
    def save_agent() -> AgentConfig:
        with tenant_tx(cast.acme.pk):
            agent = AgentConfig(name="sailor", provider="google", description="Sails.", system_prompt="You are a sailor.")
            custom_agent_save_new(agent)
            return agent

    agent = await save_agent()
    release = (await prepare(cast, agent)).json()["draft"]
    await events(await ask(alice, agent, "Hello", release))
    assert "You are a sailor." in acme.double.requests[0].system_text
    assert [call.agent_key for call in await acme.rows(ModelCall)] == ["sailor_google"]


async def test_a_wrong_page_is_not_tried_and_its_fields_are_named(acme: Workspace, cast: Cast) -> None:
    response = await prepare(cast, await agent_of(cast), temperature="3")
    assert response.status_code == 400
    assert response.json()["error"]["message"].startswith("Not tried. Temperature:")


async def test_only_admins_try_and_only_what_was_prepared_for_a_trial(
    acme: Workspace, cast: Cast, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    agent = await agent_of(cast)
    release = (await prepare(cast, agent)).json()["draft"]
    assert (await ask(bob, agent, "Hello", release)).status_code == 403
    assert (await ask(charlie, agent, "Hello", release)).status_code == 404
    live = await sync_to_async(_live_id)(cast)
    assert (await ask(alice, agent, "Hello", live)).status_code == 404
    assert (await ask(alice, agent, "", release)).status_code == 400
    assert (await ask(alice, agent, "Hello", "no id")).status_code == 400
    foreign = await (await client_of(charlie)).post(
        f"/o/other/api/agents/{agent.pk}/trial", {"text": "Hi", "release": release}, content_type="application/json"
    )
    assert foreign.status_code == 404
    assert await acme.rows(Conversation) == []


async def test_recorded_results_stand_in_for_tools(acme: Workspace, cast: Cast, alice: Browser, bob: Browser, chat_id: str) -> None:
    acme.double.default(Text("I wrote about tea."))
    agent = await agent_of(cast)
    release = (await prepare(cast, agent)).json()["draft"]

    async def try_agent(**fields: Any) -> Any:
        acme.double.answer(Call("document_agent", TEA))
        return await ask(alice, agent, "Write about tea", release, **fields)

    first = await try_agent(results=[])
    [notice] = [chunk["data"] for chunk in (await events(first))[:-1] if chunk["type"] == "data-notice"]
    assert notice["text"] == "The agent called document_agent, of which no result is recorded. The answer stopped here."
    [trial_run] = await acme.rows(Run)
    again = await try_agent(results=[], results_of=str(trial_run.pk))
    assert "of which no result is recorded" in str(await events(again)), "what stopped a trial is no result"
    trial = first.headers["x-parley-conversation"]
    recorded_result = {"tool": "document_agent", "arguments": TEA, "result": '{"written": "Darjeeling"}'}
    again = await try_agent(conversation=trial, again=True, results=[recorded_result])
    assert text_of((await events(again))[:-1]) == "I wrote about tea."
    assert "Darjeeling" in str(acme.double.requests[-1].body)
    assert str(acme.double.requests[-1].body).count("Write about tea") == 1, "the question is asked again, not once more"
    run = max(await acme.rows(Run), key=lambda run: run.created_at)
    fields: dict[str, Any]
    for fields in ({"results": []}, {}):
        await events(await try_agent(**fields, results_of=str(run.pk)))
        assert "Darjeeling" in str(acme.double.requests[-1].body)
    for entry in ("Assam\x00", '{"written": "Assam", "cups": NaN}'):  # PostgreSQL has neither in JSON
        await events(await try_agent(results=[{**recorded_result, "result": entry}]))
        assert "Assam" in str(acme.double.requests[-1].body)
    assert await acme.rows(Version) == [], "no tool has run"

    async with chat_socket(bob, "acme") as socket:
        await socket.answer(chat_id, "Hi")
    [members] = [run for run in await acme.rows(Run) if str(run.conversation_id) == chat_id]
    assert (await try_agent(results=[], results_of=str(members.pk))).status_code == 404


async def test_a_members_conversation_is_not_continued_as_a_trial(acme: Workspace, cast: Cast, alice: Browser, chat_id: str) -> None:
    acme.double.default(Text("Yes."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Hi")
    agent = await agent_of(cast)
    release = (await prepare(cast, agent)).json()["draft"]
    assert (await ask(alice, agent, "Hello", release, conversation=chat_id)).status_code == 404


def _live_id(cast: Cast) -> str:
    with tenant_tx(cast.acme.pk):
        return str(AppSettings.objects.get().live_release_id)
