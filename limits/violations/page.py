"""What the page of violations shows: sums by limit and by member, and the events that they are made of, a page at a time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest

from limits.violations.reading import KIND, refusals_by_limit, refusals_by_member
from security.audit.exports import members
from security.audit.reading import PARLEY, PERIODS, AuditFilters, audit_page, audit_rows, people_of
from security.audit.records import actor_name
from security.models import AuditEvent
from tenants.admin import actor_of
from tenants.errors import BadRequest
from tenants.models import User

MAX_LIMITS = 20
MAX_MEMBERS = 10
PERIOD_KEYS = ("1", "7", "30", "all")  # periods


@dataclass(frozen=True, slots=True)
class Line:
    """A minute in which a limit refused somebody something."""

    at: datetime
    who: str
    words: str
    count: int
    href: str


def violations_context(request: HttpRequest) -> dict[str, Any]:
    """Return the template's context. Four statements, and one for a name in the filter.

    The filters are those of the audit log, so that its export gives the same events as a file.
    """
    query_filters = AuditFilters.from_query({**request.GET.dict(), "kind": KIND, "what": "", "outcome": ""})
    filters = query_filters if query_filters.period in PERIOD_KEYS else AuditFilters(q=query_filters.q, who=query_filters.who, kind=KIND)
    events = audit_rows(AuditEvent.objects.all(), filters, people=members(actor_of(request).organization_id))
    cursor = request.GET.get("cursor", "")
    try:
        page = audit_page(events, cursor)
    except BadRequest:  # an address that somebody shortened: begin at the top
        cursor, page = "", audit_page(events, "")
    by_member = refusals_by_member(events, most=MAX_MEMBERS)
    names = people_of([*page.rows, *(AuditEvent(actor_user_id=user_id) for user_id in by_member if user_id)])
    limits = refusals_by_limit(events, most=MAX_LIMITS)
    return {
        "filters": filters,
        "periods": [(key, PERIODS[key]) for key in PERIOD_KEYS],
        "limits": [(refusals, f"?{_query(filters, q=refusals.limit)}") for refusals in limits],
        "members": [
            (_name(names, user_id), count, f"?{_query(filters, who=str(user_id or PARLEY))}") for user_id, count in by_member.items()
        ],
        "lines": [_line(row, names) for row in page.rows],
        "chosen": next((refusals.words for refusals in limits if refusals.limit == filters.q), filters.q),
        "is_filtered": bool(filters.q or filters.who),
        "older": f"?{_query(filters, cursor=page.older)}" if page.older else "",
        "newest": f"?{_query(filters)}" if cursor else "",
    }


def _query(filters: AuditFilters, *, cursor: str = "", **changes: str) -> str:
    return filters.query(**{"kind": "", **changes}, **({"cursor": cursor} if cursor else {}))


def _name(names: dict[int, User], user_id: int | None) -> str:
    return actor_name(AuditEvent(actor_user_id=user_id), names)


def _line(row: AuditEvent, names: dict[int, User]) -> Line:
    return Line(row.created_at, actor_name(row, names), row.object_label, row.count, f"?event={row.pk}&kind={KIND}&period=all")
