"""The REST views of usage (docs/rest.md): members see their own, owners, admins and auditors also the organization's."""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import Literal

from django.utils.translation import gettext
from pydantic import Field

from tenants.errors import NotAllowed
from tenants.postgres.replica import read_from_replica
from tenants.rest.pagination import LimitQuery, QueryParams, cursor_field
from tenants.rest.schemas import operation
from tenants.rest.views import ActorRequest, RestView
from usage.reading.lists import KEY, Group, days_of, usage_list
from usage.reading.query import MAX_DAYS
from usage.reading.summary import usage_summary
from usage.shapes import UsagePage, UsageSummary


class UsageListQuery(LimitQuery):
    cursor: str = cursor_field(KEY)
    first: date | None = Field(
        default=None, alias="from", description=f"The first day (UTC), at most {MAX_DAYS} days in all; without it, 30."
    )
    last: date | None = Field(default=None, alias="to", description="The last day (UTC); without it, today.")
    group: Group = Field(default="day", description="What each sum is of.")
    whose: Literal["own", "organization"] = Field(default="own", description="`organization` is for owners, admins and auditors.")


class SummaryQuery(QueryParams):
    first: date | None = Field(default=None, alias="from", description="The first day (UTC); without it, 30 days ago.")
    last: date | None = Field(default=None, alias="to", description="The last day (UTC); without it, today.")


class UsageView(RestView):
    """Lists sums of usage."""

    @operation("listUsage", "Tokens and cost of model calls, summed", tag="usage", answer=UsagePage, query=UsageListQuery, etag=True)
    def get(self, request: ActorRequest) -> UsagePage:
        query = self.query(UsageListQuery)
        if query.whose == "organization" and not request.actor.can_audit:
            raise NotAllowed(gettext("Only owners, admins and auditors see what the organization used."))
        member_id = request.actor.membership_id if query.whose == "own" else None
        days = days_of(query.first, query.last)
        read = partial(usage_list, days=days, group=query.group, cursor=query.cursor, limit=query.limit, member_id=member_id)
        page = read_from_replica(request.actor.organization_id, read)
        return UsagePage(items=page.items, next_cursor=page.next_cursor)


class UsageSummaryView(RestView):
    """Sums up what the member used."""

    @operation("getUsageSummary", "What you used, by day, model and conversation", tag="usage", answer=UsageSummary, query=SummaryQuery)
    def get(self, request: ActorRequest) -> UsageSummary:
        query = self.query(SummaryQuery)
        read = partial(usage_summary, days=days_of(query.first, query.last), member_id=request.actor.membership_id)
        return read_from_replica(request.actor.organization_id, read)
