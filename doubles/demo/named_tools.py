"""Calls of what an admin created, by its name: an HTTP tool, a tool of an MCP server, or an agent.

Use `orders` with {"number": "7"}
Ask `order_clerk` to use `orders` with {"number": "7"}
"""

from __future__ import annotations

import re
from typing import Any

import orjson

from doubles.demo.conversation import ConversationState, Event, refusal_text
from doubles.script import Call, Item, Text

_NAME = r"(?:the )?(?:tool |agent )?[`\"\u201c]?([a-z][a-z0-9_]*)[`\"\u201d]?"
_ASK = re.compile(rf"\bask {_NAME}(?: to\b|:|,)?\s*(.+)", re.IGNORECASE | re.DOTALL)
_USE = re.compile(rf"\b(?:use|call) {_NAME}(?:\s+with\s+(\{{.*\}}))?", re.IGNORECASE | re.DOTALL)
_MAX_QUOTED_CHARS = 1_500  # of an answer that is repeated


def named_tool_scene(conversation: ConversationState) -> list[Item] | None:
    """Return the call or the summary of its result; None when the user named no tool that this agent has."""
    call = _call(conversation)
    if call is None:
        return None
    if not conversation.since:
        return [call]
    results = [event for event in conversation.results if event.tool == call.name]
    return [Text(_summary(results[-1]))] if results else None


def _call(conversation: ConversationState) -> Call | None:
    """Return the call that the message asks for. "Ask" comes first, because the rest of such a message is the agent's task."""
    asked, used = _ASK.search(conversation.text), _USE.search(conversation.text)
    if asked and asked[1] in conversation.tools:
        return Call(asked[1], {"task": asked[2].strip()})
    if used and used[1] in conversation.tools:
        return Call(used[1], _arguments(used[2] or "{}"))
    return None


def _arguments(text: str) -> dict[str, Any]:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _summary(event: Event) -> str:
    value = event.value
    if refused := refusal_text(value):
        return refused
    if isinstance(value, dict) and "error" in value:
        return f"That did not work: {value['error']}"
    if isinstance(value, dict) and "result" in value:
        return f"`{event.tool}` answered:\n\n{_quote(str(value['result']))}"
    return f"`{event.tool}` gave:\n\n```json\n{_as_json(value)[:_MAX_QUOTED_CHARS]}\n```"


def _quote(text: str) -> str:
    return "\n".join(f"> {line}" for line in text[:_MAX_QUOTED_CHARS].splitlines())


def _as_json(value: Any) -> str:
    """Format a result as JSON if it is JSON; other text is returned unchanged."""
    try:
        value = orjson.loads(value) if isinstance(value, str) else value
    except orjson.JSONDecodeError:
        return str(value)
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
