"""What a member's other tabs and devices learn without asking (docs/protocol.md, Notifications)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator

from chat.api import group_renewal
from chat.api.member_socket import CLOSE_RECONNECT
from doubles.script import Text
from doubles.signals import Gate
from tenants.redis.clients import key, redis_client
from tests.support.chat.chat_socket import Browser, chat_socket, communicator
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

API = "/o/acme/api"
PATIENCE_S = 60


async def next_notice(tab: WebsocketCommunicator, matches: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The first notice that is wanted, of those that come."""
    while True:
        notice: dict[str, Any] = await tab.receive_json_from(timeout=PATIENCE_S)
        if matches(notice):
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

    conversation_id = (await alice.call("POST", f"{API}/conversations/", {"title": "Tea"})).json()["id"]
    await next_notice(tab, of_conversation(id=conversation_id, title="Tea", activeRun=False))
    await alice.call("PATCH", f"{API}/conversations/{conversation_id}/", {"title": "Green tea"})
    await next_notice(tab, of_conversation(id=conversation_id, title="Green tea"))

    async with chat_socket(alice, "acme") as socket:
        request = await socket.send(conversation_id, "Go")
        await next_notice(tab, of_conversation(id=conversation_id, activeRun=True))
        gate.release()
        await socket.chunks(request)
    await next_notice(tab, of_conversation(id=conversation_id, activeRun=False, unread=True))

    document = {"title": "Notes", "kind": "text", "content": "One."}
    artifact = (await alice.call("POST", f"{API}/conversations/{conversation_id}/artifacts/", document)).json()["id"]
    assert (await next_notice(tab, of_version(1)))["conversationId"] == conversation_id
    await alice.call("POST", f"{API}/artifacts/{artifact}/versions/", {"content": "One. Two.", "base": 1})
    assert (await next_notice(tab, of_version(2)))["artifact"]["id"] == artifact

    await alice.call("DELETE", f"{API}/conversations/{conversation_id}/")
    assert await next_notice(tab, lambda notice: notice["type"] == "conversations-deleted") == {
        "type": "conversations-deleted",
        "ids": [conversation_id],
    }
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
        first = (await next_notice(tab, of_conversation(id=chat_id)))["conversation"]
        list_entry = (await alice.get(f"{API}/conversations/"))["items"][0]
        gate.release()
        await socket.chunks(request)
    await tab.disconnect()

    times = {"createdAt", "updatedAt", "revision"}
    assert first.keys() == list_entry.keys()
    assert {name: first[name] for name in first.keys() - times} == {name: list_entry[name] for name in list_entry.keys() - times}
    assert (first["activeRun"], first["revision"]) == (True, 0)


async def open_tabs(*places: tuple[Browser, str]) -> list[WebsocketCommunicator]:
    """One notify socket for each browser and organization. They are open before they are in their groups."""
    await redis_client().delete("-", *await groups())  # what other tests have left
    tabs = [communicator(browser, f"/o/{organization}/ws/notify/") for browser, organization in places]
    assert all([(await tab.connect())[0] for tab in tabs])
    async with asyncio.timeout(PATIENCE_S):
        while len(await groups()) < len(tabs):  # noqa: ASYNC110 - Redis tells nobody
            await asyncio.sleep(0.02)
    return tabs


async def groups() -> list[bytes]:
    return [name async for name in redis_client().scan_iter(key("asgi", "group", "*"))]


async def test_a_socket_that_redis_forgot_is_closed_and_the_next_one_hears(
    acme: Workspace, alice: Browser, charlie: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_renewal, "ROUND_S", 0.2)
    monkeypatch.setattr(group_renewal, "BATCH_SOCKETS", 1)
    for tab in await open_tabs((alice, "acme"), (charlie, "other")):
        await redis_client().delete("-", *await groups())
        assert await tab.receive_output(timeout=PATIENCE_S) == {"type": "websocket.close", "code": CLOSE_RECONNECT}
        await tab.disconnect()

    tab, foreign = await open_tabs((alice, "acme"), (charlie, "other"))
    conversation_id = (await alice.call("POST", f"{API}/conversations/", {"title": "Tea"})).json()["id"]
    await next_notice(tab, of_conversation(id=conversation_id, title="Tea"))
    assert await foreign.receive_nothing()
    for socket_open in (tab, foreign):
        await socket_open.disconnect()


async def test_an_open_socket_is_renewed_and_a_closed_one_does_not_come_back(
    acme: Workspace, alice: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_renewal, "ROUND_S", 0.2)
    [tab] = await open_tabs((alice, "acme"))
    [group] = await groups()
    [channel] = await redis_client().zrange(group, 0, -1)
    await redis_client().zadd(group, {channel: time.time() - 86_000})
    await redis_client().expire(group, 60)
    async with asyncio.timeout(PATIENCE_S):
        while await redis_client().ttl(group) <= 60:  # noqa: ASYNC110 - Redis tells nobody
            await asyncio.sleep(0.05)
    assert time.time() - float(await redis_client().zscore(group, channel) or 0) < 3600
    assert await tab.receive_nothing()

    await tab.disconnect()
    await asyncio.sleep(0.5)  # two rounds
    assert await groups() == []
