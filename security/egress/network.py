"""Network backend that connects to checked addresses only.

The pool connects through this backend by host name. The backend resolves the name, checks every address and connects to one that it
checked, so that a name that changes between check and connection (DNS rebinding) gains nothing. TLS still names and verifies the host.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import NoReturn

import httpcore2
import structlog
from django.utils.translation import gettext

from security.egress.addresses import is_public
from security.egress.asyncio_backend import AsyncioBackend
from security.egress.errors import EgressRefused, TargetRefused
from security.egress.names import is_own_address
from security.egress.urls import HostPolicy, in_egress_allowlist

MAX_ATTEMPTS = 4

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
log = structlog.get_logger(__name__)


async def system_resolver(host: str, port: int) -> list[str]:
    """Return the host's addresses in the system's order of preference. Raises OSError when there is none."""
    addresses = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in addresses))


class CheckedBackend(httpcore2.AsyncNetworkBackend):
    """Network backend that refuses private addresses.

    `allows`: which hosts and ports need no public address.
    """

    def __init__(
        self,
        *,
        resolve: Resolver = system_resolver,
        network: httpcore2.AsyncNetworkBackend | None = None,
        allows: HostPolicy = in_egress_allowlist,
    ) -> None:
        self.allows = allows
        self._resolve = resolve
        self._network = network or AsyncioBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Open a connection; `timeout` covers resolving and all attempts.

        Raises EgressRefused when one of the host's addresses is not allowed, ConnectError and ConnectTimeout.
        """
        try:
            async with asyncio.timeout(timeout):
                addresses = await self._checked_addresses(host, port)
                return await self._connect_to_first(addresses[:MAX_ATTEMPTS], port, timeout, local_address, socket_options)
        except TimeoutError as exc:
            raise httpcore2.ConnectTimeout(f"{host} did not answer in time.") from exc

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None
    ) -> NoReturn:
        raise EgressRefused(gettext("Local sockets are not reachable from here."))

    async def sleep(self, seconds: float) -> None:
        await self._network.sleep(seconds)

    async def _checked_addresses(self, host: str, port: int) -> Sequence[str]:
        try:
            addresses = await self._resolve(host, port)
        except OSError as exc:
            raise httpcore2.ConnectError(f"The name {host} can't be resolved.") from exc
        if not addresses:
            raise httpcore2.ConnectError(f"The name {host} can't be resolved.")
        if not self.allows(host, port) and not all(is_public(address) and not is_own_address(address) for address in addresses):
            log.warning("egress_refused", host=host, port=port, addresses=list(addresses))
            raise TargetRefused(
                gettext("%(host)s does not lead to a public address: ask the platform's operator to allow it.") % {"host": host}
            )
        return addresses

    async def _connect_to_first(
        self,
        addresses: Sequence[str],
        port: int,
        timeout: float | None,
        local_address: str | None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None,
    ) -> httpcore2.AsyncNetworkStream:
        share = None if timeout is None else timeout / len(addresses)
        for address in addresses[:-1]:
            try:
                return await self._network.connect_tcp(address, port, share, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return await self._network.connect_tcp(addresses[-1], port, share, local_address, socket_options)
