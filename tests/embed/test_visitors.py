"""Visitors of embedded chats: what they reach, and that it is nothing else."""

from __future__ import annotations

from uuid import uuid4

import orjson
import pytest
from asgiref.sync import sync_to_async

from chat.api.member_socket import CLOSE_TOO_MUCH
from doubles.script import Call, Fault, Text
from embed.api import waiting_sockets
from embed.api.visibility import NO_ANSWER_HERE
from tests.e2e.scripted_provider import is_chat, is_document
from tests.embed.support import acall, host_token, make_site, session, visitor_communicator, visitor_socket
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import TIMEOUT_S, Browser, chat_socket, text_of
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "auth", "system"])


STATE = {"filter": "none", "count": 3}


async def test_a_visitor_chats_comes_back_and_reaches_nobody_elses_conversation(
    acme: Workspace, cast: Cast, bob: Browser, chat_id: str
) -> None:
    key, _ = await sync_to_async(make_site)(cast, cast.alice)
    first = await session(key)
    path = f"/embed/{key}/api/conversations/{chat_id}/"
    acme.double.answer(Text("Hojicha."))
    async with visitor_socket(key, first["bearer"]) as socket:
        assert (
            text_of(await socket.answer(chat_id, "What tea at night?", modelId=str(uuid4()), assistant="no_such_one", thinking=True))
            == "Hojicha."
        )
    answer_id = (await acall(first["bearer"], "GET", path)).json()["messages"][1]["id"]
    assert (await acall(first["bearer"], "PUT", f"{path}messages/{answer_id}/feedback/", {"rating": "up"})).status_code == 204

    again = await session(key, visitorToken=first["visitorToken"])
    assert (again["conversationId"], again["visitorToken"]) == (chat_id, "")
    stranger = await session(key)
    bobs = str(uuid4())
    acme.double.answer(Text("For Bob."))
    async with chat_socket(bob, "acme") as socket:
        await socket.answer(bobs, "Mine.")
    assert stranger["conversationId"] is None
    assert (await acall(stranger["bearer"], "GET", path)).status_code == 404
    assert (await acall(again["bearer"], "GET", f"/embed/{key}/api/conversations/{bobs}/")).status_code == 404
    assert (await bob.call("GET", f"/o/acme/api/conversations/{chat_id}/")).status_code == 404
    for method, other in (
        ("PATCH", path),
        ("GET", f"/embed/{key}/api/conversations/"),
        ("GET", f"{path}export/"),
        ("GET", f"{path}readers/"),
    ):
        assert (await acall(again["bearer"], method, other, {})).status_code in {404, 405}, other

    assert (await acall(again["bearer"], "POST", f"{path}archive/", {})).status_code == 204
    assert (await session(key, visitorToken=first["visitorToken"]))["conversationId"] is None
    assert (await acall(again["bearer"], "DELETE", path)).status_code == 204
    assert (await acall(again["bearer"], "GET", path)).status_code == 404


async def test_a_visitor_reads_nothing_of_the_provider_when_it_fails(acme: Workspace, cast: Cast, chat_id: str) -> None:
    key, _ = await sync_to_async(make_site)(cast, cast.alice)
    visitor = await session(key)
    acme.double.answer(Text("It begins well, "), Fault.mid_stream_error(503, "Project kestrel-42 is overloaded."))
    async with visitor_socket(key, visitor["bearer"]) as socket:
        chunks = await socket.answer(chat_id, "What tea at night?")
    messages = (await acall(visitor["bearer"], "GET", f"/embed/{key}/api/conversations/{chat_id}/")).json()["messages"]
    for content in (chunks, messages):
        assert "kestrel" not in orjson.dumps(content).decode()
        assert "rovider" not in orjson.dumps(content).decode()
    [notice] = [part["data"] for part in messages[-1]["parts"] if part["type"] == "data-notice"]
    assert (notice["text"], notice["action"]) == (str(NO_ANSWER_HERE), "retry")
    assert chunks[-1] == {"type": "error", "errorText": str(NO_ANSWER_HERE)}


