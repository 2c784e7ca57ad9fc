"""The ASGI application of the OpenAI double: routes and keys, strict checks, then the scripted answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import orjson

from doubles.asgi import (
    Receive,
    Scope,
    Send,
    read_body,
    request_headers,
    run_until_disconnect,
)
from doubles.control import control
from doubles.openai.chat_stream import ChatStream
from doubles.openai.errors import WireError, invalid, invalid_key_error, missing_key_error, status_error
from doubles.openai.models import KNOWN_MODELS, check_model, model_listing
from doubles.openai.player import Player
from doubles.openai.quirks import ServerQuirks
from doubles.openai.request import CHAT, RESPONSES, check_request
from doubles.openai.responses_stream import ResponsesStream
from doubles.script import Answer, Fault, ReceivedRequest, Responder, Script, hash_key

_HTML = b"<!doctype html><html><head><title>Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>"
_BEARER = "Bearer "
_BLOCKED = (
    "Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt:"
    " https://platform.openai.com/docs/guides/reasoning#advice-on-prompting"
)


class OpenAIDouble(Script):
    """A scripted server of the OpenAI API, strict about requests; an ASGI application.

    `keys`: the accepted keys; None accepts any or none. `models`: the names it serves; None serves any. `quirks`: how chat/completions
    differs from OpenAI's. `control`: serve /control/, for tests that script the double from another process.
    """

    def __init__(
        self,
        *,
        keys: Collection[str] | None = ("test-key",),
        models: Sequence[str] | None = KNOWN_MODELS,
        quirks: ServerQuirks | None = None,
        fallback: Responder | None = None,
        control: bool = False,
    ) -> None:
        super().__init__(fallback)
        self._key_hashes = None if keys is None else {hash_key(key) for key in keys}
        self._models = None if models is None else tuple(models)
        self.quirks = quirks or ServerQuirks()
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
            await _send(send, error.status, orjson.dumps(error.body), headers=error.headers)

    async def _route(self, scope: Scope, receive: Receive, send: Send) -> None:
        method, path = scope["method"], scope["path"]
        if method == "GET" and (path == "/v1/models" or path.startswith("/v1/models/")):
            await _send(send, 200, orjson.dumps(self._list_models(scope)))
        elif method == "POST" and path in (RESPONSES, CHAT):
            request = await self._read_request(scope, receive)
            self._check(request)
            await self._give_answer(request, scope, receive, send)
        else:
            raise WireError(404, f"Invalid URL ({method} {path})")

    def _list_models(self, scope: Scope) -> dict[str, Any]:
        self._check_key(_key_of(request_headers(scope)))
        name = scope["path"].removeprefix("/v1/models").lstrip("/")
        if name:
            check_model(name, self._models)
            return model_listing(name)
        return {"object": "list", "data": [model_listing(model) for model in self._models or KNOWN_MODELS]}

    async def _read_request(self, scope: Scope, receive: Receive) -> ReceivedRequest:
        headers = request_headers(scope)
        key = _key_of(headers)
        headers.pop("authorization", None)
        raw = await read_body(receive)
        request = ReceivedRequest(len(self.requests) + 1, scope["path"], headers, {}, hash_key(key), raw=raw)
        try:
            self._check_key(key)
        except WireError as error:
            self._refuse(request, error)
            self.record(request)
            raise
        return request

    def _check(self, request: ReceivedRequest) -> None:
        """Check the request and record it, refused or not. Raises WireError."""
        try:
            request.body = _read_json(request.raw)
            check_request(request, self._models, self.quirks)
        except WireError as error:
            self._refuse(request, error)
            raise
        finally:
            self.record(request)

    def _refuse(self, request: ReceivedRequest, error: WireError) -> None:
        request.refusal = str(error)
        request.finished.set()

    def _check_key(self, key: str) -> None:
        if self._key_hashes is not None and hash_key(key) not in self._key_hashes:
            raise invalid_key_error(key) if key else missing_key_error()

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
        first = answer.items[0] if answer.items else None
        if isinstance(first, Fault) and first.kind in ("status", "html", "blocked"):
            await _send_fault(first, send)
            return
        stream = ResponsesStream(answer, request, self.quirks) if request.path == RESPONSES else ChatStream(answer, request, self.quirks)
        steps = list(stream.steps())
        if request.body.get("stream") and self.quirks.streams:
            await Player(steps, answer.pacing, scope, send, request.billed).play()
        else:
            whole = stream.response if isinstance(stream, ResponsesStream) else stream.completion
            await _send(send, 200, orjson.dumps(whole))


async def _send_fault(fault: Fault, send: Send) -> None:
    if fault.kind == "html":
        await _send(send, fault.code, _HTML, content_type="text/html; charset=UTF-8")
        return
    error = status_error(fault) if fault.kind == "status" else invalid(_BLOCKED, None, "invalid_prompt")
    await _send(send, error.status, orjson.dumps(error.body), headers=error.headers)


async def _send(
    send: Send, status: int, body: bytes, *, content_type: str = "application/json", headers: dict[str, str] | None = None
) -> None:
    pairs = {"content-type": content_type, "content-length": str(len(body)), **(headers or {})}
    raw = [(name.encode(), value.encode()) for name, value in pairs.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


def _key_of(headers: dict[str, str]) -> str:
    header = headers.get("authorization", "")
    return header.removeprefix(_BEARER) if header.startswith(_BEARER) else ""


def _read_json(payload: bytes) -> dict[str, Any]:
    """Return the parsed body. Raises WireError (400) when it is not a JSON object."""
    try:
        body = orjson.loads(payload)
    except orjson.JSONDecodeError as error:
        raise invalid("We could not parse the JSON body of your request. The OpenAI API expects a JSON payload.") from error
    if not isinstance(body, dict):
        raise invalid("We expected an object as the JSON body of your request.")
    return body
