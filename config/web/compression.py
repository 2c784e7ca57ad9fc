"""Compression of pages and JSON answers. Static files are compressed when they are built, streams and files not at all.

An attacker who may choose a part of a page could guess a secret in it by the length of the answer (BREACH). Django masks the CSRF token
anew in each response and adds up to 100 random bytes to each compressed one, and session cookies are SameSite=Lax, so that a foreign page
can't ask in the background.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeGuard

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.decorators import sync_and_async_middleware

MIN_BYTES = 1000  # shorter bodies fit a packet either way
MAX_BYTES_IN_LOOP = 64 * 1024  # about a millisecond; longer bodies are compressed in a thread

GetResponse = Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]


@sync_and_async_middleware
def CompressionMiddleware(get_response: GetResponse) -> GetResponse:  # noqa: N802  named like the other entries of MIDDLEWARE
    """Compress what `_is_compressible` says with gzip, for clients that accept it."""
    compress = GZipMiddleware(get_response).process_response

    async def handle_async(request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = await get_response(request)  # type: ignore[misc]
        if not _is_compressible(response):
            return response
        if len(response.content) > MAX_BYTES_IN_LOOP:
            return await asyncio.to_thread(compress, request, response)
        return compress(request, response)

    def handle(request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = get_response(request)  # type: ignore[assignment]
        return compress(request, response) if _is_compressible(response) else response

    return handle_async if iscoroutinefunction(get_response) else handle


def _is_compressible(response: HttpResponseBase) -> TypeGuard[HttpResponse]:
    if not isinstance(response, HttpResponse) or response.streaming:
        return False
    media_type = response.headers.get("Content-Type", "").partition(";")[0]
    return len(response.content) >= MIN_BYTES and (media_type == "text/html" or media_type.endswith("json"))
