"""Assistants in use (SPEC 4.14): who may choose which, over every way in, and what the one that was chosen is sent."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.test import AsyncClient
from django.test.utils import CaptureQueriesContext

from admin_config.models import AgentConfig, AgentTool, AppSettings
from admin_config.services.selectors import live_release
from chat.api.sends import message_post
from chat.conversations.services import NewMessage
from chat.models import Run
from doubles.script import Call, Text
from tenants.access import Actor
from tenants.context import tenant_tx
from tests.chat.api.test_token_streams import token_of
from tests.chat.configuration.assistant_requests import put_into_group
from tests.chat.openai_api.openai_requests import ask, user
from tests.support.accounts.cast import Cast
from tests.support.agents.gemini import ServedGemini
from tests.support.chat.chat_socket import Browser, chat_socket, text_of
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


def system_of(request: Any) -> str:
    return "".join(part["text"] for part in request.body["systemInstruction"]["parts"])


async def test_the_chosen_assistant_answers_until_another_one_is_chosen(acme: Workspace, alice: Browser, chat_id: str) -> None:
    analyst = await sync_to_async(acme.add_assistant)("Analyst", prompt="You are an analyst.")
    acme.double.default(Text("Yes."))
    async with chat_socket(alice, "acme") as socket:
        first = await socket.answer(chat_id, "Hi", assistant=analyst)
        second = await socket.answer(chat_id, "And now?")
        again = await socket.chunks(await socket.regenerate(chat_id))
        third = await socket.answer(chat_id, "And without?", assistant="")
    assistants = [chunks[0]["messageMetadata"].get("assistant") for chunks in (first, second, again, third)]
    assert assistants == [*[{"key": analyst, "name": "Analyst"}] * 3, None]
    system_texts = [
        system_of(request)
        for request in acme.double.requests
        if "systemInstruction" in request.body and "title" not in str(request.body)[:200]
    ]
    assert ["You are an analyst." in text for text in system_texts if "<output_format>" in text][:4] == [True, True, True, False]
    detail = await alice.get(f"/o/acme/api/conversations/{chat_id}/")
    assert detail["assistant"] == ""
    answer = await alice.call("GET", f"/o/acme/api/conversations/{chat_id}/export/?format=md")
    export = b"".join([part async for part in answer.streaming_content]).decode()
    assert ("## Analyst\n" in export, "## Assistant\n" in export) == (True, True)


async def test_a_chat_remembers_who_was_chosen(acme: Workspace, alice: Browser, chat_id: str) -> None:
    analyst = await sync_to_async(acme.add_assistant)("Analyst")
    acme.double.default(Text("Yes."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Hi")
        assert (await alice.call("PATCH", f"/o/acme/api/conversations/{chat_id}/", {"assistant": analyst})).status_code == 200
        assert (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["assistant"] == analyst
        answer = await socket.answer(chat_id, "And now?")
    assert answer[0]["messageMetadata"]["assistant"]["name"] == "Analyst"
    response = await alice.call("PATCH", f"/o/acme/api/conversations/{chat_id}/", {"assistant": "nobody_google"})
    assert (response.status_code, response.json()["error"]["code"]) == (409, "assistant_unavailable")


async def test_a_model_of_its_own_answers_whatever_the_member_chose(acme: Workspace, alice: Browser, chat_id: str) -> None:
    models = (await alice.get("/o/acme/api/models/"))["items"]
    own, other = models[1], models[0]
    fixed = await sync_to_async(acme.add_assistant)("Fixed", model=own["model"], model_choice="fixed")
    free = await sync_to_async(acme.add_assistant)("Free", model=own["model"])
    acme.double.default(Text("Yes."))
    async with chat_socket(alice, "acme") as socket:
        model_names = [
            (await socket.answer(uuid4().hex, "Hi", assistant=key, **options))[0]["messageMetadata"]["modelName"]
            for key, options in ((fixed, {"modelId": other["id"]}), (free, {"modelId": other["id"]}), (free, {}))
        ]
    assert model_names == [own["name"], other["name"], own["name"]]
    assistants = (await alice.get("/o/acme/api/assistants/"))["items"]
    assert [(item["modelChoice"], item["modelName"]) for item in assistants] == [("fixed", own["name"]), ("member", None)]


async def test_an_assistant_may_ask_with_its_message_tool(acme: Workspace, alice: Browser, chat_id: str) -> None:
    analyst = await sync_to_async(acme.add_assistant)("Analyst")
    await sync_to_async(acme.change_agent)(analyst, completion="message_tool")
    acme.double.answer(Call("message", {"type": "question", "text": "Which year?"}))
    acme.double.default(Text("Yes."))
    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "Our revenue?", assistant=analyst)
    assert chunks[-1]["messageMetadata"]["waiting"] == "reply"


async def test_a_default_assistant_is_that_of_new_chats_while_it_is_offered(
    acme: Workspace, cast: Cast, alice: Browser, bob: Browser
) -> None:
    group = await sync_to_async(put_into_group)(cast, cast.bob)
    key = await sync_to_async(acme.add_assistant)("Sales", audience="chosen", groups=[str(group.pk)])

    async def new_chat_assistant(browser: Browser, **fields: str) -> str:
        conversation = (await browser.call("POST", "/o/acme/api/conversations/", fields)).json()
        return str((await browser.get(f"/o/acme/api/conversations/{conversation['id']}/"))["assistant"])

    for browser in (alice, bob):
        assert (await browser.call("PATCH", "/o/acme/api/me/", {"defaultAssistant": key})).status_code == 200
    keys = [await new_chat_assistant(alice), await new_chat_assistant(bob), await new_chat_assistant(bob, assistant="")]
    assert keys == ["", key, ""]  # Sales is not for Alice


async def test_a_model_of_another_provider_answers_with_the_assistants_prompt(
    acme: Workspace, alice: Browser, chat_id: str, gemini: ServedGemini
) -> None:
    """The agent belongs to Anthropic, which is not offered: without a model of its own the active provider answers."""
    key = await sync_to_async(acme.add_assistant)("Guest", prompt="You are a guest.")

    def move() -> None:
        with tenant_tx(acme.organization.pk):
            AgentConfig.objects.filter(key=key).update(provider="anthropic", key="guest_anthropic")
        acme.publish()

    await sync_to_async(move)()
    acme.double.default(Text("Yes."))
    async with chat_socket(alice, "acme") as socket:
        answer = await socket.answer(chat_id, "Hi", assistant="guest_anthropic")
    assert answer[0]["messageMetadata"]["provider"] == "google"
    assert any("You are a guest." in system_of(request) for request in acme.double.requests if "systemInstruction" in request.body)


async def test_programs_name_an_assistant_as_model(acme: Workspace, cast: Cast, chat_id: str) -> None:
    key = await sync_to_async(acme.add_assistant)("Analyst", prompt="You are an analyst.")
    acme.double.default(Text("Yes."))
    actor = await sync_to_async(cast.actor)(cast.bob)
    _, headers = await token_of(actor)
    models = (await AsyncClient().get("/v1/models", headers=headers)).json()["data"]
    assert key in [model["id"] for model in models]
    response = await ask(actor, user("Hi"), model=key)
    assert (response.status_code, response.json()["model"]) == (200, key)
    [run] = await acme.rows(Run)
    assert run.assistant == key
    tool = {
        "type": "function",
        "function": {"name": "look_up", "parameters": {"type": "object", "properties": {"word": {"type": "string"}}}},
    }
    tool_response = await ask(actor, user("Hi"), model=key, tools=[tool])
    assert tool_response.status_code == 200
    assert all("You are an analyst." in system_of(request) for request in acme.double.requests)


async def test_the_rest_of_the_api_takes_it_too(acme: Workspace, cast: Cast, bob: Browser) -> None:
    key = await sync_to_async(acme.add_assistant)("Analyst", starters=[{"title": "Plot", "text": "Plot our stock."}])
    acme.double.default(Text("Yes."))
    [item] = (await bob.get("/o/acme/api/assistants/"))["items"]
    assert item == {
        "key": key,
        "name": "Analyst",
        "description": "Analyst helps.",
        "pictureUrl": None,
        "starters": [{"title": "Plot", "text": "Plot our stock."}],
        "modelChoice": "member",
        "modelName": None,
        "supportsThinking": False,
    }
    response = await bob.call("POST", "/o/acme/api/conversations/", {"assistant": key})
    assert response.status_code == 201
    detail = await bob.get(f"/o/acme/api/conversations/{response.json()['id']}/")
    assert detail["assistant"] == key


async def test_an_assistant_is_also_a_sub_agent_where_that_is_ticked(acme: Workspace, alice: Browser, chat_id: str) -> None:
    key = await sync_to_async(acme.add_assistant)("Analyst", prompt="You are an analyst.", for_agents=True)

    def give() -> None:
        with tenant_tx(acme.organization.pk):
            chat, own = (AgentConfig.objects.get(key=name) for name in ("chat_model_agent_google", key))
            AgentTool.objects.create(agent=chat, sub_agent=own)
        acme.publish()

    await sync_to_async(give)()
    acme.double.answer(Call("analyst", {"task": "Count."}))
    acme.double.answer(Text("Three."))
    acme.double.default(Text("It is three."))
    async with chat_socket(alice, "acme") as socket:
        assert text_of(await socket.answer(chat_id, "How many?")) == "It is three."
    assert any(system_of(request).startswith("You are an analyst.") for request in acme.double.requests)


def test_a_send_to_an_assistant_costs_no_statement_more(acme: Workspace, cast: Cast) -> None:
    group = put_into_group(cast, cast.alice)
    key = acme.add_assistant("Sales", audience="chosen", groups=[str(group.pk)])
    actor = cast.actor(cast.alice)
    counts = [statements_of_send(actor, assistant) for assistant in (None, None, key)]
    assert counts[1] == counts[2]


def statements_of_send(actor: Actor, assistant: str | None) -> int:
    send = NewMessage(key=str(uuid4()), text="Tea?", client_msg_id=uuid4().hex, assistant=assistant)
    with tenant_tx(actor.organization_id), CaptureQueriesContext(connection) as queries:
        message_post(actor=actor, send=send)
    return len(queries)


def test_an_assistant_of_a_provider_that_is_not_offered_sends_with_its_key(acme: Workspace, cast: Cast) -> None:
    """The titles and edits of its chats stay with the provider that has seen the texts, as long as it is used at all."""
    key = acme.add_assistant("Fixed", model_choice="fixed")
    with tenant_tx(acme.organization.pk):
        AgentConfig.objects.filter(key=key).update(provider="anthropic", key="fixed_anthropic")
        AppSettings.objects.update(offered_providers=[])
    acme.publish()
    with tenant_tx(acme.organization.pk):
        snapshot = live_release(organization_id=acme.organization.pk).snapshot
    _, model = snapshot.chat_model(None, "fixed_anthropic")
    assert (model.provider, snapshot.provider_of(model.id)) == ("anthropic", "anthropic")
    acme.change_assistant("fixed_anthropic", is_offered=False)
    with tenant_tx(acme.organization.pk):
        snapshot = live_release(organization_id=acme.organization.pk).snapshot
    assert snapshot.provider_of(model.id) == "google"
