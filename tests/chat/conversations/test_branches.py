"""Branches of a conversation: which one is shown, and what deleting a message leaves."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from chat.models import Message, MessageFeedback
from doubles.script import Text
from doubles.signals import Gate
from tests.support.chat.chat_socket import Browser, ChatSocket, chat_socket, text_of
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


async def conversation(alice: Browser, chat_id: str) -> Any:
    return await alice.get(f"/o/acme/api/conversations/{chat_id}/")


async def branch_texts(alice: Browser, chat_id: str) -> list[str]:
    """The texts of the shown branch."""
    messages = (await conversation(alice, chat_id))["messages"]
    return [part["text"] for message in messages for part in message["parts"] if part["type"] == "text"]


async def edit(socket: ChatSocket, chat_id: str, message_id: str, text: str) -> None:
    message = {"id": message_id, "role": "user", "parts": [{"type": "text", "text": text}]}
    request = await socket.frame("send", id=chat_id, trigger="submit-message", messages=[message], headers={}, body={})
    await socket.chunks(request)


async def three_answers(acme: Workspace, alice: Browser, chat_id: str) -> list[str]:
    """Ids of three answers to one question; the last one is shown, and the first has another question below it."""
    for text in ("One.", "More.", "Two.", "Three."):
        acme.double.answer(Text(text))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Which tea?")
        first = (await conversation(alice, chat_id))["messages"][-1]["id"]
        await socket.answer(chat_id, "And then?")
        choice = await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/branch/", {"messageId": first})
        assert choice.status_code == 204, choice.content
        for _ in range(2):
            await socket.chunks(await socket.regenerate(chat_id, first))
    return list((await conversation(alice, chat_id))["messages"][-1]["metadata"]["siblings"])


async def test_a_former_answer_is_found_and_shown_with_what_followed_it(acme: Workspace, alice: Browser, chat_id: str) -> None:
    answers = await three_answers(acme, alice, chat_id)
    assert await branch_texts(alice, chat_id) == ["Which tea?", "Three."]
    answer = await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/branch/", {"messageId": answers[0]})
    assert answer.status_code == 204
    assert await branch_texts(alice, chat_id) == ["Which tea?", "One.", "And then?", "More."]
    question, first, *_ = (await conversation(alice, chat_id))["messages"]
    assert first["metadata"]["siblings"] == answers
    assert "siblings" not in question["metadata"], "the only one at its place"


async def test_other_tabs_hear_which_branch_is_shown(acme: Workspace, alice: Browser, chat_id: str) -> None:
    answers = await three_answers(acme, alice, chat_id)
    await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/branch/", {"messageId": answers[1]})
    item = (await alice.get("/o/acme/api/conversations/"))["items"][0]
    assert item["headId"] == answers[1]


async def test_an_edited_first_question_has_its_former_text_beside_it(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("One."))
    acme.double.answer(Text("Two."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Green tea?", message_id="a")
        await edit(socket, chat_id, "a", "Black tea?")
    question = (await conversation(alice, chat_id))["messages"][0]
    former, current = question["metadata"]["siblings"]
    assert current == question["id"]
    await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/branch/", {"messageId": former})
    assert await branch_texts(alice, chat_id) == ["Green tea?", "One."]


async def test_the_model_sees_the_branch_that_is_shown(acme: Workspace, alice: Browser, chat_id: str) -> None:
    answers = await three_answers(acme, alice, chat_id)
    acme.double.answer(Text("Fine."))
    await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/branch/", {"messageId": answers[1]})
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "And on?")
    request_text = str(acme.double.requests[-1].contents)
    assert "Two." in request_text
    assert "Three." not in request_text


async def test_a_deleted_answer_makes_way_for_the_one_beside_it(acme: Workspace, alice: Browser, chat_id: str) -> None:
    answers = await three_answers(acme, alice, chat_id)
    answer = await alice.call("DELETE", f"/o/acme/api/conversations/{chat_id}/messages/{answers[2]}/")
    assert answer.status_code == 204
    assert await branch_texts(alice, chat_id) == ["Which tea?", "Two."]
    assert (await conversation(alice, chat_id))["messages"][-1]["metadata"]["siblings"] == answers[:2]


async def test_a_deleted_question_takes_everything_below_it_along(acme: Workspace, alice: Browser, chat_id: str) -> None:
    answers = await three_answers(acme, alice, chat_id)
    question = (await conversation(alice, chat_id))["messages"][0]["id"]
    await alice.call("DELETE", f"/o/acme/api/conversations/{chat_id}/messages/{question}/")
    assert await branch_texts(alice, chat_id) == []
    back = await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/branch/", {"messageId": answers[0]})
    assert back.status_code == 404
    acme.double.answer(Text("Anew."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Which tea?")
    assert await branch_texts(alice, chat_id) == ["Which tea?", "Anew."]
    assert "One." not in str(acme.double.requests[-1].contents)


async def test_a_question_is_deleted_under_the_id_of_its_sender(acme: Workspace, alice: Browser, chat_id: str) -> None:
    """The page that sent it knows no other one yet."""
    acme.double.answer(Text("Green tea."))
    message_id = str(uuid4())
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Which tea?", message_id=message_id)
    assert (await alice.call("DELETE", f"/o/acme/api/conversations/{chat_id}/messages/{message_id}/")).status_code == 204
    assert await branch_texts(alice, chat_id) == []


async def test_a_deleted_message_is_in_no_export(acme: Workspace, alice: Browser, chat_id: str) -> None:
    answers = await three_answers(acme, alice, chat_id)
    await alice.call("DELETE", f"/o/acme/api/conversations/{chat_id}/messages/{answers[1]}/")
    response = await alice.call("GET", f"/o/acme/api/conversations/{chat_id}/export/?format=json")
    texts = str(response.json()["messages"])
    assert "Three." in texts
    assert "Two." not in texts


async def test_no_branch_changes_while_an_answer_is_written(acme: Workspace, alice: Browser, chat_id: str) -> None:
    answers = await three_answers(acme, alice, chat_id)
    gate = Gate()
    acme.double.answer(Text("Slow"), gate, Text("ly."))
    async with chat_socket(alice, "acme") as socket:
        request = await socket.send(chat_id, "And on?")
        chunks = await socket.chunks(request, until=lambda chunk: chunk["type"] == "text-delta")
        choice = await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/branch/", {"messageId": answers[0]})
        removal = await alice.call("DELETE", f"/o/acme/api/conversations/{chat_id}/messages/{answers[2]}/")
        gate.release()
        chunks += await socket.chunks_on(request, chunks)
    assert text_of(chunks) == "Slowly."
    assert [(answer.status_code, answer.json()["error"]["code"]) for answer in (choice, removal)] == [(409, "run_active")] * 2


async def test_feedback_stays_with_its_answer_until_it_is_taken_back(acme: Workspace, alice: Browser, chat_id: str) -> None:
    answers = await three_answers(acme, alice, chat_id)
    path = f"/o/acme/api/conversations/{chat_id}/messages/{answers[2]}/feedback/"
    down = {"rating": "down", "reasons": ["not_correct", "too_long"], "comment": " Green is not black. "}
    for feedback in ({"rating": "up"}, down):
        response = await alice.call("PUT", path, feedback)
        assert response.status_code == 204, response.content
    answer = (await conversation(alice, chat_id))["messages"][-1]
    assert answer["metadata"]["feedback"] == down | {"comment": "Green is not black."}
    assert len(await acme.rows(MessageFeedback)) == 1
    assert (await alice.call("DELETE", path)).status_code == 204
    assert "feedback" not in (await conversation(alice, chat_id))["messages"][-1]["metadata"]


@pytest.mark.parametrize(
    "feedback", [{}, {"rating": "so-so"}, {"rating": "down", "reasons": ["rude"]}, {"rating": "up", "comment": "x" * 2001}]
)
async def test_feedback_of_another_shape_is_refused(acme: Workspace, alice: Browser, chat_id: str, feedback: dict[str, Any]) -> None:
    answers = await three_answers(acme, alice, chat_id)
    path = f"/o/acme/api/conversations/{chat_id}/messages/{answers[2]}/feedback/"
    assert (await alice.call("PUT", path, feedback)).status_code == 400


async def test_others_find_no_message_to_show_delete_or_rate(
    acme: Workspace, alice: Browser, bob: Browser, charlie: Browser, chat_id: str
) -> None:
    """Another member, a member of another organization on both organizations' paths; and a question, which can't be rated."""
    answers = await three_answers(acme, alice, chat_id)
    question = (await conversation(alice, chat_id))["messages"][0]["id"]
    response = await alice.call("PUT", f"/o/acme/api/conversations/{chat_id}/messages/{question}/feedback/", {"rating": "up"})
    assert response.status_code == 404
    for browser, organization in ((bob, "acme"), (charlie, "acme"), (charlie, "other")):
        base = f"/o/{organization}/api/conversations/{chat_id}/"
        calls = [
            await browser.call("POST", f"{base}branch/", {"messageId": answers[0]}),
            await browser.call("DELETE", f"{base}messages/{answers[0]}/"),
            await browser.call("PUT", f"{base}messages/{answers[0]}/feedback/", {"rating": "up"}),
        ]
        assert {call.status_code for call in calls} == {404}
    assert not [message for message in await acme.rows(Message) if message.deleted_at]
    assert await acme.rows(MessageFeedback) == []


async def test_an_admin_reads_the_feedback_of_their_own_organization_alone(
    acme: Workspace, alice: Browser, bob: Browser, charlie: Browser, chat_id: str
) -> None:
    answers = await three_answers(acme, alice, chat_id)
    feedback = {"rating": "down", "reasons": ["not_correct"], "comment": "It is oolong."}
    await alice.call("PUT", f"/o/acme/api/conversations/{chat_id}/messages/{answers[2]}/feedback/", feedback)
    page = await alice.call("GET", "/o/acme/admin/chat/messagefeedback/")
    text = page.content.decode()
    assert "It is oolong." in text
    assert "Not correct" in text
    assert "Three." not in text, "the answer is not shown"
    assert (await bob.call("GET", "/o/acme/admin/chat/messagefeedback/")).status_code == 404
    foreign = await charlie.call("GET", "/o/other/admin/chat/messagefeedback/")
    assert foreign.status_code == 200
    assert "oolong" not in foreign.content.decode()
