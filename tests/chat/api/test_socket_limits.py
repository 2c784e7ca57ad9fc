"""A socket that sends too much is refused, told once and closed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from threading import Event
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.db import connections
from pytest_django import Settings

from artifacts.models import Artifact
from chat.api import consumers
from chat.api.frames import MAX_SEND_BYTES
from chat.api.member_socket import CLOSE_RECONNECT
from chat.api.socket_limits import MAX_FRAMES_PER_S, MAX_MEMBER_FRAMES_PER_S, MAX_SOCKETS, PAUSE_S, SocketLimits
from doubles.script import Text
from tenants import db
from tenants.redis.channel_layer import BoundedChannelLayer
from tests.artifacts.support import make_artifact
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import TIMEOUT_S, Browser, ChatSocket, chat_socket, communicator, text_of, until_closed
from tests.support.chat.live_writer import LiveWriter
from tests.support.chat.workspace import Workspace
from tests.support.stores.database import connect

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


@pytest.mark.parametrize("kind", ["resume", "abort", "nonsense"])
async def test_a_socket_that_floods_is_told_once_and_closed(acme: Workspace, alice: Browser, chat_id: str, kind: str) -> None:
    async with chat_socket(alice, "acme") as socket:
        for _ in range(8 * MAX_FRAMES_PER_S):
            fields = {} if kind == "abort" else {"id": chat_id}
            await socket.frame(kind, **fields)
        frames, code = await until_closed(socket)
        assert code == 1008
        assert "ten seconds" in frames[-1]["errorText"]
        assert ["ten seconds" in frame.get("errorText", "") for frame in frames].count(True) == 1
        assert len(frames) <= 4 * MAX_FRAMES_PER_S, "what comes after it is not read"
        assert await socket.socket.receive_nothing()


async def test_a_flood_of_one_socket_ends_no_answer_and_no_other_socket(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Whole."))
    async with chat_socket(alice, "acme") as calm, chat_socket(alice, "acme") as flood:
        for _ in range(8 * MAX_FRAMES_PER_S):
            await flood.frame("nonsense")
        _, code = await until_closed(flood)
        assert code == 1008
        assert text_of(await calm.answer(chat_id, "Go")) == "Whole."


async def test_the_socket_of_notifications_is_closed_too(acme: Workspace, alice: Browser) -> None:
    socket = communicator(alice, "/o/acme/ws/notify/")
    is_connected, _ = await socket.connect(timeout=TIMEOUT_S)
    assert is_connected
    for _ in range(8 * MAX_FRAMES_PER_S):
        await socket.send_to(text_data="x")
    assert await socket.receive_output(timeout=TIMEOUT_S) == {"type": "websocket.close", "code": 1008}
    await socket.disconnect()


@pytest.mark.parametrize("kind", ["resume", "nonsense"])
async def test_resumes_and_malformed_frames_count_as_reads(
    acme: Workspace, alice: Browser, chat_id: str, settings: Settings, kind: str
) -> None:
    settings.API_REQUESTS_PER_MINUTE = {"read": 5, "write": 0, "chat": 0}
    async with chat_socket(alice, "acme") as socket:
        frames = []
        for _ in range(12):  # a new minute may begin once between them
            await socket.frame(kind, id=chat_id)
            frames.append(await socket.receive())
    assert "errorText" not in frames[0] or "could not be read" in frames[0]["errorText"]
    assert any("requests in a minute" in frame.get("errorText", "") for frame in frames)


def test_a_long_frame_counts_more_and_a_minute_has_a_limit_too(cast: Cast, settings: Settings) -> None:
    settings.API_REQUESTS_PER_MINUTE = {"read": 100, "write": 0, "chat": 0}
    now, member = [0.0], cast.actor(cast.alice)

    def limits() -> SocketLimits:
        return SocketLimits(lambda: now[0])

    long = limits()
    assert [long.is_flood(member, 2 * 1024 * 1024) for _ in range(5)] == [False] * 4 + [True]
    steady, floods = limits(), []
    for _ in range(302):
        now[0] += 0.1
        floods.append(steady.is_flood(member, 100))
    assert floods.index(True) == 300, "three times the limit of reads"
    now[0] += 60
    assert not steady.is_flood(member, 100)


def test_frames_and_sockets_count_by_member_and_by_organization(cast: Cast, settings: Settings) -> None:
    settings.ORGANIZATION_FACTOR = 2
    alice, bob, vera, charlie = (cast.actor(user) for user in (cast.alice, cast.bob, cast.vera, cast.charlie))
    limits = SocketLimits(lambda: 0.0)
    assert all(limits.open(alice) for _ in range(MAX_SOCKETS))
    assert not limits.open(alice)
    assert all(limits.open(bob) for _ in range(MAX_SOCKETS))
    assert not limits.open(vera), "what her organization may have is used up"
    assert limits.open(charlie)
    limits.close(bob)
    assert limits.open(vera)
    assert not any(limits.is_flood(member, 1) for member in (alice, bob) for _ in range(MAX_MEMBER_FRAMES_PER_S))
    assert [limits.is_flood(member, 1) for member in (alice, vera, charlie)] == [True, True, False]


async def test_all_sockets_of_a_member_count_together(acme: Workspace, alice: Browser, chat_id: str) -> None:
    sockets = [communicator(alice, "/o/acme/ws/chat/") for _ in range(20)]
    for socket in sockets:
        assert (await socket.connect(timeout=TIMEOUT_S))[0]
    open_sockets = [ChatSocket(socket) for socket in sockets]
    for open_socket in open_sockets:
        for _ in range(300):
            await open_socket.resume(chat_id)
    ends = [await until_closed(socket) for socket in open_sockets]
    assert {code for _, code in ends} == {1008}
    answers = sum(frame["type"] == "no-active" for frames, _ in ends for frame in frames)
    assert answers <= 3 * MAX_MEMBER_FRAMES_PER_S, "of 6,000"
    for socket in sockets:
        await socket.disconnect()


async def test_after_a_flood_the_session_opens_no_socket_for_ten_seconds(acme: Workspace, alice: Browser, bob: Browser) -> None:
    now = [0.0]
    SocketLimits.current().clock = lambda: now[0]
    async with chat_socket(alice, "acme") as socket:
        for _ in range(8 * MAX_FRAMES_PER_S):
            await socket.frame("nonsense")
        await until_closed(socket)
    async with chat_socket(alice, "acme") as refused_socket, chat_socket(bob, "acme") as other_socket:
        assert await until_closed(refused_socket) == ([], 1008)
        await other_socket.frame("nonsense")
        assert "could not be read" in (await other_socket.receive())["errorText"]
    now[0] += PAUSE_S
    async with chat_socket(alice, "acme") as again:
        await again.frame("nonsense")
        assert "could not be read" in (await again.receive())["errorText"]


async def test_handshakes_count_as_reads(acme: Workspace, alice: Browser, settings: Settings) -> None:
    settings.API_REQUESTS_PER_MINUTE = {"read": 3, "write": 0, "chat": 0}
    codes = []
    for _ in range(9):  # a new minute may begin once between them
        async with chat_socket(alice, "acme") as socket:
            await socket.frame("nonsense")
            output = await socket.socket.receive_output(timeout=TIMEOUT_S)
            codes.append(output.get("code"))
    assert codes[0] is None
    assert 1008 in codes


@pytest.mark.parametrize("kind", ["chat", "notify"])
async def test_a_socket_that_an_overloaded_database_cannot_serve_is_closed_with_1013(acme: Workspace, alice: Browser, kind: str) -> None:
    """The handshake waits for a lock for as long as the product waits, and is told to come again."""
    path = f"/o/acme/ws/{kind}/"
    with connect(connections["default"].settings_dict["NAME"]) as owner, owner.transaction():
        owner.execute("lock table tenants_session in access exclusive mode")
        socket = communicator(alice, path)
        assert (await socket.connect(timeout=TIMEOUT_S))[0]
        assert await until_closed(ChatSocket(socket)) == ([], 1013)
        await socket.wait()
    again = communicator(alice, path)
    assert (await again.connect(timeout=TIMEOUT_S))[0]
    assert await again.receive_nothing()
    await again.disconnect()


async def test_a_socket_of_notifications_opens_when_it_gets_them(acme: Workspace, alice: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Redis that is silent keeps it shut: a page that counted on it would read its lists again at each attempt."""
    join_signal, answers = asyncio.Event(), asyncio.Event()
    joins = BoundedChannelLayer.group_add

    async def slow(*args: Any) -> None:
        join_signal.set()
        await answers.wait()
        await joins(*args)

    monkeypatch.setattr(BoundedChannelLayer, "group_add", slow)
    socket = communicator(alice, "/o/acme/ws/notify/")
    opening = asyncio.create_task(socket.connect(timeout=TIMEOUT_S))
    async with asyncio.timeout(TIMEOUT_S):
        await join_signal.wait()
        assert socket.output_queue.empty()
        answers.set()
        assert (await opening)[0]
    await socket.disconnect()


