"""The bytes that an adapter sends for a request, without sending them."""

from __future__ import annotations

from contextlib import suppress

import httpx2

from agents.errors import ProviderError
from agents.messages import ModelRequest
from agents.providers.connection import Connection
from agents.providers.registry import adapter_class


class _CapturingTransport(httpx2.AsyncBaseTransport):
    body = b""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.body = await request.aread()
        return httpx2.Response(200)


async def wire_body(request: ModelRequest, provider: str) -> bytes:
    """The body that the provider's adapter makes of the request."""
    capture = _CapturingTransport()
    async with httpx2.AsyncClient(transport=capture, trust_env=False) as http:
        model = adapter_class(provider)(Connection(base_url="http://nowhere.invalid", http=http, timeout_s=90), provider)
        with suppress(ProviderError):  # the empty answer
            async for _ in model.stream(request):
                pass
    return capture.body
