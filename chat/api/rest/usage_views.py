"""The REST view of what a conversation used (docs/rest.md). What a member and the organization used: usage/views.py."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from pydantic import Field

from chat.api.rest.schemas import KEY_PARAMETER
from chat.conversations.selectors import parse_uuid
from chat.conversations.shapes import ConversationUsage
from chat.conversations.usage import conversation_usage
from tenants.context import tenant_tx
from tenants.rest.pagination import QueryParams
from tenants.rest.schemas import operation
from tenants.rest.views import ActorRequest, RestView

MAX_ANSWERS: Final = 50  # as a page of messages has


class ConversationUsageQuery(QueryParams):
    runs: str = Field(
        default="",
        pattern=rf"^([0-9a-f-]{{36}}(,[0-9a-f-]{{36}}){{0,{MAX_ANSWERS - 1}}})?$",
        description=f"The `runId`s of up to {MAX_ANSWERS} answers, with commas between.",
    )

    @property
    def run_ids(self) -> list[UUID]:
        return [run_id for each in self.runs.split(",") if (run_id := parse_uuid(each)) is not None]


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
