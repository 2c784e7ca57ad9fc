"""Which runs the list shows: filters that live in the page's address, one page at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from chat.models import MessageFeedback, Run
from tenants.models import Membership
from tenants.rest.pagination import Page, paginate_newest_first

PAGE_SIZE: Final = 50
MAX_FILTER_LENGTH: Final = 200
MAX_MEMBERS: Final = 50  # that a name in the filter may mean
MAX_RATED: Final = 1000
PERIODS: Final[Mapping[str, str]] = {"1": "Last 24 hours", "7": "Last 7 days", "30": "Last 30 days", "all": "Any time"}
DEFAULT_PERIOD: Final = "7"
STATES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "running": ("Running", tuple(Run.ACTIVE)),
    "waiting": ("Waiting", tuple(Run.WAITING)),
    "done": ("Done", (Run.Status.DONE,)),
    "failed": ("Failed", (Run.Status.FAILED,)),
    "stopped": ("Stopped", (Run.Status.STOPPED,)),
}
STUCK: Final = "stuck"
STUCK_AFTER: Final = timedelta(minutes=2)  # without a sign of life from the owner: long before, another process takes a run over
RATINGS: Final[Mapping[str, str]] = {"up": "Thumbs up", "down": "Thumbs down"}


@dataclass(frozen=True, slots=True)
class RunFilters:
    """What the page's address asks for. Unknown and malformed values count as none."""

    q: str = ""  # the id of a run or a conversation, or an error code
    period: str = DEFAULT_PERIOD
    state: str = ""
    model: str = ""  # the id of a model of the organization's configuration
    release: str = ""  # its number
    member: str = ""  # part of a name or an address
    rating: str = ""

    @classmethod
    def from_query(cls, query: Mapping[str, Any]) -> RunFilters:
        given = {field.name: _clean(query.get(field.name, "")) for field in fields(cls)}
        given["period"] = given["period"] if given["period"] in PERIODS else DEFAULT_PERIOD
        return cls(**given)

    def query(self, **changes: str) -> str:
        """Return the address's query for these filters with changes; what is empty or the default is left out."""
        values = {field.name: getattr(self, field.name) for field in fields(self)} | changes
        return urlencode({name: value for name, value in values.items() if value and (name, value) != ("period", DEFAULT_PERIOD)})


def runs_page(filters: RunFilters, *, cursor: str) -> Page[Run]:
    """Return a page of the runs that the filters ask for, newest first. One query, and one for a name.

    Raises BadRequest for a cursor that is none.
    """
    return paginate_newest_first(runs_found(filters), field="created_at", cursor=cursor, limit=PAGE_SIZE)


def runs_found(filters: RunFilters) -> QuerySet[Run]:
    """Return the runs that the filters ask for, with what a line of the list shows. One query for a name, and one for a rating."""
    return Run.objects.filter(_conditions(filters)).select_related("conversation__owner__user")


def _conditions(filters: RunFilters) -> Q:
    found = Q()
    if filters.period != "all":
        found &= Q(created_at__gte=timezone.now() - timedelta(days=int(filters.period)))
    if filters.state in STATES:
        found &= Q(status__in=STATES[filters.state][1])
    if filters.state == STUCK:
        found &= Q(status__in=Run.ACTIVE, lease_expires_at__lt=timezone.now() - STUCK_AFTER)
    if filters.state in {"running", "waiting", STUCK}:
        found &= Q(finished_at=None)  # the condition of an index
    if model_id := _uuid(filters.model):
        found &= Q(model_config_id=model_id)
    if filters.release.isdecimal() and len(filters.release) < 9:
        found &= Q(release__number=int(filters.release), release__is_trial=False)
    if filters.member:
        found &= Q(conversation__owner_id__in=_members(filters.member))
    if filters.rating in RATINGS:
        found &= Q(pk__in=_rated(filters.rating))
    if filters.q:
        found &= _search(filters.q)
    return found


def _search(text: str) -> Q:
    row_id = _uuid(text)
    return Q(status=Run.Status.FAILED, error_code=text.lower()) if row_id is None else Q(pk=row_id) | Q(conversation_id=row_id)


def _members(text: str) -> list[UUID]:
    named: QuerySet[Membership] = Membership.objects.filter(Q(user__name__icontains=text) | Q(user__email__icontains=text))
    return list(named.values_list("pk", flat=True)[:MAX_MEMBERS])


def _rated(rating: str) -> list[UUID]:
    """Return the runs of the newest answers with this rating. Asked first, because the planner would try all runs in their order."""
    newest = MessageFeedback.objects.filter(rating=rating).order_by("-created_at")
    return list(newest.values_list("message__run_id", flat=True)[:MAX_RATED])


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _clean(value: Any) -> str:
    return str(value).replace("\x00", "").strip()[:MAX_FILTER_LENGTH]
