"""Files that a model takes as they are: images and PDF, and what happens where its provider refuses one."""

from __future__ import annotations

import json
from base64 import b64decode
from io import BytesIO

import pytest
from asgiref.sync import sync_to_async
from PIL import Image

from doubles.script import Fault, Text
from tests.chat.providers.test_files import attached, checked_calls, message, read_now, takes_files, tell, user_parts
from tests.support.chat.chat_socket import Browser
from tests.support.chat.workspace import Workspace
from tests.support.files.documents import PNG, animation, encrypted, pdf

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


async def test_a_model_that_can_gets_the_files_as_they_are(acme: Workspace, alice: Browser, chat_id: str) -> None:
    await sync_to_async(takes_files)(acme, True)
    acme.double.answer(Text("A red cup."))
    acme.double.answer(Text("Still red."))
    cup, tea = await attached(alice, "cup.png", PNG), await attached(alice, "tea.pdf", pdf("All about tea."))
    steam = await attached(alice, "steam.gif", animation())
    await sync_to_async(read_now)(acme, tea)

    await tell(alice, chat_id, message("What is this?", cup, tea, steam), message("Sure?"))

    parts = [part["inlineData"] for part in json.loads(acme.double.requests[1].raw)["contents"][0]["parts"] if "inlineData" in part]
    assert [part["mimeType"] for part in parts] == ["image/png", "application/pdf", "image/png"]
    with Image.open(BytesIO(b64decode(parts[2]["data"]))) as frame:
        assert (frame.format, frame.size) == ("PNG", (8, 8)), "of what moves the first frame"
    await checked_calls(acme)


async def test_a_pdf_file_that_the_provider_would_refuse_is_sent_as_text(acme: Workspace, alice: Browser, chat_id: str) -> None:
    await sync_to_async(takes_files)(acme, True)
    acme.double.answer(Text("Tea and coffee."))
    papers = {
        "locked.pdf": encrypted(pdf("All about tea.")),
        "book.pdf": pdf("All about coffee.", *"a" * 1000),
        "broken.pdf": b"%PDF-1.4 tea",
    }
    files = [await attached(alice, name, content) for name, content in papers.items()]
    for file in files:
        await sync_to_async(read_now)(acme, file)

    await tell(alice, chat_id, message("What is in these?", *files))

    locked_part, book_part, broken_part = user_parts(acme)[1:]
    assert "All about tea." in locked_part["text"]
    assert "All about coffee." in book_part["text"]
    assert "could not be read: It is broken" in broken_part["text"]
    await checked_calls(acme)


async def test_a_pdf_file_that_fills_the_window_is_sent_as_text(acme: Workspace, alice: Browser, chat_id: str) -> None:
    await sync_to_async(takes_files)(acme, True)
    acme.double.answer(Fault.status(400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."))
    acme.double.answer(Text("All about tea."))
    tea = await attached(alice, "tea.pdf", pdf("All about tea."))
    await sync_to_async(read_now)(acme, tea)

    await tell(alice, chat_id, message("What is in here?", tea))

    assert ["inlineData" in part for part in user_parts(acme, 0)] == [False, False, True]
    assert "All about tea." in user_parts(acme, 1)[1]["text"]
    assert len(acme.double.requests) == 2
    await checked_calls(acme)


async def test_a_file_that_the_provider_cannot_take_costs_its_message_not_the_chat(acme: Workspace, alice: Browser, chat_id: str) -> None:
    """A text model behind a server, or a picture that only the provider finds broken: each further message would be refused as well."""
    await sync_to_async(takes_files)(acme, True)
    acme.double.answer(Fault.status(400, "This model does not support image input."), times=2)
    acme.double.answer(Text("Tea is hot."))
    cup = await attached(alice, "cup.png", PNG)

    await tell(alice, chat_id, message("What is this?", cup), message("Never mind. What is tea?"))

    with_image = [any("inlineData" in part for part in user_parts(acme, request)) for request in range(3)]
    assert with_image == [True, True, False], "the first one is told, the second one asked again without"
    assert 'name="cup.png"' in user_parts(acme, 2)[1]["text"]
    await checked_calls(acme)
