"""Cached templates of HTTP requests as a provider's SDK makes them.

An agent's settings and tools cost the SDK 1 to 7 ms of CPU per request. So its request for a model, settings and tools is kept, and
the conversation and the key are inserted. The cache contains neither keys nor text of a conversation.
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

from tenants.json_encoding import json_bytes

MAX_CACHE_BYTES = 8 * 1024 * 1024  # per wire: some hundred agents with twenty tools each
KEY_PLACEHOLDER = "the-key-goes-here"  # given to the SDK as the key

_DROPPED_HEADERS = frozenset({"content-length", "host"})  # the HTTP client writes these for each body
_OVERHEAD_BYTES = 4096  # approximate size of a cached request besides its body

Header = tuple[str, str]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestTemplate:
    """A request without its conversation and key."""

    url: httpx2.URL
    headers: Sequence[Header]
    key_headers: Sequence[Header]  # with KEY_PLACEHOLDER in their values
    rest: bytes  # the body's other fields as JSON

    def request(self, *, key: str, conversation: Mapping[str, Any]) -> httpx2.Request:
        """Return the complete request. `conversation` holds the body's other fields, at least one."""
        return self.build_from_json(key=key, conversation=(memoryview(json_bytes(conversation))[:-1],))

    def build_from_json(self, *, key: str, conversation: Iterable[bytes | memoryview]) -> httpx2.Request:
        """Return the same from the fields as JSON, in pieces and without the closing brace."""
        keyed = [(name, value.replace(KEY_PLACEHOLDER, key)) for name, value in self.key_headers]
        body = b"".join((*conversation, b"}" if self.rest == b"{}" else b"," + self.rest[1:]))
        return httpx2.Request("POST", self.url, headers=[*self.headers, *keyed], content=body)

    @property
    def size_bytes(self) -> int:
        """Approximate memory that the template takes."""
        return len(self.rest) + _OVERHEAD_BYTES


class TemplateCache(Generic[T]):
    """A thread-safe cache of at most `max_bytes`, which drops the least recently used item first."""

    def __init__(self, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._items: OrderedDict[bytes, tuple[T, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, name: bytes) -> T | None:
        with self._lock:
            if name not in self._items:
                return None
            self._items.move_to_end(name)
            return self._items[name][0]

    def put(self, name: bytes, made: T, size_bytes: int) -> None:
        """Store the item, unless it takes more than an eighth of the cache."""
        if size_bytes > self._max_bytes // 8:
            return
        with self._lock:
            self._bytes += size_bytes - self._items.pop(name, (made, 0))[1]
            self._items[name] = made, size_bytes
            while self._bytes > self._max_bytes:
                self._bytes -= self._items.popitem(last=False)[1][1]


class CapturingTransport(httpx2.AsyncBaseTransport):
    """A transport that sends nothing and keeps what an SDK would send."""

    def __init__(self) -> None:
        self._request: httpx2.Request | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self._request = request
        return httpx2.Response(200)

    def client(self) -> httpx2.AsyncClient:
        """Return a client for the SDK, with the headers that the production client adds to a request."""
        return httpx2.AsyncClient(transport=self, trust_env=False, headers={"accept-encoding": "identity"})

    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self._captured.content)
        return body

    def request_template(self, conversation: Iterable[str]) -> RequestTemplate:
        """Return the captured request without the body fields in `conversation`."""
        headers = [(name, value) for name, value in self._captured.headers.multi_items() if name not in _DROPPED_HEADERS]
        names = frozenset(conversation)
        return RequestTemplate(
            url=self._captured.url,
            headers=[header for header in headers if KEY_PLACEHOLDER not in header[1]],
            key_headers=[header for header in headers if KEY_PLACEHOLDER in header[1]],
            rest=json_bytes({name: value for name, value in self.body().items() if name not in names}),
        )

    @property
    def _captured(self) -> httpx2.Request:
        assert self._request, "the SDK sent one"
        return self._request


def cache_key(*given: object) -> bytes:
    """Return a key that is equal for equal JSON values."""
    return blake2b(json_bytes(given), digest_size=32).digest()
