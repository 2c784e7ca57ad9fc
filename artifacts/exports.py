"""Exports of artifacts and conversations as files.

Slow work, and any work on untrusted bytes, runs in a child process with limited time and memory. Call these functions outside of
transactions and of the event loop.
"""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from threading import BoundedSemaphore, Timer
from typing import Any, Final

import structlog
from django.conf import settings
from django.http import HttpResponse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext

from artifacts.errors import ExportBusy, ExportFailed, ExportTooLarge, UnknownFormat
from artifacts.kinds import CODE, MARKDOWN, PDF, PNG, TEXT, WORD, ArtifactKind, ExportFormat
from artifacts.rendering import EXIT_TOO_LARGE
from files.names import clean_name
from security.csv_cells import csv_text, has_formula

log = structlog.get_logger(__name__)

MAX_CPU_S: Final = 30
MAX_MEMORY_BYTES: Final = 1024 * 1024 * 1024
MAX_OUTPUT_BYTES: Final = 64 * 1024 * 1024
MAX_SLOT_WAIT_S: Final = 2.0  # until one of the slots is free
slots = BoundedSemaphore(2)  # child processes at once: each may use MAX_MEMORY_BYTES and one processor
SOURCE_FORMATS: Final = ("md", "py", "csv")  # formats that are the source of a kind
SEPARATORS: Final = (",", ";", "\t")
MAX_NAME_CHARS: Final = 80
UNSAFE_CHARACTERS = re.compile(r'[<>:"/\\|?*]+')  # in file names on some operating systems
QUOTED = re.compile(r'"[^"]*"')
FIRST_LINE = re.compile(r'(?:"[^"]*"|[^"\r\n]+)*')  # the first line; quoted cells may contain line breaks
# Nothing in a download can run, load or be framed, whatever type a browser assumes.
DOWNLOAD_POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'"


def download_headers(name: str, media_type: str) -> dict[str, str]:
    """Return the headers of an attachment with its name (RFC 6266)."""
    charset = "; charset=utf-8" if media_type.startswith("text/") else ""
    return {
        "Content-Type": f"{media_type}{charset}",
        "Content-Disposition": content_disposition_header(as_attachment=True, filename=name) or "attachment",
        "Content-Security-Policy": DOWNLOAD_POLICY,
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, no-store",
    }


@dataclass(frozen=True, slots=True)
class Download:
    """A file to download."""

    name: str
    media_type: str
    content: bytes

    def response(self) -> HttpResponse:
        """Return the file as an attachment with its name."""
        return HttpResponse(self.content, headers=download_headers(self.name, self.media_type))


@dataclass(frozen=True, slots=True)
class ExportSource:
    """What is exported."""

    title: str
    kind: ArtifactKind
    text: str
    file: tuple[bytes, str] | None = None  # an image's bytes and media type
    diagrams: Mapping[str, str] = field(default_factory=dict)  # for PDF and Word: base64 PNGs by the diagrams' sources
    keeps_formulas: bool = False  # in CSV; otherwise cells that a spreadsheet would run are escaped


Exporter = Callable[[ExportSource], Download]


def artifact_download(source: ExportSource, form: str) -> Download:
    """Return the artifact as a file of format `form`.

    Raises UnknownFormat for a format that this kind does not have, ExportBusy, ExportTooLarge and ExportFailed.
    """
    exporters = _exporters(source.kind)
    if form not in exporters:
        raise UnknownFormat(gettext("This artifact can be downloaded as %(exporters)s.") % {"exporters": ", ".join(exporters)})
    return exporters[form](source)


def markdown_download(title: str, text: str, form: str) -> Download:
    """Return a Markdown text as "md" or "pdf". Raises ExportBusy, ExportTooLarge and ExportFailed."""
    return artifact_download(ExportSource(title, TEXT, text), form)


def file_name(title: str, extension: str) -> str:
    """Return a file name that is safe on every system. An extension that the title already has is not repeated."""
    stem = UNSAFE_CHARACTERS.sub("-", clean_name(title.replace("/", "-").replace("\\", "-"))).strip(" .-") or "artifact"
    stem = stem[: -len(extension) - 1] if stem.lower().endswith(f".{extension}") else stem
    return f"{stem[:MAX_NAME_CHARS].rstrip(' .')}.{extension}"


def code_fence(text: str, language: str) -> str:
    """Return code as a Markdown fence that is longer than any run of backticks in it."""
    longest = max((len(ticks) for ticks in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.removesuffix(chr(10))}\n{fence}\n"


def markdown_table(text: str) -> str:
    rows = table_rows(text)
    if not rows:
        return ""
    width = max(map(len, rows))
    lines = ["| " + " | ".join(_escape_cell(cell) for cell in (*row, *[""] * (width - len(row)))) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]]) + "\n"


def table_rows(text: str) -> Sequence[Sequence[str]]:
    """Return the rows of a CSV text. What can't be parsed becomes one cell per line."""
    table = text.removeprefix("\ufeff")
    try:
        return list(csv.reader(io.StringIO(table, newline=""), delimiter=_separator(table)))
    except csv.Error:
        return [[line] for line in table.splitlines()]


