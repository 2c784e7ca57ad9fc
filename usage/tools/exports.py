"""Exports of usage by tool: a line for each day and combination of keys, streamed a day at a time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import asdict
from datetime import date
from typing import Any, Final
from uuid import UUID

from security.line_files import csv_head, lines_of
from tenants.db import in_db
from usage.pages.exports import NAMED_DIMENSIONS, names_of
from usage.reading.query import COLUMNS, NONE, UsageQuery
from usage.reading.sums import Scope
from usage.tools.reading import ToolFigures, tool_rows
from usage.tools.result_sums import FIGURES, KEYS

FIELDS: Final = ("day", *KEYS, *(f"{name}_name" for name in NAMED_DIMENSIONS), *FIGURES)


async def tools_export_stream(organization_id: UUID, query: UsageQuery, form: str) -> AsyncIterator[bytes]:
    """Give the file in pieces of a day. Each has a transaction of its own, so none waits for a slow client."""
    if form == "csv":
        yield csv_head(FIELDS)
    for day in query.period.steps():
        lines = await in_db(_day, query, day, form, organization_id=organization_id)
        if lines:
            yield lines


def _day(query: UsageQuery, day: date, form: str) -> bytes:
    rows = tool_rows(Scope.of(query), KEYS, first=day, last=day)
    names = names_of(KEYS, [keys for keys, _ in rows])
    return lines_of([_record(day, keys, figures, names) for keys, figures in rows], form)


def _record(day: date, keys: tuple[Any, ...], figures: ToolFigures, names: dict[str, dict[str, str]]) -> dict[str, Any]:
    """Return a line with the fields of FIELDS, in their order. How much text a provider's own tool gave its model is not known: empty."""
    values = dict(zip(KEYS, keys, strict=True))
    texts = {name: "" if value is None else value if isinstance(value, bool) else str(value) for name, value in values.items()}
    name_fields = {f"{name}_name": names[name][str(texts[COLUMNS[name]]) or NONE] for name in NAMED_DIMENSIONS}
    counts = {**asdict(figures), "result_chars": None if values["by_provider"] else figures.result_chars}
    return {"day": str(day), **texts, **name_fields, **counts}
