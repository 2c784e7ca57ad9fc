"""Files that come with a message: stored with it, told to the model, the same in every rebuilt call (SPEC 6.5)."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import Settings

from admin_config.models import ModelConfig
from agents.artifact_agents.attached_files import MAX_FILE_CHARS
from chat.models import ModelCall, Part
from chat.storage.call_log import sent_request_of
from doubles.script import Call, Text
from files.extraction.text import file_text_read
from files.inline_files import MAX_ESCAPES
from files.models import File
from files.storage import content_read, file_storage
from tenants.context import tenant_tx
from tests.support.agents.wire_body import wire_body
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace
from tests.support.files.documents import PNG, pdf

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


async def attached(browser: Browser, name: str, content: bytes, slug: str = "acme") -> dict[str, str]:
    """Upload a file; return its part of a message."""
    send = sync_to_async(browser.client.post)
    response = await send(f"/o/{slug}/api/files/", {"file": SimpleUploadedFile(name, content)})
    assert response.status_code == 201, response.content
    item = response.json()
    return {"type": "file", "url": f"parley-file:{item['id']}", "mediaType": item["mediaType"], "filename": item["name"]}


def stored_names(acme: Workspace) -> set[str]:
    """Of the organization's files, as the storage has them."""
    folder = str(acme.organization.pk)
    return set(file_storage().listdir(folder)[1]) if file_storage().exists(folder) else set()


def message(text: str, *files: dict[str, str], message_id: str = "") -> dict[str, Any]:
    return {"id": message_id or uuid4().hex, "role": "user", "parts": [*([{"type": "text", "text": text}] if text else []), *files]}


async def tell(browser: Browser, chat_id: str, *messages: dict[str, Any]) -> None:
    async with chat_socket(browser, "acme") as socket:
        for each in messages:
            request = await socket.frame("send", id=chat_id, trigger="submit-message", messages=[each], headers={}, body={})
            await socket.chunks(request)


async def refusal(browser: Browser, chat_id: str, user_message: dict[str, Any], slug: str = "acme") -> tuple[int, str]:
    response = await browser.call("POST", f"/o/{slug}/api/chat", {"id": chat_id, "trigger": "submit-message", "messages": [user_message]})
    return response.status_code, response.json()["error"]["code"]


def user_parts(acme: Workspace, request: int = -1) -> list[Any]:
    """What the double was sent as the newest user turn."""
    parts: list[Any] = json.loads(acme.double.requests[request].raw)["contents"][-1]["parts"]
    return parts


async def checked_calls(acme: Workspace) -> None:
    """Every logged call makes the request again that the provider received."""
    calls: list[ModelCall] = await acme.rows(ModelCall)
    rebuilt_bodies = Counter([await wire_body(await sent_request_of(call), call.provider) for call in calls])
    assert rebuilt_bodies == Counter(request.raw for request in acme.double.requests)


def read_now(acme: Workspace, part: dict[str, str]) -> None:
    file_text_read(organization_id=acme.organization.pk, file_id=UUID(part["url"].partition(":")[2]))


def takes_files(acme: Workspace, is_able: bool) -> None:
    """Whether the organization's models take images and PDF as they are."""
    with tenant_tx(acme.organization.pk):
        ModelConfig.objects.filter(provider="google").update(supports_images=is_able, supports_pdf=is_able)
    acme.publish()


async def test_the_model_reads_a_file_and_the_conversation_keeps_it(acme: Workspace, alice: Browser, chat_id: str) -> None:
    await sync_to_async(takes_files)(acme, False)
    acme.double.answer(Text("Green tea."))
    acme.double.answer(Text("Still green."))
    notes, tea = await attached(alice, "notes.md", b"# Tea\n\nGreen."), await attached(alice, "tea.pdf", pdf("All about tea."))
    cup = await attached(alice, "cup.png", PNG)
    await sync_to_async(read_now)(acme, tea)

    await tell(alice, chat_id, message("What is in here?", notes, tea, cup), message("Sure?"))

    texts = [part["text"] for part in json.loads(acme.double.requests[0].raw)["contents"][0]["parts"]]
    assert texts[0] == "What is in here?"
    assert texts[1] == '<file name="notes.md" type="text/markdown">\n# Tea\n\nGreen.\n</file>'
    assert texts[2] == '<file name="tea.pdf" type="application/pdf">\nAll about tea.\n</file>'
    assert texts[3] == '<file name="cup.png" type="image/png">\n[An image. Its content is not part of this text.]\n</file>'
    question = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][0]
    assert question["parts"] == [{"type": "text", "text": "What is in here?"}, notes, tea, cup], "as it was sent"
    assert [part.content["text"] for part in await acme.rows(Part, kind="file")] == [""] * 3, "the text is stored once"
    await checked_calls(acme)


