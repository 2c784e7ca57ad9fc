"""The REST view of usage (docs/rest.md): members see their own, owners and admins also the organization's."""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import Final, Literal
from uuid import UUID

from django.utils.translation import gettext
from pydantic import Field

from chat.api.rest.schemas import KEY_PARAMETER
from chat.conversations.selectors import parse_uuid
from chat.conversations.shapes import ConversationUsage, UsagePage, UsageSummary
from chat.conversations.usage import KEY, MAX_DAYS, Group, conversation_usage, usage_list, usage_period, usage_summary
from tenants.context import tenant_tx
from tenants.errors import NotAllowed
from tenants.postgres.replica import read_from_replica
from tenants.rest.pagination import LimitQuery, QueryParams, cursor_field
from tenants.rest.schemas import operation
from tenants.rest.views import ActorRequest, RestView

MAX_ANSWERS: Final = 50  # as a page of messages has


class UsageQuery(LimitQuery):
    cursor: str = cursor_field(KEY)
    first: date | None = Field(
        default=None, alias="from", description=f"The first day (UTC), at most {MAX_DAYS} days in all; without it, 30."
    )
    last: date | None = Field(default=None, alias="to", description="The last day (UTC); without it, today.")
    group: Group = Field(default="day", description="What each sum is of.")
    whose: Literal["own", "organization"] = Field(default="own", description="`organization` is for owners and admins.")


class SummaryQuery(QueryParams):
    first: date | None = Field(default=None, alias="from", description="The first day (UTC); without it, 30 days ago.")
    last: date | None = Field(default=None, alias="to", description="The last day (UTC); without it, today.")


class ConversationUsageQuery(QueryParams):
    runs: str = Field(
        default="",
        pattern=rf"^([0-9a-f-]{{36}}(,[0-9a-f-]{{36}}){{0,{MAX_ANSWERS - 1}}})?$",
        description=f"The `runId`s of up to {MAX_ANSWERS} answers, with commas between.",
    )

    @property
    def run_ids(self) -> list[UUID]:
        return [found for each in self.runs.split(",") if (found := parse_uuid(each)) is not None]


class UsageSummaryView(RestView):
    """Sums up what the member used."""

    @operation("getUsageSummary", "What you used, by day, model and conversation", tag="usage", answer=UsageSummary, query=SummaryQuery)
    def get(self, request: ActorRequest) -> UsageSummary:
        query = self.query(SummaryQuery)
        period = usage_period(query.first, query.last)
        return read_from_replica(request.actor.organization_id, partial(usage_summary, actor=request.actor, period=period))


class ConversationUsageView(RestView):
    """Sums up what a conversation and some of its answers used."""

    @operation(
        "getConversationUsage",
        "What a conversation used",
        tag="usage",
        answer=ConversationUsage,
        query=ConversationUsageQuery,
        path=KEY_PARAMETER,
    )
    def get(self, request: ActorRequest, key: str) -> ConversationUsage:
        query = self.query(ConversationUsageQuery)
        with tenant_tx(request.actor.organization_id):
            return conversation_usage(actor=request.actor, key=key, run_ids=query.run_ids)


class UsageView(RestView):
    """Lists sums of usage."""

    @operation("listUsage", "Tokens and cost of model calls, summed", tag="usage", answer=UsagePage, query=UsageQuery, etag=True)
    def get(self, request: ActorRequest) -> UsagePage:
        query = self.query(UsageQuery)
        everyone = query.whose == "organization"
        if everyone and not request.actor.can_audit:
            raise NotAllowed(gettext("Only owners, admins and auditors see what the organization used."))
        read = partial(
            usage_list,
            actor=request.actor,
            everyone=everyone,
            period=usage_period(query.first, query.last),
            group=query.group,
            cursor=query.cursor,
            limit=query.limit,
        )
        page = read_from_replica(request.actor.organization_id, read)
        return UsagePage(items=page.items, next_cursor=page.next_cursor)
