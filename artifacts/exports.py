"""Artifacts and conversations as files. What takes long or looks at foreign bytes runs in a child process with little time and memory;
call these outside of transactions and of the event loop.
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
from dataclasses import dataclass
from pathlib import PurePosixPath
from threading import BoundedSemaphore, Timer
from typing import Any, Final

import structlog
from django.conf import settings
from django.http import HttpResponse
from django.utils.http import content_disposition_header

from artifacts.errors import ExportBusy, ExportFailed, ExportTooLarge, FormatUnknown
from artifacts.kinds import CODE, IMAGE, MERMAID, PYTHON, SHEET, TEXT, ArtifactKind
from artifacts.rendering import TOO_LARGE
from files.names import clean_name

log = structlog.get_logger(__name__)

SECONDS: Final = 30
MEMORY_BYTES: Final = 1024 * 1024 * 1024
OUTPUT_BYTES: Final = 64 * 1024 * 1024
WAIT_S: Final = 2.0  # for one of the slots
slots = BoundedSemaphore(2)  # so many children at once: each may take MEMORY_BYTES and a processor
SEPARATORS: Final = (",", ";", "\t")
NAME_MAX: Final = 80
UNSAFE = re.compile(r'[<>:"/\\|?*]+')  # in the names of files, on one system or another
QUOTED = re.compile(r'"[^"]*"')
HEAD = re.compile(r'(?:"[^"]*"|[^"\r\n]+)*')  # the first line; quotes may hold line ends
# Nothing in a download can run, load or be framed, whatever a browser takes it for.
POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'"
MEDIA = {
    "md": "text/markdown",
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "py": "text/x-python",
    "csv": "text/csv",
    "png": "image/png",
    "json": "application/json",
}


@dataclass(frozen=True, slots=True)
class Download:
    name: str
    media_type: str
    content: bytes

    def response(self) -> HttpResponse:
        """An attachment under its name (RFC 6266)."""
        charset = "; charset=utf-8" if self.media_type.startswith("text/") else ""
        headers = {
            "Content-Type": f"{self.media_type}{charset}",
            "Content-Disposition": content_disposition_header(as_attachment=True, filename=self.name) or "attachment",
            "Content-Security-Policy": POLICY,
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "private, no-store",
        }
        return HttpResponse(self.content, headers=headers)


@dataclass(frozen=True, slots=True)
class Source:
    """What is exported. `file`: an image's bytes and media type."""

    title: str
    kind: ArtifactKind
    text: str
    file: tuple[bytes, str] | None = None


def artifact_download(source: Source, form: str) -> Download:
    """Raises FormatUnknown for what this kind cannot become, ExportTooLarge, ExportFailed."""
    make = FORMS[source.kind.name].get(form)
    if make is None:
        raise FormatUnknown(f"This artifact can be downloaded as {', '.join(FORMS[source.kind.name])}.")
    return make(source)


def markdown_download(title: str, text: str, form: str) -> Download:
    """A Markdown text as "md" or "pdf". Raises ExportTooLarge, ExportFailed."""
    return artifact_download(Source(title, TEXT, text), form)


def file_name(title: str, extension: str) -> str:
    """Safe on every system; a title that has the extension already keeps it once."""
    stem = UNSAFE.sub("-", clean_name(title.replace("/", "-").replace("\\", "-"))).strip(" .-") or "artifact"
    stem = stem[: -len(extension) - 1] if stem.lower().endswith(f".{extension}") else stem
    return f"{stem[:NAME_MAX].rstrip(' .')}.{extension}"


def fenced(text: str, language: str) -> str:
    """Code in Markdown, whatever backticks are in it."""
    longest = max((len(ticks) for ticks in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.removesuffix(chr(10))}\n{fence}\n"


def markdown_table(text: str) -> str:
    rows = _rows(text)
    if not rows:
        return ""
    width = max(map(len, rows))
    lines = ["| " + " | ".join(_cell(cell) for cell in (*row, *[""] * (width - len(row)))) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]]) + "\n"


def rendered(form: str, source: bytes) -> bytes:
    """The output of artifacts.rendering. Raises ExportBusy, ExportTooLarge, ExportFailed."""
    command = [sys.executable, "-s", "-m", "artifacts.rendering", form, str(MEMORY_BYTES), str(SECONDS)]
    with _slot():
        code, output, errors = _ran(command, source)
    if code < 0 or code == TOO_LARGE or len(output) > OUTPUT_BYTES:
        raise ExportTooLarge
    if code:
        log.warning("export_failed", format=form, code=code, reason=errors[-500:].decode(errors="replace"))
        raise ExportFailed
    return output


