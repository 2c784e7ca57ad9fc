"""A model call's request as people read it: what the model saw, piece by piece, or only how long each piece is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from django.utils.translation import gettext

from agents.entry_codec import entry_encode
from agents.messages import (
    AssistantText,
    CompactedHistory,
    ContextData,
    Entry,
    File,
    ModelRequest,
    NoToolCallRetry,
    Reasoning,
    Reminder,
    ToolCall,
    ToolResult,
    UserMessage,
)

MAX_SHOWN: Final = 20_000  # characters of one piece on the page; the JSON has all of it


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of the request."""

    label: str
    text: str  # empty when texts are not shown
    length: int  # characters
    is_code: bool = False

    @property
    def is_cut(self) -> bool:
        return 0 < len(self.text) < self.length


@dataclass(frozen=True, slots=True)
class RequestView:
    pieces: Sequence[Piece]
    settings: Sequence[tuple[str, str]]
    digest: str  # SHA-256 (hex) of the request as JSON
    json: str  # empty when texts are not shown


def request_view(request: ModelRequest, *, with_texts: bool) -> RequestView:
    """Return the request for the page. Without texts there are no values either: only labels, tools' names and lengths."""
    request_json = json.dumps(_as_json(request), ensure_ascii=False, indent=2)
    return RequestView(
        pieces=[_shorten(piece, with_texts) for piece in _pieces(request)],
        settings=list(_settings(request)),
        digest=hashlib.sha256(request_json.encode()).hexdigest(),
        json=request_json if with_texts else "",
    )


def _shorten(piece: Piece, with_texts: bool) -> Piece:
    return Piece(piece.label, piece.text[:MAX_SHOWN] if with_texts else "", len(piece.text), piece.is_code)


def _pieces(request: ModelRequest) -> Iterator[Piece]:
    yield _piece(gettext("System prompt"), str(request.system))
    if request.tools:
        tools = "\n".join(tool.name for tool in request.tools)
        yield _piece(f"{len(request.tools)} tools" if len(request.tools) > 1 else "1 tool", tools)
    for entry in request.entries:
        yield _entry_piece(entry)


def _entry_piece(entry: Entry) -> Piece:
    match entry:
        case UserMessage(text=text):
            return _piece(gettext("User"), text)
        case AssistantText(text=text):
            return _piece(gettext("Assistant"), text)
        case Reasoning(text=text):
            return _piece(gettext("Thinking"), text)
        case ToolCall(name=name, arguments=arguments):
            return _piece(gettext("Call %(name)s") % {"name": name}, _json(arguments), is_code=True)
        case ToolResult(name=name, output=output):
            return _piece(
                gettext("Result of %(name)s") % {"name": name}, output if isinstance(output, str) else _json(output), is_code=True
            )
        case File(name=name, text=text):
            return _piece(gettext("File"), f"{name}\n{text}")
        case Reminder(text=text) | NoToolCallRetry(text=text):
            return _piece(gettext("Reminder"), text)
        case ContextData(name=name, text=text):
            return _piece(gettext("Context: %(name)s") % {"name": name}, text)
        case CompactedHistory(text=text):
            return _piece(gettext("Earlier turns, shortened"), text)
        case _:
            kind, content, _ = entry_encode(entry)
            return _piece(kind.replace("_", " ").capitalize(), _json(content), is_code=True)


def _piece(label: str, text: str, *, is_code: bool = False) -> Piece:
    return Piece(label, text, len(text), is_code)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def _settings(request: ModelRequest) -> Iterator[tuple[str, str]]:
    for name, value in asdict(request.settings).items():
        if value not in (None, "", (), [], False):
            yield name.replace("_", " ").capitalize(), ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _as_json(request: ModelRequest) -> dict[str, Any]:
    return {
        "model": request.model,
        "system": {"stable": request.system.stable, "changing": request.system.changing},
        "tools": [asdict(tool) for tool in request.tools],
        "entries": [{"kind": kind, "content": content} for kind, content, _ in map(entry_encode, request.entries)],
        "settings": asdict(request.settings),
    }
