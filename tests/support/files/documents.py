"""Small documents of each kind, made on the spot."""

from __future__ import annotations

import base64
import random
from collections.abc import Mapping
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import openpyxl
import pypdf
from PIL import Image

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
GIF = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")


def _noise() -> bytes:
    """A picture of some kilobytes as our own encoder writes it: drawn anew, it is the same bytes."""
    pixels = random.Random(7).randbytes(60 * 60 * 3)
    file = BytesIO()
    Image.frombytes("RGB", (60, 60), pixels).save(file, "PNG")
    return file.getvalue()


PICTURE = _noise()
OOXML = "application/vnd.openxmlformats-officedocument"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"


def animation() -> bytes:
    """A GIF of two frames."""
    file, (first, second) = BytesIO(), (Image.new("RGB", (8, 8), colour) for colour in ("red", "blue"))
    first.save(file, "GIF", save_all=True, append_images=[second])
    return file.getvalue()


def pdf(*pages: str) -> bytes:
    """One line of text a page."""
    kids = " ".join(f"{3 + 2 * number} 0 R" for number in range(len(pages)))
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>"]
    font = "/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    for number, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET"
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] {font} /Contents {4 + 2 * number} 0 R >>")
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    content, offsets = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(content))
        content += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    count = len(objects) + 1
    end = f"trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{len(content)}\n%%EOF\n"
    return f"{content}xref\n0 {count}\n0000000000 65535 f \n{table}{end}".encode("latin-1")


def encrypted(document: bytes, password: str = "") -> bytes:
    """Return the PDF file encrypted with the password; with an empty one, everybody can read it."""
    writer, file = pypdf.PdfWriter(clone_from=BytesIO(document)), BytesIO()
    writer.encrypt(password, owner_password="owner")
    writer.write(file)
    return file.getvalue()


def word(*paragraphs: str, table: tuple[tuple[str, ...], ...] = ()) -> bytes:
    document, file = docx.Document(), BytesIO()
    for text in paragraphs:
        document.add_paragraph(text)
    if table:
        grid = document.add_table(rows=len(table), cols=len(table[0]))
        for row, texts in zip(grid.rows, table, strict=True):
            for cell, text in zip(row.cells, texts, strict=True):
                cell.text = text
    document.save(file)
    return file.getvalue()


def excel(sheet: str, *rows: tuple[object, ...]) -> bytes:
    book, file = openpyxl.Workbook(), BytesIO()
    assert book.active is not None
    book.active.title = sheet
    for row in rows:
        book.active.append(row)
    book.save(file)
    return file.getvalue()


def powerpoint(*slides: str) -> bytes:
    parts = {
        f"ppt/slides/slide{number}.xml": f'<s xmlns:a="{DRAWING}"><a:p><a:r><a:t>{text}</a:t></a:r></a:p></s>'
        for number, text in enumerate(slides, 1)
    }
    return office("presentationml.presentation", parts)


def office(kind: str, parts: Mapping[str, str | bytes]) -> bytes:
    """A container whose main part is of this kind, such as "wordprocessingml.document"."""
    file = BytesIO()
    types = f'<Types><Override PartName="/main.xml" ContentType="{OOXML}.{kind}.main+xml"/></Types>'
    with ZipFile(file, "w", ZIP_DEFLATED) as container:
        for name, content in {"[Content_Types].xml": types, **parts}.items():
            container.writestr(name, content)
    return file.getvalue()


def zip_bomb(size_bytes: int, *, compression: int, claimed_size: int) -> bytes:
    """A small container whose list of parts inflates to `size_bytes`, while its directory claims another size."""
    file = BytesIO()
    with ZipFile(file, "w", compression) as container:
        container.writestr("[Content_Types].xml", bytes(size_bytes))
        container.filelist[0].file_size = claimed_size
    return file.getvalue()
