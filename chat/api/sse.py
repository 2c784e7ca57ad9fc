"""The chat over HTTP: the AI SDK's UI message stream as server-sent events, instead of the socket (PROTOCOLS a)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

from django.core.exceptions import RequestDataTooBig
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET, require_POST

from agents.runtime.key_lookup import RequestKeys, header_keys
from chat.api.access_watch import AccessWatch, WatchedConnection
from chat.api.chat_requests import ContinuedRunStream, request_handle
from chat.api.frames import request_parse
from chat.api.run_streams import RunStream, resumable_stream
from security.member_keys import session_hash
from tenants.errors import NotSignedIn, TooLarge
from tenants.models import User
from tenants.rest.http import OrganizationRequest, organization_view
from tenants.rest.throttles import rate_check_async

T = TypeVar("T")

HEARTBEAT_S = 15
ACCESS_ENDED = "Your access ended while this was being answered."
HEADERS = {
    "Cache-Control": "no-cache",
    "X-Accel-Buffering": "no",
    "X-Vercel-AI-UI-Message-Stream": "v1",
}


@require_POST
@organization_view(write=True, scope="chat")
async def chat_post(request: OrganizationRequest) -> HttpResponseBase:
    """POST api/chat: send, regenerate or decide, and follow the answer. Provider keys in the headers are used for this answer only."""
    await rate_check_async("chat", request.actor, request.token)
    keys = request_keys(request)
    return await event_stream(request, await request_handle(request.actor, request_parse(_body(request)), keys))


@require_GET
@organization_view(scope="chat")
async def chat_resume(request: OrganizationRequest, key: str) -> HttpResponseBase:
    """GET api/chat/<id>/stream: replay the current answer and follow it. 204 when there is none."""
    await rate_check_async("read", request.actor, request.token)
    run_stream = await resumable_stream(request.actor, key)
    return HttpResponse(status=204) if run_stream is None else await event_stream(request, run_stream)


def _body(request: OrganizationRequest) -> bytes:
    """Return the request's body. Raises TooLarge, whose message says how clients can avoid sending the full conversation each time."""
    try:
        return request.body
    except RequestDataTooBig as exc:
        raise TooLarge("The request is too large. Send only the last message, and upload its files before.") from exc


def request_keys(request: OrganizationRequest) -> RequestKeys:
    """Return the provider keys in the request's headers, and the browser session whose keys it may use (none for an API token).

    Raises BadRequest.
    """
    session = "" if request.token else session_hash(request.session.session_key)
    return RequestKeys(session_hash=session, sent=header_keys(request.headers))


async def watched_connection(request: OrganizationRequest, end: Callable[[], Awaitable[None]]) -> WatchedConnection:
    """Return the connection with which the access watch calls `end` when the request's token, session or membership ends."""
    if request.token:
        return WatchedConnection(request.actor, None, "", end, token_id=request.token.token_id)
    user = await request.auser()
    assert isinstance(user, User)
    return WatchedConnection(request.actor, request.session.session_key, user.get_session_auth_hash(), end)


async def while_access_lasts(request: OrganizationRequest, work: Coroutine[Any, Any, T]) -> T:
    """Await `work` while the request's access lasts. Cancels it and raises NotSignedIn when token, session or membership end."""
    task = asyncio.ensure_future(work)
    access_ended = False

    async def end() -> None:
        nonlocal access_ended
        access_ended = True
        task.cancel()

    connection = await watched_connection(request, end)
    AccessWatch.current().add(connection)
    try:
        return await task
    except asyncio.CancelledError:
        if access_ended:
            raise NotSignedIn(ACCESS_ENDED) from None
        raise
    finally:
        AccessWatch.current().remove(connection)


async def event_stream(request: OrganizationRequest, run_stream: RunStream | ContinuedRunStream) -> StreamingHttpResponse:
    """Return the response that streams a run while the request's access lasts."""
    stream = EventStream(answer_events(run_stream))
    connection = await watched_connection(request, stream.end)
    return StreamingHttpResponse(stream.events(connection), content_type="text/event-stream", headers=HEADERS)


async def answer_events(run_stream: RunStream | ContinuedRunStream) -> AsyncGenerator[bytes, None]:
    """Yield one event per chunk, and [DONE] at the end. When the log was rebuilt, the stream breaks off and the client resumes."""
    async with aclosing(run_stream.batches()) as batches:
        async for batch in batches:
            yield b"".join(b"data: " + chunk + b"\n\n" for chunk in batch)
    yield b"data: [DONE]\n\n"


class EventStream:
    """A stream of server-sent events, with a comment every HEARTBEAT_S while nothing happens.

    `source` yields complete events and is closed when the reader leaves. `end` breaks the stream off when the reader's access ends.
    """

    def __init__(self, source: AsyncGenerator[bytes, None]) -> None:
        self._source = source
        self._next: asyncio.Future[bytes | None] | None = None
        self._ended = asyncio.Event()

    async def begin(self, timeout_s: float) -> None:
        """Wait at most `timeout_s` for the first event. Raises the error that `source` raised instead of yielding one."""
        self._next = asyncio.ensure_future(anext(self._source, None))
        done, _ = await asyncio.wait({self._next}, timeout=timeout_s)
        if done and (error := self._next.exception()) is not None:
            raise error

    async def end(self) -> None:
        """Break the stream off."""
        self._ended.set()  # a slow reader may still be taking an event; it gets no other
        if self._next is not None:
            self._next.cancel()

    async def close(self) -> None:
        """End the stream and close its source."""
        await self.end()
        if self._next is not None:
            await asyncio.gather(self._next, return_exceptions=True)
        await self._source.aclose()

    async def events(self, connection: WatchedConnection) -> AsyncIterator[bytes]:
        """Yield the events while `connection` is watched; then close the stream. Raises CancelledError when it was broken off."""
        AccessWatch.current().add(connection)
        try:
            async for event in self._read():
                yield event
        finally:
            AccessWatch.current().remove(connection)
            await self.close()

    async def _read(self) -> AsyncIterator[bytes]:
        while not self._ended.is_set():
            self._next = self._next or asyncio.ensure_future(anext(self._source, None))
            done, _ = await asyncio.wait({self._next}, timeout=HEARTBEAT_S)
            if self._ended.is_set():
                break
            if not done:
                yield b": still here\n\n"
                continue
            event, self._next = self._next.result(), None
            if event is None:
                return
            yield event
        raise asyncio.CancelledError("the reader's access has ended")
