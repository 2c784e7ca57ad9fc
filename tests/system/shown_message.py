"""What a client shows after a stream's chunks: the rules of the AI SDK's message reducer, for the chunks that Parley sends."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

Chunk = dict[str, Any]
Parts = list[dict[str, Any]]


def shown_parts(chunks: Iterable[Chunk]) -> Parts:
    """The parts of the message. Raises KeyError for a chunk that names a part which is not there, as the SDK does."""
    message = _ShownMessage()
    for chunk in chunks:
        message.take(chunk)
    return message.parts


class _ShownMessage:
    def __init__(self) -> None:
        self.parts: Parts = []
        self._open: dict[str, dict[str, Any]] = {}

    def take(self, chunk: Chunk) -> None:
        kind = chunk["type"]
        if kind == "start-step":
            self.parts.append({"type": "step-start"})
        elif kind == "reset-step":
            self._reset_step()
        elif kind.startswith(("text-", "reasoning-")):
            self._take_text(kind, chunk)
        elif kind.startswith("tool-"):
            self._take_tool(kind, chunk)
        elif kind == "file":
            self.parts.append({name: chunk[name] for name in ("type", "mediaType", "url", "providerMetadata") if name in chunk})
        elif kind in ("steering-message", "source-url"):
            self.parts.append(chunk)
        elif kind.startswith("data-") and not chunk.get("transient"):
            self._take_data(kind, chunk)

    def _reset_step(self) -> None:
        starts = [place for place, part in enumerate(self.parts) if part["type"] == "step-start"]
        del self.parts[starts[-1] + 1 if starts else 0 :]
        self._open.clear()

    def _take_text(self, type_: str, chunk: Chunk) -> None:
        kind, what = type_.split("-")
        if what == "start":
            self._open[chunk["id"]] = {"type": kind, "text": "", "state": "streaming"}
            self.parts.append(self._open[chunk["id"]])
        elif what == "delta":
            self._open[chunk["id"]]["text"] += chunk["delta"]
        else:
            part = self._open.pop(chunk["id"])
            part["state"] = "done"
            _add(part, "providerMetadata", chunk)

    def _take_tool(self, kind: str, chunk: Chunk) -> None:
        match kind:
            case "tool-input-start":
                names = {"toolName": chunk["toolName"], "toolCallId": chunk["toolCallId"]}
                self.parts.append({"type": "dynamic-tool", **names, "state": "input-streaming", "rawInput": ""})
            case "tool-input-delta":
                raw = self._tool(chunk)["rawInput"] + chunk["inputTextDelta"]
                self._tool(chunk).update(rawInput=raw, input=json.loads(raw))
            case "tool-input-available" if chunk["toolCallId"] in self._tools():
                self._tool(chunk).update(state="input-available", input=chunk["input"], toolMetadata=chunk["toolMetadata"])
                self._tool(chunk).pop("rawInput")
            case "tool-input-available":
                names = {"toolName": chunk["toolName"], "toolCallId": chunk["toolCallId"]}
                by = {"providerExecuted": True} if chunk.get("providerExecuted") else {}
                self.parts.append({"type": "dynamic-tool", **names, "state": "input-available", "input": chunk["input"], **by})
            case "tool-approval-request":
                reason = {"requestReason": chunk["reason"]} if "reason" in chunk else {}
                self._tool(chunk).update(state="approval-requested", approval={"id": chunk["approvalId"], **reason})
            case "tool-approval-response":
                answer = {key: value for key, value in chunk.items() if key in ("approved", "reason")}
                self._tool_by_approval(chunk).update(
                    state="approval-responded", approval={**self._tool_by_approval(chunk)["approval"], **answer}
                )
            case "tool-output-denied":
                self._tool(chunk).update(state="output-denied")
            case "tool-output-error":
                self._tool(chunk).update(state="output-error", errorText=chunk["errorText"])
                _add(self._tool(chunk), "resultProviderMetadata", chunk)
            case _:
                self._tool(chunk).update(state="output-available", output=chunk["output"])
                self._tool(chunk).pop("rawInput", None)
                _add(self._tool(chunk), "resultProviderMetadata", chunk)

    def _tool(self, chunk: Chunk) -> dict[str, Any]:
        return self._tools()[chunk["toolCallId"]]

    def _tools(self) -> dict[str, dict[str, Any]]:
        return {part["toolCallId"]: part for part in self.parts if part["type"] == "dynamic-tool"}

    def _tool_by_approval(self, chunk: Chunk) -> dict[str, Any]:
        return {part["approval"]["id"]: part for part in self.parts if "approval" in part}[chunk["approvalId"]]

    def _take_data(self, kind: str, chunk: Chunk) -> None:
        parts = [part for part in self.parts if part["type"] == kind and "id" in part and part["id"] == chunk.get("id")]
        if parts:
            parts[0]["data"] = chunk["data"]
        else:
            self.parts.append({key: value for key, value in chunk.items() if key in ("type", "id", "data")})


def _add(part: dict[str, Any], name: str, chunk: Chunk) -> None:
    if "providerMetadata" in chunk:
        part[name] = chunk["providerMetadata"]
