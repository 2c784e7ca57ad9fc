"""How many rows of a table a piece of work reads, by PostgreSQL's own account."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import orjson
from django.db import connection

from tenants.context import tenant_tx


def rows_read(organization_id: UUID, table: str, work: Callable[[], object]) -> int:
    """Return how many rows of the table the work's statements read. The work reads only, and each statement is made twice."""
    row_counts: list[float] = []

    def explain(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", params, many, context)
        (plan,) = context["cursor"].fetchone()
        row_counts.extend(_rows_of((orjson.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"], table))
        return execute(sql, params, many, context)

    with tenant_tx(organization_id), connection.execute_wrapper(explain):
        work()
    return round(sum(row_counts))


def _rows_of(node: dict[str, Any], table: str) -> Iterator[float]:
    if node.get("Relation Name") == table:
        yield node["Actual Rows"] * node["Actual Loops"]
    for inner in node.get("Plans", ()):
        yield from _rows_of(inner, table)