async def test_a_socket_of_notifications_that_gets_none_is_closed_with_1013(
    acme: Workspace, alice: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "COMMAND_TIMEOUT_S", 0.1)
    monkeypatch.setattr(BoundedChannelLayer, "group_add", lambda *args: asyncio.Event().wait())
    socket = communicator(alice, "/o/acme/ws/notify/")
    assert (await socket.connect(timeout=TIMEOUT_S))[0]
    assert await until_closed(ChatSocket(socket)) == ([], 1013)
    await socket.wait()


@contextmanager
def all_connections_in_use(using: str) -> Iterator[None]:
    """Nothing else of the process gets a thread, and so a connection, of this database."""
    free, threads = Event(), db._threads(using)
    waiting = [threads.submit(free.wait, TIMEOUT_S) for _ in range(threads._max_workers)]
    try:
        yield
    finally:
        free.set()
        for each in waiting:
            each.result()


@pytest.mark.parametrize("kind", ["chat", "notify"])
async def test_a_socket_that_gets_no_connection_is_closed_with_1013(
    acme: Workspace, alice: Browser, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db, "MAX_QUEUE_S", 0.1)
    socket = communicator(alice, f"/o/acme/ws/{kind}/")
    with all_connections_in_use("auth"):
        assert (await socket.connect(timeout=TIMEOUT_S))[0]
        assert await until_closed(ChatSocket(socket)) == ([], 1013)
        await socket.wait()


