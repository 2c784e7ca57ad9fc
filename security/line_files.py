"""Exports with one record on each line, which admins download: CSV for spreadsheets, JSON lines for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson
from django.http.response import HttpResponseBase

from security.csv_cells import csv_text

FORMATS: Final[Mapping[str, str]] = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}


def csv_head(fields: Sequence[str]) -> bytes:
    """Return the first line of CSV. JSON lines have none: each names its fields."""
    return csv_text([fields]).encode()


def lines_of(records: Sequence[Mapping[str, Any]], form: str) -> bytes:
    """Return the records as lines. All have the same fields, in the order of the head."""
    if form == "csv":
        return csv_text([list(record.values()) for record in records]).encode()
    return b"".join(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE) for record in records)


def as_attachment(response: HttpResponseBase, media_type: str, name: str) -> HttpResponseBase:
    """Have the browser save the response under a name."""
    response.headers["Content-Type"] = media_type
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
