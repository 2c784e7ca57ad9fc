"""The REST view of usage (docs/rest.md): members see their own, owners, admins and auditors also the organization's."""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import Literal

from django.utils.translation import gettext
from pydantic import Field

from chat.conversations.shapes import UsageItem
from chat.conversations.usage import KEY, MAX_DAYS, Group, Period, usage_list, usage_period
from tenants.access import Actor
from tenants.errors import NotAllowed
from tenants.postgres.replica import read_from_replica
from tenants.rest.pagination import LimitQuery, Page, cursor_field
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView
from usage.reading.lists import organization_usage_list


class UsageListQuery(LimitQuery):
    cursor: str = cursor_field(KEY)
    first: date | None = Field(
        default=None, alias="from", description=f"The first day (UTC), at most {MAX_DAYS} days in all; without it, 30."
    )
    last: date | None = Field(default=None, alias="to", description="The last day (UTC); without it, today.")
    group: Group = Field(default="day", description="What each sum is of.")
    whose: Literal["own", "organization"] = Field(default="own", description="`organization` is for owners, admins and auditors.")


class UsagePage(ResponseSchema):
    """A page of sums, ordered by key."""

    items: list[UsageItem]
    next_cursor: str | None


class UsageView(RestView):
    """Lists sums of usage."""

    @operation("listUsage", "Tokens and cost of model calls, summed", tag="usage", answer=UsagePage, query=UsageListQuery, etag=True)
    def get(self, request: ActorRequest) -> UsagePage:
        query = self.query(UsageListQuery)
        if query.whose == "organization" and not request.actor.can_audit:
            raise NotAllowed(gettext("Only owners, admins and auditors see what the organization used."))
        read = partial(_read, request.actor, query, usage_period(query.first, query.last))
        page = read_from_replica(request.actor.organization_id, read)
        return UsagePage(items=page.items, next_cursor=page.next_cursor)


def _read(actor: Actor, query: UsageListQuery, period: Period) -> Page[UsageItem]:
    if query.whose == "organization":
        return organization_usage_list(period=period, group=query.group, cursor=query.cursor, limit=query.limit)
    return usage_list(actor=actor, period=period, group=query.group, cursor=query.cursor, limit=query.limit)
