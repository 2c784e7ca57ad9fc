"""One content block of a Claude answer, assembled from stream events.

Source: https://platform.claude.com/docs/en/build-with-claude/streaming, "Content block delta types".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.coercion.arguments import parse_arguments
from agents.providers.anthropic.messages import Block

_TEXTS = {"text_delta": "text", "thinking_delta": "thinking"}


class BlockDraft:
    """A content block under construction. Raises TypeError or KeyError for malformed events."""

    def __init__(self, start: Mapping[str, Any]) -> None:
        self.kind: str = start["type"]
        self._start = dict(start)
        self._pieces: list[str] = [_string(start[self.kind])] if self.kind in _TEXTS.values() else []
        self._json: list[str] = []
        if self.kind == "server_tool_use":
            _string(start["id"])

    def add(self, delta: Mapping[str, Any]) -> str:
        """Return the visible text of `delta`, or "" for none. Unknown kinds of deltas are ignored."""
        match delta["type"]:
            case "text_delta" | "thinking_delta" as kind:
                text = _string(delta[_TEXTS[kind]])
                self._pieces.append(text)
                return text
            case "input_json_delta":
                self._json.append(_string(delta["partial_json"]))
            case "signature_delta":
                self._start["signature"] = _string(delta["signature"])
            case "citations_delta":
                self._start["citations"] = [*(self._start.get("citations") or []), delta["citation"]]
        return ""

    def finished(self) -> Block:
        """Return the block as the API would have sent it unstreamed; unreadable arguments become {}."""
        if self.kind in _TEXTS.values():
            return {**self._start, self.kind: "".join(self._pieces)}
        takes_input = self.kind == "tool_use" or "input" in self._start
        return {**self._start, "input": self._input() or {}} if takes_input else self._start

    @property
    def is_empty(self) -> bool:
        """Whether this is an empty text block, which the API would not take back. Thinking without text is hidden thinking, not empty."""
        return self.kind == "text" and not any(self._pieces)

    @property
    def problem(self) -> str:
        """Return what makes a tool call unusable, as a sentence for the model; "" when nothing does."""
        if self.kind != "tool_use":
            return ""
        name = self._start.get("name")
        if not isinstance(name, str) or not name:
            return "it named no tool."
        return f"the arguments of {name} were no JSON object." if self._input() is None else ""

    def _input(self) -> dict[str, Any] | None:
        """Return the input, or None when it is not an object. It is streamed as JSON text; some gateways send it complete at the start."""
        start_input = self._start.get("input")
        if self._json or start_input is None:
            return parse_arguments("".join(self._json))
        return start_input if isinstance(start_input, dict) else None


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
