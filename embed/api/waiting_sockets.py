"""Sockets that have not yet said whose they are: bounded for each network and in all, as they count for no visitor and no organization.

Each process counts its own, like those of members (chat.api.socket_limits).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final
from weakref import WeakKeyDictionary

from accounts.sign_in.throttle import network_prefix

MAX_OF_NETWORK: Final = 40  # a browser says whose its socket is at once, so an office has few at a time
MAX_IN_ALL: Final = 1000


@dataclass(slots=True)
class WaitingSockets:
    """The waiting sockets of one event loop. `current()` creates it on first use."""

    _of_network: Counter[str] = field(default_factory=Counter)

    @classmethod
    def current(cls) -> WaitingSockets:
        return _of_loop.setdefault(asyncio.get_running_loop(), cls())

    def open(self, scope: Any) -> str | None:
        """Count a socket by its handshake's scope. Return what `close` takes; None, and count nothing, when there are too many."""
        network = network_prefix((scope.get("client") or ("",))[0])
        if self._of_network[network] >= MAX_OF_NETWORK or self._of_network.total() >= MAX_IN_ALL:
            return None
        self._of_network[network] += 1
        return network

    def close(self, network: str) -> None:
        self._of_network[network] -= 1
        if not self._of_network[network]:
            del self._of_network[network]


_of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, WaitingSockets] = WeakKeyDictionary()
