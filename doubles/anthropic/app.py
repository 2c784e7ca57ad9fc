"""The ASGI application of the Claude double: routes and keys, strict checks, then the scripted answer."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from typing import Any

import orjson

from doubles.anthropic.errors import WireError
from doubles.anthropic.models import KNOWN_MODELS, check_model, model_listing
from doubles.anthropic.player import EventPlayer
from doubles.anthropic.request import check_request, prompt_tokens, read_json
from doubles.anthropic.stream import render, whole_response
from doubles.asgi import (
    Receive,
    Scope,
    Send,
    read_body,
    request_headers,
    run_until_disconnect,
    send_body,
    send_json,
)
from doubles.control import control
from doubles.script import Answer, Fault, Finish, ReceivedRequest, Responder, Script, hash_key

_HTML = b"<!doctype html><html><head><title>Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>"
_MESSAGES, _COUNT, _MODELS = "/v1/messages", "/v1/messages/count_tokens", "/v1/models"


class AnthropicDouble(Script):
    """A scripted server of the Claude API, strict about requests; an ASGI application.

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
            await _send_error(error, send)

    async def _route(self, scope: Scope, receive: Receive, send: Send) -> None:
        method, path = scope["method"], scope["path"]
        if method == "GET" and (path == _MODELS or path.startswith(f"{_MODELS}/")):
            await send_json(send, 200, self._list_models(scope))
        elif method == "POST" and path in (_MESSAGES, _COUNT):
            request = await self._read_request(scope, receive)
            self._check(request)
            if path == _COUNT:
                request.finished.set()
                await send_json(send, 200, {"input_tokens": prompt_tokens(request.body)})
            else:
                await self._give_answer(request, scope, receive, send)
        else:
            raise WireError(404, "Not Found")

    def _list_models(self, scope: Scope) -> dict[str, Any]:
        self._check_key(_take_key(request_headers(scope)))
        name = scope["path"].removeprefix(_MODELS).removeprefix("/")
        if name:
            check_model(name, self._models)
            return model_listing(name)
        names = self._models or KNOWN_MODELS
        return {"data": [model_listing(name) for name in names], "has_more": False, "first_id": names[0], "last_id": names[-1]}

    async def _read_request(self, scope: Scope, receive: Receive) -> ReceivedRequest:
        headers = request_headers(scope)
        key_hash = _take_key(headers)
        raw = await read_body(receive)
        body = read_json(raw)
        return ReceivedRequest(len(self.requests) + 1, scope["path"], headers, body, key_hash, str(body.get("model", "")), raw=raw)

    def _check(self, request: ReceivedRequest) -> None:
        """Check the request and record it, refused or not. Raises WireError."""
        try:
            self._check_key(request.key_hash)
            if request.model:
                check_model(request.model, self._models)
            check_request(request)
        except WireError as error:
            request.refusal = str(error)
            request.finished.set()
            raise
        finally:
            self.record(request)

    def _check_key(self, key_hash: bytes) -> None:
        if self._key_hashes is not None and key_hash not in self._key_hashes:
            raise WireError(401, "" if key_hash else "x-api-key header is required")

    async def _give_answer(self, request: ReceivedRequest, scope: Scope, receive: Receive, send: Send) -> None:
        answer = self.next_answer(request)
        if answer is None:
            raise WireError(500, f"Nothing is scripted for request {request.number} ({request.model}: {request.user_text[:80]!r}).")
        if await run_until_disconnect(_send_answer(answer, request, scope, send), receive):
            request.finished.set()
        else:
            request.disconnected.set()


async def _send_answer(answer: Answer, request: ReceivedRequest, scope: Scope, send: Send) -> None:
    first = answer.items[0] if answer.items else None
    if isinstance(first, Fault) and first.kind == "status":
        await _send_error(status_error(first), send)
        return
    if isinstance(first, Fault) and first.kind == "html":
        await send_body(send, first.code, _HTML, "text/html; charset=UTF-8")
        return
    if isinstance(first, Fault) and first.kind == "blocked":
        answer = Answer((Finish("refusal"),))
    if request.body.get("stream"):
        await EventPlayer(render(answer, request), answer.pacing, scope, send, request.billed).play()
    else:
        await send_json(send, 200, whole_response(render(answer, request)))


def status_error(fault: Fault) -> WireError:
    """Return the error for a scripted status. An invalid key is 401 here, whatever it is on other wires."""
    code = 401 if fault.reason == "API_KEY_INVALID" else fault.code
    return WireError(code, fault.message, fault.retry_after_s)


def _take_key(headers: dict[str, str]) -> bytes:
    """Remove the key from the headers, which are recorded, and return its hash. The API accepts both headers."""
    bearer = headers.pop("authorization", "").removeprefix("Bearer ")
    return hash_key(headers.pop("x-api-key", "") or bearer)


async def _send_error(error: WireError, send: Send) -> None:
    body = orjson.dumps(error.body)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers.append((b"request-id", f"req_{uuid.uuid4().hex[:24]}".encode()))
    if error.retry_after_s is not None:
        headers.append((b"retry-after", f"{error.retry_after_s:g}".encode()))
    await send({"type": "http.response.start", "status": error.code, "headers": headers})
    await send({"type": "http.response.body", "body": body})
