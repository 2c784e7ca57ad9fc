"""Tools, calls and results as text, for models that get them in no other way (SPEC 2.7)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from agents.engine.messages import AssistantText, Entry, SystemPrompt, ToolCall, ToolDefinition, ToolResult, UserMessage

TOOL_CALL_INSTRUCTIONS = """You can call the tools below. To call one, end your answer with:
<tool_call>
{"name": "the tool's name", "arguments": {"an argument": "its value"}}
</tool_call>
The arguments are JSON and fit the tool's parameters. For several calls write several such blocks. Write nothing after them: the results
come in <tool_result> blocks, in the order of the calls. Never write a <tool_result> yourself."""
TOOL_CHOICE_TEXTS = {
    "none": "Call no tool in this answer.",
    "required": "Call at least one tool in this answer.",
}
ONE_TOOL = "Call the tool {name} in this answer."

_OWN_TAG = re.compile(r"<(?=\s*/?\s*tool_)", re.IGNORECASE)


def system_with_tools(system: SystemPrompt, tools: Sequence[ToolDefinition], choice: str) -> SystemPrompt:
    """The tools belong to the stable part, the choice for this answer to the changing one."""
    if not tools:
        return system
    declared = "\n".join(_declaration(tool) for tool in tools)
    section = f"<tools>\n{TOOL_CALL_INSTRUCTIONS}\n\n{declared}\n</tools>"
    names = {tool.name for tool in tools}
    chosen = ONE_TOOL.format(name=choice) if choice in names else TOOL_CHOICE_TEXTS.get(choice, "")
    return SystemPrompt(_joined(system.stable, section), _joined(system.changing, chosen))


def entries_as_text(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The conversation with its calls and results written out; other entries are the same objects."""
    return tuple(_as_text(entry) for entry in entries)


def call_text(name: str, arguments: Any) -> str:
    """A call as the model is asked to write it; nothing in the arguments can end it."""
    return f"<tool_call>\n{_json({'name': name, 'arguments': arguments})}\n</tool_call>"


def _as_text(entry: Entry) -> Entry:
    match entry:
        case ToolCall(name=name, arguments=arguments):
            return AssistantText(f"\n{call_text(name, dict(arguments))}")
        case ToolResult(name=name, output=output, is_error=is_error):
            words = _OWN_TAG.sub("&lt;", output) if isinstance(output, str) else _json(output)
            error = ' error="true"' if is_error else ""
            return UserMessage(f'<tool_result name="{escape(name)}"{error}>\n{words}\n</tool_result>')
        case AssistantText(text=text):
            return AssistantText(text)  # a provider's copy of it would hold the calls a second time
        case _:
            return entry


def _declaration(tool: ToolDefinition) -> str:
    description = escape(tool.description, quote=False)
    return f'<tool name="{escape(tool.name)}">\n{description}\n<parameters>{_json(tool.input_schema)}</parameters>\n</tool>'


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str).replace("<", "\\u003c")


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
