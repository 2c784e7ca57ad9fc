"""Partitions by month: makes those of the coming months, drops empty old ones, and says how it stands (docs/decisions/0078).

A partition has its parent's row security and gives no role a right: its rows are reached through the parent alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone

from tenants.postgres.partition_sql import NAME_FORMAT, PARTITIONED_TABLES

MONTHS_AHEAD: Final = 3
MAX_MOVED_ROWS: Final = 20_000  # of a month that has begun without its partition; so many move within a second


@dataclass(frozen=True, slots=True)
class PartitionState:
    """How it stands with the partitions of a table."""

    table: str
    months_ahead: int  # how many months after this one have a partition, without a gap; -1: this one has none


def partitioned_tables(*, using: str) -> list[str]:
    """Return those that exist: not all do, while the migrations run."""
    with connections[using].cursor() as cursor:
        cursor.execute("select relname::text from pg_class where relkind = 'p' and relname = any(%s)", [sorted(PARTITIONED_TABLES)])
        return sorted(name for (name,) in cursor.fetchall())


def partitions_create(
    table: str, *, using: str, first: date | None = None, months: int = 1 + MONTHS_AHEAD, most: int | None = MAX_MOVED_ROWS
) -> int:
    """Make the partitions that are missing of `months` months, by default from this one on; return how many that were.

    Rows that came before their month's partition move into it. If there are more than `most`, they stay where they are, and the month has
    no partition: queries are right, and slower. Raises OperationalError when a lock was not to be had within a second.
    """
    return _call(using, "tenants_partitions_create(%s, %s, %s, %s)", table, first or timezone.now().date(), months, most)


def partitions_drop(table: str, *, using: str) -> int:
    """Drop partitions of past months that have no rows any more; return how many. Raises OperationalError, as above."""
    return _call(using, "tenants_partitions_drop(%s)", table)


def partitions_analyze(table: str, *, using: str) -> None:
    """Renew what the planner knows of the table as a whole. PostgreSQL does that by itself for each partition alone."""
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        cursor.execute("set local statement_timeout = '2min'")
        cursor.execute("select tenants_partitions_analyze(%s)", [table])


def partition_states(connection: BaseDatabaseWrapper) -> list[PartitionState]:
    """Return how it stands with each table. One statement on the catalogue, which every role may read."""
    with connection.cursor() as cursor:
        cursor.execute(_STATES, {"tables": sorted(PARTITIONED_TABLES), "most": MONTHS_AHEAD, "format": NAME_FORMAT})
        return [PartitionState(table, ahead) for table, ahead in cursor.fetchall()]


def _call(using: str, call: str, *arguments: str | int | date | None) -> int:
    with connections[using].cursor() as cursor:
        cursor.execute(f"select {call}", arguments)
        [count] = cursor.fetchone() or [0]
    return int(count)


_STATES: Final = """
select t.name, coalesce(min(month.ahead) filter (where part.oid is null), %(most)s + 1) - 1
from unnest(%(tables)s::text[]) as t (name)
cross join generate_series(0, %(most)s) as month (ahead)
left join (pg_class part join pg_inherits on inhrelid = part.oid) on part.relnamespace = 'public'::regnamespace
    and part.relname = t.name || to_char((now() at time zone 'UTC') + month.ahead * interval '1 month', %(format)s)
group by t.name order by t.name"""
