"""The REST view of the search in a member's own conversations (docs/protocol.md)."""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from chat.conversations.search import SearchFilters, conversation_search, search_agents
from chat.conversations.shapes import SearchAgents, SearchPage
from tenants.postgres.replica import read_from_replica
from tenants.rest.pagination import LimitQuery, cursor_field
from tenants.rest.schemas import operation
from tenants.rest.views import ActorRequest, RestView


class SearchQuery(LimitQuery):
    """What to search for, and where."""

    cursor: str = cursor_field("[1-9][0-9]{0,2}")
    q: Annotated[str, StringConstraints(max_length=200)] = Field(default="", description="Words; each may be the beginning of one.")
    first: date | None = Field(default=None, alias="from", description="The first day (UTC).")
    last: date | None = Field(default=None, alias="to", description="The last day (UTC).")
    agent: Annotated[str, StringConstraints(max_length=80)] = Field(
        default="", description="The key of an agent that has worked in the conversation, or its name in `listSearchAgents`."
    )
    project_id: UUID | None = Field(default=None, alias="projectId", description="Only conversations of this project.")
    has_artifact: bool = Field(default=False, alias="hasArtifact", description="Only conversations with an artifact.")
    with_archived: bool = Field(default=True, alias="withArchived", description="Archived conversations, too.")


class SearchView(RestView):
    """Searches titles, messages and documents."""

    @operation(
        "searchConversations",
        "Your conversations, messages and documents that have these words, the best first",
        tag="conversations",
        answer=SearchPage,
        query=SearchQuery,
    )
    def get(self, request: ActorRequest) -> SearchPage:
        query = self.query(SearchQuery)
        filters = SearchFilters(
            first=query.first,
            last=query.last,
            agent=query.agent,
            has_artifact=query.has_artifact,
            project_id=query.project_id,
            with_archived=query.with_archived,
        )
        search = partial(
            conversation_search, actor=request.actor, query=query.q, filters=filters, offset=int(query.cursor or 0), limit=query.limit
        )
        return read_from_replica(request.actor.organization_id, search)


class SearchAgentsView(RestView):
    """Lists the agents by which the search can be filtered."""

    @operation(
        "listSearchAgents", "The agents that may have worked in your conversations", tag="conversations", answer=SearchAgents, etag=True
    )
    def get(self, request: ActorRequest) -> SearchAgents:
        return read_from_replica(request.actor.organization_id, partial(search_agents, request.actor))
