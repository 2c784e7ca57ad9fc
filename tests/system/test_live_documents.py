"""Two web processes serve one live document, and one of them is killed while somebody types."""

from __future__ import annotations

import signal
from base64 import b64decode, b64encode
from contextlib import ExitStack
from itertools import count
from typing import Any

import orjson
from pycrdt import Doc, Text
from websockets.exceptions import ConnectionClosed

from artifacts.live.text import NAME
from tests.support.system.product import Product
from tests.support.system.product_servers import end
from tests.system.client import TIMEOUT_S, Member
from tools.embedded.children import Child

WORDS = 40  # a socket may send 50 frames a second
UNDER_WAY = 20


class Typist:
    """A page that types words, and sends again what was not acknowledged."""

    def __init__(self, member: Member, artifact_id: str, sockets: ExitStack) -> None:
        self._sockets = sockets
        self.path = f"live/{artifact_id}/"
        self.doc: Doc[Any] = Doc()
        self.text = self.doc.get(NAME, type=Text)
        self.unacknowledged: dict[int, bytes] = {}
        self.acknowledged = 0
        self.connect(member)

    def connect(self, member: Member) -> None:
        self.socket = self._sockets.enter_context(member.connection(self.path))
        self.ask("join", "joined")
        for number in sorted(self.unacknowledged):
            self.send_update(number)

    def ask(self, kind: str, answer: str) -> None:
        self.send(type=kind)
        while self.receive()["type"] != answer:
            pass

    def type(self, number: int) -> None:
        before = self.doc.get_state()
        self.text.insert(len(self.text), f"word{number} ")
        self.unacknowledged[number] = self.doc.get_update(before)
        self.send_update(number)

    def send_update(self, number: int) -> None:
        self.send(type="update", id=number, document=self.document, content=b64encode(self.unacknowledged[number]).decode())

    def send(self, **frame: Any) -> None:
        self.socket.send(orjson.dumps(frame).decode())

    def receive(self) -> dict[str, Any]:
        frame: dict[str, Any] = orjson.loads(self.socket.recv(timeout=TIMEOUT_S))
        if frame["type"] == "joined":
            self.document: str = frame["document"]
        for content in frame.get("updates", [frame["content"]] if frame["type"] == "update" else []):
            self.doc.apply_update(b64decode(content))
        if frame["type"] == "ack":
            del self.unacknowledged[frame["id"]]
            self.acknowledged += 1
        return frame


def type_until_killed(typist: Typist, child: Child) -> None:
    """Type on until the process is gone. Some words are on their way when it is killed."""
    try:
        for number in count():
            typist.type(number)
            while typist.acknowledged < number - UNDER_WAY:
                typist.receive()
            if number == WORDS:
                end(child, signal.SIGKILL)
    except ConnectionClosed:
        pass


def test_a_killed_process_loses_nothing_that_was_acknowledged_and_the_page_sends_the_rest(product: Product, member: Member) -> None:
    conversation = member.call("POST", "conversations/", {"title": "Words"})["id"]
    document = {"title": "Words", "kind": "text", "content": ""}
    artifact = member.call("POST", f"conversations/{conversation}/artifacts/", document)["id"]
    other = product.start_web()
    with ExitStack() as sockets:
        reader, typist = Typist(member, artifact, sockets), Typist(member.at(other.url), artifact, sockets)
        type_until_killed(typist, other.child)
        everything = str(typist.text)
        words = {*everything.split()} - {f"word{number}" for number in typist.unacknowledged}
        assert len(words) >= WORDS - UNDER_WAY
        reader.ask("join", "joined")
        assert words <= set(str(reader.text).split())

        typist.connect(member)
        while typist.unacknowledged:
            typist.receive()
        while str(reader.text) != everything:
            reader.receive()
        typist.ask("save", "save-done")
        assert member.get(f"artifacts/{artifact}/")["content"] == everything
