"""Which feedback the list shows: filters that live in the page's address, one page at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy

from chat.models import MessageFeedback
from tenants.input.short_text import short_text
from tenants.rest.pagination import Page, paginate_newest_first

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

PAGE_SIZE: Final = 50
CHAT_AGENT: Final = "-"  # answers of no assistant
NOBODY: Final = "-"
RATINGS: Final[Mapping[str, StrOrPromise]] = {"down": gettext_lazy("Thumbs down"), "up": gettext_lazy("Thumbs up")}
SEEN_CHOICES: Final[Mapping[str, StrOrPromise]] = {"no": gettext_lazy("Not seen"), "yes": gettext_lazy("Seen")}
PERIODS: Final[Mapping[str, StrOrPromise]] = {
    "1": gettext_lazy("Last 24 hours"),
    "7": gettext_lazy("Last 7 days"),
    "30": gettext_lazy("Last 30 days"),
    "all": gettext_lazy("Any time"),
}
DEFAULT_PERIOD: Final = "30"


@dataclass(frozen=True, slots=True)
class FeedbackFilters:
    """What the page's address asks for. Unknown and malformed values count as none."""

    q: str = ""  # part of a comment
    period: str = DEFAULT_PERIOD
    rating: str = ""
    comment: str = ""  # "1": only with one
    reason: str = ""
    agent: str = ""  # an assistant's key, or CHAT_AGENT
    seen: str = ""
    assignee: str = ""  # the id of a membership, or NOBODY

    @classmethod
    def from_query(cls, query: Mapping[str, Any]) -> FeedbackFilters:
        values = {field.name: short_text(query.get(field.name, "")) for field in fields(cls)}
        values["period"] = values["period"] if values["period"] in PERIODS else DEFAULT_PERIOD
        return cls(**values)

    def query(self, **changes: str) -> str:
        """Return the address's query for these filters with changes; what is empty or the default is left out."""
        values = {field.name: getattr(self, field.name) for field in fields(self)} | changes
        return urlencode({name: value for name, value in values.items() if value and (name, value) != ("period", DEFAULT_PERIOD)})


def feedback_page(filters: FeedbackFilters, *, cursor: str) -> Page[MessageFeedback]:
    """Return a page of feedback with its run, member and assignee, newest first. One query. Raises BadRequest for a cursor that is none."""
    people = ("message__conversation__owner__user", "assignee__user")
    rows: QuerySet[MessageFeedback] = MessageFeedback.objects.filter(_conditions(filters)).select_related("message__run", *people)
    return paginate_newest_first(rows, field="created_at", cursor=cursor, limit=PAGE_SIZE)


def _conditions(filters: FeedbackFilters) -> Q:
    conditions = Q()
    if filters.period != "all":
        conditions &= Q(created_at__gte=timezone.now() - timedelta(days=int(filters.period)))
    if filters.q:
        conditions &= Q(comment__icontains=filters.q)
    if filters.rating in RATINGS:
        conditions &= Q(rating=filters.rating)
    if filters.comment:
        conditions &= ~Q(comment="")
    if filters.reason in MessageFeedback.Reason.values:
        conditions &= Q(reasons__contains=[filters.reason])
    if filters.agent:
        conditions &= Q(message__run__assistant="" if filters.agent == CHAT_AGENT else filters.agent)
    if filters.seen in SEEN_CHOICES:
        conditions &= Q(seen_at__isnull=filters.seen == "no")
    if filters.assignee == NOBODY:
        conditions &= Q(assignee=None)
    elif assignee := uuid_of(filters.assignee):
        conditions &= Q(assignee_id=assignee)
    return conditions


def uuid_of(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
