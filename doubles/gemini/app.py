"""The ASGI application of the Gemini double: routes and keys, strict checks, then the scripted answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from urllib.parse import parse_qs

from doubles.asgi import (
    Receive,
    Scope,
    Send,
    read_body,
    request_headers,
    run_until_disconnect,
    send_body,
    send_chunk,
    send_json,
    start_event_stream,
)
from doubles.control import control
from doubles.gemini.errors import WireError, error_info, invalid, invalid_key_error, missing_key_error, retry_info
from doubles.gemini.models import KNOWN_MODELS, LISTED_BY_DEMO, check_model, model_listing
from doubles.gemini.player import Player
from doubles.gemini.request import check_request, read_json
from doubles.gemini.stream import Chunk, blocked_response, render, whole_response
from doubles.script import Answer, Fault, ReceivedRequest, Responder, Script, hash_key

_PATH = re.compile(r"^/(?P<version>v1|v1beta)/models(?:/(?P<model>[^/:]+)(?::(?P<method>\w+))?)?$")
_METHODS = ("generateContent", "streamGenerateContent")
_HTML = b"<!doctype html><html><head><title>Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>"


class GeminiDouble(Script):
    """A scripted server of the Gemini API, strict about requests; an ASGI application.

    `keys`: the accepted keys; None accepts any or none. `models`: the names it serves; None serves any. `control`: serve /control/,
    for tests that script the double from another process.
    """

    def __init__(
        self,
        *,
        keys: Collection[str] | None = ("test-key",),
        models: Sequence[str] | None = KNOWN_MODELS,
        fallback: Responder | None = None,
        control: bool = False,
    ) -> None:
        super().__init__(fallback)
        self._key_hashes = None if keys is None else {hash_key(key) for key in keys}
        self._models = None if models is None else tuple(models)
        self._has_control = control

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError("The double speaks HTTP only.")
        if self._has_control and scope["path"].startswith("/control/"):
            await control(self, scope, receive, send)
            return
        try:
            await self._route(scope, receive, send)
        except WireError as error:
            await send_json(send, error.code, error.body)

    async def _route(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = _PATH.match(scope["path"])
        if path is None:
            raise WireError(404, "Requested entity was not found.")
        if scope["method"] == "GET" and path["method"] is None:
            await send_json(send, 200, self._list_models(scope, path))
        elif scope["method"] == "POST" and path["method"] in _METHODS:
            request = await self._read_request(scope, receive, path["model"])
            self._check(request, scope, path)
            await self._give_answer(request, scope, receive, send)
        else:
            raise WireError(404, "Requested entity was not found.")

    def _list_models(self, scope: Scope, path: re.Match[str]) -> dict[str, object]:
        self._check_key(hash_key(request_headers(scope).get("x-goog-api-key", "")))
        if path["model"] is None:
            return {"models": [model_listing(name) for name in self._models or LISTED_BY_DEMO]}
        check_model(path["model"], path["version"], self._models)
        return model_listing(path["model"])

    async def _read_request(self, scope: Scope, receive: Receive, model: str) -> ReceivedRequest:
        headers = request_headers(scope)
        key_hash = hash_key(headers.pop("x-goog-api-key", ""))
        raw = await read_body(receive)
        return ReceivedRequest(len(self.requests) + 1, scope["path"], headers, read_json(raw), key_hash, model, raw=raw)

    def _check(self, request: ReceivedRequest, scope: Scope, path: re.Match[str]) -> None:
        """Check the request and record it, refused or not. Raises WireError."""
        try:
            self._check_key(request.key_hash)
            check_model(request.model, path["version"], self._models)
            if path["method"] == "streamGenerateContent" and parse_qs(scope["query_string"].decode()).get("alt") != ["sse"]:
                raise invalid("This double streams with alt=sse only.")
            check_request(request)
        except WireError as error:
            request.refusal = str(error)
            request.finished.set()
            raise
        finally:
            self.record(request)

    def _check_key(self, key_hash: bytes) -> None:
        if self._key_hashes is not None and key_hash not in self._key_hashes:
            raise invalid_key_error() if key_hash else missing_key_error()

    async def _give_answer(self, request: ReceivedRequest, scope: Scope, receive: Receive, send: Send) -> None:
        answer = self.next_answer(request)
        if answer is None:
            raise WireError(500, f"Nothing is scripted for request {request.number} ({request.model}: {request.user_text[:80]!r}).")
        work = self._send_answer(answer, request, scope, send)
        if await run_until_disconnect(work, receive):
            request.finished.set()
        else:
            request.disconnected.set()

    async def _send_answer(self, answer: Answer, request: ReceivedRequest, scope: Scope, send: Send) -> None:
        streams = scope["path"].endswith(":streamGenerateContent")
        first = answer.items[0] if answer.items else None
        if isinstance(first, Fault) and first.kind in ("status", "html", "blocked"):
            await _send_fault(first, request, send, streams=streams)
        elif streams:
            await Player(render(answer, request), answer.pacing, scope, send, request.billed).play()
        else:
            await send_json(send, 200, whole_response(render(answer, request)))


async def _send_fault(fault: Fault, request: ReceivedRequest, send: Send, *, streams: bool) -> None:
    if fault.kind == "status":
        error = status_error(fault)
        await send_json(send, error.code, error.body)
    elif fault.kind == "html":
        await send_body(send, fault.code, _HTML, "text/html; charset=UTF-8")
    elif streams:
        await start_event_stream(send)
        await send_chunk(send, Chunk(blocked_response(fault, request), 0).encode(), last=True)
    else:
        await send_json(send, 200, blocked_response(fault, request))


def status_error(fault: Fault) -> WireError:
    """Return the error for a scripted status."""
    if fault.reason == "API_KEY_INVALID" and not fault.message:
        return invalid_key_error()
    details = [error_info(fault.reason)] if fault.reason else []
    if fault.retry_after_s is not None:
        details.append(retry_info(fault.retry_after_s))
    return WireError(fault.code, fault.message, details)
