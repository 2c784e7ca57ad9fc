"""Files that a model makes on their way to the screen and back to the model: stored once, shown as they are stored, gone with their conversation."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

import pytest
from django.db.models.functions import Now

from admin_config.models import AgentConfig, ModelConfig
from agents.runtime.files import MAX_RUN_FILES
from chat.models import Conversation, Run
from doubles.script import Call, Picture, Text
from doubles.signals import Gate
from files.errors import FileInUse
from files.models import File
from files.services import UNSENT_RETENTION, file_remove, files_forget
from files.storage import file_storage
from tenants.context import tenant_tx
from tenants.db import in_db
from tests.chat.providers.test_provider_parts import kinds, parts_after_takeover, replay, stored_parts
from tests.support.chat.chat_socket import Browser, ChatSocket, Chunk, chat_socket
from tests.support.chat.workspace import Workspace
from tests.support.files.documents import PICTURE
from tests.support.files.downloads import pieces_of
from tests.system.shown_message import shown_parts

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

DRAWN = Picture(PICTURE)


@pytest.fixture
def able(acme: Workspace) -> Workspace:
    """Acme with a model that signs the images that it makes."""
    with tenant_tx(acme.organization.pk):
        model = ModelConfig.objects.get(provider="google", model_id="gemini-3-flash-preview")
        AgentConfig.objects.filter(key="chat_model_agent_google").update(model=model)
    acme.publish()
    return acme


async def only_file(workspace: Workspace) -> File:
    files: list[File] = await workspace.rows(File)
    assert len(files) == 1
    return files[0]


def images_sent(workspace: Workspace, number: int = -1) -> list[dict[str, Any]]:
    contents = workspace.double.requests[number].body["contents"]
    return [{"role": content["role"], **part} for content in contents for part in content["parts"] if "inlineData" in part]


async def begin(socket: ChatSocket, chat_id: str) -> tuple[str, list[Chunk]]:
    request = await socket.send(chat_id, "Draw")
    return request, await socket.chunks(request, until=lambda chunk: chunk["type"] == "file")


async def test_a_made_file_is_stored_shown_replayed_and_sent_back_as_it_came(
    able: Workspace, alice: Browser, bob: Browser, chat_id: str
) -> None:
    """The double refuses an image without its signature, or with another's. What was drawn while the model thought is no file."""
    able.double.answer(Picture(b"\x89PNG draft", draft=True), Text("Here: "), DRAWN, Text("Nice."))
    able.double.answer(Text("A tree."))
    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.chunks(await socket.send(chat_id, "Draw"))
        parts = await stored_parts(alice, chat_id)
        assert parts == shown_parts(chunks) == shown_parts(await replay(alice, chat_id))
        file = await only_file(able)
        [file_chunk] = [chunk for chunk in chunks if chunk["type"] == "file"]
        assert file_chunk == {
            "type": "file",
            "mediaType": "image/png",
            "url": f"parley-file:{file.pk}",
            "providerMetadata": {"parley": {"filename": "image.png", "sizeBytes": len(PICTURE)}},
        }
        await socket.chunks(await socket.send(chat_id, "What is it?"))
    assert [part["type"] for part in parts] == ["step-start", "text", "file", "text"]
    assert (str(file.conversation_id), file.kind, file.state) == (chat_id, "image", "ready")
    item = await alice.get(f"/o/acme/api/files/{file.pk}/")
    assert (item["name"], item["sizeBytes"]) == ("image.png", len(PICTURE))
    assert b"".join(await pieces_of(await alice.call("get", item["url"]))) == PICTURE
    assert (await bob.call("get", f"/o/acme/api/files/{file.pk}/")).status_code == 404
    [image_part] = images_sent(able)
    assert image_part["role"] == "model"
    assert (b64decode(image_part["inlineData"]["data"]), "thoughtSignature" in image_part) == (PICTURE, True)


async def test_a_made_file_is_deleted_with_its_conversation(able: Workspace, alice: Browser, chat_id: str) -> None:
    able.double.answer(DRAWN)
    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.chunks(await socket.send(chat_id, "Draw"))
    assert chunks[-1]["finishReason"] == "stop"
    assert kinds(shown_parts(chunks)) == ["step-start", "file"], "an image alone is an answer"
    file = await only_file(able)
    await alice.call("delete", f"/o/acme/api/conversations/{chat_id}/")
    assert (await alice.call("get", f"/o/acme/api/files/{file.pk}/")).status_code == 404


async def test_a_conversation_that_is_deleted_while_its_answer_ends_takes_it_along(able: Workspace, alice: Browser, chat_id: str) -> None:
    """The answer was done before it knew of the stop."""
    gate = Gate()
    able.double.answer(DRAWN, Text("It "), gate, Text("is done."))
    async with chat_socket(alice, "acme") as socket:
        _, _ = await begin(socket, chat_id)
        file = await only_file(able)
        assert (await alice.call("get", f"/o/acme/api/files/{file.pk}/")).status_code == 200
        conversations = Conversation.unscoped.using("system").filter(pk=chat_id)
        await in_db(lambda: conversations.update(deleted_at=Now()), using="system")
        gate.release()
        await able.wait_for_row(Run, lambda run: run.status == Run.Status.DONE)
    assert (await alice.call("get", f"/o/acme/api/files/{file.pk}/")).status_code == 404


