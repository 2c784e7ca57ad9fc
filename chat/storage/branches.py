"""The entries of a branch, from its messages' rows."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, Final
from uuid import UUID

import orjson
from django.db import connection

from agents.engine.codec import TEXT_KINDS, entries_decode
from agents.engine.messages import Entry

MAX_CUT_POINTS: Final = 4  # of the newest messages, where a branch can be gone on from: who answers or edits anew goes back by one or two
FETCH_ROWS: Final = 500  # made into entries together: they are gone again before they fill the caches and wake the collector
ENTRY_OVERHEAD_BYTES: Final = 400  # of one entry and what is made of it, beside its text

Row = tuple[Any, ...]
Column = tuple[Any, ...]

# Messages from a branch's leaf up to its root, or to one of the known. One index look-up a message: without the LIMIT, which keeps the planner from
# joining, statistics of a time when the table was small make it read all of the organization's messages for each one.
_BRANCH = """
WITH RECURSIVE branch (id, parent_id, depth) AS (
    SELECT id, parent_id, 0 FROM chat_message WHERE organization_id = %(organization)s AND id = %(leaf)s
    UNION ALL
    SELECT m.id, m.parent_id, branch.depth + 1
    FROM branch, LATERAL (
        SELECT id, parent_id FROM chat_message
        WHERE organization_id = %(organization)s AND id = branch.parent_id AND id <> ALL(%(known)s)
        LIMIT 1
    ) m
)
SELECT
    CASE WHEN branch.depth < %(marks)s THEN branch.id END,
    CASE WHEN branch.parent_id = ANY(%(known)s) THEN branch.parent_id END,
    p.kind, p.content::text, p.extras::text
FROM branch LEFT JOIN chat_part p ON p.organization_id = %(organization)s AND p.message_id = branch.id
ORDER BY branch.depth DESC, p.position
"""


@dataclass(frozen=True, slots=True)
class BranchSegment:
    """Entries of a branch, oldest first, files without their text. `after`: the known message that they follow; None: they begin the branch.

    `cut_points`: of the newest messages, the id and how many of the entries there are up to its last. `size_bytes`: of the entries and of what
    a run makes of them, about.
    """

    entries: tuple[Entry, ...]
    after: UUID | None
    cut_points: tuple[tuple[UUID, int], ...]
    size_bytes: int


def branch_entries(*, organization_id: UUID, leaf_id: UUID) -> tuple[Entry, ...]:
    """All entries from the branch's root to the message `leaf_id`, oldest first, files without their text. One query."""
    return branch_segment(organization_id=organization_id, leaf_id=leaf_id).entries


def branch_segment(*, organization_id: UUID, leaf_id: UUID, known: Collection[UUID] = ()) -> BranchSegment:
    """The same from after the nearest message that is `known`. One query."""
    entries: list[Entry] = []
    newest: list[Row] = []
    after, size_bytes = None, 0
    with connection.cursor() as cursor:
        cursor.execute(_BRANCH, {"organization": organization_id, "leaf": leaf_id, "known": list(known), "marks": MAX_CUT_POINTS})
        while rows := cursor.fetchmany(FETCH_ROWS):
            after = after or rows[0][1]
            newest += (row for row in rows if row[0] is not None)
            _, _, kinds, contents, extras = zip(*rows, strict=True)
            entries += _entries(kinds, contents, extras)
            size_bytes += ENTRY_OVERHEAD_BYTES * len(rows) + 2 * _size_bytes(contents) + 2 * _size_bytes(extras)
    return BranchSegment(tuple(entries), after, _cut_points(newest, len(entries)), size_bytes)


def _entries(kinds: Column, contents: Column, extras: Column) -> list[Entry]:
    """Of the rows that are entries: a message may have none."""
    if None in kinds:
        there = [kind is not None for kind in kinds]
        kinds, contents, extras = (tuple(compress(column, there)) for column in (kinds, contents, extras))
    return entries_decode(kinds, _contents(kinds, contents), _extras(extras))


def _size_bytes(texts: Column) -> int:
    return sum(map(str.__sizeof__, filter(None, texts)))


def _contents(kinds: Sequence[str], texts: Sequence[str]) -> list[dict[str, Any]]:
    """orjson is faster, but knows no numbers beyond 64 bits, and no halves of surrogate pairs, which a provider may have signed."""
    others = iter(_json_values(text for kind, text in zip(kinds, texts, strict=True) if kind not in TEXT_KINDS))
    return [orjson.loads(text) if kind in TEXT_KINDS else next(others) for kind, text in zip(kinds, texts, strict=True)]


def _extras(texts: Sequence[str | None]) -> list[dict[str, Any] | None]:
    given = iter(_json_values(text for text in texts if text is not None))
    return [None if text is None else next(given) for text in texts]


def _json_values(texts: Iterable[str]) -> list[Any]:
    """All in one go, which takes the standard library half the time."""
    values: list[Any] = json.loads(f"[{','.join(texts)}]")
    return values


def _cut_points(rows: Sequence[Row], count: int) -> tuple[tuple[UUID, int], ...]:
    """`rows`: of the newest messages; `count`: of all entries."""
    cut_points: dict[UUID, int] = {}
    for message_id, _, kind, *_ in reversed(rows):
        cut_points.setdefault(message_id, count)
        count -= kind is not None
    return tuple(cut_points.items())
