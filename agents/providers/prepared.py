"""Requests as a provider's SDK makes them, without asking it twice for the same: an agent's settings and tools take it 1 to 7 ms of CPU.

What the SDK makes of a model, its settings and its tools is kept; a conversation and a key are put into it. Kept is what the SDK would make
again: neither a key nor a word of a conversation.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock
from typing import Any, Generic, TypeVar

import httpx2

from tenants.wide_json import as_json

KEPT_BYTES = 8 * 1024 * 1024  # for each wire: some hundred agents with twenty tools each
KEY_PLACE = "the-key-goes-here"  # the SDK is given this as the key

_WITHOUT = frozenset({"content-length", "host"})  # the HTTP client writes them for each body
_BESIDE = 4096  # bytes of a kept request that are not its body, about

Header = tuple[str, str]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A request without its conversation and key. `key_headers`: with KEY_PLACE in their values; `rest`: the body's other fields as JSON."""

    url: httpx2.URL
    headers: Sequence[Header]
    key_headers: Sequence[Header]
    rest: bytes

    def request(self, *, key: str, conversation: Mapping[str, Any]) -> httpx2.Request:
        """The whole request; `conversation`: the body's fields that are not in `rest`, one at least."""
        return self.request_written(key=key, conversation=(memoryview(as_json(conversation))[:-1],))

    def request_written(self, *, key: str, conversation: Iterable[bytes | memoryview]) -> httpx2.Request:
        """The same of the fields as JSON, in pieces and without the brace that ends it."""
        keyed = [(name, value.replace(KEY_PLACE, key)) for name, value in self.key_headers]
        body = b"".join((*conversation, b"}" if self.rest == b"{}" else b"," + self.rest[1:]))
        return httpx2.Request("POST", self.url, headers=[*self.headers, *keyed], content=body)

    @property
    def size_bytes(self) -> int:
        """About what it takes to keep this."""
        return len(self.rest) + _BESIDE


class Kept(Generic[T]):
    """What was made, by name: `most_bytes` of it, and the longest unused goes first. Loops of several threads may share it."""

    def __init__(self, most_bytes: int = KEPT_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._made: OrderedDict[bytes, tuple[T, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, name: bytes) -> T | None:
        with self._lock:
            if name not in self._made:
                return None
            self._made.move_to_end(name)
            return self._made[name][0]

    def put(self, name: bytes, made: T, size_bytes: int) -> None:
        """Keep it, unless that would leave no room for others."""
        if size_bytes > self._most_bytes // 8:
            return
        with self._lock:
            self._bytes += size_bytes - self._made.pop(name, (made, 0))[1]
            self._made[name] = made, size_bytes
            while self._bytes > self._most_bytes:
                self._bytes -= self._made.popitem(last=False)[1][1]


class Catching(httpx2.AsyncBaseTransport):
    """Sends nothing, and keeps what an SDK would send."""

    def __init__(self) -> None:
        self._request: httpx2.Request | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self._request = request
        return httpx2.Response(200)

    def client(self) -> httpx2.AsyncClient:
        """For the SDK, with the headers that the production client adds to a request."""
        return httpx2.AsyncClient(transport=self, trust_env=False, headers={"accept-encoding": "identity"})

    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self._caught.content)
        return body

    def prepared(self, conversation: Iterable[str]) -> Prepared:
        """What was caught, without the body's fields of these names."""
        headers = [(name, value) for name, value in self._caught.headers.multi_items() if name not in _WITHOUT]
        names = frozenset(conversation)
        return Prepared(
            url=self._caught.url,
            headers=[header for header in headers if KEY_PLACE not in header[1]],
            key_headers=[header for header in headers if KEY_PLACE in header[1]],
            rest=as_json({name: value for name, value in self.body().items() if name not in names}),
        )

    @property
    def _caught(self) -> httpx2.Request:
        assert self._request, "the SDK sent one"
        return self._request


def name_of(*given: object) -> bytes:
    """Two requests have the same one when the SDK is given the same JSON values for them."""
    return blake2b(as_json(given), digest_size=32).digest()
