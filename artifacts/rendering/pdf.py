"""PDF writer (ReportLab). DejaVu fonts are embedded; Chinese, Japanese and Korean use the viewer's own fonts."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import HRFlowable, Image, Paragraph as Flow, SimpleDocTemplate, Spacer, Table as Grid, TableStyle, XPreformatted

from artifacts.rendering.blocks import Block, Code, Heading, Note, Paragraph, Picture, Rule, Span, Spans, Table

FONTS = Path(__file__).parent / "fonts"
TEXT, BOLD, ITALIC, MONO = "DejaVuSans", "DejaVuSans-Bold", "DejaVuSans-Oblique", "DejaVuSansMono"
HAN, KANA, HANGUL = "STSong-Light", "HeiseiKakuGo-W5", "HYGothic-Medium"
CODE_COLUMNS: Final = 88
CODE_LINES: Final = 50  # per flowable: longer ones are laid out slowly
MAX_INDENTS: Final = 6
TABLE_COLUMNS: Final = 12  # side by side, about 14 mm each; further columns go below, in blocks of the same number
LINE, PALE, LINK = HexColor("#c9cdd3"), HexColor("#f4f5f7"), "#1d4ed8"

BODY = ParagraphStyle("body", fontName=TEXT, fontSize=9.5, leading=14, spaceAfter=6)
MONOSPACED = ParagraphStyle(
    "code", fontName=MONO, fontSize=7.5, leading=10.5, backColor=PALE, borderPadding=4, spaceBefore=4, spaceAfter=8, leftIndent=4
)
NOTE = ParagraphStyle("note", parent=BODY, fontSize=8, leading=11, textColor=HexColor("#6b7280"), spaceAfter=5, keepWithNext=1)
MAX_WIDTH, MAX_HEIGHT = A4[0] - 42 * mm, A4[1] - 60 * mm  # of a picture, in points
POINTS_PER_PIXEL: Final = 0.5  # 144 pixels an inch
CELL = ParagraphStyle("cell", parent=BODY, fontSize=8, leading=11, spaceAfter=0)
TITLE = ParagraphStyle("title", parent=BODY, fontName=BOLD, fontSize=20, leading=26, spaceAfter=10)
HEADINGS = {
    level: ParagraphStyle(
        f"h{level}", parent=BODY, fontName=BOLD, fontSize=size, leading=size * 1.3, spaceBefore=size * 0.7, keepWithNext=1
    )
    for level, size in enumerate((18, 15, 12.5, 11, 10, 9.5), start=1)
}


def fonts_load() -> None:
    for name in (TEXT, BOLD, ITALIC, MONO):
        pdfmetrics.registerFont(TTFont(name, str(FONTS / f"{name}.ttf")))
    pdfmetrics.registerFontFamily(TEXT, normal=TEXT, bold=BOLD, italic=ITALIC, boldItalic=BOLD)
    for name in (HAN, KANA, HANGUL):
        pdfmetrics.registerFont(UnicodeCIDFont(name))


def pdf(title: str, blocks: Iterable[Block]) -> bytes:
    """Return the blocks as a PDF.

    `title` goes into the properties, and above the text unless that begins with a heading.
    """
    all_blocks = list(blocks)
    story: list[Any] = [] if all_blocks and isinstance(all_blocks[0], Heading) else [Flow(_escaped_text(title, TEXT), TITLE)]
    story += [flowable for block in all_blocks for flowable in _flowables(block)]
    target = BytesIO()
    margin = 20 * mm
    document = SimpleDocTemplate(
        target,
        pagesize=A4,
        leftMargin=margin,
        rightMargin=margin,
        topMargin=margin,
        bottomMargin=margin,
        title=title,
        author="",
        creator="Parley",
    )
    document.build(story or [Spacer(1, 1)], onFirstPage=_footer, onLaterPages=_footer)
    return target.getvalue()


def _flowables(block: Block) -> Iterator[Any]:
    match block:
        case Heading(level, spans):
            yield Flow(_markup(spans), HEADINGS[level])
        case Paragraph():
            yield _paragraph(block)
        case Code(text=text):
            yield from _code(text)
        case Table(rows):
            yield from _table(rows)
        case Rule():
            yield HRFlowable(width="100%", color=LINE, spaceBefore=6, spaceAfter=6)
        case Note(text):
            yield Flow(_escaped_text(text, TEXT), NOTE)
        case Picture(_, content, width, height):
            scale = min(POINTS_PER_PIXEL, MAX_WIDTH / width, MAX_HEIGHT / height)
            yield Image(BytesIO(content), width * scale, height * scale, hAlign="LEFT")
            yield Spacer(1, 8)


def _paragraph(block: Paragraph) -> Any:
    indent = 14.0 * min(block.depth, MAX_INDENTS) + (12 if block.is_quote else 0)
    style = ParagraphStyle(
        "p",
        parent=BODY,
        leftIndent=indent,
        bulletIndent=indent - 12,
        spaceAfter=3 if block.depth else 6,
        textColor=HexColor("#4b5563") if block.is_quote else BODY.textColor,
    )
    return Flow(_markup(block.spans), style, bulletText=block.mark or None)


def _code(text: str) -> Iterator[Any]:
    lines = [piece for line in text.expandtabs(4).split("\n") for piece in _wrap(line)]
    for start in range(0, len(lines), CODE_LINES):
        yield XPreformatted("\n".join(_escaped_text(line, MONO) for line in lines[start : start + CODE_LINES]), MONOSPACED)


def _wrap(line: str) -> list[str]:
    return textwrap.wrap(line, CODE_COLUMNS, drop_whitespace=False, replace_whitespace=False) or [""]


def _table(rows: tuple[tuple[Spans, ...], ...]) -> Iterator[Any]:
    cells = [[Flow(_markup(cell), CELL) for cell in row] for row in rows]
    if not cells or not cells[0]:
        return
    width = (A4[0] - 40 * mm) / min(len(cells[0]), TABLE_COLUMNS)
    for start in range(0, len(cells[0]), TABLE_COLUMNS):
        yield _grid([row[start : start + TABLE_COLUMNS] for row in cells], width)


def _grid(cells: list[list[Any]], width: float) -> Any:
    lines = [("GRID", (0, 0), (-1, -1), 0.4, LINE), ("BACKGROUND", (0, 0), (-1, 0), PALE), ("VALIGN", (0, 0), (-1, -1), "TOP")]
    padding = [("LEFTPADDING", (0, 0), (-1, -1), 4), ("RIGHTPADDING", (0, 0), (-1, -1), 4)]
    return Grid(
        cells,
        colWidths=[width] * len(cells[0]),
        repeatRows=1 if len(cells) > 1 else 0,
        splitInRow=1,
        style=TableStyle([*lines, *padding]),
        hAlign="LEFT",
        spaceAfter=8,
    )


def _markup(spans: Spans) -> str:
    return "".join(_span_markup(span) for span in spans) or " "


def _span_markup(span: Span) -> str:
    """Return ReportLab's own markup, with all user text escaped."""
    text = _escaped_text(span.text, MONO if span.code else TEXT).replace("\n", "<br/>")
    for tag, is_on in (("b", span.bold), ("i", span.italic), ("strike", span.strike)):
        text = f"<{tag}>{text}</{tag}>" if is_on else text
    if span.code:
        text = f'<font face="{MONO}" size="8.5">{text}</font>'
    return f"<a href={quoteattr(span.link)} color={quoteattr(LINK)}>{text}</a>" if span.link else text


