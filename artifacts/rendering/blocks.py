"""Document blocks, the common input of the PDF and DOCX writers. Markdown is parsed into blocks; HTML in it is shown as text."""

from __future__ import annotations

import struct
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Final, Literal
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from PIL import Image

SAFE_LINK_SCHEMES: Final = frozenset({"http", "https", "mailto"})
MAX_LEVEL: Final = 6  # of headings
UNREADABLE: Final = (
    OSError,
    ValueError,
    SyntaxError,
    IndexError,
    struct.error,
    Image.DecompressionBombError,
)  # what Pillow raises for bytes that it can't read
DIAGRAM: Final = "mermaid"
KEPT_FORMATS: Final = frozenset({"PNG", "JPEG"})  # which both writers take as they are


@dataclass(frozen=True, slots=True)
class Span:
    """Text in one style."""

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    link: str = ""  # a URL with a scheme that is safe to open


Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading."""

    level: int
    spans: Spans


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, also inside lists and quotes."""

    spans: Spans
    depth: int = 0  # how many lists it is in
    mark: str = ""  # bullet or number before the first paragraph of a list item; empty for its others
    is_quote: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    """A block of code."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table. The first row is the header."""

    rows: tuple[tuple[Spans, ...], ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A horizontal rule."""


@dataclass(frozen=True, slots=True)
class Note:
    """A line that says what something is, set apart from the texts."""

    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture. `content`: a PNG or JPEG."""

    name: str
    content: bytes
    width: int  # pixels
    height: int


Block = Heading | Paragraph | Code | Table | Rule | Note | Picture


@dataclass(frozen=True, slots=True)
class SourcePart:
    """A part of the source. `text`: of a picture its name. `level`: of a heading; of Markdown, that of the heading above its own."""

    kind: Literal["markdown", "code", "rows", "heading", "note", "picture"]
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    level: int = 0
    content: bytes = b""  # of a picture
    language: str = ""  # of code


def parse_blocks(parts: Iterable[SourcePart], diagrams: Mapping[str, bytes] | None = None) -> Iterator[Block]:
    """Yield the blocks. `diagrams`: pictures of diagrams by their sources; a diagram without one, or with a broken one, stays code."""
    pictures = diagrams or {}
    for block in _parse(parts):
        source = block.text.strip() if isinstance(block, Code) and block.language == DIAGRAM else ""
        yield (_diagram(pictures[source]) if source in pictures else None) or block


def _diagram(content: bytes) -> Picture | None:
    """Return the PNG drawn anew, so that nothing but its pixels is in the file. None: it is no PNG."""
    target = BytesIO()
    try:
        with Image.open(BytesIO(content), formats=["PNG"]) as image:
            width, height = image.size
            image.convert("RGB").save(target, "PNG")
    except UNREADABLE:
        return None
    return Picture("Diagram", target.getvalue(), width, height)


def _parse(parts: Iterable[SourcePart]) -> Iterator[Block]:
    for part in parts:
        match part.kind:
            case "markdown":
                yield from (_below(block, part.level) for block in markdown_blocks(part.text))
            case "code":
                yield Code(printable(part.text), part.language)
            case "rows":
                yield from _rows(part.rows)
            case "heading":
                yield Heading(min(part.level, MAX_LEVEL), (Span(printable(part.text)),))
            case "note":
                yield Note(printable(part.text))
            case "picture":
                yield _picture(part)


def _below(block: Block, level: int) -> Block:
    return replace(block, level=min(block.level + level, MAX_LEVEL)) if isinstance(block, Heading) else block


def _rows(rows: tuple[tuple[str, ...], ...]) -> Iterator[Table]:
    if rows:
        width = max(len(row) for row in rows)
        yield Table(tuple(tuple((Span(printable(cell)),) for cell in (*row, *[""] * (width - len(row)))) for row in rows))


def _picture(part: SourcePart) -> Picture | Note:
    """Return the picture as the writers take it; one that can't be read is named alone."""
    name = printable(part.text)
    try:
        with Image.open(BytesIO(part.content)) as image:
            width, height = image.size
            if image.format in KEPT_FORMATS:
                return Picture(name, part.content, width, height)
            target = BytesIO()
            image.convert("RGBA").save(target, "PNG")
    except UNREADABLE:
        return Note(f"Picture: {name}")
    return Picture(name, target.getvalue(), width, height)


def printable(text: str) -> str:
    """Return the text without control characters, which neither format supports."""
    return "".join(letter for letter in text if letter in "\n\t" or unicodedata.category(letter) not in {"Cc", "Cs"})


def markdown_blocks(text: str) -> Iterator[Block]:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    yield from _children(SyntaxTreeNode(parser.parse(printable(text))), depth=0, is_quote=False)


def _children(node: SyntaxTreeNode, *, depth: int, is_quote: bool) -> Iterator[Block]:
    for child in node.children:
        yield from _block(child, depth=depth, is_quote=is_quote)


def _block(node: SyntaxTreeNode, *, depth: int, is_quote: bool) -> Iterator[Block]:
    match node.type:
        case "heading":
            yield Heading(int(node.tag[1]), _inline(node))
        case "paragraph":
            yield Paragraph(_inline(node), depth, is_quote=is_quote)
        case "bullet_list" | "ordered_list":
            yield from _items(node, depth=depth + 1, is_quote=is_quote)
        case "blockquote":
            yield from _children(node, depth=depth, is_quote=True)
        case "fence" | "code_block":
            yield Code(node.content.removesuffix("\n"), node.info.strip())
        case "table":
            yield Table(tuple(tuple(_inline(cell) for cell in row.children) for part in node.children for row in part.children))
        case "hr":
            yield Rule()


def _items(node: SyntaxTreeNode, *, depth: int, is_quote: bool) -> Iterator[Block]:
    number = int(node.attrs.get("start", 1))
    for place, item in enumerate(node.children, number):
        mark = f"{place}." if node.type == "ordered_list" else "•"
        for block in _children(item, depth=depth, is_quote=is_quote):
            marked = isinstance(block, Paragraph) and block.depth == depth and not block.mark
            yield replace(block, mark=mark) if marked and mark and isinstance(block, Paragraph) else block
            mark = "" if marked else mark


def _inline(node: SyntaxTreeNode) -> Spans:
    return tuple(span for child in node.children for span in _spans(child, Span("")) if span.text)


def _spans(node: SyntaxTreeNode, style: Span) -> Iterator[Span]:
    match node.type:
        case "text" | "html_inline":
            yield replace(style, text=node.content)
        case "code_inline":
            yield replace(style, text=node.content, code=True)
        case "softbreak":
            yield replace(style, text=" ")
        case "hardbreak":
            yield replace(style, text="\n")
        case "image":
            yield replace(style, text=f"[{node.content or 'image'}]", italic=True)
        case _:
            for child in node.children:
                yield from _spans(child, _apply_style(node, style))


def _apply_style(node: SyntaxTreeNode, style: Span) -> Span:
    match node.type:
        case "strong":
            return replace(style, bold=True)
        case "em":
            return replace(style, italic=True)
        case "s":
            return replace(style, strike=True)
        case "link":
            return replace(style, link=_safe_link(str(node.attrs.get("href", ""))))
        case _:
            return style


def _safe_link(address: str) -> str:
    try:
        return address if urlsplit(address).scheme in SAFE_LINK_SCHEMES else ""
    except ValueError:
        return ""
