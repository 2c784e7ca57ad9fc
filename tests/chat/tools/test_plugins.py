"""Plugins of an agent through the product: what they add reaches the screen before the answer's end, and stays."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings

from admin_config.models import AgentPlugin
from chat.models import ModelCall
from chat.runs.supervisor import RunSupervisor
from doubles.script import Fault, ReceivedRequest, Text
from tenants.context import tenant_tx
from tenants.redis.clients import sync_client
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace

TRANSACTIONAL = pytest.mark.django_db(transaction=True, databases=["default", "system"])


@pytest.fixture
def acme_with_suggestions(acme: Workspace) -> Workspace:
    """Acme with suggestions switched on."""
    switch(acme, "suggestions", is_enabled=True)
    return acme


@pytest.fixture
def acme_without_titles(acme: Workspace) -> Workspace:
    """Acme with titles switched off."""
    switch(acme, "title", is_enabled=False)
    return acme


def switch(workspace: Workspace, plugin: str, *, is_enabled: bool) -> None:
    with tenant_tx(workspace.organization.pk):
        AgentPlugin.objects.filter(agent__key="chat_model_agent_google", name=plugin).update(is_enabled=is_enabled)
    workspace.publish()


def is_suggestions_request(request: ReceivedRequest) -> bool:
    return "<exchange>" in request.user_text


def titles_queued(chat_id: str) -> int:
    """How many jobs for a title of this conversation wait, for a worker or for their organization's turn."""
    client: Any = sync_client("broker")  # its stubs mix it with the asynchronous one
    prefix = settings.CELERY_BROKER_TRANSPORT_OPTIONS["global_keyprefix"]
    lists = [name for name in client.scan_iter(f"{prefix}interactive*") if client.type(name) == b"list"]
    jobs = [job for name in lists for job in client.lrange(name, 0, -1)]
    return sum(b"chat.tasks.conversation_title_generate" in job and chat_id.encode() in job for job in jobs)


@TRANSACTIONAL
async def test_a_title_is_due_after_the_first_answer(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Tea is a drink."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Tell me about tea")
    await RunSupervisor.current().drain(5)  # the run's last words to other tabs come first
    assert titles_queued(chat_id) == 1


@TRANSACTIONAL
async def test_without_the_plugin_no_title_is_generated(acme_without_titles: Workspace, alice: Browser, chat_id: str) -> None:
    acme_without_titles.double.answer(Text("Tea is a drink."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Tell me about tea")
    await RunSupervisor.current().drain(5)  # the run's last words to other tabs come first
    assert titles_queued(chat_id) == 0


@TRANSACTIONAL
async def test_suggestions_come_before_the_end_and_are_kept(acme_with_suggestions: Workspace, alice: Browser, chat_id: str) -> None:
    acme_with_suggestions.double.answer(Text("Tea is a drink."))
    acme_with_suggestions.double.answer(Text('["Is it healthy?", "Who drinks it?"]'), when=is_suggestions_request)
    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "Tell me about tea")
    kinds = [chunk["type"] for chunk in chunks]
    part = chunks[kinds.index("data-suggestions")]
    assert part["data"] == {"items": ["Is it healthy?", "Who drinks it?"]}
    assert kinds.index("text-end") < kinds.index("data-suggestions") < kinds.index("finish")

    conversation = await alice.get(f"/o/acme/api/conversations/{chat_id}/")
    parts = conversation["messages"][-1]["parts"]
    assert [one["data"] for one in parts if one["type"] == "data-suggestions"] == [part["data"]]


@TRANSACTIONAL
async def test_kept_suggestions_are_no_part_of_the_next_request(acme_with_suggestions: Workspace, alice: Browser, chat_id: str) -> None:
    acme_with_suggestions.double.default(Text("Tea is a drink."))
    acme_with_suggestions.double.answer(Text('["Is it healthy?"]'), when=is_suggestions_request)
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Tell me about tea")
        await socket.answer(chat_id, "Go on")
    [_, second] = [request for request in acme_with_suggestions.double.requests if not is_suggestions_request(request)]
    assert "Is it healthy?" not in str(second.body)


@TRANSACTIONAL
async def test_the_call_for_suggestions_is_in_the_call_log(acme_with_suggestions: Workspace, alice: Browser, chat_id: str) -> None:
    acme_with_suggestions.double.answer(Text("Tea is a drink."))
    acme_with_suggestions.double.answer(Text('["Is it healthy?"]'), when=is_suggestions_request)
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Tell me about tea")
    calls = [(call.kind, call.agent_key, call.finish_reason) for call in await acme_with_suggestions.rows(ModelCall)]
    assert sorted(calls) == [("step", "chat_model_agent_google", "stop"), ("suggestions", "chat_model_agent_google", "stop")]


@TRANSACTIONAL
async def test_an_answer_without_its_suggestions_is_still_an_answer(acme_with_suggestions: Workspace, alice: Browser, chat_id: str) -> None:
    acme_with_suggestions.double.answer(Text("Tea is a drink."))
    acme_with_suggestions.double.answer(Fault.status(400), when=is_suggestions_request)
    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "Tell me about tea")
    kinds = [chunk["type"] for chunk in chunks]
    assert "data-suggestions" not in kinds
    assert kinds[-1] == "finish"
