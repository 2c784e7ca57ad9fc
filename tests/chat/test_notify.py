"""What a member's other tabs and devices learn without asking (docs/protocol.md, Notifications)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator

from doubles.script import Text
from doubles.signals import Gate
from tests.support.chat_socket import Browser, chat_socket, communicator
from tests.support.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

API = "/o/acme/api"
PATIENCE_S = 60


async def told(tab: WebsocketCommunicator, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The first notice that is wanted, of those that come."""
    while True:
        notice: dict[str, Any] = await tab.receive_json_from(timeout=PATIENCE_S)
        if wanted(notice):
            return notice


def of_conversation(**state: Any) -> Callable[[dict[str, Any]], bool]:
    return lambda notice: notice["type"] == "conversation" and {**notice["conversation"], **state} == notice["conversation"]


def of_version(number: int) -> Callable[[dict[str, Any]], bool]:
    return lambda notice: notice["type"] == "artifact" and notice["artifact"]["version"] == number


async def test_another_tab_learns_of_all_that_happens_and_another_member_of_nothing(acme: Workspace, alice: Browser, bob: Browser) -> None:
    gate = Gate()
    acme.double.answer(Text("One "), gate, Text("two."))
    tab, foreign = communicator(alice, "/o/acme/ws/notify/"), communicator(bob, "/o/acme/ws/notify/")
    assert (await tab.connect())[0]
    assert (await foreign.connect())[0]

    made = (await alice.call("POST", f"{API}/conversations/", {"title": "Tea"})).json()["id"]
    await told(tab, of_conversation(id=made, title="Tea", activeRun=False))
    await alice.call("PATCH", f"{API}/conversations/{made}/", {"title": "Green tea"})
    await told(tab, of_conversation(id=made, title="Green tea"))

    async with chat_socket(alice, "acme") as socket:
        request = await socket.send(made, "Go")
        await told(tab, of_conversation(id=made, activeRun=True))
        gate.release()
        await socket.chunks(request)
    await told(tab, of_conversation(id=made, activeRun=False, unread=True))

    document = {"title": "Notes", "kind": "text", "content": "One."}
    artifact = (await alice.call("POST", f"{API}/conversations/{made}/artifacts/", document)).json()["id"]
    assert (await told(tab, of_version(1)))["conversationId"] == made
    await alice.call("POST", f"{API}/artifacts/{artifact}/versions/", {"content": "One. Two.", "base": 1})
    assert (await told(tab, of_version(2)))["artifact"]["id"] == artifact

    await alice.call("DELETE", f"{API}/conversations/{made}/")
    assert await told(tab, lambda notice: notice["type"] == "conversation-deleted") == {"type": "conversation-deleted", "id": made}
    assert await foreign.receive_nothing()
    for socket_open in (tab, foreign):
        await socket_open.disconnect()


async def test_the_first_notice_of_a_new_conversation_says_what_the_list_says(acme: Workspace, alice: Browser, chat_id: str) -> None:
    """It is made without the database."""
    gate = Gate()
    acme.double.answer(Text("One "), gate, Text("two."))
    tab = communicator(alice, "/o/acme/ws/notify/")
    assert (await tab.connect())[0]
    async with chat_socket(alice, "acme") as socket:
        request = await socket.send(chat_id, "Where does tea grow?")
        first = (await told(tab, of_conversation(id=chat_id)))["conversation"]
        listed = (await alice.get(f"{API}/conversations/"))["items"][0]
        gate.release()
        await socket.chunks(request)
    await tab.disconnect()

    times = {"createdAt", "updatedAt", "revision"}
    assert first.keys() == listed.keys()
    assert {name: first[name] for name in first.keys() - times} == {name: listed[name] for name in listed.keys() - times}
    assert (first["activeRun"], first["revision"]) == (True, 0)
