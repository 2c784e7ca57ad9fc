from __future__ import annotations

import socket

import pytest

from tests.support.suite.network import OutboundConnection, loopback_only


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("example.org", 443), ("2001:db8::1", 80, 0, 0)])
def test_a_test_cannot_reach_another_machine(address: tuple[str, int]) -> None:
    with loopback_only() as refusals, socket.socket() as client, pytest.raises(OutboundConnection):
        client.connect(address)
    assert len(refusals) == 1


def test_a_test_can_reach_its_own_servers() -> None:
    with loopback_only() as refusals, socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
    assert refusals == []
