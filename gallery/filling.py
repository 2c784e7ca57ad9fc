"""Puts values into a template's text, so that a program still compiles, a diagram is still drawn and a sheet keeps its columns. Pure."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping

from gallery.models import MAX_TITLE_CHARS, TemplateKind
from gallery.placeholders import GAP

_HEADING = re.compile(r"^#[ \t]+(\S[^\n]*)", re.MULTILINE)


def placeholders_replace(kind: str, body: str, values: Mapping[str, str]) -> str:
    """Return the text with its placeholders replaced by `values`; gaps without a value stay."""
    if kind == TemplateKind.SHEET:
        return _filled_sheet(body, values)
    escape = {TemplateKind.PYTHON: _in_python, TemplateKind.MERMAID: _in_mermaid}.get(TemplateKind(kind), str)
    return _replace(body, values, escape)


def title_of(kind: str, text: str, title: str) -> str:
    """Return the title of what was made: a document's first heading, else the template's title."""
    match = _HEADING.search(text) if kind == TemplateKind.TEXT else None
    return match[1].strip(" #")[:MAX_TITLE_CHARS] if match else title


def _replace(text: str, values: Mapping[str, str], escape: Callable[[str], str]) -> str:
    def value(match: re.Match[str]) -> str:
        name = match[1].strip()
        return escape(values[name]) if name in values else match[0]

    return GAP.sub(value, text)


def _in_python(value: str) -> str:
    """Within any kind of quotes. A number, which stands without them, has nothing to escape."""
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("'", "\\'").replace("\r", "").replace("\n", "\\n")


def _in_mermaid(value: str) -> str:
    """Within quotes, and in messages, which a semicolon would end."""
    return " ".join(value.split()).replace(";", "#59;").replace('"', "#quot;")


def _filled_sheet(body: str, values: Mapping[str, str]) -> str:
    rows = csv.reader(io.StringIO(body, newline=""))
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows([_replace(cell, values, str) for cell in row] for row in rows)
    return out.getvalue()
