"""Parses tool calls that a model writes into its text (SPEC 2.7), as open models are trained to write them:
    <tool_call>
    {"name": "look_up", "arguments": {"word": "a"}}
    </tool_call>

Source: the chat templates of Qwen and Hermes (https://github.com/NousResearch/Hermes-Function-Calling). Common deviations are accepted:
the name in the tag, other names for the arguments, arguments as JSON text, a list of calls, code fences, a wrapper around several
calls, raw line breaks in strings, and a missing end tag at the very end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agents.coercion.arguments import parse_arguments
from agents.coercion.values import strip_code_fence

TAG = "<tool_call"
FENCE = "```"

# What may precede a call and belongs to it: white space and an opening code fence. The pattern avoids backtracking on arbitrary text.
_BEFORE = r"(?<!\s)\s*+(?P<fence>```\w*+\s*+)?"
_START = re.compile(rf"{_BEFORE}{TAG}s?(?=[\s>])", re.IGNORECASE)
# The end of a text that may become such a start.
_TAGS_START = "".join(f"(?:{char}" for char in TAG) + "s?" + ")?" * len(TAG)
_MAYBE_START = re.compile(rf"(?<!\s)\s*+(?:`{{1,2}}|(?:```\w*+\s*+)?{_TAGS_START})\Z", re.IGNORECASE)
_CERTAIN_PREFIX_CHARS = len("<tool_")  # no text ends like this by chance
MAX_HELD_CHARS = 300
CALL_TRUNCATED = "it was cut at the answer's maximum length."
INCOMPLETE_TAG = "its tag was not complete."

_OPEN = re.compile(r"<tool_call(?P<several>s?)(?P<attributes>\s[^>]*)?>", re.IGNORECASE)
_CLOSE = re.compile(r"</\s*tool_call\s*>", re.IGNORECASE)
_STRING_OR_CLOSE = re.compile(rf'"(?:[^"\\]|\\.)*+(?:"|\Z)|(?P<close>{_CLOSE.pattern})', re.IGNORECASE | re.DOTALL)
_NAME = re.compile(r"""\bname\s*=\s*["']([^"']*)["']""")
_AROUND = re.compile(r"</\s*tool_calls\s*>|```\w*", re.IGNORECASE)
_ARGUMENTS = ("arguments", "parameters", "args", "input")


@dataclass(frozen=True, slots=True)
class XmlToolCall:
    """A tool call found in a text."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SplitText:
    """One run of a model's text, split at its calls."""

    visible: str  # the visible text, up to the first call
    pieces: tuple[XmlToolCall | str, ...] = ()  # the calls, and the text between and after them, in order
    problem: str = ""  # what makes a call unreadable, as a sentence for the model; "": nothing

    @property
    def contains_calls(self) -> bool:
        return bool(self.problem) or any(isinstance(piece, XmlToolCall) for piece in self.pieces)


class XmlCallSplitter:
    """Reads a run of text in pieces, and releases whatever can't be part of a call."""

    def __init__(self) -> None:
        self._buffer = ""
        self._visible_texts: list[str] = []
        self._calls: list[str] | None = None  # set: a call has begun, and nothing is released from then on

    def feed(self, text: str) -> str:
        """Add text, and return what can be shown now, including text held back earlier."""
        if self._calls is not None:
            self._calls.append(text)
            return ""
        buffer = self._buffer + text
        if start := _START.search(buffer):
            end = self._end_of_text(buffer, start)
            self._calls = [buffer[end:]]
            return self._release(buffer[:end], "")
        maybe = _MAYBE_START.search(buffer)
        end = maybe.start() if maybe else len(buffer)
        if len(buffer) - end > MAX_HELD_CHARS:  # endless white space, for example: only the beginning of a tag is worth holding back
            tag = buffer.rfind("<", end)
            end = tag if tag >= 0 else len(buffer)
        return self._release(buffer[:end], buffer[end:])

    def _end_of_text(self, buffer: str, start: re.Match[str]) -> int:
        """Return where the text before the call ends. A fence before the call may close a code block; then it belongs to the text."""
        is_open = "".join([*self._visible_texts, buffer[: start.start()]]).count(FENCE) % 2
        return start.start("fence") + len(FENCE) if start["fence"] and is_open else start.start()

    def end(self, *, is_whole: bool = True) -> SplitText:
        """Return the complete run. With `is_whole` False the answer was cut here, so the start of a tag counts as the start of a call."""
        visible_text = "".join(self._visible_texts)
        if self._calls is not None:
            return _split_calls(visible_text, "".join(self._calls), is_whole=is_whole)
        tag = len(self._buffer) - self._buffer.rfind("<") if "<" in self._buffer else 0
        if tag >= _CERTAIN_PREFIX_CHARS:
            return SplitText(visible_text, problem=INCOMPLETE_TAG if is_whole else CALL_TRUNCATED)
        return SplitText(visible_text + (self._buffer if is_whole else self._buffer[: len(self._buffer) - tag]))

    def _release(self, visible: str, rest: str) -> str:
        self._buffer = rest
        self._visible_texts.append(visible)
        return visible


