"""What is to be indexed, of all organizations in turn: a backlog of one delays no other's new texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from tenants.postgres.prepared_statements import read_rows

MAX_ROWS_READ: Final = 20_000  # in a round, of organizations with a backlog; of more organizations than that one row each

# Jumps from organization to organization in the partial index of what is due, and reads the first rows of each. A window over all due rows
# would read every one of them each time: after an import or an update of Parley these are all that there are.
_IN_TURNS = """
WITH RECURSIVE organization AS (
    (SELECT organization_id AS id FROM {table} WHERE {due} ORDER BY organization_id LIMIT 1)
    UNION ALL
    SELECT (
        SELECT organization_id FROM {table} WHERE {due} AND organization_id > organization.id ORDER BY organization_id LIMIT 1
    ) FROM organization WHERE organization.id IS NOT NULL
)
SELECT organization.id, waiting.id FROM organization CROSS JOIN LATERAL (
    SELECT id, updated_at, row_number() OVER (ORDER BY updated_at) AS turn FROM {table}
    WHERE {due} AND organization_id = organization.id ORDER BY updated_at
    LIMIT LEAST(%(limit)s, GREATEST(%(rows)s / (SELECT count(id) FROM organization), 1))
) AS waiting
ORDER BY waiting.turn, waiting.updated_at LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True)
class DueRow:
    """A row whose text has changed since it was indexed."""

    organization_id: UUID
    id: UUID


def due_in_turns(table: str, due: str, limit: int) -> list[DueRow]:
    """Return rows of the table that are due. Organizations take turns; of each the longest waiting comes first.

    `due`: the condition, as SQL. Needs a partial index with it of organization and `updated_at`.
    """
    sql = _IN_TURNS.format(table=table, due=due)
    return [DueRow(*row) for row in read_rows(sql, {"limit": limit, "rows": MAX_ROWS_READ}, using="system")]
