"""Exports of usage: a line for each day and combination of keys, streamed a day at a time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from datetime import date
from typing import Any, Final
from uuid import UUID

from security.line_files import csv_head, lines_of
from tenants.db import in_db
from usage.call_sums import FIGURES, KEYS
from usage.reading.labels import labels_of
from usage.reading.query import COLUMNS, NONE, UsageQuery
from usage.reading.sums import Scope, Sums, sums_by_columns

NAMED_DIMENSIONS: Final = ("agent", "assistant", "member", "project", "token")
FIELDS: Final = ("day", *KEYS, *(f"{name}_name" for name in NAMED_DIMENSIONS), *FIGURES)


async def export_stream(organization_id: UUID, query: UsageQuery, form: str) -> AsyncIterator[bytes]:
    """Give the file in pieces of a day. Each has a transaction of its own, so none waits for a slow client."""
    if form == "csv":
        yield csv_head(FIELDS)
    for day in query.period.steps():
        lines = await in_db(_day, query, day, form, organization_id=organization_id)
        if lines:
            yield lines


def _day(query: UsageQuery, day: date, form: str) -> bytes:
    rows = sums_by_columns(Scope.of(query), KEYS, day, day)
    names = names_of(KEYS, [keys for keys, _ in rows])
    return lines_of([_record(day, keys, sums, names) for keys, sums in rows], form)


def names_of(columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> dict[str, dict[str, str]]:
    """Return the names of the keys in rows of these columns, by dimension and key. A statement for each dimension."""
    names = {}
    for name in NAMED_DIMENSIONS:
        place = columns.index(COLUMNS[name])
        names[name] = labels_of(name, {str(keys[place] or NONE) for keys in rows})
    return names


def _record(day: date, keys: tuple[Any, ...], sums: Sums, names: dict[str, dict[str, str]]) -> dict[str, Any]:
    """Return a line with the fields of FIELDS, in their order. A cost without a known price is empty."""
    texts = {name: str(key) if key is not None else "" for name, key in zip(KEYS, keys, strict=True)}
    name_fields = {f"{name}_name": names[name][texts[COLUMNS[name]] or NONE] for name in NAMED_DIMENSIONS}
    cost_usd = sums.known_cost_usd
    figures = {**asdict(sums), "cost_usd": None if cost_usd is None else f"{sums.cost_usd.normalize():f}"}
    return {"day": str(day), **texts, **name_fields, **figures}
