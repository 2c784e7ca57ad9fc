"""A scan over ICAP (RFC 3507): the file is sent as the body of a response to be modified (RESPMOD)."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping
from typing import BinaryIO, Final
from urllib.parse import SplitResult

from files.scanning.verdict import ScannerUnreachable, threat_name

TIMEOUT_S: Final = 30.0  # of each read and write
PORTS: Final = {"icap": 1344, "icaps": 11344}
MAX_LINE: Final = 8192  # bytes
MAX_HEADERS: Final = 100
MAX_ANSWER_BYTES: Final = 64 * 1024 * 1024
# Headers with which servers name what they found: c-icap, ESET, Symantec, Kaspersky and others.
THREAT_HEADERS: Final = ("x-infection-found", "x-virus-id", "x-violations-found", "x-virus-name")


def icap_scan(url: SplitResult, content: bytes) -> str:
    """Return the name of the threat in the content, or "" when it is clean. Raises ScannerUnreachable."""
    try:
        with _connect(url) as connection, connection.makefile("rb") as answer:
            connection.sendall(_request(url, content))
            return _verdict(answer, content)
    except (OSError, ValueError) as error:
        raise ScannerUnreachable(type(error).__name__) from error


def _connect(url: SplitResult) -> socket.socket:
    connection = socket.create_connection((url.hostname, url.port or PORTS[url.scheme]), TIMEOUT_S)
    if url.scheme == "icap":
        return connection
    return ssl.create_default_context().wrap_socket(connection, server_hostname=url.hostname)


def _request(url: SplitResult, content: bytes) -> bytes:
    """Return the whole request. Offsets in `Encapsulated` count the bytes of the HTTP parts (RFC 3507, 4.4)."""
    http_request = b"GET http://parley.invalid/file HTTP/1.1\r\nHost: parley.invalid\r\n\r\n"
    http_response = b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: %d\r\n\r\n" % len(content)
    head = (
        f"RESPMOD {url.geturl()} ICAP/1.0\r\nHost: {url.netloc}\r\nUser-Agent: Parley\r\nAllow: 204\r\nConnection: close\r\n"
        f"Encapsulated: req-hdr=0, res-hdr={len(http_request)}, res-body={len(http_request) + len(http_response)}\r\n\r\n"
    )
    return b"".join((head.encode("ascii"), http_request, http_response, b"%x\r\n" % len(content), content, b"\r\n0\r\n\r\n"))


def _verdict(answer: BinaryIO, content: bytes) -> str:
    status, headers = _head(answer)
    if status == 204:  # "no modification needed"
        return ""
    if status not in (200, 201):
        raise ScannerUnreachable(f"ICAP status {status}")
    if threat := next((headers[name] for name in THREAT_HEADERS if name in headers), ""):
        return threat_name(_inner_name(threat))
    return "" if answer.read(MAX_ANSWER_BYTES).endswith(_chunk(content)) else threat_name("")  # it sent something else instead


def _chunk(content: bytes) -> bytes:
    return b"%x\r\n%b\r\n0\r\n\r\n" % (len(content), content)


def _inner_name(value: str) -> str:
    """Return the threat of `Type=0; Resolution=2; Threat=Eicar-Test;`, or the whole value."""
    fields = dict(part.strip().partition("=")[::2] for part in value.split(";"))
    return fields.get("Threat", value)


def _head(answer: BinaryIO) -> tuple[int, Mapping[str, str]]:
    """Read the status and the headers. Raises ValueError when it is no ICAP."""
    protocol, status, *_ = _line(answer).split(" ", 2)
    if not protocol.startswith("ICAP/"):
        raise ValueError("no ICAP")
    headers: dict[str, str] = {}
    for _ in range(MAX_HEADERS):
        line = _line(answer)
        if not line:
            return int(status), headers
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    raise ValueError("too many headers")


def _line(answer: BinaryIO) -> str:
    line = answer.readline(MAX_LINE)
    if not line.endswith(b"\n"):
        raise ValueError("the answer broke off")
    return line.decode("latin-1").rstrip("\r\n")