async def test_a_file_that_a_message_took_meanwhile_is_not_forgotten(able: Workspace, alice: Browser, chat_id: str) -> None:
    able.double.answer(DRAWN)
    async with chat_socket(alice, "acme") as socket:
        await socket.chunks(await socket.send(chat_id, "Draw"))
    stale_file = await only_file(able)
    stale_file.conversation_id = None
    with pytest.raises(FileInUse):
        await in_db(file_remove, stale_file, organization_id=able.organization.pk)
    file = await only_file(able)
    assert (file.deleted_at, file_storage().exists(file.stored_as)) == (None, True)


async def test_what_is_no_image_or_too_large_is_told_and_the_answer_goes_on(able: Workspace, alice: Browser, chat_id: str) -> None:
    """The provider's word for its type counts for nothing."""
    large = Picture(PICTURE + bytes(10 * 1024 * 1024))
    able.double.answer(Text("A "), Picture(b"<script>alert(1)</script>"), large, Picture(PICTURE, "image/jpeg"), Text("B"))
    able.double.answer(Text("Yes."))
    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.chunks(await socket.send(chat_id, "Draw"))
        parts = await stored_parts(alice, chat_id)
        assert parts == shown_parts(chunks)
        await socket.chunks(await socket.send(chat_id, "Sure?"))
    assert kinds(parts) == ["step-start", "text", "data-notice", "data-notice", "file", "text"]
    notices = [part["data"] for part in parts if part["type"] == "data-notice"]
    assert [(notice["code"], notice["level"]) for notice in notices] == [("file_not_kept", "warning")] * 2
    assert "none of the images" in notices[0]["text"]
    assert "at most 10 MB" in notices[1]["text"]
    assert (await only_file(able)).media_type == "image/png"
    assert "was not kept" in able.double.requests[-1].raw.decode()


async def test_an_answer_has_a_limited_number_of_files(able: Workspace, alice: Browser, chat_id: str) -> None:
    able.double.answer(*[DRAWN] * (MAX_RUN_FILES + 1))
    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.chunks(await socket.send(chat_id, "Draw"))
    assert kinds(shown_parts(chunks)) == ["step-start", *["file"] * MAX_RUN_FILES, "data-notice"]
    assert sorted(file.name for file in await able.rows(File))[:2] == ["image-10.png", "image-11.png"]


async def test_a_broken_steps_file_is_shown_to_nobody_and_deleted(able: Workspace, alice: Browser, chat_id: str) -> None:
    able.double.answer(DRAWN, Text("It "), Gate("never"))
    able.double.answer(DRAWN, Text("It is done."))
    parts = await parts_after_takeover(able, alice, chat_id, begin)
    assert kinds(parts) == ["step-start", "file", "text"]
    lost_file, kept_file = sorted(await able.rows(File), key=lambda file: file.conversation_id is not None)
    assert (lost_file.conversation_id, str(kept_file.conversation_id)) == (None, chat_id)
    old = File.unscoped.using("system").filter(pk__in=[lost_file.pk, kept_file.pk])
    await in_db(lambda: old.update(created_at=lost_file.created_at - 2 * UNSENT_RETENTION), using="system")
    assert await in_db(_forget_files, able, using="system") == 1
    assert (file_storage().exists(lost_file.stored_as), file_storage().exists(kept_file.stored_as)) == (False, True)


def _forget_files(workspace: Workspace) -> int:
    return files_forget(organization_id=workspace.organization.pk)


async def test_a_stopped_answer_keeps_its_file(able: Workspace, alice: Browser, chat_id: str) -> None:
    able.double.answer(DRAWN, Text("It "), Gate("never"))
    async with chat_socket(alice, "acme") as socket:
        request, chunks = await begin(socket, chat_id)
        await alice.call("post", f"/o/acme/api/conversations/{chat_id}/stop/")
        chunks += await socket.chunks_on(request, chunks)
    parts = await stored_parts(alice, chat_id)
    assert parts == shown_parts(chunks)
    assert kinds(parts)[:2] == ["step-start", "file"]
    assert str((await only_file(able)).conversation_id) == chat_id


async def test_the_next_step_sends_a_made_file_back_after_a_call(able: Workspace, alice: Browser, chat_id: str) -> None:
    """Also one that came after the call, which is shown with the response."""
    able.double.answer(DRAWN, Call("no_such_tool", {}), DRAWN)
    able.double.answer(Text("Done."))
    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.chunks(await socket.send(chat_id, "Draw"))
    assert kinds(shown_parts(chunks)) == ["step-start", "file", "dynamic-tool", "file", "step-start", "text"]
    assert [part["role"] for part in images_sent(able)] == ["model", "model"]
    assert (await able.rows(Run))[-1].status == Run.Status.DONE


async def test_a_sub_agents_file_is_shown_in_its_call_and_its_caller_is_told(able: Workspace, alice: Browser, chat_id: str) -> None:
    able.double.answer(Call("provider_tools_agent", {"task": "Draw"}))
    able.double.answer(DRAWN)
    able.double.answer(Text("There it is."))
    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.chunks(await socket.send(chat_id, "Draw"))
    parts = await stored_parts(alice, chat_id)
    assert parts == shown_parts(chunks)
    file = await only_file(able)
    assert str(file.conversation_id) == chat_id
    urls = [part["data"]["part"]["url"] for part in parts if part["type"] == "data-agent-step"]
    assert urls == [f"parley-file:{file.pk}"]
    response = able.double.requests[-1].body["contents"][-1]["parts"][0]["functionResponse"]["response"]
    assert response == {"output": {"result": "", "shown_to_user": ["image.png"]}}
