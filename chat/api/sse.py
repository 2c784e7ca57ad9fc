"""The chat over HTTP: the AI SDK's UI message stream as server-sent events, instead of the socket (PROTOCOLS a)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import aclosing, suppress
from typing import Any, TypeVar

from django.core.exceptions import RequestDataTooBig
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from agents.runtime.key_lookup import RequestKeys, header_keys
from chat.api.access_watch import AccessWatch, WatchedConnection
from chat.api.chat_requests import ContinuedRunStream, request_handle
from chat.api.frames import request_parse
from chat.api.run_streams import RunStream, resumable_stream
from chat.conversations.selectors import key_check
from telemetry.families import SOCKETS
from tenants.authentication.sessions import session_hash
from tenants.errors import NotSignedIn, TooLarge
from tenants.models import User
from tenants.rest.http import OrganizationRequest, organization_view
from tenants.rest.throttles import rate_check_async

T = TypeVar("T")

HEARTBEAT_S = 15
HEARTBEAT_TICKS = 3  # how often in that time a stream is looked at
MAX_WAITING_EVENTS = 16  # per stream, while its reader lags
ACCESS_ENDED = gettext_lazy("Your access ended while this was being answered.")
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
    """GET api/chat/<id>/stream: replay the current answer and follow it. 204 when there is none, 404 when the id can name none."""
    key_check(key)
    await rate_check_async("read", request.actor, request.token)
    run_stream = await resumable_stream(request.actor, key)
    return HttpResponse(status=204) if run_stream is None else await event_stream(request, run_stream)


def _body(request: OrganizationRequest) -> bytes:
    """Return the request's body. Raises TooLarge, whose message says how clients can avoid sending the full conversation each time."""
    try:
        return request.body
    except RequestDataTooBig as exc:
        raise TooLarge(gettext("The request is too large. Send only the last message, and upload its files before.")) from exc


def request_keys(request: OrganizationRequest) -> RequestKeys:
    """Return the provider keys in the request's headers, and its API token or the browser session whose keys it may use.

    Raises BadRequest.
    """
    session = "" if request.token else session_hash(request.session.session_key)
    token_id = request.token.token_id if request.token else None
    return RequestKeys(session_hash=session, token_id=token_id, sent_keys=header_keys(request.headers))


async def watched_connection(request: OrganizationRequest, end: Callable[[], Awaitable[None]]) -> WatchedConnection:
    """Return the connection with which the access watch calls `end` when the request's token, session or membership ends."""
    if request.token:
        return WatchedConnection(request.actor, "", "", end, token_id=request.token.token_id)
    user = await request.auser()
    assert isinstance(user, User)
    return WatchedConnection(
        request.actor, session_hash(request.session.session_key), user.get_session_auth_hash(), end, session=request.session
    )


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
    """A stream of server-sent events, with a comment at least every HEARTBEAT_S while nothing happens.

    `source` yields complete events and is closed when the reader leaves. `end` breaks the stream off when the reader's access ends.
    One task reads the source and one timer looks for silence, for the whole stream: a task and a timer for each event cost more than it.
    """

    def __init__(self, source: AsyncGenerator[bytes, None]) -> None:
        self._source = source
        self._loop = asyncio.get_running_loop()
        self._waiting: list[bytes] = []
        self._news: asyncio.Future[None] | None = None
        self._room: asyncio.Future[None] | None = None
        self._reader: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._silent_ticks = 0
        self._has_ended = False

    async def begin(self, timeout_s: float) -> None:
        """Wait at most `timeout_s` for the first event. Raises the error that `source` raised instead of yielding one."""
        reader = self._start()
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._wait()
        if reader.done() and not self._waiting:
            reader.result()

    async def end(self) -> None:
        """Break the stream off."""
        self._has_ended = True  # a slow reader may still be taking an event; it gets no other
        if self._reader is not None:
            self._reader.cancel()
        self._wake()

    async def close(self) -> None:
        """End the stream and close its source."""
        await self.end()
        if self._timer is not None:
            self._timer.cancel()
        if self._reader is not None:
            await asyncio.gather(self._reader, return_exceptions=True)
        await self._source.aclose()

    async def events(self, connection: WatchedConnection) -> AsyncIterator[bytes]:
        """Yield the events while `connection` is watched; then close the stream. Raises CancelledError when it was broken off."""
        AccessWatch.current().add(connection)
        SOCKETS.labels("events").inc()
        try:
            reader = self._start()
            self._timer = self._loop.call_later(HEARTBEAT_S / HEARTBEAT_TICKS, self._tick)
            while True:
                self._check_access()
                await self._wait()
                self._check_access()
                if self._waiting:
                    yield self._take()
                elif reader.done():
                    reader.result()
                    return
                else:
                    yield b": still here\n\n"
        finally:
            SOCKETS.labels("events").dec()
            AccessWatch.current().remove(connection)
            await self.close()

    def _check_access(self) -> None:
        if self._has_ended:
            raise asyncio.CancelledError("the reader's access has ended")

    def _start(self) -> asyncio.Task[None]:
        if self._reader is None:
            self._reader = self._loop.create_task(self._read())
            self._reader.add_done_callback(self._wake)
        return self._reader

    async def _read(self) -> None:
        """Read the source, which waits while the reader of the stream lags."""
        async for event in self._source:
            self._waiting.append(event)
            self._wake()
            if len(self._waiting) >= MAX_WAITING_EVENTS:
                self._room = self._loop.create_future()
                await self._room

    def _take(self) -> bytes:
        events, self._waiting = self._waiting, []
        self._silent_ticks = 0
        if self._room is not None and not self._room.done():
            self._room.set_result(None)
        return events[0] if len(events) == 1 else b"".join(events)

    async def _wait(self) -> None:
        """Wait for an event, the end of the source or a long silence."""
        if not self._waiting and self._reader is not None and not self._reader.done():
            self._news = self._loop.create_future()
            await self._news

    def _wake(self, _: object = None) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)

    def _tick(self) -> None:
        self._timer = self._loop.call_later(HEARTBEAT_S / HEARTBEAT_TICKS, self._tick)
        self._silent_ticks += 1
        if self._silent_ticks >= HEARTBEAT_TICKS:
            self._silent_ticks = 0
            self._wake()
