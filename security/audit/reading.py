"""Reading the audit logs: filters that live in the page's address, one page at a time, and the names of people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeVar
from urllib.parse import urlencode
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from security.audit.actions import CATEGORIES
from security.audit_models import AuditFields
from tenants.input.short_text import short_text
from tenants.models import User
from tenants.rest.pagination import time_cursor, time_cursor_decode

PAGE_SIZE: Final = 50
PERIODS: Final[Mapping[str, str | Promise]] = {
    "1": gettext_lazy("Last 24 hours"),
    "7": gettext_lazy("Last 7 days"),
    "30": gettext_lazy("Last 30 days"),
    "all": gettext_lazy("Any time"),
    "dates": gettext_lazy("Dates"),
}
DEFAULT_PERIOD: Final = "7"
OUTCOMES: Final[Mapping[str, str | Promise]] = {
    "refused": gettext_lazy("Refused"),
    "failed": gettext_lazy("Failed"),
    "not_done": gettext_lazy("Refused or failed"),
}
PARLEY: Final = "parley"
STRANGERS: Final = "strangers"
MAX_PEOPLE: Final = 50  # that a name in the filter may mean
LAST_CHARACTER: Final = "\U0010ffff"  # of the collation "C"
_UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE)
_ADDRESS = re.compile(r"[0-9]{1,3}\.[0-9.]*(/[0-9]+)?|[0-9a-f]{0,4}:[0-9a-f:.]*(/[0-9]+)?", re.IGNORECASE)

Row = TypeVar("Row", bound=AuditFields)


@dataclass(frozen=True, slots=True)
class AuditFilters:
    """What the page's address asks for. Unknown and malformed values count as none."""

    q: str = ""  # an id, a request id, an address, or how an object's name begins
    period: str = DEFAULT_PERIOD
    since: str = ""  # YYYY-MM-DD in the zone `tz`, for the period "dates"
    until: str = ""  # that day included
    tz: str = ""  # IANA name of the viewer's zone
    who: str = ""  # part of a name or an address, a user's number, "parley" or "strangers"
    what: str = ""  # a category
    kind: str = ""  # of the object
    outcome: str = ""

    @classmethod
    def from_query(cls, query: Mapping[str, Any]) -> AuditFilters:
        values = {field.name: short_text(query.get(field.name, "")) for field in fields(cls)}
        values["period"] = values["period"] if values["period"] in PERIODS else DEFAULT_PERIOD
        return cls(**values)

    def query(self, **changes: str) -> str:
        """Return the address's query for these filters with changes; what is empty or the default is left out."""
        values = {field.name: getattr(self, field.name) for field in fields(self)} | changes
        return urlencode({name: value for name, value in values.items() if value and (name, value) != ("period", DEFAULT_PERIOD)})

    def as_dict(self) -> dict[str, str]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True)
class AuditPage:
    """One page of a log, newest first."""

    rows: list[Any]
    older: str  # the cursor of the next page; empty on the last one


def audit_rows(rows: QuerySet[Row], filters: AuditFilters, *, people: QuerySet[User], now: datetime | None = None) -> QuerySet[Row]:
    """Return the rows that the filters ask for, newest first. `people`: whom a name may mean; asked only for a name."""
    rows = rows.filter(_period(filters, now or timezone.now()))
    if filters.q:
        rows = rows.filter(_search(filters.q))
    if filters.who:
        rows = rows.filter(_actor_filter(filters.who, people))
    if filters.what in CATEGORIES:
        rows = rows.filter(category=filters.what)
    if filters.kind:
        rows = rows.filter(object_kind=filters.kind)
    if filters.outcome in {"refused", "failed"}:
        rows = rows.filter(~Q(outcome="done"), outcome=filters.outcome)  # the first condition is that of the index
    elif filters.outcome == "not_done":
        rows = rows.filter(~Q(outcome="done"))
    return rows.order_by("-created_at", "-id")


def audit_page(rows: QuerySet[Row], cursor: str, *, size: int = PAGE_SIZE) -> AuditPage:
    """Return the page after the cursor. One query. Raises BadRequest for a cursor that is none."""
    events: list[Any] = list(after_cursor(rows, cursor)[: size + 1])
    page = events[:size]
    return AuditPage(page, time_cursor(page[-1].created_at, page[-1].pk) if len(events) > size else "")


def after_cursor(rows: QuerySet[Row], cursor: str) -> QuerySet[Row]:
    if not cursor:
        return rows
    at, last_id = time_cursor_decode(cursor)
    # The first condition alone bounds the index; the second one leaves out the rows of that moment that were shown already.
    return rows.filter(created_at__lte=at).filter(Q(created_at__lt=at) | Q(id__lt=last_id))


def people_of(rows: Iterable[AuditFields]) -> dict[int, User]:
    """Return the people who acted, and users who were acted on, by number. One query."""
    ids = {row.actor_user_id for row in rows if row.actor_user_id is not None}
    ids |= {int(row.object_id) for row in rows if row.object_kind == "user" and row.object_id.isdecimal()}
    return {user.pk: user for user in User.objects.filter(pk__in=ids).only("pk", "name", "email")} if ids else {}


def _period(filters: AuditFilters, now: datetime) -> Q:
    if filters.period == "all":
        return Q()
    if filters.period != "dates":
        return Q(created_at__gte=now - timedelta(days=int(filters.period)))
    since, until = (_day(text, filters.tz) for text in (filters.since, filters.until))
    start = Q(created_at__gte=since) if since else Q()
    return start & Q(created_at__lt=until + timedelta(days=1)) if until else start


def _day(text: str, zone: str) -> datetime | None:
    """Return the beginning of the day in the viewer's zone."""
    try:
        return datetime.fromisoformat(text).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=_zone(zone))
    except ValueError:
        return None


def _zone(name: str) -> Any:
    try:
        return ZoneInfo(name) if name else UTC
    except (ValueError, KeyError, OSError):  # unknown, or not a name at all
        return UTC


def _search(text: str) -> Q:
    if _UUID.fullmatch(text):
        row_id = UUID(text)
        return Q(object_id=str(row_id)) | Q(request_id=row_id.hex) | Q(request_id=str(row_id)) | Q(run_id=row_id)
    if _ADDRESS.fullmatch(text):
        return _prefix_filter("address", text)
    return _prefix_filter("object_key", text.lower()) | Q(object_id=text)


def _prefix_filter(field: str, text: str) -> Q:
    """A prefix as a range: row security keeps LIKE from using an index, because its operator may tell of other rows (leakproof)."""
    return Q(**{f"{field}__gte": text, f"{field}__lt": f"{text}{LAST_CHARACTER}"})


def _actor_filter(text: str, people: QuerySet[User]) -> Q:
    if text.lower() == PARLEY:
        return Q(actor_user_id=None, actor_kind="system")
    if text.lower() == STRANGERS:
        return Q(actor_user_id=None, actor_kind="stranger")
    if text.isdecimal() and len(text) < 19:
        return Q(actor_user_id=int(text))
    users = people.filter(Q(name__icontains=text) | Q(email__icontains=text))
    return Q(actor_user_id__in=list(users.values_list("pk", flat=True)[:MAX_PEOPLE]))
