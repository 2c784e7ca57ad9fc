"""The AI SDK's way to edit a message, `sendMessage({text, messageId})`: never an old answer to a new question."""

from __future__ import annotations

from base64 import b64encode
from typing import Any
from uuid import uuid4

import pytest

from chat.models import Message, Run
from doubles.script import Text
from doubles.signals import Gate
from tests.support.chat.chat_socket import Browser, ChatSocket, chat_socket, text_of
from tests.support.chat.workspace import Workspace
from tests.support.files.documents import PNG

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


async def send(socket: ChatSocket, chat_id: str, message_id: str, *parts: dict[str, Any], edits: str | None = None) -> str:
    message = {"id": message_id, "role": "user", "parts": list(parts)}
    return await socket.frame("send", id=chat_id, trigger="submit-message", messageId=edits, messages=[message], headers={}, body={})


def words(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


async def branch_texts(alice: Browser, chat_id: str) -> list[str]:
    """The texts of the shown branch."""
    messages = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"]
    return [part["text"] for message in messages for part in message["parts"] if part["type"] == "text"]


@pytest.mark.parametrize("says_so", [True, False])
async def test_a_message_with_other_content_makes_a_branch(acme: Workspace, alice: Browser, chat_id: str, says_so: bool) -> None:
    for text in ("One.", "Two.", "Three.", "Changed.", "Five."):
        acme.double.answer(Text(text))
    async with chat_socket(alice, "acme") as socket:
        for message_id in ("a", "b", "c"):
            await socket.answer(chat_id, f"Question {message_id}", message_id=message_id)
        request = await send(socket, chat_id, "b", words("Question B"), edits="b" if says_so else None)
        assert text_of(await socket.chunks(request)) == "Changed."
        assert await branch_texts(alice, chat_id) == ["Question a", "One.", "Question B", "Changed."]
        assert "Question b" not in str(acme.double.requests[-1].contents), "the model sees the branch alone"
        await socket.answer(chat_id, "And on", message_id="d")
    assert await branch_texts(alice, chat_id) == ["Question a", "One.", "Question B", "Changed.", "And on", "Five."]


async def test_the_first_message_is_edited_again_and_again(acme: Workspace, alice: Browser, chat_id: str) -> None:
    for text in ("One.", "Two.", "Three.", "Four."):
        acme.double.answer(Text(text))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Green tea?", message_id="a")
        for question in ("Black tea?", "Green tea?", "Green tea?"):
            await socket.chunks(await send(socket, chat_id, "a", words(question), edits="a"))
        chunks = await socket.answer(chat_id, "Green tea?", message_id="a")
    assert text_of(chunks) == "Four.", "the newest question with this id"
    assert await branch_texts(alice, chat_id) == ["Green tea?", "Four."]
    assert [len(request.contents) for request in acme.double.requests] == [1, 1, 1, 1]


async def test_a_client_that_has_read_the_history_edits_by_our_ids(acme: Workspace, alice: Browser, chat_id: str) -> None:
    for text in ("One.", "Changed.", "Again."):
        acme.double.answer(Text(text))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Green tea?")
        question = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][0]["id"]
        repeat_chunks = await socket.chunks(await send(socket, chat_id, question, words("Green tea?")))
        edit_chunks = await socket.chunks(await send(socket, chat_id, question, words("Black tea?"), edits=question))
        new_id_chunks = await socket.chunks(await send(socket, chat_id, "new", words("White tea?"), edits=question))
    assert [text_of(chunks) for chunks in (repeat_chunks, edit_chunks, new_id_chunks)] == ["One.", "Changed.", "Again."]
    assert await branch_texts(alice, chat_id) == ["White tea?", "Again."]


async def test_an_edit_that_is_repeated_while_it_is_answered_joins_its_answer(acme: Workspace, alice: Browser, chat_id: str) -> None:
    gate = Gate()
    acme.double.answer(Text("One."))
    acme.double.answer(Text("Changed"), gate, Text("."))
    async with chat_socket(alice, "acme") as socket, chat_socket(alice, "acme") as other:
        await socket.answer(chat_id, "Green tea?", message_id="a")
        request = await send(socket, chat_id, "a", words("Black tea?"), edits="a")
        await socket.chunks(request, until=lambda chunk: chunk["type"] == "text-delta")
        again = await send(other, chat_id, "a", words("Black tea?"), edits="a")
        chunks_so_far = await other.chunks(again, until=lambda chunk: chunk["type"] == "text-delta")
        gate.release()
        assert text_of([*chunks_so_far, *await other.chunks_on(again, chunks_so_far)]) == "Changed."
    assert len(await acme.rows(Run)) == 2


async def test_a_file_is_content_too(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.default(Text("A cup."))

    def picture(content: bytes) -> dict[str, Any]:
        return {"type": "file", "mediaType": "image/png", "url": f"data:image/png;base64,{b64encode(content).decode()}"}

    async with chat_socket(alice, "acme") as socket:
        for content in (PNG, PNG, PNG + b"other"):
            await socket.chunks(await send(socket, chat_id, "a", words("What is this?"), picture(content)))
    assert len(acme.double.requests) == 2, "the same picture twice is a repeat"


async def test_what_is_not_there_can_not_be_edited(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.default(Text("One."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Green tea?", message_id="a")
        answer = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["id"]
        for missing in ("z", str(uuid4()), answer):
            request = await send(socket, chat_id, "b", words("Black tea?"), edits=missing)
            frame = await socket.receive()
            assert (frame["requestId"], "not in this conversation" in frame["errorText"]) == (request, True)
        odd = await send(socket, chat_id, "a\x00", words("Black tea?"))
        assert (await socket.receive())["requestId"] == odd, "no text that the database cannot hold"
    assert len(await acme.rows(Message)) == 2


async def test_a_message_that_never_arrived_is_new_when_it_is_edited(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.default(Text("One."))
    async with chat_socket(alice, "acme") as socket:
        assert text_of(await socket.chunks(await send(socket, chat_id, "a", words("Green tea?"), edits="a"))) == "One."
    assert await branch_texts(alice, chat_id) == ["Green tea?", "One."]


async def test_a_question_is_answered_again_by_the_id_that_its_client_chose(acme: Workspace, alice: Browser, chat_id: str) -> None:
    for text in ("One.", "Two.", "Again."):
        acme.double.answer(Text(text))
    async with chat_socket(alice, "acme") as socket:
        for message_id in ("a", "b"):
            await socket.answer(chat_id, f"Question {message_id}", message_id=message_id)
        await socket.chunks(await socket.regenerate(chat_id, "a"))
    assert await branch_texts(alice, chat_id) == ["Question a", "Again."]