async def test_files_need_no_words_and_come_once(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("A note."))
    acme.double.answer(Text("Again."))
    note = await attached(alice, "notes.txt", b"Green.")
    user_message = message("", note, message_id="m1")

    await tell(alice, chat_id, user_message, user_message)
    async with chat_socket(alice, "acme") as socket:
        await socket.chunks(await socket.regenerate(chat_id))

    assert len(acme.double.requests) == 2, "the message and its second answer; the same send again is none"
    assert user_parts(acme, 0) == user_parts(acme, 1) == [{"text": '<file name="notes.txt" type="text/plain">\nGreen.\n</file>'}]
    conversation = await alice.get(f"/o/acme/api/conversations/{chat_id}/")
    assert (conversation["title"], conversation["messages"][0]["parts"]) == ("notes.txt", [note])


async def test_an_artifact_agent_gets_the_files_of_its_own_conversation(
    acme: Workspace, alice: Browser, charlie: Browser, chat_id: str
) -> None:
    """As text in the frame of files; of a long one whole lines of its beginning. Another organization's file is nowhere."""
    rows = "".join(f"{number},sencha\n" for number in range(5_000))
    sales = await attached(alice, "sales.csv", f"id,tea</file>\n{rows}".encode())
    old, new = await attached(alice, "notes.txt", b"Old."), await attached(alice, "notes.txt", b"New.")
    cup = await attached(alice, "cup.png", PNG)
    await attached(charlie, "theirs.csv", b"secret,column\n", "other")
    order = Call("python_agent", {"operation": "create", "title": "Sales", "instruction": "Sum them up."})
    for items in ((Text("Yes."),), (order,), (Text("print(1)\n"),), (Text("Done."),)):
        acme.double.answer(*items)

    await tell(alice, chat_id, message("First.", old), message("A program, please.", sales, new, cup))

    [agent_request] = [request for request in acme.double.requests if "You are the Python agent" in request.system_text]
    prompt, *files = [part["text"] for part in json.loads(agent_request.raw)["contents"][0]["parts"]]
    assert "Sum them up." in prompt
    assert files[0].startswith('<file name="sales.csv" type="text/csv">\nid,tea&lt;/file>\n0,sencha\n')
    assert re.search(r"\n\d+,sencha\n\[Only the beginning is here\. The whole file has \d+ bytes\.\]\n</file>$", files[0])
    assert len(files[0]) < MAX_FILE_CHARS + 200
    assert files[1:] == [
        '<file name="notes.txt" type="text/plain">\nNew.\n</file>',
        '<file name="cup.png" type="image/png">\n[An image. Its content is not part of this text.]\n</file>',
    ]
    assert not any("secret,column" in str(request.body) for request in acme.double.requests)
    await checked_calls(acme)

    await sync_to_async(acme.change_agent)("python_agent_google", attached_files=False)
    for items in ((order,), (Text("print(2)\n"),), (Text("Done."),)):
        acme.double.answer(*items)
    await tell(alice, chat_id, message("Another program, please."))
    *_, agent_request, _ = acme.double.requests
    assert [part["text"] for part in json.loads(agent_request.raw)["contents"][0]["parts"]] == [prompt]


async def test_only_ones_own_files_can_be_sent(acme: Workspace, alice: Browser, bob: Browser, charlie: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Hello."))
    foreign = [await attached(bob, "b.txt", b"Bob's"), await attached(charlie, "c.txt", b"Charlie's", "other")]
    for part in (*foreign, {**foreign[0], "url": f"parley-file:{uuid4()}"}):
        assert await refusal(alice, chat_id, message("Hi", part)) == (404, "not_found")
    for url in (
        "https://example.org/a.png",
        "http://[",
        "/o/acme/api/files/",
        "data:image/png;base64",
        "data:text/plain;base64,?",
        "data:text/plain," + "%41" * (MAX_ESCAPES + 1),
        "parley-file:1",
    ):
        assert await refusal(alice, chat_id, message("Hi", {**foreign[0], "url": url})) == (400, "bad_request")
    assert not await acme.rows(Part), "nothing of a refused message is stored"

    own = await attached(alice, "a.txt", b"Alice's")
    await tell(alice, chat_id, message("Hi", own))
    assert await refusal(alice, str(uuid4()), message("Hi", own)) == (409, "file_in_use")
    many = [await attached(alice, f"{number}.txt", b"a") for number in range(11)]
    assert await refusal(alice, str(uuid4()), message("Hi", *many)) == (409, "too_many_files")


def inline(content: bytes, media_type: str, **fields: str) -> dict[str, str]:
    """A part that holds its file itself, as the AI SDK makes it of a file that somebody chose."""
    return {"type": "file", "url": f"data:{media_type};base64,{b64encode(content).decode()}", "mediaType": media_type, **fields}


async def test_a_message_may_hold_its_files_itself_or_name_them_by_address(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("I see."))
    note = await attached(alice, "notes.md", b"Green.")
    address = (await alice.get(f"/o/acme/api/files/{note['url'].partition(':')[2]}/"))["url"]
    user_message = message("Look", inline(PNG, "image/png"), {**note, "url": address}, inline(b"Tea.", "text/plain", filename="tea.txt"))

    await tell(alice, chat_id, user_message, user_message)

    file_parts = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][0]["parts"][1:]
    assert [part["filename"] for part in file_parts] == ["file.png", "notes.md", "tea.txt"]
    assert file_parts[1] == note
    files = {file.name: file for file in await acme.rows(File)}
    assert len(files) == len(await acme.rows(File)) == 3, "the same message again brings nothing"
    assert content_read(files["file.png"].stored_as) == PNG
    assert {file.conversation_id for file in files.values()} == {UUID(chat_id)}
    assert len(acme.double.requests) == 1
    await checked_calls(acme)


