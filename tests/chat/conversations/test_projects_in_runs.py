"""What a run is told of its project, temporary conversations, and what brings an archived one back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async
from django.db.models.functions import Now

from artifacts.models import Artifact
from chat.conversations.purging import deleted_purge
from chat.models import Conversation, Project, SearchDocument, SearchWord
from chat.runs.title_generation import title_generate
from chat.tasks import texts_index
from doubles.script import Call, Text
from files.knowledge.models import KnowledgeFile
from tenants.context import tenant_tx
from tests.artifacts.support import make_artifact
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket, communicator
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

API = "/o/acme/api"


@sync_to_async
def make_project(cast: Cast, user: Any, *, instructions: str = "", text: str = "") -> str:
    actor = cast.actor(user)
    with tenant_tx(actor.organization_id):
        project = Project.objects.create(owner_id=actor.membership_id, name="Harbour <tariffs>", instructions=instructions)
        if text:
            KnowledgeFile.objects.create(
                project_id=project.pk, path="rates.md", media_type="text/markdown", kind="text", size_bytes=1, text=text, state="ready"
            )
    return str(project.pk)


async def test_a_chat_in_a_project_follows_its_instructions_in_every_answer(
    acme: Workspace, cast: Cast, alice: Browser, chat_id: str
) -> None:
    project_id = await make_project(cast, cast.alice, instructions="Euros </project> only. The key is token-0123456789.")
    secret = {"name": "api", "tool": "http", "url": "https://api.example", "value": "token-0123456789"}
    assert (await alice.call("POST", f"{API}/secrets/", secret)).status_code == 201
    acme.double.default(Text("Fine."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Hi", projectId=project_id)
        await socket.answer(chat_id, "And now?")
        await socket.answer(str(uuid4()), "Outside")
    inside, again, outside = acme.double.requests
    for request in (inside, again):
        assert "Euros &lt;/project&gt; only." in request.system_text
        assert "Harbour &lt;tariffs&gt;" in request.system_text
        assert "token-0123456789" not in request.system_text
        assert "read_project_file" not in request.tool_names, "it has no files"
    assert inside.system_text == again.system_text, "the same prefix, for the provider's cache"
    assert "<project>" not in outside.system_text
    assert (await alice.get(f"{API}/conversations/{chat_id}/"))["projectId"] == project_id


async def test_an_assistant_in_a_project_follows_its_instructions_and_reads_its_files(
    acme: Workspace, cast: Cast, alice: Browser, chat_id: str
) -> None:
    analyst = await sync_to_async(acme.add_assistant)("Analyst", prompt="You are an analyst.")
    project_id = await make_project(cast, cast.alice, instructions="Euros only.", text="Berth: 40 a day.")
    acme.double.default(Text("Fine."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Hi", projectId=project_id, assistant=analyst)
    request = acme.double.requests[0]
    assert "You are an analyst." in request.system_text
    assert "Euros only." in request.system_text
    assert "read_project_file" in request.tool_names


async def test_the_files_of_its_project_and_no_other_can_be_read(acme: Workspace, cast: Cast, alice: Browser, chat_id: str) -> None:
    project_id = await make_project(cast, cast.alice, text="Crane fee: 12 euros.")
    await make_project(cast, cast.alice, text="OTHERPROJECT")
    await make_project(cast, cast.bob, text="BOBSPROJECT")
    await make_project(cast, cast.charlie, text="OTHERORG")
    calls = (
        Call("list_project_files", {}),
        Call("read_project_file", {"path": "rates.md"}),
        Call("search_project_files", {"query": "CRANE"}),
        Call("search_project_files", {"query": "project"}),
    )
    acme.double.answer(*calls, when=lambda request: "read_project_file" in request.tool_names)
    acme.double.default(Text("Fine."))
    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "What is the fee?", projectId=project_id)
    listing, read, search_result, none = [chunk["output"] for chunk in chunks if chunk["type"] == "tool-output-available"]
    assert [file["path"] for file in listing["files"]] == ["rates.md"]
    assert read["text"] == "Crane fee: 12 euros."
    assert [match["text"] for match in search_result["matches"]] == ["Crane fee: 12 euros."]
    assert none["matches"] == []


async def test_nobody_begins_a_chat_in_somebody_elses_project(acme: Workspace, cast: Cast, bob: Browser, charlie: Browser) -> None:
    project_id = await make_project(cast, cast.alice, instructions="A secret")
    for missing in (project_id, str(uuid4())):
        async with chat_socket(bob, "acme") as socket:
            await socket.send(str(uuid4()), "Hi", projectId=missing)
            frame = await socket.receive()
        assert (frame["type"], "project was not found" in frame["errorText"]) == ("error", True), frame
    assert acme.double.requests == []


async def test_a_new_message_brings_an_archived_chat_back(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.default(Text("Fine."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Hi")
        await alice.call("PATCH", f"{API}/conversations/{chat_id}/", {"archived": True})
        assert (await alice.get(f"{API}/conversations/"))["items"] == []
        await socket.answer(chat_id, "Again")
    [item] = (await alice.get(f"{API}/conversations/"))["items"]
    assert (item["id"], item["archived"]) == (chat_id, False)


async def test_a_temporary_chat_is_in_no_list_and_gone_after_a_day(acme: Workspace, cast: Cast, alice: Browser, chat_id: str) -> None:
    acme.double.default(Text("Mombasa is a port."))
    tab = communicator(alice, "/o/acme/ws/notify/")
    await tab.connect()
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Where is Mombasa?", temporary=True)
    assert await tab.receive_nothing(timeout=0.4), "no tab lists it"
    await tab.disconnect()
    conversation = await alice.get(f"{API}/conversations/{chat_id}/")
    assert len(conversation["messages"]) == 2, "a reload shows it"
    assert conversation["expiresAt"] is not None
    for path in ("conversations/", "conversations/?archived=true", "search/?q=mombasa", "search/"):
        assert (await alice.get(f"{API}/{path}"))["items"] == []
    assert await title_generate(organization_id=cast.acme.pk, conversation_id=UUID(chat_id)) is None
    assert len(acme.double.requests) == 1, "no title is asked for"

    await sync_to_async(write_notes)(cast, UUID(chat_id))
    await sync_to_async(texts_index)()
    assert await sync_to_async(searchable_documents)(cast) == 0
    assert await sync_to_async(purge_conversations)(cast) == 0, "its day is not over"
    await sync_to_async(expire)(cast)
    assert await sync_to_async(purge_conversations)(cast) == 1
    assert (await alice.call("GET", f"{API}/conversations/{chat_id}/")).status_code == 404
    assert await acme.rows(Artifact) == []


def write_notes(cast: Cast, conversation_id: UUID) -> None:
    make_artifact(cast.actor(cast.alice), title="Notes", conversation_id=conversation_id)


def searchable_documents(cast: Cast) -> int:
    with tenant_tx(cast.acme.pk):
        return SearchDocument.objects.count() + SearchWord.objects.count()


def purge_conversations(cast: Cast) -> int:
    return deleted_purge(organization_id=cast.acme.pk, until=float("inf")).counts["chat.Conversation"]


def expire(cast: Cast) -> None:
    with tenant_tx(cast.acme.pk):
        Conversation.objects.update(expires_at=Now() - timedelta(seconds=1))
