"""A request's conversation in Gemini's form, which scripts read on every wire."""

from __future__ import annotations

from typing import Any

import orjson

from doubles.anthropic.request_schema import blocks_of


def contents_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Of a request whose form was checked; thinking is left out."""
    names = {block["id"]: block["name"] for message in body["messages"] for block in blocks_of(message) if block["type"] == "tool_use"}
    return [
        {
            "role": "model" if message["role"] == "assistant" else "user",
            "parts": [part for block in blocks_of(message) if (part := _part(block, names)) is not None],
        }
        for message in body["messages"]
    ]


def _part(block: dict[str, Any], names: dict[str, str]) -> dict[str, Any] | None:
    match block["type"]:
        case "text":
            return {"text": block["text"]}
        case "tool_use":
            return {"functionCall": {"id": block["id"], "name": block["name"], "args": block["input"]}}
        case "tool_result":
            call_id = block["tool_use_id"]
            return {"functionResponse": {"id": call_id, "name": names.get(call_id, ""), "response": _response(block)}}
        case _:
            return None


def _response(block: dict[str, Any]) -> dict[str, Any]:
    content = block.get("content") or ""
    text = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
    return {"error": text} if block.get("is_error") else {"output": _value(text)}


def _value(text: str) -> Any:
    """A tool's JSON again."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
