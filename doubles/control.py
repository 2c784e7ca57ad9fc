"""Scripting a double over HTTP, for tests that run in another process than their double.

    POST /control/script      [{"items": [{"item": "text", "text": "Hello"}, {"item": "gate", "name": "g"}], "model": ..., "system": ...}]
    POST /control/reset
    GET  /control/requests    [{"number", "path", "model", "headers", "body", "refusal", "finished", "disconnected"}]
    GET  /control/gates/NAME  {"reached": bool, "released": bool}
    POST /control/gates/NAME  releases the gate

Predicates can't be sent; use `model` and `system` instead.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from doubles.asgi import Receive, Scope, Send, read_body, send_json
from doubles.script import (
    Call,
    CitedText,
    Fault,
    Finish,
    Item,
    Pacing,
    Pause,
    Picture,
    ProviderTool,
    ReceivedRequest,
    Refusal,
    Script,
    Text,
    Thought,
    Usage,
)
from doubles.signals import Gate

_ITEMS: Mapping[str, type[Text | ProviderTool | Picture | Call | Usage | Finish | Pause | Fault]] = {
    "text": Text,
    "refusal": Refusal,
    "thought": Thought,
    "cited": CitedText,
    "provider_tool": ProviderTool,
    "picture": Picture,
    "call": Call,
    "usage": Usage,
    "finish": Finish,
    "pause": Pause,
    "fault": Fault,
}
_NAMES = {kind: name for name, kind in _ITEMS.items()}


class ScriptedAnswer(BaseModel):
    """One queued answer as JSON; see `Script.answer`."""

    model_config = ConfigDict(extra="forbid")

    items: list[dict[str, Any]]
    model: str | None = None
    system: str | None = None
    first_token_s: float = 0.0
    tokens_per_s: float | None = None
    times: Annotated[int, Field(ge=1)] | None = 1


_answers = TypeAdapter(list[ScriptedAnswer])


def item_to_json(item: Item) -> dict[str, Any]:
    """Return the item as JSON; the inverse of `item_from_json`."""
    if isinstance(item, Gate):
        return {"item": "gate", "name": item.name}
    if isinstance(item, Picture):
        return {"item": "picture", **asdict(item), "data": b64encode(item.data).decode()}
    return {"item": _NAMES[type(item)], **asdict(item)}


def item_from_json(value: Mapping[str, Any], gates: Mapping[str, Gate]) -> Item:
    """Return the item; a gate whose name is in `gates` becomes that gate. Raises ValidationError, or KeyError for an unknown item."""
    fields = dict(value)
    kind = fields.pop("item")
    if kind == "gate":
        return gates.get(fields["name"]) or Gate(fields["name"])
    if kind == "picture":
        fields["data"] = b64decode(fields["data"])
    return TypeAdapter(_ITEMS[kind]).validate_python(fields)


async def control(script: Script, scope: Scope, receive: Receive, send: Send) -> None:
    """Serve one request under /control/."""
    path, method = scope["path"].removeprefix("/control/"), scope["method"]
    body = await read_body(receive)
    gate = script.gates.get(path.removeprefix("gates/"))
    if (method, path) == ("POST", "script"):
        await _queue_answers(script, body, send)
    elif (method, path) == ("POST", "reset"):
        script.reset()
        await send_json(send, 200, {})
    elif (method, path) == ("GET", "requests"):
        await send_json(send, 200, [request_to_json(request) for request in script.requests])
    elif gate is not None and path.startswith("gates/"):
        if method == "POST":
            gate.release()
        await send_json(send, 200, {"reached": gate.reached.is_set(), "released": gate.released.is_set()})
    else:
        await send_json(send, 404, {"error": "No such control path or gate."})


async def _queue_answers(script: Script, body: bytes, send: Send) -> None:
    try:
        for answer in _answers.validate_json(body):
            items = [item_from_json(item, script.gates) for item in answer.items]
            pacing = Pacing(answer.first_token_s, answer.tokens_per_s)
            script.answer(*items, model=answer.model, system=answer.system, pacing=pacing, times=answer.times)
    except (ValidationError, KeyError) as error:
        await send_json(send, 400, {"error": str(error)})
    else:
        await send_json(send, 200, {})


def request_to_json(request: ReceivedRequest) -> dict[str, Any]:
    """Return the request as GET /control/requests shows it."""
    return {
        "number": request.number,
        "path": request.path,
        "model": request.model,
        "headers": dict(request.headers),
        "body": request.body,
        "refusal": request.refusal,
        "finished": request.finished.is_set(),
        "disconnected": request.disconnected.is_set(),
    }


def answer_to_json(*items: Item, **settings: Any) -> bytes:
    """Return one answer as the body of POST /control/script. `settings`: other fields of ScriptedAnswer."""
    return orjson.dumps([{"items": [item_to_json(item) for item in items], **settings}])
