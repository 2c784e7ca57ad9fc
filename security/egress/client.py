"""The shared HTTP clients, one per event loop and host policy: no environment proxies, no redirects, no cookies, checked addresses only.

They carry no credentials, so they serve all organizations. Whoever makes a request adds the key's header to that request.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Mapping
from functools import cache, partial
from http.cookiejar import CookieJar, DefaultCookiePolicy
from weakref import WeakKeyDictionary

import httpcore2
import httpx2

from security.egress.http1 import BODY_EXTENSION, Http1Connection
from security.egress.network import CheckedBackend
from security.egress.refusals import counted_refusals
from security.egress.responses import STREAM_EXTENSION, BlockReader, GzipReader, LimitedResponseStream, is_gzip
from security.egress.urls import HostPolicy, in_egress_allowlist, in_fetch_allowlist, parse_target
from security.secrets.secret_text import SecretText

MAX_CONNECTIONS = 1000
MAX_IDLE_CONNECTIONS = 100
KEEPALIVE_S = 60.0
MAX_RESPONSE_BYTES = 64 * 1024 * 1024
TIMEOUT = httpx2.Timeout(connect=10.0, read=90.0, write=30.0, pool=10.0)

_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[HostPolicy, httpx2.AsyncClient]] = WeakKeyDictionary()


class EgressPool(httpcore2.AsyncConnectionPool):
    """httpcore2's connection pool with our own Http1Connection."""

    def __init__(self, backend: CheckedBackend, *, ssl_context: ssl.SSLContext) -> None:
        super().__init__(
            max_connections=MAX_CONNECTIONS,
            max_keepalive_connections=MAX_IDLE_CONNECTIONS,
            keepalive_expiry=KEEPALIVE_S,
            network_backend=backend,
        )
        self._connect = partial(Http1Connection, backend=backend, ssl_context=ssl_context, idle_s=KEEPALIVE_S)

    def create_connection(self, origin: httpcore2.Origin) -> httpcore2.AsyncConnectionInterface:
        return self._connect(origin)


class EgressTransport(httpx2.AsyncHTTPTransport):
    """httpx2's transport over a pool that connects through `backend`.

    It skips httpx2's own constructor, so this pool is its only way to send a request.
    """

    def __init__(self, backend: CheckedBackend, *, ssl_context: ssl.SSLContext) -> None:
        self._allows = backend.allows
        self._pool = EgressPool(backend, ssl_context=ssl_context)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        with counted_refusals(request.url):
            return await self._handle(request)

    async def _handle(self, request: httpx2.Request) -> httpx2.Response:
        parse_target(request.url, self._allows)
        # The Google SDK sets "no time limit" when it is given none, so our limits replace None.
        timeouts = request.extensions.get("timeout", {})
        request.extensions["timeout"] = {
            name: limit if timeouts.get(name) is None else timeouts[name] for name, limit in TIMEOUT.as_dict().items()
        }
        return await _limit_response(await super().handle_async_request(request))


def new_client(backend: CheckedBackend, *, ssl_context: ssl.SSLContext) -> httpx2.AsyncClient:
    """Return a new client over `backend`. The caller closes it."""
    return httpx2.AsyncClient(
        transport=EgressTransport(backend, ssl_context=ssl_context),
        timeout=TIMEOUT,
        trust_env=False,
        follow_redirects=False,
        cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=[])),
        headers={"accept-encoding": "identity"},
    )


def private_client(headers: Mapping[str, SecretText], *, on_response: Callable[[httpx2.Response], None]) -> httpx2.AsyncClient:
    """Return a client with its own connections that adds `headers` to every request. The caller closes it (SECURITY 13).

    For protocols whose SDK needs a whole client. It follows no redirects. `on_response` is called with every response, before its body
    is read.
    """
    client = new_client(CheckedBackend(), ssl_context=_ssl_context())
    client.headers.update({name: value.reveal() for name, value in headers.items()})
    client.event_hooks = {"response": [_response_hook(on_response)]}
    return client


def checked_client() -> httpx2.AsyncClient:
    """Return the running loop's shared client. Never close it.

    Its requests raise EgressRefused, or httpx2's errors when the network fails.
    """
    return _shared_client(in_egress_allowlist)


def fetch_client() -> httpx2.AsyncClient:
    """Return the shared client for pages whose URL a model chose: the only private addresses it reaches are those in FETCH_ALLOW."""
    return _shared_client(in_fetch_allowlist)


def _shared_client(allows: HostPolicy) -> httpx2.AsyncClient:
    loop = asyncio.get_running_loop()
    if loop not in _clients:
        _drop_closed_loops()
    clients = _clients.setdefault(loop, {})
    if allows not in clients or clients[allows].is_closed:
        clients[allows] = new_client(CheckedBackend(allows=allows), ssl_context=_ssl_context())
    return clients[allows]


async def aclose_clients() -> None:
    """Close the running loop's clients and drop those of closed loops. For shutdown and the end of a test."""
    for client in _clients.pop(asyncio.get_running_loop(), {}).values():
        await client.aclose()
    _drop_closed_loops()


def _response_hook(on_response: Callable[[httpx2.Response], None]) -> Callable[[httpx2.Response], Awaitable[None]]:
    async def hook(response: httpx2.Response) -> None:
        on_response(response)

    return hook


def _drop_closed_loops() -> None:
    """Drop the clients of closed loops: their open connections hold the loop, so the weak keys alone never free them."""
    for loop in [loop for loop in list(_clients) if loop.is_closed()]:
        del _clients[loop]


@cache
def _ssl_context() -> ssl.SSLContext:
    """Return the shared SSL context, which takes 22 ms to build.

    It honours SSL_CERT_FILE and SSL_CERT_DIR, for operators with their own certificate authority.
    """
    return httpx2.create_ssl_context(trust_env=True)


async def _limit_response(response: httpx2.Response) -> httpx2.Response:
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    try:
        is_packed = is_gzip(response.headers)
    except BaseException:
        await response.aclose()
        raise
    body: BlockReader = response.extensions[BODY_EXTENSION]
    if is_packed:
        body = GzipReader(body, limit_bytes=MAX_RESPONSE_BYTES)
        for name in ("content-encoding", "content-length"):
            response.headers.pop(name, None)
    response.stream = response.extensions[STREAM_EXTENSION] = LimitedResponseStream(body, response.stream, limit_bytes=MAX_RESPONSE_BYTES)
    return response
