"""Taint: what a run has read, and which outgoing calls therefore need the user's approval (SECURITY 27).

Text written by strangers may tell the model to send private data away. So once a run has read both, the user first sees
what would be sent, unless the user typed it. Taint is computed from the entries alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from agents.engine.messages import (
    BuiltinTool,
    ContextData,
    Entry,
    File,
    ProviderToolCall,
    Taint,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agents.engine.ports import RunTaint

TAINT_REASON: Final = (
    "This answer has read something private and something that strangers wrote, so nothing is sent out of here before you have seen it."
)

Reads = frozenset[Taint]
NOTHING: Final[Reads] = frozenset()
PRIVATE_AND_UNTRUSTED: Final[Reads] = frozenset({"private", "untrusted"})
PRIVATE: Final[Reads] = frozenset({"private"})
UNTRUSTED: Final[Reads] = frozenset({"untrusted"})
WEB_TOOLS = frozenset({BuiltinTool.WEB_SEARCH.value, BuiltinTool.URL_CONTEXT.value})
MAX_FLAGS: Final = 3  # booleans in one call: a few are choices, but many can encode a text


class TaintRule:
    """The taint of one run. Each entry is looked at once, however often the rule is asked.

    `reads_of`: what the results of a tool contain, by tool name, for results that do not record it; None when the tool
    no longer exists. `parent`: the taint of the calling run, if there is one; only its user typed anything.
    """

    def __init__(self, reads_of: Callable[[str], Reads | None], parent: RunTaint | None = None) -> None:
        self._reads_of, self._parent = reads_of, parent
        self._length = 0  # number of entries looked at
        self._first_places: dict[Taint, int] = {}  # by kind of data: the place of the first entry that brought it in
        self._typed_places: list[int] = []
        self._typed: list[str] = []

    def before(self, entries: Sequence[Entry], place: int) -> RunTaint:
        """Return what the run has read, and what its user typed, in the first `place` entries of its growing branch."""
        self._look_at(entries)
        reads = frozenset(kind for kind, first in self._first_places.items() if first < place)
        if self._parent is not None:
            return RunTaint(reads | self._parent.reads, self._parent.user_text)
        return RunTaint(reads, "\n".join(self._typed[: bisect_left(self._typed_places, place)]))

    def _look_at(self, entries: Sequence[Entry]) -> None:
        for place in range(self._length, len(entries)):
            entry = entries[place]
            for kind in self._reads(entry):
                self._first_places.setdefault(kind, place)
            if isinstance(entry, UserMessage):
                self._typed_places.append(place)
                self._typed.append(entry.text)
        self._length = len(entries)

    def _reads(self, entry: Entry) -> Reads:
        match entry:
            case ContextData(name="page_state"):  # the user's own page, which may show text of others
                return PRIVATE_AND_UNTRUSTED
            case File(source=""):
                return PRIVATE
            case File(from_tool=True):  # its result says what it brought in
                return NOTHING
            case File():
                return PRIVATE_AND_UNTRUSTED
            case ProviderToolCall(name=name) if name in WEB_TOOLS:
                return UNTRUSTED
            case ToolResult(denied=False, reads=None):
                known = self._reads_of(entry.name)
                return (NOTHING if entry.is_error else PRIVATE_AND_UNTRUSTED) if known is None else known
            case ToolResult(denied=False, reads=noted):
                return frozenset(noted or ())
            case _:
                return NOTHING


def may_leak(call: ToolCall, schema: Mapping[str, Any], taint: RunTaint) -> bool:
    """Return whether an outgoing call's arguments contain anything the user did not type, in a run that has read both kinds."""
    if not taint.is_mixed:
        return False
    parts = list(_parts(call.arguments))
    if sum(isinstance(part, bool) for part in parts) > MAX_FLAGS:
        return True
    user_text, known = _plain(taint.user_text), set(_schema_words(schema))
    words = (str(part) for part in parts if part is not None and not isinstance(part, bool))
    return not all(word in known or _is_typed(word, user_text) for word in words)


def _parts(value: Any) -> Iterator[Any]:
    """Yield every key and every simple value in the arguments."""
    match value:
        case Mapping():
            for key, inner in value.items():
                yield str(key)
                yield from _parts(inner)
        case list() | tuple():
            for inner in value:
                yield from _parts(inner)
        case _:
            yield value


def _schema_words(schema: Any) -> Iterator[str]:
    """Yield the names and choices that the tool's own schema defines."""
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
    """Return whether the user typed `word`.

    It must match as whole words, because single letters occur in any text. A longer run of white space counts as not
    typed, because it can encode a text.
    """
    if not word.strip():
        return len(word) <= 1
    return re.search(rf"(?<!\w){re.escape(_plain(word))}(?!\w)", user_text) is not None
