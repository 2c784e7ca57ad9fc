"""Tests never reach the internet (SECURITY 37)."""

from __future__ import annotations

import ipaddress
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

# Loading the trust store takes longer than most tests; the doubles speak plain HTTP.
NO_TRUST = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class OutboundConnection(AssertionError):
    """A test tried to connect to another machine."""


def check_loopback(address: Any) -> None:
    """Raises OutboundConnection unless the address is a unix socket or loopback."""
    host = address[0] if isinstance(address, tuple) else None
    if host is not None and not is_loopback(str(host)):
        raise OutboundConnection(f"A test tried to reach {host}. Use a double on 127.0.0.1.")


def is_loopback(host: str) -> bool:
    if host in {"", "localhost"}:
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


@contextmanager
def loopback_only() -> Iterator[list[OutboundConnection]]:
    """Refuse other connections while open; yields the list of refusals, because code under test may swallow one."""
    refusals: list[OutboundConnection] = []
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def check(address: Any) -> None:
        try:
            check_loopback(address)
        except OutboundConnection as refusal:
            refusals.append(refusal)
            raise

    def checked_connect(self: socket.socket, address: Any) -> None:
        check(address)
        connect(self, address)

    def checked_connect_ex(self: socket.socket, address: Any) -> int:
        check(address)
        return connect_ex(self, address)

    with patch.object(socket.socket, "connect", checked_connect), patch.object(socket.socket, "connect_ex", checked_connect_ex):
        yield refusals