async def test_a_writer_whose_change_gets_no_connection_sends_it_again(cast: Cast, alice: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    artifact: Artifact = await sync_to_async(lambda: make_artifact(cast.actor(cast.alice), "Tea").artifact)()
    writer = LiveWriter(alice, artifact.pk)
    await writer.join()
    assert writer._socket is not None
    with monkeypatch.context() as patch, all_connections_in_use("default"):
        patch.setattr(db, "MAX_QUEUE_S", 0.1)
        await writer.write(0, "Green ")
        frames, code = await until_closed(ChatSocket(writer._socket))
    assert (code, [frame for frame in frames if frame["type"] == "error"]) == (CLOSE_RECONNECT, [])
    await writer.cut()
    await writer.join()
    await writer.settle()
    assert str(writer.text) == "Green Tea"


async def test_a_live_document_that_cannot_be_read_closes_with_1013(acme: Workspace, alice: Browser) -> None:
    with connect(connections["default"].settings_dict["NAME"]) as owner, owner.transaction():
        owner.execute("lock table artifacts_artifact in access exclusive mode")
        socket = communicator(alice, f"/o/acme/ws/live/{uuid4()}/")
        assert (await socket.connect(timeout=TIMEOUT_S))[0]
        assert await until_closed(ChatSocket(socket)) == ([], 1013)
        await socket.wait()


@pytest.mark.parametrize("path", ["/o/acme/ws/chat/", "/o/acme/ws/notify/"])
async def test_a_frame_that_is_too_long_closes_with_1009(acme: Workspace, alice: Browser, path: str) -> None:
    socket = communicator(alice, path)
    assert (await socket.connect(timeout=TIMEOUT_S))[0]
    await socket.send_to(text_data="x" * (MAX_SEND_BYTES + 1))
    frames, code = await until_closed(ChatSocket(socket))
    assert code == 1009
    assert ["1 MB" in frame["errorText"] for frame in frames] == [True] * path.endswith("chat/")
    await socket.disconnect()


async def test_a_long_frame_that_is_no_message_closes_with_1009(acme: Workspace, alice: Browser, chat_id: str) -> None:
    async with chat_socket(alice, "acme") as socket:
        await socket.frame("resume", id=chat_id, body="x" * 70_000)
        frames, code = await until_closed(socket)
        assert ("64 KB" in frames[-1]["errorText"], code) == (True, 1009)


async def test_ten_tabs_of_one_person_come_back_together(acme: Workspace, alice: Browser, chat_id: str) -> None:
    """As after a restart of the server: each tab opens two sockets and resumes three answers."""
    acme.double.answer(Text("Whole."))
    async with AsyncExitStack() as stack:
        tabs = [await stack.enter_async_context(chat_socket(alice, "acme")) for _ in range(10)]
        for _ in tabs:
            notify = communicator(alice, "/o/acme/ws/notify/")
            assert (await notify.connect(timeout=TIMEOUT_S))[0]
            stack.push_async_callback(notify.disconnect)
        for tab in tabs:
            for number in range(3):
                await tab.frame("resume", id=chat_id, request_id=f"tab{number}")
        for tab in tabs:
            assert [(await tab.receive())["type"] for _ in range(3)] == ["no-active"] * 3
        assert text_of(await tabs[0].answer(chat_id, "Go")) == "Whole."
        request = await tabs[1].resume(chat_id)
        assert text_of(await tabs[1].chunks(request)) == "Whole."
