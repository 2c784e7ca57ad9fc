"""What a run has read, from its entries alone, and which calls may therefore not send what a model wrote (SECURITY 27).

Text of strangers may tell the model to send away what is private. So once a run has read both, the user sees what would leave first,
unless it is what the user typed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agents.engine.messages import BuiltinTool, ContextData, Entry, File, ProviderToolCall, Taint, ToolCall, ToolResult, UserMessage
from agents.engine.ports import RunTaint

TAINT_REASON: Final = (
    "This answer has read something private and something that strangers wrote, so nothing is sent out of here before you have seen it."
)

Reads = frozenset[Taint]
_NOTHING: Final[Reads] = frozenset()
_PRIVATE_AND_UNTRUSTED: Final[Reads] = frozenset({"private", "untrusted"})
_PRIVATE: Final[Reads] = frozenset({"private"})
_UNTRUSTED: Final[Reads] = frozenset({"untrusted"})
_WEB_TOOLS = frozenset({BuiltinTool.WEB_SEARCH.value, BuiltinTool.URL_CONTEXT.value})
MAX_FLAGS: Final = 3  # true and false in one call: a few are choices, many can spell out a text


@dataclass(frozen=True, slots=True)
class TaintRule:
    """`reads_of`: what the results of a tool are, by its name, for results that do not say it themselves; None: there is no such tool any
    more. `parent_taint`: of the run that this one works for, whose user is the only one.
    """

    reads_of: Callable[[str], Reads | None]
    parent_taint: RunTaint | None = None

    def of(self, entries: Iterable[Entry]) -> RunTaint:
        """What a run with these entries has read, and what its user typed."""
        reads, user_text = self.parent_taint.reads if self.parent_taint else _NOTHING, list[str]()
        for entry in entries:
            reads |= self._reads(entry)
            if isinstance(entry, UserMessage):
                user_text.append(entry.text)
        return RunTaint(reads, self.parent_taint.user_text if self.parent_taint else "\n".join(user_text))

    def _reads(self, entry: Entry) -> Reads:
        match entry:
            case ContextData(name="page_state"):  # a page of one's own, with whatever it shows of others
                return _PRIVATE_AND_UNTRUSTED
            case File(source=""):
                return _PRIVATE
            case File():
                return _PRIVATE_AND_UNTRUSTED
            case ProviderToolCall(name=name) if name in _WEB_TOOLS:
                return _UNTRUSTED
            case ToolResult(denied=False, reads=None):
                known = self.reads_of(entry.name)
                return (_NOTHING if entry.is_error else _PRIVATE_AND_UNTRUSTED) if known is None else known
            case ToolResult(denied=False, reads=noted):
                return frozenset(noted or ())
            case _:
                return _NOTHING


def may_leak(call: ToolCall, schema: Mapping[str, Any], taint: RunTaint) -> bool:
    """Whether the arguments of an outbound call hold anything that the user has not typed, in a run that read both."""
    if not taint.is_mixed:
        return False
    if _flags(call.arguments) > MAX_FLAGS:
        return True
    user_text, known = _plain(taint.user_text), set(_schema_words(schema))
    return not all(word in known or _is_typed(word, user_text) for word in _words(call.arguments))


def _words(value: Any) -> Iterator[str]:
    """Every text, number and name in the arguments; true, false and null are no words."""
    match value:
        case bool() | None:
            return
        case str() | int() | float():
            yield str(value)
        case Mapping():
            for key, inner in value.items():
                yield str(key)
                yield from _words(inner)
        case list() | tuple():
            for inner in value:
                yield from _words(inner)


def _flags(value: Any) -> int:
    match value:
        case bool():
            return 1
        case Mapping():
            return sum(map(_flags, value.values()))
        case list() | tuple():
            return sum(map(_flags, value))
        case _:
            return 0


def _schema_words(schema: Any) -> Iterator[str]:
    """The names and choices that the tool itself gives."""
    match schema:
        case Mapping():
            for key, inner in schema.items():
                if (key == "properties" and isinstance(inner, Mapping)) or (key == "enum" and isinstance(inner, list)):
                    yield from map(str, inner)
                yield from _schema_words(inner)
        case list():
            for inner in schema:
                yield from _schema_words(inner)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _is_typed(word: str, user_text: str) -> bool:
    """As whole words: single letters can be found in any text. Longer white space can be a text, too."""
    if not word.strip():
        return len(word) <= 1
    return _contains_word(_plain(word), user_text)


def _contains_word(word: str, user_text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", user_text) is not None
