"""Alice's conversation is hers: a colleague, a reader and another organization get what a missing one gives."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from chat.runs import supervisor
from chat.storage import run_creation as run_limit
from doubles.script import Text
from doubles.signals import Gate
from tenants.models import Membership
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket, communicator
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

CALLS: list[tuple[str, str, Any]] = [
    ("GET", "/o/{slug}/api/conversations/{id}/", None),
    ("PATCH", "/o/{slug}/api/conversations/{id}/", {"title": "Mine now"}),
    ("DELETE", "/o/{slug}/api/conversations/{id}/", None),
    ("POST", "/o/{slug}/api/conversations/{id}/stop/", None),
    ("POST", "/o/{slug}/api/conversations/{id}/seen/", None),
    ("POST", "/o/{slug}/api/conversations/{id}/restore/", None),
]


async def chat_once(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.default(Text("Hello."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "A secret")


async def test_foreign_and_missing_conversations_look_the_same(
    acme: Workspace, alice: Browser, bob: Browser, charlie: Browser, chat_id: str
) -> None:
    await chat_once(acme, alice, chat_id)
    for method, path, body in CALLS:
        for browser, slug in ((bob, "acme"), (charlie, "acme"), (charlie, "other")):
            response = await browser.call(method, path.format(slug=slug, id=chat_id), body)
            assert response.status_code == 404, (method, path, slug)
            assert b"secret" not in response.content
    assert (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["title"] == "A secret"


async def test_a_conversation_id_cannot_be_taken_over(acme: Workspace, alice: Browser, bob: Browser, chat_id: str) -> None:
    await chat_once(acme, alice, chat_id)
    async with chat_socket(bob, "acme") as socket:
        await socket.send(chat_id, "Hi")
        frame = await socket.receive()
        request = await socket.resume(chat_id)
        idle = await socket.receive()
    assert frame["type"] == "error"
    assert idle == {"type": "no-active", "requestId": request}
    assert len((await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"]) == 2


async def test_lists_show_the_own_conversations_only(acme: Workspace, alice: Browser, bob: Browser, charlie: Browser, chat_id: str) -> None:
    await chat_once(acme, alice, chat_id)
    assert [row["id"] for row in (await alice.get("/o/acme/api/conversations/"))["items"]] == [chat_id]
    assert (await bob.get("/o/acme/api/conversations/"))["items"] == []
    assert (await charlie.get("/o/other/api/conversations/"))["items"] == []


async def test_sockets_open_for_members_from_our_own_pages_only(acme: Workspace, alice: Browser, charlie: Browser) -> None:
    for browser, origin, expected in (
        (alice, None, True),
        (charlie, None, False),
        (alice, "https://evil.example", False),
        (alice, "null", False),
    ):
        socket = communicator(browser, "/o/acme/ws/chat/", origin=origin)
        is_connected, _ = await socket.connect()
        if is_connected and not expected:
            assert await socket.receive_output(timeout=60) == {"type": "websocket.close", "code": 4403}, (browser, origin)
        else:
            assert is_connected is expected, (browser, origin)
        await socket.disconnect()


async def test_a_socket_closes_soon_after_its_member_was_removed(
    acme: Workspace, cast: Cast, alice: Browser, chat_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "access_ends", lambda _: {})  # the socket does not depend on the end of the run
    gate = Gate()
    acme.double.answer(Text("Still here ", pieces=["Still here "]), gate)
    async with chat_socket(alice, "acme") as socket:
        await socket.chunks(await socket.send(chat_id, "Go"), until=lambda chunk: chunk["type"] == "text-delta")
        await Membership.objects.filter(user=cast.alice).aupdate(role=Membership.Role.VIEWER)
        while (closed := await socket.socket.receive_output(timeout=60))["type"] == "websocket.send":
            pass  # the figures of the answer so far
        gate.release()
    assert closed == {"type": "websocket.close", "code": 4403}


async def test_a_viewer_reads_but_does_not_write(acme: Workspace, vera: Browser, chat_id: str) -> None:
    async with chat_socket(vera, "acme") as socket:
        await socket.send(chat_id, "Hi")
        frame = await socket.receive()
    assert "read only" in frame["errorText"]


async def test_a_new_password_ends_the_open_sockets(acme: Workspace, cast: Cast, alice: Browser, chat_id: str) -> None:
    async with chat_socket(alice, "acme") as socket:
        cast.alice.set_password("another correct horse")
        await cast.alice.asave(update_fields=["password"])
        close_event = await socket.socket.receive_output(timeout=60)
    assert close_event == {"type": "websocket.close", "code": 4403}


async def test_a_member_cannot_start_runs_without_end(acme: Workspace, alice: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_limit, "MAX_ACTIVE_RUNS", 2)
    gate = Gate()
    acme.double.answer(Text("Busy ", pieces=["Busy "]), gate, times=2)
    async with chat_socket(alice, "acme") as first, chat_socket(alice, "acme") as second, chat_socket(alice, "acme") as third:
        for socket in (first, second):
            await socket.chunks(await socket.send(str(uuid4()), "Go"), until=lambda chunk: chunk["type"] == "text-delta")
        await third.send(str(uuid4()), "And this?")
        frame = await third.receive()
        gate.release()
    assert frame["type"] == "error"
    assert "at once" in frame["errorText"]


async def test_a_request_id_is_used_once_at_a_time(acme: Workspace, alice: Browser, chat_id: str) -> None:
    gate = Gate()
    acme.double.answer(Text("One ", pieces=["One "]), gate)
    async with chat_socket(alice, "acme") as socket:
        request = await socket.send(chat_id, "Go")
        await socket.chunks(request, until=lambda chunk: chunk["type"] == "text-delta")
        await socket.frame("resume", id=chat_id, headers={}, body={}, request_id=request)
        frame = await socket.receive()
        gate.release()
    assert (frame["type"], frame["requestId"]) == ("error", request)
