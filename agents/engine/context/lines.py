"""A turn in one line, as a compacted history tells it (SPEC 3.8): cut from what was said, never written anew."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from agents.engine.context.turns import Turn
from agents.engine.messages import AssistantText, File, ToolCall, ToolResult, UserMessage

LINE_LENGTH = 160  # characters of what a message or a call says
VALUE_LENGTH = 60  # of one argument
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def line_of(turn: Turn, results: Mapping[str, ToolResult], templates: Mapping[str, str]) -> str:
    """`turn` in one line; "" when there is nothing to say of it. `templates`: of the tools that have one, by name."""
    if turn.is_user:
        return f"User: {_user_text(turn)}"
    if calls := turn.calls:
        return "; ".join(_call_text(call, results.get(call.id), templates.get(call.name, "")) for call in calls)
    text = shortened(" ".join(entry.text for entry in turn.entries if isinstance(entry, AssistantText)), LINE_LENGTH)
    return f"Assistant: {text}" if text else ""


def _user_text(turn: Turn) -> str:
    text = shortened(" ".join(entry.text for entry in turn.entries if isinstance(entry, UserMessage)), LINE_LENGTH)
    names = [shortened(entry.name, VALUE_LENGTH) for entry in turn.entries if isinstance(entry, File)]
    return f"{text} [{', '.join(names)}]" if names else text


def _call_text(call: ToolCall, result: ToolResult | None, template: str) -> str:
    text = shortened(_filled(template, call.arguments) if template else _named(call), LINE_LENGTH)
    return f"{text} failed" if result is None or result.is_error else text


def _filled(template: str, arguments: Mapping[str, Any]) -> str:
    return PLACEHOLDER.sub(lambda found: _value(arguments[found[1]]) if found[1] in arguments else "", template)


def _named(call: ToolCall) -> str:
    return f"{call.name}({', '.join(f'{key}={_value(value)}' for key, value in call.arguments.items())})"


def _value(value: Any) -> str:
    return shortened(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str), VALUE_LENGTH)


def shortened(text: str, length: int) -> str:
    """The first `length` characters of `text` on one line, an ellipsis in place of the last when there were more."""
    words = " ".join(text[: 8 * length].split())  # a slice first: the text may be a whole document
    is_whole = len(words) <= length and len(text) <= 8 * length
    return words if is_whole else f"{words[: length - 1].rstrip()}…"
