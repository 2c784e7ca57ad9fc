"""A socket that is refused: who is told why, and which handshakes are refused without a word."""

from __future__ import annotations

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator

from chat.api.socket_limits import MAX_REFUSED_PER_MINUTE, SocketLimits
from tests.support.chat.chat_socket import TIMEOUT_S, Browser, ChatSocket, communicator, until_closed
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


@pytest.mark.parametrize("kind", ["chat", "notify"])
async def test_a_page_that_is_signed_out_is_told_so_when_it_comes_back(acme: Workspace, alice: Browser, bob: Browser, kind: str) -> None:
    """Its session ended while its computer slept: without a code it would wait for a connection for ever."""
    former = communicator(alice, f"/o/acme/ws/{kind}/")
    await sync_to_async(alice.client.logout)()
    assert (await former.connect(timeout=TIMEOUT_S))[0]
    assert await until_closed(ChatSocket(former)) == ([], 4403)
    other = communicator(bob, f"/o/acme/ws/{kind}/")
    assert (await other.connect(timeout=TIMEOUT_S))[0]
    assert await other.receive_nothing()
    await other.disconnect()


def from_network(browser: Browser, address: str) -> WebsocketCommunicator:
    socket = communicator(browser, "/o/acme/ws/notify/")
    socket.scope["client"] = (address, 50_000)
    return socket


async def test_a_network_opens_only_so_many_sockets_to_be_told_that_they_are_refused(acme: Workspace, alice: Browser, bob: Browser) -> None:
    """Each stays for up to ten seconds. Members behind the same address get theirs, and other networks learn the code."""
    now = [0.0]
    SocketLimits.current().clock = lambda: now[0]

    async def is_told(address: str) -> bool:
        socket = from_network(alice, address)
        is_open, code = await socket.connect(timeout=TIMEOUT_S)
        assert (await until_closed(ChatSocket(socket)) if is_open else ([], code)) == ([], 4403)
        await socket.wait()
        return is_open

    await sync_to_async(lambda: alice.client.session.delete())()
    results = [await is_told(f"203.0.113.{number}") for number in range(MAX_REFUSED_PER_MINUTE + 2)]
    assert results == [True] * MAX_REFUSED_PER_MINUTE + [False] * 2
    assert await is_told("198.51.100.7")
    member = from_network(bob, "203.0.113.9")
    assert (await member.connect(timeout=TIMEOUT_S))[0]
    assert await member.receive_nothing()
    await member.disconnect()
    now[0] += 60
    assert await is_told("203.0.113.9")


async def test_a_socket_at_an_unknown_path_is_refused_without_a_fault_in_the_log(
    acme: Workspace, alice: Browser, caplog: pytest.LogCaptureFixture
) -> None:
    for path in ("/o/acme/ws/other/", "/", "/o/acme/api/me/"):
        socket = communicator(alice, path)
        assert not (await socket.connect(timeout=TIMEOUT_S))[0]
        await socket.wait()
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
