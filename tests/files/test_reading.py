"""Text of documents, read by the child process; what is hostile ends in words (SECURITY 18)."""

from __future__ import annotations

import subprocess
import sys

import pytest

from files.extraction.text import DOCUMENT_BROKEN, TOO_LONG, ExtractedText, ExtractionLimits, extract_text
from tests.support.files.documents import DRAWING, OOXML, encrypted, excel, office, pdf, powerpoint, word

PDF = "application/pdf"
WORD, EXCEL, SLIDES = (f"{OOXML}.{name}" for name in ("wordprocessingml.document", "spreadsheetml.sheet", "presentationml.presentation"))
MEGABYTE = 1024 * 1024


@pytest.mark.parametrize(
    ("media_type", "content", "text", "pages"),
    [
        (PDF, pdf("All about tea.", "Page two."), "All about tea.\n\fPage two.", 2),
        (PDF, encrypted(pdf("All about tea.")), "All about tea.", 0),
        (WORD, word("All about tea.", table=(("kind", "grams"), ("green", "3"))), "All about tea.\nkind | grams\ngreen | 3", None),
        (EXCEL, excel("Teas", ("kind", "grams", None), ("green, mild", 3, None)), '# Teas\nkind,grams\n"green, mild",3', None),
        (SLIDES, powerpoint("All about tea.", "Thank you."), "# Slide 1\nAll about tea.\n# Slide 2\nThank you.", None),
    ],
)
def test_a_document_gives_its_text_and_pages(media_type: str, content: bytes, text: str, pages: int | None) -> None:
    assert extract_text(content, media_type) == ExtractedText(text, pages=pages)


def test_a_long_text_is_cut_and_says_so() -> None:
    assert extract_text(word("123456", "789"), WORD, ExtractionLimits(characters=8)) == ExtractedText("123456\n7", is_cut=True)


ENTITIES = f'<!DOCTYPE s [<!ENTITY a "{"a" * 1000}"><!ENTITY b "{"&a;" * 1000}"><!ENTITY c "{"&b;" * 1000}">]>'
FOREIGN = '<!DOCTYPE s [<!ENTITY secret SYSTEM "file:///etc/passwd">]>'


def slide(doctype: str, text: str) -> bytes:
    return office(
        "presentationml.presentation",
        {"ppt/slides/slide1.xml": f'{doctype}<s xmlns:a="{DRAWING}"><a:p><a:r><a:t>{text}</a:t></a:r></a:p></s>'},
    )


@pytest.mark.parametrize(
    ("media_type", "content", "reason"),
    [
        (PDF, b"%PDF-1.4\nand nothing more", DOCUMENT_BROKEN),
        (PDF, encrypted(pdf("All about tea."), "secret"), "It is protected by a password."),
        (WORD, b"PK\x03\x04 and nothing more", DOCUMENT_BROKEN),
        (SLIDES, slide(ENTITIES, "&c;"), DOCUMENT_BROKEN),
        (SLIDES, slide(FOREIGN, "&secret;"), DOCUMENT_BROKEN),
        (
            SLIDES,
            office("presentationml.presentation", {"ppt/slides/slide1.xml": bytes(101 * MEGABYTE)}),
            "It unpacks to more than 100 MB.",
        ),
    ],
)
def test_what_cannot_be_read_says_why(media_type: str, content: bytes, reason: str) -> None:
    assert extract_text(content, media_type) == ExtractedText(reason=reason, pages=0 if media_type == PDF else None)


def test_a_document_that_takes_all_time_or_memory_is_given_up() -> None:
    assert extract_text(pdf("Tea."), PDF, ExtractionLimits(wall_s=0.01)).reason == TOO_LONG
    slow = pdf(*[") Tj (" * 200_000] * 5)  # 15 s of work, of which the pages are a hundredth
    assert extract_text(slow, PDF, ExtractionLimits(cpu_s=1)) == ExtractedText(reason=TOO_LONG, pages=5)
    bomb = office("presentationml.presentation", {"ppt/slides/slide1.xml": b"<s>" + b"<p>tea</p>" * (9 * MEGABYTE) + b"</s>"})
    assert extract_text(bomb, SLIDES, ExtractionLimits(memory_bytes=256 * MEGABYTE)).reason in {
        "It needs too much memory to be read.",
        DOCUMENT_BROKEN,
        TOO_LONG,
    }


@pytest.mark.parametrize(
    "attempt",
    [
        "import socket; socket.socket()",
        "open('/etc/hostname')",
        "bytearray(600 * 1024 * 1024)",
    ],
)
def test_the_child_has_no_network_no_files_and_no_memory_to_waste(attempt: str) -> None:
    code = f"import socket\nfrom files.readers.__main__ import confine\nconfine({512 * MEGABYTE}, 10)\ntry:\n    {attempt}\nexcept (OSError, MemoryError):\n    print('refused')"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert process.stdout.endswith("refused\n"), process
