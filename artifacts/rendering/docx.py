"""DOCX writer (python-docx). It uses the styles of the default template, so that Word's own styles apply."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import Any, Final

from docx import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt, RGBColor

from artifacts.rendering.blocks import Block, Code, Heading, Paragraph, Rule, Span, Spans, Table

MONO: Final = "Consolas"
MAX_LIST_LEVELS: Final = 3  # the template has styles for this many levels


_template = b""


def template_load() -> None:
    """Load python-docx's template once, so that no file is opened later."""
    global _template
    target = BytesIO()
    Document().save(target)
    _template = target.getvalue()


def docx(title: str, blocks: Iterable[Block]) -> bytes:
    """Return the blocks as a DOCX.

    `title` goes into the properties, and above the text unless that begins with a heading.
    """
    found = list(blocks)
    document = Document(BytesIO(_template))
    document.core_properties.title, document.core_properties.author = title[:250], ""
    sheet = _DocxWriter(document)
    if not found or not isinstance(found[0], Heading):
        sheet.paragraph("Title").add_run(title)
    for block in found:
        sheet.add(block)
    target = BytesIO()
    document.save(target)
    return target.getvalue()


class _DocxWriter:
    """Writes blocks. Looks the styles up once, because python-docx reads all of them for each paragraph."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._style_ids = {style.name: style.style_id for style in document.styles}

    def paragraph(self, style: str) -> Any:
        paragraph = self._document.add_paragraph()
        paragraph.paragraph_format.element.style = self._style_ids[style]
        return paragraph

    def add(self, block: Block) -> None:
        match block:
            case Heading(level, spans):
                _write(self.paragraph(f"Heading {level}"), spans)
            case Paragraph():
                _write(self.paragraph(_style(block)), block.spans)
            case Code(text):
                self._code(text)
            case Table(rows):
                self._table(rows)
            case Rule():
                self.paragraph("Normal").add_run("―" * 12)

    def _code(self, text: str) -> None:
        paragraph = self.paragraph("Normal")
        paragraph.paragraph_format.left_indent = Pt(8)
        run = paragraph.add_run(text)
        run.font.name, run.font.size = MONO, Pt(8.5)

    def _table(self, rows: tuple[tuple[Spans, ...], ...]) -> None:
        if not rows or not rows[0]:
            return
        table = self._document.add_table(rows=len(rows), cols=len(rows[0]), style="Table Grid")
        for row, cells in zip(table.rows, rows, strict=True):
            for cell, spans in zip(row.cells, cells, strict=True):
                _write(cell.paragraphs[0], spans)


def _style(block: Paragraph) -> str:
    if not block.depth:
        return "Quote" if block.is_quote else "Normal"
    kind = {"": "List Continue", "•": "List Bullet"}.get(block.mark, "List Number")
    level = min(block.depth, MAX_LIST_LEVELS)
    return kind if level == 1 else f"{kind} {level}"


def _write(paragraph: Any, spans: Spans) -> None:
    for span in spans:
        run = paragraph.add_run(span.text)
        run.bold, run.italic, run.font.strike = span.bold or None, span.italic or None, span.strike or None
        if span.code:
            run.font.name = MONO
        if span.link:
            _link(paragraph, run, span)


def _link(paragraph: Any, run: Any, span: Span) -> None:
    """Turn the run into a hyperlink, which python-docx can't write, with the element that Word uses (ECMA-376, 17.16.22)."""
    run.font.color.rgb, run.font.underline = RGBColor(0x1D, 0x4E, 0xD8), True
    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), paragraph.part.relate_to(span.link, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
    run.element.addprevious(link)
    link.append(run.element)