def split_text(text: str, *, is_whole: bool = True) -> SplitText:
    """Split one complete run of text. `is_whole`: see XmlCallSplitter.end."""
    splitter = XmlCallSplitter()
    splitter.feed(text)
    return splitter.end(is_whole=is_whole)


class _Unreadable(Exception):
    """A call can't be read; the message is a sentence for the model."""


def _split_calls(visible: str, text: str, *, is_whole: bool) -> SplitText:
    try:
        return SplitText(visible, tuple(_pieces(text, is_whole=is_whole)))
    except _Unreadable as problem:
        return SplitText(visible, problem=str(problem))


def _pieces(text: str, *, is_whole: bool) -> Iterator[XmlToolCall | str]:
    """Yield the calls and the text around them. Raises _Unreadable."""
    position = 0
    while opening := _OPEN.search(text, position):
        yield from _words(text[position : opening.start()])
        position = opening.end()
        if not opening["several"]:
            body, position = _body(text, position, is_whole=is_whole)
            yield from _calls(body, opening["attributes"] or "")
    yield from _words(_without_fragment(text[position:], is_whole=is_whole))


def _without_fragment(rest: str, *, is_whole: bool) -> str:
    """Return the text after the last call. Raises _Unreadable when it ends in the beginning of another call."""
    text, sign, tail = rest.rpartition("<")
    fragment = (sign + tail).lower()
    if fragment.startswith(TAG[:_CERTAIN_PREFIX_CHARS]):
        raise _Unreadable(INCOMPLETE_TAG if is_whole else CALL_TRUNCATED)
    return rest if is_whole or not TAG.startswith(fragment or "-") else text


def _words(text: str) -> Iterator[str]:
    words = _CLOSE.sub("", _AROUND.sub("", text)).strip()
    if words:
        yield words


def _body(text: str, start: int, *, is_whole: bool) -> tuple[str, int]:
    """Return the tag's content and where it ends. An end tag inside a JSON string does not count, unless there is no other."""
    closes = (match for match in _STRING_OR_CLOSE.finditer(text, start) if match["close"])
    close = next(closes, None) or _CLOSE.search(text, start)
    if close:
        return text[start : close.start()], close.end()
    if not is_whole:
        raise _Unreadable(CALL_TRUNCATED)
    following = _OPEN.search(text, start)
    end = following.start() if following else len(text)
    return text[start:end].removesuffix(FENCE), end


def _calls(body: str, attributes: str) -> Iterator[XmlToolCall]:
    match = _NAME.search(attributes)
    value = _json(body)
    if match:
        yield _call({"name": match[1], "arguments": body})
        return
    for each in value if isinstance(value, list) and value else [value]:
        yield _call(each)


def _call(value: Any) -> XmlToolCall:
    if not isinstance(value, dict):
        raise _Unreadable("it was no JSON object.")
    if isinstance(value.get("function"), dict):
        value = value["function"]
    name = value.get("name")
    if not isinstance(name, str) or not name:
        raise _Unreadable("it named no tool.")
    arguments: Any = next((value[key] for key in _ARGUMENTS if value.get(key) is not None), {})
    if isinstance(arguments, str):
        arguments = parse_arguments(arguments)
    if not isinstance(arguments, dict):
        raise _Unreadable(f"the arguments of {name} were no JSON object.")
    return XmlToolCall(name, arguments)


def _json(text: str) -> Any:
    """Return the parsed value, or None for invalid JSON. Raw line breaks in strings are allowed: models write them in long texts."""
    try:
        return json.loads(strip_code_fence(text), strict=False)
    except (ValueError, RecursionError):
        return None
