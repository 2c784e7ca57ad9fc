"""DOCX writer (python-docx). It uses the styles of the default template, so that Word's own styles apply."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from io import BytesIO
from typing import Any, Final

from docx import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Emu, Inches, Pt, RGBColor

from artifacts.rendering.blocks import Block, Code, Heading, Note, Paragraph, Picture, Rule, Span, Spans, Table

MONO: Final = "Consolas"
CODE: Final = "Code"
INLINE_CODE: Final = "Inline Code"
NOTE: Final = "Note"
MAX_WIDTH, MAX_HEIGHT = Inches(6), Inches(8)  # of a picture
PIXELS_PER_INCH: Final = 144
MAX_LIST_LEVELS: Final = 3  # the template has styles for this many levels


_template = b""


def template_load() -> None:
    """Load python-docx's template once, so that no file is opened later, with styles of its own for code and notes."""
    global _template
    document = Document()
    code = document.styles.add_style(CODE, WD_STYLE_TYPE.PARAGRAPH)
    code.base_style = document.styles["Normal"]
    code.font.name, code.font.size = MONO, Pt(8.5)
    code.paragraph_format.left_indent = Pt(8)
    inline = document.styles.add_style(INLINE_CODE, WD_STYLE_TYPE.CHARACTER)
    inline.font.name = MONO
    note = document.styles.add_style(NOTE, WD_STYLE_TYPE.PARAGRAPH)
    note.base_style = document.styles["Normal"]
    note.font.size, note.font.color.rgb = Pt(9), RGBColor(0x6B, 0x72, 0x80)
    note.paragraph_format.space_after = Pt(4)
    target = BytesIO()
    document.save(target)
    _template = target.getvalue()


def docx(title: str, blocks: Iterable[Block]) -> bytes:
    """Return the blocks as a DOCX.

    `title` goes into the properties, and above the text unless that begins with a heading.
    """
    all_blocks = list(blocks)
    document = Document(BytesIO(_template))
    document.core_properties.title, document.core_properties.author = title[:250], ""
    sheet = _DocxWriter(document)
    if not all_blocks or not isinstance(all_blocks[0], Heading):
        sheet.paragraph("Title").add_run(title)
    for block in all_blocks:
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
            case Code(text=text):
                self.paragraph(CODE).add_run(text)
            case Table(rows):
                self._table(rows)
            case Rule():
                self.paragraph("Normal").add_run("―" * 12)
            case Note(text):
                self.paragraph(NOTE).add_run(text)
            case Picture():
                self._picture(block)

    def _picture(self, picture: Picture) -> None:
        """Draw it, not larger than the page, with its name for those who can't see it."""
        natural = Inches(1) * picture.width / PIXELS_PER_INCH
        width = Emu(int(min(natural, MAX_WIDTH, MAX_HEIGHT * picture.width / picture.height)))
        shape = self.paragraph("Normal").add_run().add_picture(BytesIO(picture.content), width=width)
        shape._inline.docPr.set("descr", picture.name)  # noqa: SLF001 - python-docx has no other way

    def _table(self, rows: tuple[tuple[Spans, ...], ...]) -> None:
        if not rows or not rows[0]:
            return
        table = self._document.add_table(rows=len(rows), cols=len(rows[0]), style="Table Grid")
        for place, (row, cells) in enumerate(zip(table.rows, rows, strict=True)):
            for cell, spans in zip(row.cells, cells, strict=True):
                _write(cell.paragraphs[0], spans if place else tuple(replace(span, bold=True) for span in spans))
        header_element = OxmlElement("w:tblHeader")  # on each page (ECMA-376, 17.4.78)
        table.rows[0]._tr.get_or_add_trPr().append(header_element)  # noqa: SLF001 - python-docx has no other way


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
            run.style = INLINE_CODE
        if span.link:
            _link(paragraph, run, span)


def _link(paragraph: Any, run: Any, span: Span) -> None:
    """Turn the run into a hyperlink, which python-docx can't write, with the element that Word uses (ECMA-376, 17.16.22)."""
    run.font.color.rgb, run.font.underline = RGBColor(0x1D, 0x4E, 0xD8), True
    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), paragraph.part.relate_to(span.link, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
    run.element.addprevious(link)
    link.append(run.element)
