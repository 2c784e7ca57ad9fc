"""The REST view of usage (docs/rest.md): members see their own, owners and admins also the organization's."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import Field

from chat.conversations.shapes import UsagePage
from chat.conversations.usage import KEY, MAX_DAYS, Group, usage_list, usage_period
from tenants.context import tenant_tx
from tenants.errors import NotAllowed
from tenants.rest.pagination import LimitQuery, cursor_field
from tenants.rest.schemas import operation
from tenants.rest.views import ActorRequest, RestView


class UsageQuery(LimitQuery):
    cursor: str = cursor_field(KEY)
    first: date | None = Field(
        default=None, alias="from", description=f"The first day (UTC), at most {MAX_DAYS} days in all; without it, 30."
    )
    last: date | None = Field(default=None, alias="to", description="The last day (UTC); without it, today.")
    group: Group = Field(default="day", description="What each sum is of.")
    whose: Literal["own", "organization"] = Field(default="own", description="`organization` is for owners and admins.")


class UsageView(RestView):
    """Lists sums of usage."""

    @operation("listUsage", "Tokens and cost of model calls, summed", tag="usage", answer=UsagePage, query=UsageQuery, etag=True)
    def get(self, request: ActorRequest) -> UsagePage:
        query = self.query(UsageQuery)
        everyone = query.whose == "organization"
        if everyone and not request.actor.can_audit:
            raise NotAllowed("Only owners, admins and auditors see what the organization used.")
        with tenant_tx(request.actor.organization_id):
            page = usage_list(
                actor=request.actor,
                everyone=everyone,
                period=usage_period(query.first, query.last),
                group=query.group,
                cursor=query.cursor,
                limit=query.limit,
            )
        return UsagePage(items=page.items, next_cursor=page.next_cursor)
