"""Parts of Gemini's JSON, and what its assembler makes of them."""

from __future__ import annotations

from typing import Any

from agents.messages import (
    AnswerEvent,
    ModelResponse,
)
from agents.providers.google.assembler import GenerateContentAssembler
from agents.providers.google.contents import Part

SIGNATURE = "-_8BAgM="  # the URL-safe alphabet, as the API sends it


def provider_metadata(*parts: Part, model: str = "m", provider: str = "google") -> dict[str, Any]:
    return {"provider": provider, "model": model, "parts": list(parts)}


def text(value: str, **more: Any) -> Part:
    return {"text": value, **more}


def thought(value: str, **more: Any) -> Part:
    return {"text": value, "thought": True, **more}


def function_call(call_id: str | None = "c1", **more: Any) -> Part:
    function = {"name": "look_up", "args": {"word": "x"}} | ({"id": call_id} if call_id else {})
    return {"functionCall": function, **more}


def parts(*content_parts: Part) -> dict[str, Any]:
    return {"content": {"parts": list(content_parts), "role": "model"}}


def assemble(*parts: Part, finish: str | None = "STOP") -> tuple[list[AnswerEvent], ModelResponse]:
    """Each part in a chunk of its own."""
    assembler = GenerateContentAssembler("google", "m")
    deltas = [delta for part in parts for delta in assembler.add({"candidates": [{"content": {"parts": [part], "role": "model"}}]})]
    assembler.add({"candidates": [{"finishReason": finish}]} if finish else {})
    return deltas, assembler.response()
