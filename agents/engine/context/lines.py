"""A turn in one line, as a compacted history tells it (SPEC 3.8): cut from what was said, never written anew."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from agents.engine.context.turns import Turn
from agents.engine.messages import AssistantText, File, ToolCall, ToolResult, UserMessage

MAX_LINE_CHARS = 160  # characters of what a message or a call says
MAX_VALUE_CHARS = 60  # of one argument
ARGUMENT_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def turn_summary(turn: Turn, results: Mapping[str, ToolResult], templates: Mapping[str, str]) -> str:
    """`turn` in one line; "" when there is nothing to say of it. `templates`: of the tools that have one, by name."""
    if turn.is_user:
        return f"User: {_user_text(turn)}"
    if calls := turn.calls:
        return "; ".join(_call_text(call, results.get(call.id), templates.get(call.name, "")) for call in calls)
    text = shorten(" ".join(entry.text for entry in turn.entries if isinstance(entry, AssistantText)), MAX_LINE_CHARS)
    return f"Assistant: {text}" if text else ""


def _user_text(turn: Turn) -> str:
    text = shorten(" ".join(entry.text for entry in turn.entries if isinstance(entry, UserMessage)), MAX_LINE_CHARS)
    names = [shorten(entry.name, MAX_VALUE_CHARS) for entry in turn.entries if isinstance(entry, File)]
    return f"{text} [{', '.join(names)}]" if names else text


def _call_text(call: ToolCall, result: ToolResult | None, template: str) -> str:
    text = shorten(_fill_template(template, call.arguments) if template else _call_signature(call), MAX_LINE_CHARS)
    return f"{text} failed" if result is None or result.is_error else text


def _fill_template(template: str, arguments: Mapping[str, Any]) -> str:
    return ARGUMENT_PLACEHOLDER.sub(lambda found: _value(arguments[found[1]]) if found[1] in arguments else "", template)


def _call_signature(call: ToolCall) -> str:
    return f"{call.name}({', '.join(f'{key}={_value(value)}' for key, value in call.arguments.items())})"


def _value(value: Any) -> str:
    return shorten(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str), MAX_VALUE_CHARS)


def shorten(text: str, length: int) -> str:
    """The first `length` characters of `text` on one line, an ellipsis in place of the last when there were more."""
    words = " ".join(text[: 8 * length].split())  # a slice first: the text may be a whole document
    is_whole = len(words) <= length and len(text) <= 8 * length
    return words if is_whole else f"{words[: length - 1].rstrip()}…"
