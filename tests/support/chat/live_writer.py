"""A page with a live document: a Yjs document, what the server has not acknowledged, and a socket that may be cut."""

from __future__ import annotations

import asyncio
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

import orjson
from channels.testing import WebsocketCommunicator
from pycrdt import Doc, Text, merge_updates

from artifacts.live.text import NAME
from chat.api.member_socket import CLOSE_RECONNECT
from tests.support.chat.chat_socket import TIMEOUT_S, Browser, communicator

Frame = dict[str, Any]


class LiveWriter:
    """`unacknowledged` is sent again after a cut, as one change, as the page does."""

    def __init__(self, browser: Browser, artifact_id: object, *, slug: str = "acme") -> None:
        self._browser, self._path = browser, f"/o/{slug}/ws/live/{artifact_id}/"
        self._doc: Doc[Any] = Doc(allow_multithreading=True)
        self.text = self._doc.get(NAME, type=Text)
        self._doc.observe(self._changed)
        self._is_remote = False
        self.document: str | None = None
        self.seq = self.saved_seq = self.next_id = 0
        self.unacknowledged: dict[int, bytes] = {}
        self.people: list[str] = []
        self.frames: list[Frame] = []  # all others
        self.close_code: int | None = None
        self._socket: WebsocketCommunicator | None = None
        self._next_number = 0  # the first change that this socket has not taken

    @property
    def is_connected(self) -> bool:
        return self._socket is not None

    async def connect(self) -> bool:
        """Open the socket. Return whether the server has let the writer in."""
        self._socket = communicator(self._browser, self._path)
        self.close_code = None
        is_connected, _ = await self._socket.connect(timeout=TIMEOUT_S)
        return (
            bool(is_connected)
            and await self.read_until(lambda: self.frames_of("people") or self.close_code is not None)
            and self.close_code is None
        )

    async def join(self) -> None:
        await self.connect()
        await self.send("join", document=self.document, seq=self.seq)
        await self.read_until(lambda: bool(self.frames_of("joined")))
        if self.unacknowledged:
            everything = merge_updates(*self.unacknowledged.values())
            self.unacknowledged = {self.next_id: everything}
            await self._send_update(self.next_id)
            self.next_id += 1

    async def cut(self) -> None:
        """Lose the network: what comes after it is neither sent nor received."""
        if self._socket is not None:
            await self._socket.disconnect()
            self._socket = None
            self.frames.clear()

    async def write(self, place: int, added: str, *, removed: int = 0) -> None:
        """Change the text at this place, in bytes."""
        if removed:
            del self.text[place : place + removed]
        if added:
            self.text.insert(place, added)
        if self._socket is not None:
            for number in [number for number in self.unacknowledged if number >= self._next_number]:
                await self._send_update(number)

    async def settle(self) -> None:
        """Wait until everything is acknowledged."""
        await self.read_until(lambda: not self.unacknowledged)

    async def read_waiting(self) -> None:
        """Read what has come already."""
        while self._socket is not None and not self._socket.output_queue.empty():
            await self._read_event()

    async def read_until(self, condition: Callable[[], object]) -> bool:
        """Read frames until the condition holds."""
        assert self._socket is not None
        async with asyncio.timeout(TIMEOUT_S):
            while not condition():
                await self._read_event()
        return True

    async def _read_event(self) -> None:
        """Read a frame. Come in again when the server asks for it, as the page does."""
        assert self._socket is not None
        event = await self._socket.receive_output(TIMEOUT_S)
        if event["type"] != "websocket.close":
            self._receive(orjson.loads(event["text"]))
            return
        self.close_code = event.get("code")
        if self.close_code == CLOSE_RECONNECT:
            await self.cut()
            await self.join()

    def frames_of(self, kind: str) -> list[Frame]:
        return [frame for frame in self.frames if frame["type"] == kind]

    async def send(self, kind: str, **fields: Any) -> None:
        assert self._socket is not None
        await self._socket.send_to(text_data=orjson.dumps({"type": kind, **fields}).decode())

    async def _send_update(self, number: int) -> None:
        self._next_number = number + 1
        await self.send("update", id=number, document=self.document, content=b64encode(self.unacknowledged[number]).decode())

    def _receive(self, frame: Frame) -> None:
        match frame["type"]:
            case "joined":
                self.document, self.seq, self.saved_seq = frame["document"], frame["seq"], frame["savedSeq"]
                for content in frame["updates"]:
                    self._apply(content)
            case "update":
                assert frame["seq"] == self.seq + 1, "the numbers have no gap"
                self.seq = frame["seq"]
                self._apply(frame["content"])
            case "ack":
                del self.unacknowledged[frame["id"]]
            case "saved":
                self.saved_seq = frame["seq"]
            case "people":
                self.people = [person["name"] for person in frame["people"]]
        if frame["type"] != "update":
            self.frames.append(frame)

    def _apply(self, content: str) -> None:
        self._is_remote = True
        self._doc.apply_update(b64decode(content))
        self._is_remote = False

    def _changed(self, event: Any) -> None:
        if not self._is_remote:
            self.unacknowledged[self.next_id] = event.update
            self.next_id += 1
