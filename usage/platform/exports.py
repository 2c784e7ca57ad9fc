"""Exports of the operator's table of organizations: a line for each, streamed some hundred at a time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any, Final
from uuid import UUID

from security.line_files import csv_head, lines_of
from tenants.db import in_db
from usage.platform.organizations import WEEKS, OrganizationFigures, OrganizationQuery, organizations_after

BATCH: Final = 500
FIGURES: Final = (
    "id",
    "slug",
    "name",
    "plan",
    "is_active",
    "suspension_message",
    "deletion_due_at",
    "members",
    "calls",
    "failed_calls",
    "tokens",
    "unpriced_calls",
    "cost_usd",
    "unpriced_before",
    "cost_before_usd",
    "budget_usd",
    "budget_spent_usd",
    "storage_bytes",
    "active_at",
)
PAUSES_UNKNOWN: Final = "pauses_unknown"  # among troubles, as the page says it
TREND: Final = tuple(f"calls_week_{number}" for number in range(1, WEEKS + 1))  # the oldest first
FIELDS: Final = ("month", *FIGURES, "troubles", *TREND)


async def organizations_export_stream(query: OrganizationQuery, form: str) -> AsyncIterator[bytes]:
    """Give the file in pieces. Each is read in a transaction of its own, so none waits for a slow client. `form`: "csv" or "jsonl"."""
    if form == "csv":
        yield csv_head(FIELDS)
    after: UUID | None = None
    while True:
        rows = await in_db(partial(organizations_after, query, after, BATCH), using="system")
        if rows:
            yield _lines(query, rows, form)
        if len(rows) < BATCH:
            return
        after = rows[-1].id


def _lines(query: OrganizationQuery, rows: Sequence[OrganizationFigures], form: str) -> bytes:
    records = [_record(query, one) for one in rows]
    if form == "csv":
        records = [{**record, "troubles": " ".join(record["troubles"])} for record in records]
    return lines_of(records, form)


def _record(query: OrganizationQuery, one: OrganizationFigures) -> dict[str, Any]:
    """Return a line with the fields of FIELDS, in their order. A cost of which no call has a known price is empty."""
    figures = {name: getattr(one, name) for name in FIGURES}
    costs = {
        "cost_usd": _cost(one.cost_usd, one.unpriced_calls),
        "cost_before_usd": _cost(one.cost_before_usd, one.unpriced_before),
    }
    times = {name: at.isoformat() for name, at in figures.items() if isinstance(at, datetime)}
    budget = {name: _plain(usd) for name, usd in figures.items() if isinstance(usd, Decimal)}
    troubles = [*one.troubles, *([PAUSES_UNKNOWN] if query.paused is None and one.is_active else ())]
    weeks = dict(zip(TREND, one.weeks, strict=True))
    return {"month": f"{query.today:%Y-%m}", **figures, "id": str(one.id), **times, **budget, **costs, "troubles": troubles, **weeks}


def _cost(usd: Decimal, unpriced_calls: int) -> str | None:
    return _plain(usd) if usd or not unpriced_calls else None


def _plain(usd: Decimal) -> str:
    return f"{usd.normalize():f}"
