"""Document blocks, the common input of the PDF and DOCX writers. Markdown is parsed into blocks; HTML in it is shown as text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

SAFE_LINK_SCHEMES: Final = frozenset({"http", "https", "mailto"})


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


@dataclass(frozen=True, slots=True)
class Table:
    """A table. The first row is the header."""

    rows: tuple[tuple[Spans, ...], ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A horizontal rule."""


Block = Heading | Paragraph | Code | Table | Rule


@dataclass(frozen=True, slots=True)
class SourcePart:
    """A part of the source: Markdown, code, or the rows of a table."""

    kind: Literal["markdown", "code", "rows"]
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()


def parse_blocks(parts: Iterable[SourcePart]) -> Iterator[Block]:
    for part in parts:
        if part.kind == "markdown":
            yield from markdown_blocks(part.text)
        elif part.kind == "code":
            yield Code(printable(part.text))
        elif part.rows:
            width = max(len(row) for row in part.rows)
            yield Table(tuple(tuple((Span(printable(cell)),) for cell in (*row, *[""] * (width - len(row)))) for row in part.rows))


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
            yield Code(node.content.removesuffix("\n"))
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
