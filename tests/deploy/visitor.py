"""A member's browser on the far side of a proxy with TLS: signs in, and asks over server-sent events and over a socket.

`python -m tests.deploy.visitor URL CERTIFICATE EMAIL PASSWORD ORGANIZATION` prints what it was answered, as JSON. The URL's host is
looked for on this machine.
"""

from __future__ import annotations

import json
import re
import socket as sockets
import ssl
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2
import orjson
from websockets.sync.client import connect
from websockets.typing import Origin

TIMEOUT_S = 60.0
FORGED_ADDRESS = "203.0.113.77"  # what the client says of its own address
_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


@dataclass(frozen=True)
class StreamedAnswer:
    """An answer, and how many seconds lay between its first piece and its last one."""

    text: str
    pieces: int
    spread_s: float


class Visitor:
    """Signed in. `certificate`: the proxy's own, which nobody else trusts. Says of itself that it comes from FORGED_ADDRESS."""

    def __init__(self, url: str, certificate: Path, email: str, password: str, organization: str) -> None:
        self.url, self.organization = url, organization
        self._tls = ssl.create_default_context(cafile=str(certificate))
        headers = {"X-Forwarded-For": FORGED_ADDRESS, "Forwarded": f"for={FORGED_ADDRESS}", "Origin": url, "Referer": f"{url}/"}
        self.http = httpx2.Client(base_url=url, verify=self._tls, trust_env=False, timeout=TIMEOUT_S, headers=headers)
        token = _TOKEN.search(self.http.get("/login/").text)
        assert token is not None
        signed_in = self.http.post("/login/", data={"username": email, "password": password, "csrfmiddlewaretoken": token[1]})
        assert signed_in.status_code == 302, signed_in.text

    def page(self) -> httpx2.Response:
        return self.http.get(f"/o/{self.organization}/")

    def ask_by_events(self, text: str) -> StreamedAnswer:
        """POST a message and read the answer as server-sent events."""
        token = next(value for name, value in self.http.cookies.items() if name.endswith("csrf"))
        pieces: list[tuple[float, str]] = []
        path = f"/o/{self.organization}/api/chat"
        with self.http.stream("POST", path, json=_message(text), headers={"X-CSRFToken": token}) as response:
            assert response.status_code == 200, response.read()
            for line in response.iter_lines():
                if line.startswith("data: {"):
                    _keep(orjson.loads(line.removeprefix("data: ")), pieces)
        return _answer_of(pieces)

    def ask_by_socket(self, text: str) -> StreamedAnswer:
        """Send a message over the chat socket, whose handshake is an upgrade."""
        pieces: list[tuple[float, str]] = []
        cookie = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        address = f"wss{self.url.removeprefix('https')}/o/{self.organization}/ws/chat/"
        options: dict[str, Any] = {"proxy": None, "ssl": self._tls, "additional_headers": {"Cookie": cookie}, "origin": Origin(self.url)}
        with connect(address, **options) as socket:
            socket.send(orjson.dumps({"type": "send", "requestId": "r1", "headers": {}, "body": {}, **_message(text)}).decode())
            while (frame := orjson.loads(socket.recv(TIMEOUT_S)))["type"] != "end":
                if frame["type"] == "chunk":
                    _keep(frame["chunk"], pieces)
        return _answer_of(pieces)


def _message(text: str) -> dict[str, Any]:
    message = {"id": uuid4().hex, "role": "user", "parts": [{"type": "text", "text": text}]}
    return {"id": str(uuid4()), "trigger": "submit-message", "messages": [message]}


def _keep(chunk: dict[str, Any], pieces: list[tuple[float, str]]) -> None:
    if chunk["type"] == "text-delta":
        pieces.append((time.monotonic(), chunk["delta"]))


def _answer_of(pieces: list[tuple[float, str]]) -> StreamedAnswer:
    assert pieces, "no text came"
    return StreamedAnswer("".join(text for _, text in pieces), len(pieces), pieces[-1][0] - pieces[0][0])


def _find_hosts_here(host: str) -> None:
    find = sockets.getaddrinfo

    def find_here(name: Any, *arguments: Any, **options: Any) -> Any:
        return find("127.0.0.1" if name == host else name, *arguments, **options)

    sockets.getaddrinfo = find_here  # type: ignore[assignment]  # the same for all that ask for a name


def main(url: str, certificate: str, email: str, password: str, organization: str) -> None:
    _find_hosts_here(urlsplit(url).hostname or "")
    visitor = Visitor(url, Path(certificate), email, password, organization)
    page, events, socket = visitor.page(), visitor.ask_by_events("Hello"), visitor.ask_by_socket("Hello")
    print(json.dumps({"page": page.status_code, "events": vars(events), "socket": vars(socket)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
