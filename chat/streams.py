"""The HTTP twins of the chat socket: the AI SDK's UI message stream as server-sent events (PROTOCOLS a)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET, require_POST

from chat.attach import Attached, request_post, run_to_resume
from chat.frames import request_parse
from tenants.http import OrganizationRequest, organization_view

HEARTBEAT_S = 15
HEADERS = {
    "Cache-Control": "no-cache",
    "X-Accel-Buffering": "no",
    "X-Vercel-AI-UI-Message-Stream": "v1",
}


@require_POST
@organization_view(write=True)
async def chat_post(request: OrganizationRequest) -> HttpResponseBase:
    """POST api/chat: send or regenerate, and follow the answer."""
    return event_stream(await request_post(request.actor, request_parse(request.body)))


@require_GET
@organization_view()
async def chat_resume(request: OrganizationRequest, key: str) -> HttpResponseBase:
    """GET api/chat/<id>/stream: replay and go on; 204 when nothing runs."""
    attached = await run_to_resume(request.actor, key)
    return HttpResponse(status=204) if attached is None else event_stream(attached)


def event_stream(attached: Attached) -> StreamingHttpResponse:
    return StreamingHttpResponse(_events(attached), content_type="text/event-stream", headers=HEADERS)


async def _events(attached: Attached) -> AsyncIterator[bytes]:
    """One event a chunk, comments while nothing happens, [DONE] at the end. A rebuilt log breaks the stream: the client resumes."""
    batches = attached.batches()
    try:
        waiting = asyncio.ensure_future(anext(batches, None))
        while True:
            done, _ = await asyncio.wait({waiting}, timeout=HEARTBEAT_S)
            if not done:
                yield b": still here\n\n"
                continue
            batch = waiting.result()
            if batch is None:
                break
            yield b"".join(b"data: " + chunk + b"\n\n" for chunk in batch)
            waiting = asyncio.ensure_future(anext(batches, None))
        yield b"data: [DONE]\n\n"
    finally:
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await batches.aclose()