def _escaped_text(text: str, font: str) -> str:
    """Return the escaped text, with another font for characters that this font lacks."""
    glyphs = pdfmetrics.getFont(font).face.charToGlyph
    pieces = []
    for other, letters in groupby(text, key=lambda letter: "" if ord(letter) in glyphs or letter.isspace() else _font_for(letter)):
        piece = escape("".join(letters))
        pieces.append(f'<font face="{other}">{piece}</font>' if other else piece)
    return "".join(pieces)


def _font_for(letter: str) -> str:
    """Return a font for the character, or "" if none has it; it is then shown as a box."""
    code = ord(letter)
    if code in pdfmetrics.getFont(TEXT).face.charToGlyph:
        return TEXT
    if 0x3040 <= code <= 0x30FF:
        return KANA
    if 0xAC00 <= code <= 0xD7A3 or 0x1100 <= code <= 0x11FF:
        return HANGUL
    return HAN if 0x2E80 <= code <= 0x9FFF or 0xFF00 <= code <= 0xFFEF else ""


def _footer(canvas: Any, document: Any) -> None:
    canvas.setFont(TEXT, 7.5)
    canvas.setFillColor(HexColor("#6b7280"))
    canvas.drawCentredString(A4[0] / 2, 11 * mm, str(document.page))
