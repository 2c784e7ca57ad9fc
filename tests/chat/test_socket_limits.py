"""A socket that sends too much is refused, told once and closed."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from pytest_django import Settings

from chat.api.frame_meter import MAX_FRAMES_PER_S, FrameMeter
from doubles.script import Text
from tests.support.chat_socket import TIMEOUT_S, Browser, ChatSocket, chat_socket, communicator, text_of
from tests.support.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


async def until_closed(socket: ChatSocket) -> tuple[list[dict[str, Any]], int]:
    """All frames up to the close, and its code."""
    frames: list[dict[str, Any]] = []
    while True:
        output = await socket.socket.receive_output(timeout=TIMEOUT_S)
        if output["type"] == "websocket.close":
            return frames, int(output["code"])
        frames.append(orjson.loads(output["text"]))


@pytest.mark.parametrize("kind", ["resume", "abort", "nonsense"])
async def test_a_socket_that_floods_is_told_once_and_closed(acme: Workspace, alice: Browser, chat_id: str, kind: str) -> None:
    async with chat_socket(alice, "acme") as socket:
        for _ in range(8 * MAX_FRAMES_PER_S):
            fields = {} if kind == "abort" else {"id": chat_id}
            await socket.frame(kind, **fields)
        frames, code = await until_closed(socket)
        assert code == 4429
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
        assert code == 4429
        assert text_of(await calm.answer(chat_id, "Go")) == "Whole."


async def test_the_socket_of_notifications_is_closed_too(acme: Workspace, alice: Browser) -> None:
    socket = communicator(alice, "/o/acme/ws/notify/")
    connected, _ = await socket.connect(timeout=TIMEOUT_S)
    assert connected
    for _ in range(8 * MAX_FRAMES_PER_S):
        await socket.send_to(text_data="x")
    assert await socket.receive_output(timeout=TIMEOUT_S) == {"type": "websocket.close", "code": 4429}
    await socket.disconnect()


@pytest.mark.parametrize("kind", ["resume", "nonsense"])
async def test_resumes_and_malformed_frames_count_as_reads(
    acme: Workspace, alice: Browser, chat_id: str, settings: Settings, kind: str
) -> None:
    settings.API_REQUESTS_PER_MINUTE = {"read": 5, "write": 0, "chat": 0}
    async with chat_socket(alice, "acme") as socket:
        said = []
        for _ in range(12):  # a new minute may begin once between them
            await socket.frame(kind, id=chat_id)
            said.append(await socket.receive())
    assert "errorText" not in said[0] or "could not be read" in said[0]["errorText"]
    assert any("requests in a minute" in frame.get("errorText", "") for frame in said)


def test_a_long_frame_counts_more_and_a_minute_has_a_limit_too(settings: Settings) -> None:
    settings.API_REQUESTS_PER_MINUTE = {"read": 100, "write": 0, "chat": 0}
    now = [0.0]

    def meter() -> FrameMeter:
        return FrameMeter(lambda: now[0])

    long = meter()
    assert [long.is_flood(1024 * 1024) for _ in range(3)] == [False, False, True]
    steady, floods = meter(), []
    for _ in range(302):
        now[0] += 0.1
        floods.append(steady.is_flood(100))
    assert floods.index(True) == 300, "three times the limit of reads"
    now[0] += 60
    assert not steady.is_flood(100)
