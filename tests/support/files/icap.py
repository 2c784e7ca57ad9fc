"""A malware scanner that speaks ICAP (RFC 3507) on this machine. It finds what contains THREAT, and refuses requests that are not correct."""

from __future__ import annotations

import re
import socketserver
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Thread
from typing import Any, BinaryIO, Literal

THREAT = b"EICAR-STANDARD-ANTIVIRUS-TEST-FILE"
NAME = "Eicar-Signature"
Mood = Literal["plain", "echo", "broken", "replace"]


@dataclass
class Scanner:
    """What it was sent, and how it answers. echo: it does not know 204; replace: it sends a page without naming a threat."""

    url: str = ""
    mood: Mood = "plain"
    bodies: list[bytes] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def answer(self, request: BinaryIO) -> bytes:
        head = _head(request)
        offsets = re.fullmatch(r"req-hdr=0, res-hdr=(\d+), res-body=(\d+)", head.get("encapsulated", ""))
        if not head[""].startswith("RESPMOD icap://") or not head[""].endswith(" ICAP/1.0") or not offsets or head.get("allow") != "204":
            self.problems.append(head[""])
            return b"ICAP/1.0 400 Bad Request\r\n\r\n"
        request_head, http = request.read(int(offsets[1])), request.read(int(offsets[2]) - int(offsets[1]))
        if not request_head.endswith(b"\r\n\r\n") or not http.startswith(b"HTTP/1.1 200 ") or not http.endswith(b"\r\n\r\n"):
            self.problems.append("wrong offsets")
        body = b"".join(_chunks(request))
        self.bodies.append(body)
        return self._verdict(body, http)

    def _verdict(self, body: bytes, http: bytes) -> bytes:
        if self.mood == "broken":
            return b"ICAP/1.0 500 Server error\r\n\r\n"
        if THREAT in body:
            page = b"HTTP/1.1 403 Forbidden\r\n\r\n"
            threat_header = f"X-Infection-Found: Type=0; Resolution=2; Threat={NAME};\r\n".encode()
            return (
                b"ICAP/1.0 200 OK\r\n"
                + threat_header
                + b"Encapsulated: res-hdr=0, res-body=%d\r\n\r\n" % len(page)
                + page
                + _chunked(b"No.")
            )
        if self.mood == "plain":
            return b'ICAP/1.0 204 No Content\r\nISTag: "1"\r\nEncapsulated: null-body=0\r\n\r\n'
        content = b"Blocked." if self.mood == "replace" else body
        return b"ICAP/1.0 200 OK\r\nEncapsulated: res-hdr=0, res-body=%d\r\n\r\n" % len(http) + http + _chunked(content)


def _head(request: BinaryIO) -> dict[str, str]:
    """The headers by name in small letters; the first line under ""."""
    lines = {"": request.readline().decode().rstrip("\r\n")}
    while line := request.readline().decode().rstrip("\r\n"):
        name, _, value = line.partition(":")
        lines[name.lower()] = value.strip()
    return lines


def _chunks(request: BinaryIO) -> Iterator[bytes]:
    while size := int(request.readline(), 16):
        yield request.read(size)
        assert request.readline() == b"\r\n"
    assert request.readline() == b"\r\n"


def _chunked(body: bytes) -> bytes:
    return b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


@contextmanager
def icap_scanner() -> Iterator[Scanner]:
    scanner = Scanner()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            stream: Any = self.rfile
            self.wfile.write(scanner.answer(stream))

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        scanner.url = f"icap://127.0.0.1:{server.server_address[1]}/respmod"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield scanner
        finally:
            server.shutdown()
            thread.join()
    assert not scanner.problems, scanner.problems
