"""Reads providers' usage exports (CSV), by day and model (docs/admin.md lists the columns)."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Final

from django.utils.translation import gettext

from tenants.errors import BadRequest
from tenants.localization.figures import figure
from usage.reading.query import FIRST, LAST

MAX_BYTES: Final = 5 * 1024 * 1024
MAX_LINES: Final = 200_000
FIELDS: Final = ("input_tokens", "cached_tokens", "output_tokens", "cost_usd")


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a file are added up for what. Only what a file has is compared."""

    day: tuple[str, ...]  # the first of these that is there
    model: tuple[str, ...]
    added: Mapping[str, tuple[str, ...]]  # a field of FIELDS: all columns that are part of it


# Anthropic's and OpenAI's columns are those of the files that their consoles gave in 2026; input counts what came from a cache, and
# output what was thought. Google's console has no file of tokens by model: make one with the plain columns from its billing data.
PLAIN: Final = Columns(
    day=("day", "date"),
    model=("model",),
    added={name: (name,) for name in FIELDS},
)
PROVIDERS: Final[Mapping[str, Columns]] = {
    "openai": Columns(
        day=("start_time_iso", "start_time", "date"),
        model=("model",),
        added={"input_tokens": ("input_tokens",), "cached_tokens": ("input_cached_tokens",), "output_tokens": ("output_tokens",)},
    ),
    "anthropic": Columns(
        day=("usage_date_utc",),
        model=("model_version", "model"),
        added={
            "input_tokens": (
                "usage_input_tokens_no_cache",
                "usage_input_tokens_cache_write_5m",
                "usage_input_tokens_cache_write_1h",
                "usage_input_tokens_cache_read",
            ),
            "cached_tokens": ("usage_input_tokens_cache_read",),
            "output_tokens": ("usage_output_tokens",),
        },
    ),
}

ProviderSums = dict[tuple[date, str], dict[str, Decimal]]  # by day and model


class ExportUnreadable(BadRequest):
    """The file is no usage export that can be read. The message says where and why."""


def export_read(content: bytes, *, provider: str, own: Mapping[str, str]) -> ProviderSums:
    """Return the sums of each day (UTC) and model. `own`: names of columns, by "day", "model" and FIELDS; empty: the provider's own.

    Raises ExportUnreadable.
    """
    if len(content) > MAX_BYTES:
        raise ExportUnreadable(
            gettext("The file is larger than %(value)s MB. Export a shorter time.") % {"value": MAX_BYTES // 1024 // 1024}
        )
    try:
        reader = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
        header = [name.strip() for name in reader.fieldnames or ()]
        reader.fieldnames = header
        columns = _columns(header, provider, own)
        return _sums(reader, columns)
    except (UnicodeDecodeError, csv.Error) as error:
        raise ExportUnreadable(gettext("The file is not CSV in UTF-8.")) from error


def _columns(header: list[str], provider: str, own: Mapping[str, str]) -> Columns:
    """Return the columns that the file has."""
    provider_columns = PROVIDERS.get(provider, PLAIN)
    if own:
        provider_columns = Columns(
            (own.get("day", "day"),), (own.get("model", "model"),), {name: (own[name],) for name in FIELDS if name in own}
        )
        column_names = (
            *provider_columns.day,
            *provider_columns.model,
            *(name for names in provider_columns.added.values() for name in names),
        )
        if absent := [name for name in column_names if name not in header]:
            raise ExportUnreadable(
                gettext("The file has no column %(value)s. It has: %(value_2)s.") % {"value": absent[0], "value_2": ", ".join(header)[:300]}
            )
    for columns in (provider_columns, PLAIN):
        day = tuple(name for name in columns.day if name in header)
        model = tuple(name for name in columns.model if name in header)
        added = {
            field: present_names
            for field, names in columns.added.items()
            if (present_names := tuple(name for name in names if name in header))
        }
        if day and model and added:
            return Columns(day[:1], model[:1], added)
    raise ExportUnreadable(
        gettext("The file has no columns for day, model and tokens that are known. It has: %(value)s.") % {"value": ", ".join(header)[:300]}
    )


def _sums(reader: csv.DictReader[str], columns: Columns) -> ProviderSums:
    provider_sums: ProviderSums = defaultdict(lambda: dict.fromkeys(columns.added, Decimal(0)))
    for number, line in enumerate(reader, start=2):
        if number > MAX_LINES:
            raise ExportUnreadable(
                gettext("The file has more than %(max_lines)s lines. Export a shorter time.") % {"max_lines": figure(MAX_LINES)}
            )
        model = (line.get(columns.model[0]) or "").strip()
        if not model:
            continue  # totals, and what belongs to no model
        sums = provider_sums[_day(line.get(columns.day[0]) or "", number), model]
        for field, names in columns.added.items():
            sums[field] += sum((_amount(line.get(name) or "", name, number) for name in names), Decimal(0))
    if not provider_sums:
        raise ExportUnreadable(gettext("The file has no line with a model."))
    return dict(provider_sums)


def _day(text: str, number: int) -> date:
    try:
        day = _utc_day(text.strip())
    except (ValueError, OverflowError, OSError) as error:
        raise ExportUnreadable(gettext("Line %(number)s: %(value)s is no day.") % {"number": number, "value": f"{text[:40]!r}"}) from error
    if not FIRST <= day < LAST:
        raise ExportUnreadable(
            gettext("Line %(number)s: %(value)s is no day between %(year)s and %(year_2)s.")
            % {"number": number, "value": f"{text[:40]!r}", "year": FIRST.year, "year_2": LAST.year}
        )
    return day


def _utc_day(text: str) -> date:
    if text.isdecimal():
        return datetime.fromtimestamp(int(text), UTC).date()
    moment = datetime.fromisoformat(text.replace(" UTC", "+00:00"))
    return (moment.astimezone(UTC) if moment.tzinfo else moment).date()


def _amount(text: str, column: str, number: int) -> Decimal:
    try:
        amount = Decimal(text.strip().replace(",", "") or 0)
    except InvalidOperation as error:
        raise ExportUnreadable(
            gettext("Line %(number)s, %(column)s: %(value)s is no number.")
            % {"number": number, "column": column, "value": f"{text[:40]!r}"}
        ) from error
    if not amount.is_finite() or abs(amount) > 10**18:
        raise ExportUnreadable(
            gettext("Line %(number)s, %(column)s: %(value)s is no number that can be added up.")
            % {"number": number, "column": column, "value": f"{text[:40]!r}"}
        )
    return amount
