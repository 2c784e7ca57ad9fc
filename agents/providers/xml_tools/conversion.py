"""Tool calling in plain text (SPEC 2.7), for models whose endpoint drops the tools field.

Tools, calls and results are written into the prompt as text, and the calls in the answer's text become tool calls.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import replace
from html import escape
from typing import Any

from agents.messages import (
    AnswerEvent,
    AssistantText,
    Entry,
    FinishReason,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    ResponseEntry,
    SystemPrompt,
    TextDelta,
    ToolCall,
    ToolDefinition,
    ToolResult,
    UserMessage,
)
from agents.providers.retry import OpenStream
from agents.providers.xml_tools.parser import SplitText, XmlCallSplitter, XmlToolCall, split_text

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
NOT_ALLOWED = "calling tools is not allowed now."


def system_with_tools(system: SystemPrompt, tools: Sequence[ToolDefinition], choice: str) -> SystemPrompt:
    """Return the system prompt with the tools in its stable part, and the choice for this answer in its changing part."""
    if not tools:
        return system
    declarations = "\n".join(_declaration(tool) for tool in tools)
    section = f"<tools>\n{TOOL_CALL_INSTRUCTIONS}\n\n{declarations}\n</tools>"
    names = {tool.name for tool in tools}
    choice_text = ONE_TOOL.format(name=choice) if choice in names else TOOL_CHOICE_TEXTS.get(choice, "")
    return SystemPrompt(_join_paragraphs(system.stable, section), _join_paragraphs(system.changing, choice_text))


def entries_as_text(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the conversation with calls and results as text; other entries are the same objects."""
    return tuple(_entry_as_text(entry) for entry in entries)


def call_text(name: str, arguments: Any) -> str:
    """Return a call in the form that the model should write. Nothing in the arguments can end it."""
    return f"<tool_call>\n{_json({'name': name, 'arguments': arguments})}\n</tool_call>"


def _entry_as_text(entry: Entry) -> Entry:
    match entry:
        case ToolCall(name=name, arguments=arguments):
            return AssistantText(f"\n{call_text(name, dict(arguments))}")
        case ToolResult(name=name, output=output, is_error=is_error):
            words = _OWN_TAG.sub("&lt;", output) if isinstance(output, str) else _json(output)
            error = ' error="true"' if is_error else ""
            return UserMessage(f'<tool_result name="{escape(name)}"{error}>\n{words}\n</tool_result>')
        case AssistantText(text=text):
            return AssistantText(text)  # a provider's verbatim copy would repeat the calls
        case _:
            return entry


def _declaration(tool: ToolDefinition) -> str:
    description = escape(tool.description, quote=False)
    return f'<tool name="{escape(tool.name)}">\n{description}\n<parameters>{_json(tool.input_schema)}</parameters>\n</tool>'


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str).replace("<", "\\u003c")


def _join_paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


async def with_xml_calls(stream: OpenStream, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
    """Yield the events of an answer to `request_as_text(request)` as those of a model that calls tools natively.

    Text is passed on up to the first call; the rest comes with the response. `stream` is closed when the generator ends.
    """
    view = _LiveText()
    async with stream:
        async for event in stream:
            if not request.tools:  # the model was not told how to call: a text about calls stays text
                yield event
            elif isinstance(event, ModelResponse):
                for delta in view.end(is_whole=_is_complete(event)):
                    yield delta
                yield _with_calls(event, allowed=request.settings.tool_choice != "none")
            else:
                for delta in view.add(event):
                    yield delta


class _LiveText:
    """Decides what is shown during the answer: everything up to the first call."""

    def __init__(self) -> None:
        self._splitter = XmlCallSplitter()
        self._shown_chars = 0  # number of characters shown of this run
        self._has_calls = False

    def add(self, event: AnswerEvent) -> list[AnswerEvent]:
        if isinstance(event, TextDelta):
            return [] if self._has_calls else self._text(self._splitter.feed(event.text))
        events = self.end(is_whole=True)
        return events if self._has_calls else [*events, event]

    def end(self, *, is_whole: bool) -> list[AnswerEvent]:
        """End a run of text: return what was held back and is not a call."""
        if self._has_calls:
            return []
        run = self._splitter.end(is_whole=is_whole)
        events = self._text(run.visible[self._shown_chars :])
        self._splitter, self._shown_chars, self._has_calls = XmlCallSplitter(), 0, run.contains_calls
        return events

    def _text(self, text: str) -> list[AnswerEvent]:
        self._shown_chars += len(text)
        return [TextDelta(text)] if text else []


def request_as_text(request: ModelRequest) -> ModelRequest:
    """Return the request without tools. It shares the original's meter."""
    settings = request.settings
    return replace(
        request,
        system=system_with_tools(request.system, request.tools, settings.tool_choice),
        entries=entries_as_text(request.entries),
        tools=(),
        settings=replace(settings, tool_choice="auto"),
    )


def _is_complete(response: ModelResponse) -> bool:
    return response.finish_reason in (FinishReason.STOP, FinishReason.TOOL_CALLS)


def _with_calls(response: ModelResponse, *, allowed: bool) -> ModelResponse:
    """Return the response with the calls in its text. One unreadable call drops the others."""
    entries, problem = list[ResponseEntry](), response.malformed_call
    for place, entry in enumerate(response.entries, 1):
        if not isinstance(entry, AssistantText):
            entries.append(entry)
            continue
        split = split_text(entry.text, is_whole=place < len(response.entries) or _is_complete(response))
        entries += _entries(split)
        problem = problem or split.problem or ("" if allowed or not split.contains_calls else NOT_ALLOWED)
    if problem:
        other_entries = tuple(entry for entry in entries if not isinstance(entry, ToolCall))
        return replace(response, entries=other_entries, finish_reason=FinishReason.OTHER, malformed_call=problem)
    return replace(response, entries=tuple(entries), finish_reason=_reason(response, entries))


def _entries(split: SplitText) -> list[ResponseEntry]:
    """Convert the text. The engine gives the calls their ids."""
    texts = [AssistantText(split.visible)] if split.visible else []
    return [
        *texts,
        *(ToolCall("", each.name, each.arguments) if isinstance(each, XmlToolCall) else AssistantText(each) for each in split.pieces),
    ]


def _reason(response: ModelResponse, entries: list[ResponseEntry]) -> FinishReason:
    asks = any(isinstance(entry, ToolCall) for entry in entries)
    return FinishReason.TOOL_CALLS if asks and response.finish_reason is FinishReason.STOP else response.finish_reason
