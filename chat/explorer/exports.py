"""Exports of the list of runs: a line for each run with its figures, newest first. There are no texts of members in them, whatever the policy is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Final
from uuid import UUID

from django.utils.translation import gettext

from chat.explorer.filters import STATE_OF, RunFilters, runs_matching, runs_matching_with_answers
from security.line_files import csv_head, lines_of
from tenants.db import in_db
from tenants.errors import BadRequest
from tenants.localization.figures import figure
from tenants.rest.pagination import newest_first, time_cursor

MAX_RUNS: Final = 100_000  # of one file
BATCH: Final = 1000  # runs of one statement
COLUMNS: Final = (
    "pk",
    "created_at",
    "finished_at",
    "status",
    "error_code",
    "conversation_id",
    "conversation__owner_id",
    "conversation__owner__user__name",
    "conversation__owner__user__email",
    "conversation__is_trial",
    "assistant",
    "display",
    "replay_of_id",
    "step",
    "usage",
    "tokens",
    "cost_usd",
    "first_token_ms",
    "duration_ms",
    "waited_ms",
    "rating",
)
KINDS_OF_TOKENS: Final = ("input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "thinking_tokens")
FIELDS: Final = (
    "id",
    "created_at",
    "finished_at",
    "state",
    "error",
    "conversation_id",
    "member_id",
    "member_name",
    "assistant",
    "assistant_name",
    "release",
    "model",
    "provider",
    "is_trial",
    "replay_of",
    "steps",
    *KINDS_OF_TOKENS,
    "tokens",
    "cost_usd",
    "first_token_ms",
    "duration_ms",
    "waited_ms",
    "rating",
)


def require_exportable(filters: RunFilters) -> None:
    """Raises BadRequest when the runs of the filters don't fit into one file. Reads at most one more than that."""
    if runs_matching(filters).order_by().values("pk")[: MAX_RUNS + 1].count() > MAX_RUNS:
        text = gettext("A file can have %(count)s runs, and these are more. Choose a shorter time or add a filter, then export again.")
        raise BadRequest(text % {"count": figure(MAX_RUNS)})


async def export_stream(organization_id: UUID, filters: RunFilters, form: str) -> AsyncIterator[bytes]:
    """Give the file in pieces. Each batch has a transaction of its own, so none waits for a slow client, and asks anew what may be read."""
    if form == "csv":
        yield csv_head(FIELDS)
    cursor, run_count = "", 0
    while run_count < MAX_RUNS:
        lines, count, cursor = await in_db(_batch, filters, form, cursor, organization_id=organization_id)
        run_count += count
        if lines:
            yield lines
        if not cursor:
            return


def _batch(filters: RunFilters, form: str, cursor: str) -> tuple[bytes, int, str]:
    """Return the lines after the cursor, how many they are, and the next cursor; an empty one at the end."""
    rows = list(newest_first(runs_matching_with_answers(filters), field="created_at", cursor=cursor).values(*COLUMNS)[:BATCH])
    following = time_cursor(rows[-1]["created_at"], rows[-1]["pk"]) if len(rows) == BATCH else ""
    return lines_of([_record(row) for row in rows], form), len(rows), following


def _record(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a line with the fields of FIELDS, in their order. A cost without a known price is empty."""
    display, usage, finished_at = row["display"], row["usage"], row["finished_at"]
    values = (
        str(row["pk"]),
        row["created_at"].isoformat(),
        finished_at.isoformat() if finished_at else None,
        STATE_OF[row["status"]],
        row["error_code"],
        str(row["conversation_id"]),
        str(row["conversation__owner_id"]),
        row["conversation__owner__user__name"] or row["conversation__owner__user__email"],
        row["assistant"],
        display.get("assistant", {}).get("name", ""),
        display.get("release"),
        display.get("modelName", ""),
        display.get("provider", ""),
        row["conversation__is_trial"],
        str(row["replay_of_id"] or ""),
        row["step"],
        *(usage.get(kind, 0) for kind in KINDS_OF_TOKENS),
        row["tokens"],
        row["cost_usd"],
        row["first_token_ms"],
        row["duration_ms"],
        row["waited_ms"],
        row["rating"] or "",
    )
    return dict(zip(FIELDS, values, strict=True))