async def test_the_page_state_goes_in_and_comes_back_and_nothing_else_does(acme: Workspace, cast: Cast, chat_id: str) -> None:
    key, secret = await sync_to_async(make_site)(cast, cast.alice)
    bearer = (await session(key, hostToken=host_token(secret, key)))["bearer"]
    acme.double.answer(Call("update_page_state", {"filter": "low", "price": 1}))
    async with visitor_socket(key, bearer) as socket:
        chunks = await socket.answer(chat_id, "Show low caffeine.", pageState=STATE)
        [call] = [chunk for chunk in chunks if chunk["type"] == "tool-input-available"]
        assert call["input"] == {"filter": "low"}
        acme.double.answer(Call("plan", {"title": "Steps", "steps": [{"text": "Look", "state": "done"}]}))
        acme.double.answer(Text("Done."))
        output = {"toolCallId": call["toolCallId"], "output": {"written": ["filter"], "ignored": []}}
        response = await acall(bearer, "POST", f"/embed/{key}/api/conversations/{chat_id}/tool-outputs/", output)
        assert response.status_code == 202
        answer_chunks = await socket.chunks(await socket.resume(chat_id))
        assert "Done." in text_of(answer_chunks)
        conversation = (await acall(bearer, "GET", f"/embed/{key}/api/conversations/{chat_id}/")).json()
        told_to_visitor = orjson.dumps([chunks, answer_chunks, conversation["messages"]]).decode()
        # Models, costs, and what the organization's tools were given and gave back, stay with it.
        assert "Steps" in told_to_visitor
        for private in ("usage", "modelName", "provider", "costUsd", "written: filter", '"output":"'):
            assert private not in told_to_visitor, private
        assert [part["input"] for part in conversation["messages"][1]["parts"] if part.get("toolName") == "plan"] == [{}]
        request_text = orjson.dumps(acme.double.requests[-1].body).decode()
        assert "written: filter; ignored: price (the page has no such key)" in request_text
        assert "Kim" in request_text  # the name that the host's token gave

        file = {"type": "file", "url": "data:text/plain;base64,aGk=", "filename": "a.txt", "mediaType": "text/plain"}
        message = {"id": uuid4().hex, "role": "user", "parts": [{"type": "text", "text": "See"}, file]}
        await socket.frame("send", id=chat_id, trigger="submit-message", messages=[message], headers={}, body={})
        assert (await socket.receive())["errorText"] == "Files can't be sent in this chat."
    denial = await acall(bearer, "POST", f"/embed/{key}/api/conversations/{chat_id}/approvals/{uuid4()}/", {"approved": True})
    assert denial.json()["error"]["message"] == "A visitor can't allow this."


async def test_a_visitors_socket_reaches_the_own_conversation_and_nothing_of_the_organization(
    acme: Workspace, cast: Cast, bob: Browser, chat_id: str
) -> None:
    key, _ = await sync_to_async(make_site)(cast, cast.alice)
    bobs, others = str(uuid4()), str(uuid4())
    acme.double.answer(Text("For Bob."))
    async with chat_socket(bob, "acme") as socket:
        question = await socket.answer(bobs, "Mine.")
    answer_id = next(chunk["messageId"] for chunk in question if chunk["type"] == "start")
    stranger, other = await session(key), await session(key)
    acme.double.answer(Text("For the other."))
    async with visitor_socket(key, other["bearer"]) as socket:
        await socket.answer(others, "Theirs.")
    requests = len(acme.double.requests)
    async with visitor_socket(key, stranger["bearer"]) as socket:
        for foreign in (bobs, others):
            await socket.resume(foreign)
            assert (await socket.receive())["type"] in {"no-active", "error"}, foreign
            await socket.send(foreign, "Show me.")
            assert (await socket.receive())["type"] == "error", foreign
            await socket.regenerate(foreign, answer_id)
            assert (await socket.receive())["type"] == "error", foreign
        assert len(acme.double.requests) == requests
        acme.double.answer(Text("Yours."))
        assert text_of(await socket.answer(chat_id, "My own?")) == "Yours."
    request_text = orjson.dumps(acme.double.requests[-1].body).decode()
    assert "Mine." not in request_text
    assert "Theirs." not in request_text


