"""Readers of PDF and office documents: from bytes to text, piece by piece."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO, StringIO
from zipfile import ZipFile

import docx
import openpyxl
import pypdf
from defusedxml import ElementTree
from docx.table import Table
from pypdf.errors import PyPdfError

from files.readers.output import NoText, gettext_noop

MAX_UNPACKED_BYTES = 100 * 1024 * 1024
MAX_ZIP_ENTRIES = 5000
DRAWING_TEXT = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
SLIDE = re.compile(r"ppt/slides/slide(\d+)\.xml")
OOXML = "application/vnd.openxmlformats-officedocument"


def pdf_pages(content: bytes) -> int:
    """Return the number of pages; 0 when the file is broken, or encrypted, be it with the empty password: providers refuse that."""
    try:
        reader = pypdf.PdfReader(BytesIO(content))
        return 0 if reader.is_encrypted else len(reader.pages)
    except Exception:  # noqa: BLE001  # any error of a parser is caused by the document
        return 0


def pdf_text(content: bytes) -> Iterator[str]:
    """Yield the text page by page, each but the first after a form feed. Raises NoText when a password is needed."""
    reader = pypdf.PdfReader(BytesIO(content))
    if reader.is_encrypted and not _decrypts(reader):
        raise NoText(gettext_noop("It is protected by a password."))
    for number, page in enumerate(reader.pages):
        yield ("\f" if number else "") + page.extract_text().replace("\f", "")


def _decrypts(reader: pypdf.PdfReader) -> bool:
    """Try the empty password, with which many PDFs are encrypted."""
    try:
        return bool(reader.decrypt(""))
    except (PyPdfError, NotImplementedError):
        return False


def docx_text(content: bytes) -> Iterator[str]:
    """Yield the text paragraph by paragraph; tables as rows of cells."""
    _check_container(content)
    for block in docx.Document(BytesIO(content)).iter_inner_content():
        if isinstance(block, Table):
            yield from (" | ".join(cell.text.strip() for cell in row.cells) for row in block.rows)
        else:
            yield block.text


def xlsx_text(content: bytes) -> Iterator[str]:
    """Yield each sheet as CSV after its name, with values instead of formulas."""
    _check_container(content)
    book = openpyxl.load_workbook(BytesIO(content), read_only=True, data_only=True)
    for sheet in book.worksheets:
        yield f"# {sheet.title}"
        for row in sheet.iter_rows(values_only=True):
            if any(value is not None for value in row):
                yield _csv_line(row)


def _csv_line(row: tuple[object, ...]) -> str:
    line = StringIO()
    csv.writer(line, lineterminator="").writerow("" if value is None else value for value in row)
    return line.getvalue().rstrip(",")


def pptx_text(content: bytes) -> Iterator[str]:
    """Yield each slide's paragraphs after its number."""
    _check_container(content)
    with ZipFile(BytesIO(content)) as container:
        slides = sorted((int(match[1]), name) for name in container.namelist() if (match := SLIDE.fullmatch(name)))
        for number, name in slides:
            yield f"# Slide {number}"
            yield from _paragraphs(container.read(name))


def _paragraphs(slide: bytes) -> Iterator[str]:
    for paragraph in ElementTree.fromstring(slide).iter(f"{DRAWING_TEXT}p"):
        text = "".join(run.text or "" for run in paragraph.iter(f"{DRAWING_TEXT}t"))
        if text.strip():
            yield text


def _check_container(content: bytes) -> None:
    """Raise NoText for a ZIP file that would unpack to more than MAX_UNPACKED_BYTES or MAX_ZIP_ENTRIES."""
    with ZipFile(BytesIO(content)) as container:
        parts = container.infolist()
    if len(parts) > MAX_ZIP_ENTRIES or sum(part.file_size for part in parts) > MAX_UNPACKED_BYTES:
        raise NoText(gettext_noop("It unpacks to more than 100 MB."))


READERS: Mapping[str, Callable[[bytes], Iterator[str]]] = {
    "application/pdf": pdf_text,
    f"{OOXML}.wordprocessingml.document": docx_text,
    f"{OOXML}.spreadsheetml.sheet": xlsx_text,
    f"{OOXML}.presentationml.presentation": pptx_text,
}
