"""What messages and documents become in an export, the same for all formats."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final, Literal

from django.utils.translation import gettext, gettext_lazy

from artifacts.diagrams import MAX_SOURCE_CHARS, MERMAID, diagram_sources
from artifacts.kinds import CODE, kind_get
from artifacts.models import FILE_ID_KEY, Version
from chat.conversations.shapes import MessageItem
from chat.exports.contents import Branch, ExportContents, messages_read
from chat.stream.chunks import FILE_SCHEME
from tenants.localization.language import date_in_words

ROLES: Final = {"user": gettext_lazy("You"), "assistant": gettext_lazy("Assistant")}
MAX_TOOL_OUTPUT_CHARS: Final = 2000  # of a tool's result; JSON has the full result
MAX_QUOTE_CHARS: Final = 80

PieceKind = Literal["heading", "markdown", "code", "table", "note", "picture"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an export. `text`: of a table its CSV, of a picture its name.

    `level`: of a heading; of Markdown, the level of the heading above its own. `language`: of code. `file_id`: of a picture.
    """

    kind: PieceKind
    text: str
    level: int = 1
    language: str = ""
    file_id: str = ""


def export_pieces(contents: ExportContents, *, organization: str, moment: datetime) -> Iterator[Callable[[], list[Piece]]]:
    """Yield reads of the export's pieces in their order, each for a transaction of its own."""
    yield lambda: [Piece("note", _export_note(organization, moment))]
    level = 2 if len(contents.branches) == 1 else 3
    for number, branch in enumerate(contents.branches, 1):
        if len(contents.branches) > 1:
            yield partial(_branch, number, branch)
        for messages in contents.messages(branch):
            yield partial(_message_pieces, messages, level)
    for versions in contents.versions():
        yield partial(_document_pieces, versions)


def _export_note(organization: str, moment: datetime) -> str:
    day = date_in_words(moment.date(), "j F Y")
    return gettext("Exported from %(organization)s on %(day)s") % {"organization": organization, "day": day}


def piece_diagrams(piece: Piece) -> Iterator[str]:
    """Yield the sources of the piece's diagrams."""
    if piece.kind == "markdown":
        yield from diagram_sources(piece.text)
    elif piece.kind == "code" and piece.language == MERMAID and piece.text.strip() and len(piece.text) <= MAX_SOURCE_CHARS:
        yield piece.text.strip()


def _message_pieces(read: Callable[[], list[MessageItem]], level: int) -> list[Piece]:
    return [piece for message in read() for piece in _message(message, level)]


def _document_pieces(read: Callable[[], list[Version]]) -> list[Piece]:
    return [piece for version in read() for piece in _document(version)]


def _branch(number: int, branch: Branch) -> list[Piece]:
    heading = Piece("heading", gettext("Branch %(number)s") % {"number": number}, 2)
    if branch.instead_of is None:
        return [heading]
    quote = next((_quote(item) for item in messages_read([branch.instead_of])), "")
    return [heading, Piece("note", gettext("Instead of “%(quoted)s”") % {"quoted": quote} if quote else gettext("Another start"))]


def _quote(message: MessageItem) -> str:
    """Return the beginning of what the message says."""
    text = " ".join(" ".join(str(part["text"]) for part in message.parts if part["type"] == "text").split())
    return text if len(text) <= MAX_QUOTE_CHARS else f"{text[:MAX_QUOTE_CHARS].rstrip()}…"


def _message(message: MessageItem, level: int) -> Iterator[Piece]:
    yield Piece("heading", _speaker(message), level)
    for part in message.parts:
        yield from _part(part, level)
    sources = dict.fromkeys(
        (str(part["url"]), str(part.get("title") or part["url"])) for part in message.parts if part["type"] == "source-url"
    )
    if sources:
        yield Piece("note", gettext("Sources"))
        yield Piece("markdown", "\n".join(f"- [{_escape(title)}](<{url}>)" for url, title in sources), level)


def _speaker(message: MessageItem) -> str:
    """Return who wrote the message: an assistant by the name that it had then."""
    assistant = message.metadata.get("assistant")
    return str(assistant["name"]) if assistant else str(ROLES[message.role])


def _part(part: Mapping[str, Any], level: int) -> Iterator[Piece]:
    """Yield a part of a message; nothing for parts that only show a state on the screen."""
    kind = str(part["type"])
    if kind == "text":
        yield Piece("markdown", str(part["text"]), level)
    elif kind == "steering-message":
        inner_text = "\n\n".join(str(inner["text"]) for inner in part["parts"] if inner["type"] == "text")
        yield Piece("note", gettext("You, meanwhile"))
        yield Piece("markdown", inner_text, level)
    elif kind == "file":
        yield _file(part)
    elif kind == "data-artifact":
        yield Piece("note", gettext("%(title)s (version %(number)s)") % {"title": part["data"]["title"], "number": part["data"]["version"]})
    elif kind == "dynamic-tool" or kind.startswith("tool-"):
        yield from _tool(part, str(part.get("toolName") or kind.removeprefix("tool-")))


def _file(part: Mapping[str, Any]) -> Piece:
    metadata_name = part.get("providerMetadata", {}).get("parley", {}).get("filename")
    name = str(part.get("filename") or metadata_name or gettext("unnamed"))
    if not str(part["mediaType"]).startswith("image/"):
        return Piece("note", gettext("File: %(name)s") % {"name": name})
    return Piece("picture", name, file_id=str(part["url"]).removeprefix(f"{FILE_SCHEME}:"))


def _tool(part: Mapping[str, Any], name: str) -> Iterator[Piece]:
    arguments, result = _json(part.get("input", "")), _json(part.get("output", part.get("errorText", "")))
    cut = result if len(result) <= MAX_TOOL_OUTPUT_CHARS else f"{result[:MAX_TOOL_OUTPUT_CHARS]} …"
    yield Piece("note", gettext("Tool: %(name)s") % {"name": name})
    yield from (Piece("code", text) for text in (arguments, cut) if text)


def _json(value: Any) -> str:
    """Return what a tool was given or gave back: a text as it is, all else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _document(version: Version) -> Iterator[Piece]:
    artifact = version.artifact
    kind = kind_get(artifact.kind)
    yield Piece("heading", artifact.title, 2)
    yield Piece("note", gettext("%(kind)s, version %(number)s") % {"kind": gettext(kind.label), "number": version.number})
    match kind.body:
        case "markdown":
            yield Piece("markdown", version.content, 2)
        case "rows":
            yield Piece("table", version.content)
        case "code":
            yield Piece("code", version.content, language="" if kind is CODE else kind.name)
        case "file":
            yield Piece("picture", artifact.title, file_id=str(version.metadata.get(FILE_ID_KEY, "")))


def _escape(text: str) -> str:
    return text.replace("[", "(").replace("]", ")").replace("\n", " ")