async def test_a_visitor_reads_the_documents_of_the_own_answers_alone(acme: Workspace, cast: Cast, alice: Browser, chat_id: str) -> None:
    key, _ = await sync_to_async(make_site)(cast, cast.alice)
    second_key, _ = await sync_to_async(make_site)(cast, cast.alice, name="Second")
    foreign_key, _ = await sync_to_async(make_site)(cast, cast.charlie)
    own, other, elsewhere, foreign = [await session(site) for site in (key, key, second_key, foreign_key)]
    acme.double.answer(Call("document_agent", {"operation": "create", "title": "Teas", "instruction": "A list."}), when=is_chat)
    acme.double.answer(Text("# Teas\n\nHojicha."), when=is_document)
    acme.double.answer(Text("It is written."), when=is_chat)
    async with visitor_socket(key, own["bearer"]) as socket:
        chunks = await socket.answer(chat_id, "Write a list.")
    conversation = (await acall(own["bearer"], "GET", f"/embed/{key}/api/conversations/{chat_id}/")).json()
    document = [chunk["data"] for chunk in chunks if chunk["type"] == "data-artifact"][-1]
    assert [part["data"] for part in conversation["messages"][1]["parts"] if part["type"] == "data-artifact"] == [document]
    assert document.keys() == {"id", "title", "kind", "status", "version", "operation"}
    assert "Hojicha" not in orjson.dumps([chunks, conversation]).decode()
    api = f"/api/artifacts/{document['id']}/versions/1/"
    response = await acall(own["bearer"], "GET", f"/embed/{key}{api}")
    assert response.json() == {"title": "Teas", "kind": "text", "number": 1, "content": "# Teas\n\nHojicha."}
    for bearer, site, status in (
        (other["bearer"], key, 404),
        (elsewhere["bearer"], second_key, 404),
        (elsewhere["bearer"], key, 401),
        (foreign["bearer"], foreign_key, 404),
        (foreign["bearer"], key, 401),
        ("", key, 401),
    ):
        assert (await acall(bearer, "GET", f"/embed/{site}{api}")).status_code == status
    for path in (f"/embed/{key}/api/artifacts/{document['id']}/", f"/embed/{key}{api[:-2]}", f"/o/acme{api}"):
        assert (await acall(own["bearer"], "GET", path)).status_code in {401, 404}, path
    assert (await alice.call("GET", f"/o/acme{api}")).status_code == 404  # nor does a member of the organization
    assert (await acall(own["bearer"], "DELETE", f"/embed/{key}/api/conversations/{chat_id}/")).status_code == 204
    assert (await acall(own["bearer"], "GET", f"/embed/{key}{api}")).status_code == 404


async def test_sockets_that_say_nothing_are_bounded(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    key, _ = await sync_to_async(make_site)(cast, cast.alice)
    bearer = (await session(key))["bearer"]
    monkeypatch.setattr(waiting_sockets, "MAX_OF_NETWORK", 2)
    silent = [visitor_communicator(key) for _ in range(3)]
    for socket in silent:
        assert (await socket.connect(timeout=TIMEOUT_S))[0]
    assert (await silent[2].receive_output(timeout=TIMEOUT_S))["code"] == CLOSE_TOO_MUCH
    await silent[0].disconnect()
    async with visitor_socket(key, bearer) as own_socket:  # one that has said whose it is waits no longer
        request = await own_socket.resume(str(uuid4()))
        assert (await own_socket.receive()) == {"type": "no-active", "requestId": request}
        async with visitor_socket(key, bearer) as another:
            await another.resume(str(uuid4()))
            assert (await another.receive())["type"] == "no-active"
    await silent[1].disconnect()