def render_document(form: str, source: bytes) -> bytes:
    """Return the output of artifacts.rendering. Raises ExportBusy, ExportTooLarge, ExportFailed."""
    command = [sys.executable, "-s", "-m", "artifacts.rendering", form, str(MAX_MEMORY_BYTES), str(MAX_CPU_S)]
    with _slot():
        code, output, errors = _run_child(command, source)
    if code < 0 or code == EXIT_TOO_LARGE or len(output) > MAX_OUTPUT_BYTES:
        raise ExportTooLarge
    if code:
        error = errors.rstrip().rpartition(b"\n")[2].partition(b":")[0]  # of the traceback's last line; its text may quote the document
        log.warning("export_failed", format=form, code=code, error=error[:100].decode(errors="replace"))
        raise ExportFailed
    return output


@contextmanager
def _slot() -> Iterator[None]:
    if not slots.acquire(timeout=MAX_SLOT_WAIT_S):
        raise ExportBusy
    try:
        yield
    finally:
        slots.release()


def _run_child(command: Sequence[str], source: bytes) -> tuple[int, bytes, bytes]:
    """Run the child; return its exit code, at most MAX_OUTPUT_BYTES + 1 bytes of output, and its error output.

    The exit code is negative when the child was killed because of its time or the length of its output.
    """
    pipe = subprocess.PIPE
    # An empty environment, so that the child has none of our keys and addresses.
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env={}, cwd=settings.BASE_DIR) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        clock = Timer(2 * MAX_CPU_S, child.kill)
        clock.start()
        try:
            with suppress(BrokenPipeError), child.stdin:  # the child reads everything before it writes
                child.stdin.write(source)
            output = child.stdout.read(MAX_OUTPUT_BYTES + 1)
            if len(output) > MAX_OUTPUT_BYTES:
                child.kill()
            errors = child.stderr.read()
            return child.wait(), output, errors
        finally:
            clock.cancel()


def _export_source(source: ExportSource) -> Download:
    """Return the source. Code keeps the extension of its title, and a file is as it was uploaded."""
    if source.kind.body == "file":
        content, media_type = _file_of(source)
        return Download(file_name(source.title, media_type.rpartition("/")[2]), media_type, content)
    suffix = PurePosixPath(source.title).suffix[1:]
    extension = suffix if source.kind is CODE and suffix.isalnum() and len(suffix) <= 10 else source.kind.extension
    text = source.text if source.keeps_formulas or source.kind.body != "rows" else _without_formulas(source.text)
    return Download(file_name(source.title, extension), source.kind.mime, text.encode())


def _without_formulas(text: str) -> str:
    """Return the CSV with its formulas escaped; the same text when it has none."""
    rows = table_rows(text)
    return csv_text(rows, _separator(text.removeprefix("\ufeff"))) if has_formula(rows) else text


def _export_markdown(source: ExportSource) -> Download:
    text = markdown_table(source.text) if source.kind.body == "rows" else code_fence(source.text, _language(source))
    return Download(file_name(source.title, MARKDOWN.name), MARKDOWN.mime, f"# {source.title}\n\n{text}".encode())


def _document_exporter(form: ExportFormat) -> Exporter:
    def make(source: ExportSource) -> Download:
        order = json.dumps({"title": source.title, "parts": [_part(source)], "diagrams": dict(source.diagrams)}).encode()
        return Download(file_name(source.title, form.name), form.mime, render_document(form.name, order))

    return make


def _part(source: ExportSource) -> Mapping[str, Any]:
    body = source.kind.body
    return {"kind": body, "rows": table_rows(source.text)} if body == "rows" else {"kind": body, "text": source.text}


def _export_png(source: ExportSource) -> Download:
    content, media_type = _file_of(source)
    return Download(file_name(source.title, PNG.name), PNG.mime, content if media_type == PNG.mime else render_document(PNG.name, content))


def _file_of(source: ExportSource) -> tuple[bytes, str]:
    return source.file or (b"", source.kind.mime)


def _separator(text: str) -> str:
    """Return the separator that is most frequent in the first line, like the panel does."""
    head = FIRST_LINE.match(text)
    cells = QUOTED.sub("", head[0] if head else "")
    return max(SEPARATORS, key=cells.count)


def _escape_cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\r", "").replace("\n", "<br>")


def _language(source: ExportSource) -> str:
    return PurePosixPath(source.title).suffix[1:] if source.kind is CODE else source.kind.name


EXPORTERS: Mapping[str, Exporter] = {
    MARKDOWN.name: _export_markdown,
    PDF.name: _document_exporter(PDF),
    WORD.name: _document_exporter(WORD),
    PNG.name: _export_png,
}


def _exporters(kind: ArtifactKind) -> dict[str, Exporter]:
    """Return what the kind becomes, by format. The extension of its text names its source, too."""
    as_source = {kind.extension: _export_source} if kind.extension in SOURCE_FORMATS and kind.is_editable else {}
    format_names = {form.name for form in kind.exports}
    return {**as_source, "source": _export_source, **{name: make for name, make in EXPORTERS.items() if name in format_names}}
