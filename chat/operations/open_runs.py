"""Runs that nobody works on although somebody has to, and runs that wait for a person: why, and for how long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Case, Q, QuerySet, Value, When
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from chat.models import Approval, Run
from chat.storage.open_runs import STUCK_S

MAX_RUNS: Final = 30
WAITS: Final = {
    Run.Status.WAITING_FOR_REPLY: gettext_lazy("Its member is to answer a question"),
    Run.Status.WAITING_FOR_CLIENT: gettext_lazy("The page is to carry out a call"),
    Run.Status.WAITING_FOR_APPROVAL: gettext_lazy("Its member is to allow a call"),
}
_COLUMNS: Final = (
    "pk", "organization_id", "organization__name", "conversation__owner__user__name", "assistant", "status", "step", "lease_owner",
    "lease_expires_at", "stop_requested_at", "paused_at", "created_at", "takeovers", "is_stuck",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run of the board."""

    id: UUID
    organization_id: UUID
    organization: str
    member: str
    assistant: str
    is_stuck: bool
    reason: str
    since: datetime
    may_move: bool  # to another process: one has to work on it


def runs_to_look_at(runs: QuerySet[Run], approvals: QuerySet[Approval]) -> list[OpenRun]:
    """Return stuck runs, then waiting ones, the longest first, at most MAX_RUNS. Two statements, the first on an index of open runs."""
    now = timezone.now()
    long_ago = now - timedelta(seconds=STUCK_S)
    stuck = Q(status__in=Run.ACTIVE, lease_expires_at__lt=long_ago) | Q(stop_requested_at__lt=long_ago)
    open_now = runs.filter(stuck | Q(status__in=Run.WAITING), finished_at=None, conversation__is_trial=False)
    marked_runs = open_now.annotate(is_stuck=Case(When(stuck, then=Value(True)), default=Value(False)))
    rows = list(marked_runs.order_by("-is_stuck", "created_at").values(*_COLUMNS)[:MAX_RUNS])
    tools = _tools([row["pk"] for row in rows if row["status"] == Run.Status.WAITING_FOR_APPROVAL], approvals)
    return [_open_run(row, tools.get(row["pk"], "")) for row in rows]


def _tools(run_ids: Sequence[UUID], approvals: QuerySet[Approval]) -> dict[UUID, str]:
    """Return the tools that the runs wait to call."""
    pending = approvals.filter(run_id__in=run_ids, status=Approval.Status.PENDING)
    return dict(pending.values_list("run_id", "tool_name")) if run_ids else {}


def _open_run(row: dict[str, Any], tool: str) -> OpenRun:
    since = row["lease_expires_at"] if row["is_stuck"] else row["paused_at"] or row["created_at"]
    return OpenRun(
        id=row["pk"],
        organization_id=row["organization_id"],
        organization=row["organization__name"],
        member=row["conversation__owner__user__name"],
        assistant=row["assistant"],
        is_stuck=row["is_stuck"],
        reason=_stuck_reason(row) if row["is_stuck"] else f"{WAITS[row['status']]}{f': {tool}' if tool else ''}",
        since=min(since, row["stop_requested_at"] or since),
        may_move=row["status"] in Run.ACTIVE,
    )


def _stuck_reason(row: dict[str, Any]) -> str:
    if row["stop_requested_at"]:
        state = gettext("Did not stop when asked, step %(step)d") % {"step": row["step"]}
    else:
        state = gettext("No process works on it, step %(step)d") % {"step": row["step"]}
    takeovers = row["takeovers"]
    return state + (gettext("; lost by %(lost)d processes in a row") % {"lost": takeovers} if takeovers > 1 else "")
