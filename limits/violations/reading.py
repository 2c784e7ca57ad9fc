"""Sums of refusals, by limit and by member. They are events of the audit log with the kind "limit" (security.audit.refusals)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, Exists, Max, OuterRef, QuerySet, Subquery, Sum
from django.utils import timezone

from admin_config.models import AppSettings
from security.models import AuditEvent
from tenants.models import Organization

KIND: Final = "limit"
REPEATED_WITHIN: Final = timedelta(hours=1)
MAX_REPEATED: Final = 20  # limits that owners hear of at once


@dataclass(frozen=True, slots=True)
class Refusals:
    """What one limit refused."""

    limit: str  # as limits.errors names it
    words: str
    count: int
    members: int
    last: datetime


def refusals_by_limit(events: QuerySet[AuditEvent], *, most: int) -> list[Refusals]:
    """Return the limits that refused most, from events of refusals. One statement."""
    return _rows(_sums(events), most)


def _sums(events: QuerySet[AuditEvent]) -> Any:
    return events.order_by().values("object_id").annotate(
        words=Max("object_label"), refused=Sum("count"), members=Count("actor_user_id", distinct=True), last=Max("created_at")
    )  # fmt: skip


def _rows(sums: Any, most: int) -> list[Refusals]:
    rows = sums.order_by("-refused", "object_id")[:most]
    return [Refusals(row["object_id"], row["words"], row["refused"], row["members"], row["last"]) for row in rows]


def refusals_by_member(events: QuerySet[AuditEvent], *, most: int) -> dict[int | None, int]:
    """Return how often the members who were refused most were, by user; None: in work that nobody in particular began. One statement."""
    rows = events.order_by().values("actor_user_id").annotate(refused=Sum("count")).order_by("-refused", "actor_user_id")[:most]
    return {row["actor_user_id"]: row["refused"] for row in rows}


def repeated_refusals() -> list[Refusals]:
    """Return the limits that refused so often within the last hour that owners are to hear of it. One statement."""
    threshold = Subquery(AppSettings.objects.values("refusals_alert")[:1])  # NULL: never
    recent = AuditEvent.objects.filter(object_kind=KIND, created_at__gte=timezone.now() - REPEATED_WITHIN)
    return _rows(_sums(recent).filter(refused__gte=threshold), MAX_REPEATED)


def organizations_with_refusals() -> list[UUID]:
    """Return the organizations in which something was refused within the last hour. One statement, an index look for each organization."""
    since = timezone.now() - REPEATED_WITHIN
    refusals = AuditEvent.unscoped.using("system").filter(organization_id=OuterRef("pk"), object_kind=KIND, created_at__gte=since)
    return list(Organization.objects.using("system").filter(Exists(refusals), is_active=True).values_list("pk", flat=True))
