"""Reads the entries of a branch: the messages from a conversation's root to one of its leaves."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress
from typing import Any, Final
from uuid import UUID

import orjson
from django.db import connection

from agents.entry_codec import TEXT_KINDS, entries_decode
from agents.messages import Entry

# How many of the newest messages a cached branch can be cut at. Regenerating or editing goes back by one or two messages.
MAX_CUT_POINTS: Final = 4
# Rows that are decoded together. Few enough to be freed before they fill the CPU caches and trigger the garbage collector.
FETCH_ROWS: Final = 500
ENTRY_OVERHEAD_BYTES: Final = 400  # estimate for one entry and the values derived from it, without its text

Row = tuple[Any, ...]
Column = tuple[Any, ...]

# Messages from a branch's leaf up to its root, or up to a known message. One index lookup per message: LIMIT keeps the planner from
# choosing a join. With statistics from when the table was small, a join would read all of the organization's messages for each one.
_BRANCH = """
WITH RECURSIVE branch (id, parent_id, depth) AS (
    SELECT id, parent_id, 0 FROM chat_message WHERE organization_id = %(organization)s AND id = {leaf} AND id <> ALL(%(known)s)
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
_BRANCH_TO_MESSAGE = _BRANCH.format(leaf="%(leaf)s")
_BRANCH_TO_HEAD = _BRANCH.format(
    leaf="(SELECT head_id FROM chat_conversation WHERE organization_id = %(organization)s AND id = %(conversation)s)"
)


@dataclass(frozen=True, slots=True)
class BranchSegment:
    """Consecutive entries at the end of a branch."""

    entries: tuple[Entry, ...]  # oldest first, files without their text
    after: UUID | None  # the known message that they follow; None: they begin the branch
    cut_points: tuple[tuple[UUID, int], ...]  # newest messages first: (message id, number of `entries` up to its end)
    size_bytes: int  # estimate for the entries and for what a run derives from them


def branch_entries(*, organization_id: UUID, leaf_id: UUID) -> tuple[Entry, ...]:
    """Return all entries from the root to the message `leaf_id`, oldest first, files without their text. One query."""
    return branch_segment(organization_id=organization_id, leaf_id=leaf_id).entries


def branch_segment(*, organization_id: UUID, leaf_id: UUID, known_ids: Collection[UUID] = ()) -> BranchSegment:
    """Return the entries after the nearest message of `known_ids`, or from the root, up to the message `leaf_id`. One query.

    Empty when the leaf itself is known.
    """
    with connection.cursor() as cursor:
        cursor.execute(_BRANCH_TO_MESSAGE, {**_values(organization_id, known_ids), "leaf": leaf_id})
        return _segment(iter(partial(cursor.fetchmany, FETCH_ROWS), []))


def head_segment_select(*, organization_id: UUID, conversation_id: UUID, known_ids: Collection[UUID]) -> tuple[str, dict[str, Any]]:
    """Return the select of `branch_segment` for a conversation's head, for `read_together` and `segment_from_rows`."""
    return _BRANCH_TO_HEAD, {**_values(organization_id, known_ids), "conversation": conversation_id}


def segment_from_rows(rows: Sequence[Row]) -> BranchSegment:
    """Return what the rows of `head_segment_select` contain."""
    return _segment([rows] if rows else [])


def _values(organization_id: UUID, known_ids: Collection[UUID]) -> dict[str, Any]:
    return {"organization": organization_id, "known": list(known_ids), "marks": MAX_CUT_POINTS}


def _segment(batches: Iterable[Sequence[Row]]) -> BranchSegment:
    entries: list[Entry] = []
    newest: list[Row] = []
    after, size_bytes = None, 0
    for rows in batches:
        after = after or rows[0][1]
        newest += (row for row in rows if row[0] is not None)
        _, _, kinds, contents, extras = zip(*rows, strict=True)
        entries += _entries(kinds, contents, extras)
        size_bytes += ENTRY_OVERHEAD_BYTES * len(rows) + 2 * _size_bytes(contents) + 2 * _size_bytes(extras)
    return BranchSegment(tuple(entries), after, _cut_points(newest, len(entries)), size_bytes)


def _entries(kinds: Column, contents: Column, extras: Column) -> list[Entry]:
    """Decode the rows into entries. A message without parts gives a row without an entry."""
    if None in kinds:
        there = [kind is not None for kind in kinds]
        kinds, contents, extras = (tuple(compress(column, there)) for column in (kinds, contents, extras))
    return entries_decode(kinds, _contents(kinds, contents), _extras(extras))


def _size_bytes(texts: Column) -> int:
    return sum(map(str.__sizeof__, filter(None, texts)))


def _contents(kinds: Sequence[str], texts: Sequence[str]) -> list[dict[str, Any]]:
    """Parse the contents; texts with orjson, which is faster.

    The other kinds need the standard library: orjson refuses numbers beyond 64 bits and lone surrogates, which a provider may have signed.
    """
    others = iter(_json_values(text for kind, text in zip(kinds, texts, strict=True) if kind not in TEXT_KINDS))
    return [orjson.loads(text) if kind in TEXT_KINDS else next(others) for kind, text in zip(kinds, texts, strict=True)]


def _extras(texts: Sequence[str | None]) -> list[dict[str, Any] | None]:
    values = iter(_json_values(text for text in texts if text is not None))
    return [None if text is None else next(values) for text in texts]


def _json_values(texts: Iterable[str]) -> list[Any]:
    """Parse all texts as one JSON array, which takes half the time of parsing them one by one."""
    values: list[Any] = json.loads(f"[{','.join(texts)}]")
    return values


def _cut_points(rows: Sequence[Row], count: int) -> tuple[tuple[UUID, int], ...]:
    """Return the cut points, newest first. `rows`: those of the newest messages; `count`: the number of all entries."""
    cut_points: dict[UUID, int] = {}
    for message_id, _, kind, *_ in reversed(rows):
        cut_points.setdefault(message_id, count)
        count -= kind is not None
    return tuple(cut_points.items())