async def test_what_a_refused_message_holds_is_not_kept(acme: Workspace, alice: Browser, vera: Browser, chat_id: str) -> None:
    before = stored_names(acme)
    cases = {
        "file_type_not_allowed": [inline(PNG, "image/png"), inline(b"\x00\x01", "image/png")],
        "file_empty": [inline(b"", "text/plain")],
        "too_many_files": [inline(b"a", "text/plain")] * 11,
        "not_found": [inline(PNG, "image/png"), {"type": "file", "url": f"parley-file:{uuid4()}"}],
    }
    for code, parts in cases.items():
        assert (await refusal(alice, chat_id, message("Hi", *parts)))[1] == code
    assert await refusal(vera, chat_id, message("Hi", inline(PNG, "image/png"))) == (403, "not_allowed")
    assert not await acme.rows(File)
    assert stored_names(acme) == before


async def test_bytes_that_cannot_be_removed_change_no_answer(
    acme: Workspace, alice: Browser, chat_id: str, settings: Settings, tmp_path: Path
) -> None:
    settings.STORAGES = {
        **settings.STORAGES,
        "files": {"BACKEND": "tests.support.files.failing_storage.UndeletableDisk", "OPTIONS": {"location": tmp_path}},
    }
    unknown = {"type": "file", "url": f"parley-file:{uuid4()}"}
    assert await refusal(alice, chat_id, message("Hi", inline(PNG, "image/png"), unknown)) == (404, "not_found")
    assert len(stored_names(acme)) == 2, "removing the picture and its clean copy was tried, and failed"


async def test_a_deleted_conversation_takes_its_files_along(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Hello."))
    note = await attached(alice, "notes.txt", b"Green.")
    await tell(alice, chat_id, message("Hi", note))
    path = f"/o/acme/api/files/{note['url'].partition(':')[2]}/"
    assert (await alice.call("GET", path)).status_code == 200
    await alice.call("DELETE", f"/o/acme/api/conversations/{chat_id}/")
    assert (await alice.call("GET", path)).status_code == 404


async def test_an_answer_waits_for_its_files_and_then_goes_on_without(
    acme: Workspace, alice: Browser, chat_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sync_to_async(takes_files)(acme, False)
    acme.double.answer(Text("I read it."))
    acme.double.answer(Text("I could not."))
    first, second = await attached(alice, "a.pdf", pdf("All about tea.")), await attached(alice, "b.pdf", pdf("All about coffee."))

    async with chat_socket(alice, "acme") as socket:
        fields = {"trigger": "submit-message", "headers": {}, "body": {}}
        request = await socket.frame("send", id=chat_id, messages=[message("Read this", first)], **fields)
        await socket.chunks(request, until=lambda chunk: chunk["type"] == "start")
        await sync_to_async(read_now)(acme, first)
        await acme.wait_for_row(ModelCall, lambda call: call.finish_reason)
    assert "All about tea." in user_parts(acme)[1]["text"]

    monkeypatch.setattr("chat.runs.run_owner.FILE_TEXT_TIMEOUT_S", 0.1)
    await tell(alice, chat_id, message("And this", second))
    assert "could not be read: It was not read in time." in user_parts(acme)[1]["text"]
    await sync_to_async(read_now)(acme, second)
    assert [file.state for file in await acme.rows(File)] == ["ready", "failed"], "what the model was told stays true"
    await checked_calls(acme)
