"""A member outside the product: signs in and reads over HTTP, chats over the AI SDK's socket frames (docs/protocol.md)."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any
from uuid import uuid4

import httpx2
import orjson
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.support.chat.chunk_shapes import record_chunk
from tools.embedded.__main__ import DEMO_LOGINS

Chunk = dict[str, Any]
Frame = dict[str, Any]

TIMEOUT_S = 60.0
ORGANIZATION = "/o/demo"
DEMO_OWNER = DEMO_LOGINS[0][:2]
_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


class Member:
    """A member, signed in; the session outlives the web process. The demo organization's owner, if no other is named."""

    ping_s: float | None = 20.0  # a socket whose pings get no answer so long is closed; None: never, as browsers do

    def __init__(self, url: str, *, login: tuple[str, str] = DEMO_OWNER, organization: str = ORGANIZATION) -> None:
        self.url = self.origin = url
        self.organization = organization
        self.http = httpx2.Client(base_url=url, trust_env=False, timeout=TIMEOUT_S)
        self._login = login
        self._sign_in(*login)

    def _sign_in(self, email: str, password: str) -> None:
        token = _TOKEN.search(self.http.get("/login/").text)
        assert token is not None
        answer = self.http.post(
            "/login/", data={"username": email, "password": password, "csrfmiddlewaretoken": token[1]}, headers={"Origin": self.url}
        )
        assert answer.status_code == 302, answer.text
        self._csrf_token = self.http.cookies["parley_csrf"]

    def get(self, path: str) -> Any:
        """The JSON of a good answer; `path` is below the organization's api."""
        answer = self.http.get(f"{self.organization}/api/{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def at(self, url: str) -> Member:
        """The same browser with its tab at another web process."""
        elsewhere = copy(self)
        elsewhere.url = url
        elsewhere.http = httpx2.Client(base_url=url, trust_env=False, timeout=TIMEOUT_S, cookies=dict(self.http.cookies))
        return elsewhere

    def post(self, path: str, body: Any = None) -> httpx2.Response:
        """The answer to a call that changes something."""
        headers = {"Origin": self.origin, "X-CSRFToken": self._csrf_token}
        return self.http.post(f"{self.organization}/api/{path}", json=body, headers=headers)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON of a good answer to a call that changes something; None when it is empty."""
        headers = {"Origin": self.url, "X-CSRFToken": str(self.http.cookies["parley_csrf"])}
        answer = self.http.request(method, f"{self.organization}/api/{path}", headers=headers, json=body)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def api_token(self, *scopes: str) -> tuple[str, str]:
        """A new API token's text and its id; from a new session, as a token needs a recent sign-in (session_proof.RECENT_S)."""
        fresh = Member(self.url, login=self._login, organization=self.organization)
        new_token = fresh.call("POST", "tokens/", {"name": "reader", "scopes": scopes, "days": 1})
        return new_token["token"], new_token["id"]

    def upload(self, name: str, content: bytes) -> Any:
        """The stored File."""
        headers = {"Origin": self.origin, "X-CSRFToken": self._csrf_token}
        answer = self.http.post(f"{self.organization}/api/files/", files={"file": (name, content)}, headers=headers)
        assert answer.status_code == 201, answer.text
        return answer.json()

    def conversation(self, conversation_id: str) -> Any:
        return self.get(f"conversations/{conversation_id}/")

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())

    @contextmanager
    def socket(self, *, max_queue: int = 1000) -> Iterator[ChatSocket]:
        """An open chat socket. `max_queue`: it reads so many frames ahead; then the server has to wait."""
        with self.connection("chat/", max_queue=max_queue) as connection:
            yield ChatSocket(connection)

    def connection(self, path: str, *, max_queue: int = 1000) -> ClientConnection:
        """An open socket; `path` is below the organization's sockets."""
        address = f"ws{self.url.removeprefix('http')}{self.organization}/ws/{path}"
        options: dict[str, Any] = {
            "proxy": None,
            "close_timeout": 1,
            "max_queue": max_queue,
            "max_size": None,
            "ping_interval": self.ping_s,
        }
        connection: ClientConnection = connect(address, additional_headers={"Cookie": self.cookie}, origin=Origin(self.origin), **options)
        return connection


class ChatSocket:
    """One open socket; frames of requests that are not read at the moment wait."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._ids = itertools.count(1)
        self._waiting: dict[str, deque[Frame]] = defaultdict(deque)

    def send(self, chat_id: str, text: str, *, message_id: str = "") -> str:
        """Send a user's message; return the request id."""
        message = {"id": message_id or uuid4().hex, "role": "user", "parts": [{"type": "text", "text": text}]}
        return self._request("send", id=chat_id, trigger="submit-message", messages=[message], headers={}, body={})

    def resume(self, chat_id: str) -> str:
        return self._request("resume", id=chat_id, headers={}, body={})

    def chunks(self, request_id: str, until: Callable[[Chunk], bool] | None = None, *, timeout_s: float = TIMEOUT_S) -> list[Chunk]:
        """The request's chunks, to its end or to the first one that `until` accepts."""
        chunks: list[Chunk] = []
        while (frame := self.frame(request_id, timeout_s=timeout_s))["type"] != "end":
            if frame["type"] == "chunk":
                chunks.append(record_chunk(frame["chunk"]))
                if until is not None and until(frame["chunk"]):
                    return chunks
            else:
                assert frame["type"] == "start", frame
        return chunks

    def frame(self, request_id: str, *, timeout_s: float = TIMEOUT_S) -> Frame:
        """The next frame of a request. Raises TimeoutError, and ConnectionClosed when the server died."""
        while not self._waiting[request_id]:
            frame: Frame = orjson.loads(self._connection.recv(timeout=timeout_s))
            self._waiting[frame["requestId"]].append(frame)
        return self._waiting[request_id].popleft()

    def _request(self, kind: str, **fields: Any) -> str:
        request_id = f"r{next(self._ids)}"
        self._connection.send(orjson.dumps({"type": kind, "requestId": request_id, **fields}).decode())
        return request_id


def shown_text(chunks: Sequence[Chunk]) -> str:
    """The text that a client shows after these chunks: `reset-step` drops what came of the open step."""
    text, step_began = "", 0
    for chunk in chunks:
        match chunk["type"]:
            case "start-step":
                step_began = len(text)
            case "reset-step":
                text = text[:step_began]
            case "text-delta":
                text += chunk["delta"]
    return text


def is_text(chunk: Chunk) -> bool:
    return bool(chunk["type"] == "text-delta")


def answer_texts(conversation: Any) -> list[str]:
    """The text parts of the conversation's only answer, as the reloaded page gets them."""
    assert [message["role"] for message in conversation["messages"]] == ["user", "assistant"]
    return [part["text"] for part in conversation["messages"][1]["parts"] if part["type"] == "text"]