@contextmanager
def _slot() -> Iterator[None]:
    if not slots.acquire(timeout=WAIT_S):
        raise ExportBusy
    try:
        yield
    finally:
        slots.release()


def _ran(command: Sequence[str], source: bytes) -> tuple[int, bytes, bytes]:
    """Its code (negative: it was killed, for the time or for the length of its output), at most OUTPUT_BYTES and one, what it complained of."""
    pipe = subprocess.PIPE
    # An empty environment: the child knows no key and no address of ours.
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env={}, cwd=settings.BASE_DIR) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        clock = Timer(2 * SECONDS, child.kill)
        clock.start()
        try:
            with suppress(BrokenPipeError), child.stdin:  # it reads all before it writes
                child.stdin.write(source)
            output = child.stdout.read(OUTPUT_BYTES + 1)
            if len(output) > OUTPUT_BYTES:
                child.kill()
            errors = child.stderr.read()
            return child.wait(), output, errors
        finally:
            clock.cancel()


def _plain(form: str) -> Callable[[Source], Download]:
    return lambda source: Download(file_name(source.title, form), MEDIA[form], source.text.encode())


def _markdown(source: Source) -> Download:
    text = markdown_table(source.text) if source.kind is SHEET else fenced(source.text, _language(source))
    return Download(file_name(source.title, "md"), MEDIA["md"], f"# {source.title}\n\n{text}".encode())


def _document(form: str) -> Callable[[Source], Download]:
    def make(source: Source) -> Download:
        order = json.dumps({"title": source.title, "parts": [_part(source)]}).encode()
        return Download(file_name(source.title, form), MEDIA[form], rendered(form, order))

    return make


def _part(source: Source) -> Mapping[str, Any]:
    if source.kind is TEXT:
        return {"kind": "markdown", "text": source.text}
    return {"kind": "rows", "rows": _rows(source.text)} if source.kind is SHEET else {"kind": "code", "text": source.text}


def _source(source: Source) -> Download:
    """Code keeps the extension that its title has."""
    suffix = PurePosixPath(source.title).suffix[1:]
    extension = suffix if source.kind is CODE and suffix.isalnum() and len(suffix) <= 10 else source.kind.extension
    return Download(file_name(source.title, extension), source.kind.mime, source.text.encode())


def _file(source: Source) -> Download:
    content, media_type = source.file or (b"", IMAGE.mime)
    return Download(file_name(source.title, media_type.rpartition("/")[2]), media_type, content)


def _png(source: Source) -> Download:
    content, media_type = source.file or (b"", IMAGE.mime)
    return Download(file_name(source.title, "png"), IMAGE.mime, content if media_type == IMAGE.mime else rendered("png", content))


def _rows(text: str) -> Sequence[Sequence[str]]:
    """CSV is forgiving: what can't be read as such is one cell a line."""
    table = text.removeprefix("\ufeff")
    try:
        return list(csv.reader(io.StringIO(table, newline=""), delimiter=_separator(table)))
    except csv.Error:
        return [[line] for line in table.splitlines()]


def _separator(text: str) -> str:
    """The one that the first line has most of, as the panel has it."""
    head = HEAD.match(text)
    cells = QUOTED.sub("", head[0] if head else "")
    return max(SEPARATORS, key=cells.count)


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\r", "").replace("\n", "<br>")


def _language(source: Source) -> str:
    return PurePosixPath(source.title).suffix[1:] if source.kind is CODE else source.kind.name


CODE_FORMS = {"source": _source, "md": _markdown, "pdf": _document("pdf"), "docx": _document("docx")}
FORMS: Mapping[str, Mapping[str, Callable[[Source], Download]]] = {
    TEXT.name: {"md": _plain("md"), "source": _plain("md"), "pdf": _document("pdf"), "docx": _document("docx")},
    PYTHON.name: {"py": _plain("py"), **CODE_FORMS},
    MERMAID.name: {"source": _source, "md": _markdown},
    CODE.name: CODE_FORMS,
    SHEET.name: {"csv": _plain("csv"), "source": _plain("csv"), "md": _markdown, "pdf": _document("pdf"), "docx": _document("docx")},
    IMAGE.name: {"source": _file, "png": _png},
}
