"""Schemas of the REST API on conversations and runs (docs/protocol.md): query parameters, request bodies and responses.

Docstrings and field descriptions appear in the OpenAPI schema. chat.conversations.selectors produces the responses.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from artifacts.schemas import ArtifactSummary
from chat.api.frames import ClientId
from tenants.rest.pagination import PageQuery, QueryParams, UtcDatetime
from tenants.rest.schemas import ResponseSchema

KEY_PARAMETER = {
    "key": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$", "description": "The conversation's id, or the id that its client chose."}
}
Title = Annotated[str, StringConstraints(max_length=1000)]


class ConversationQuery(PageQuery):
    """Filters of the list of conversations."""

    updated_since: UtcDatetime | None = Field(default=None, alias="updatedSince", description="Only those with activity since then.")
    q: Annotated[str, StringConstraints(max_length=200)] = Field(default="", description="Only those with this in their title.")
    running: bool | None = Field(default=None, description="Only those whose answer is being written now, or only the others.")


class DetailQuery(QueryParams):
    before: UUID | None = Field(default=None, description="Only messages before this one.")


class NewConversation(BaseModel):
    """A new, empty conversation."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=())

    title: Title | None = None
    model_config_id: UUID | None = Field(default=None, alias="modelId")


class ConversationChange(BaseModel):
    """What to change of a conversation."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=())

    title: Title | None = None
    model_config_id: UUID | None = Field(default=None, alias="modelId")


class RunMessage(BaseModel):
    """A message into an open run. `id`: chosen by the client; makes the message idempotent."""

    model_config = ConfigDict(extra="forbid")

    id: ClientId
    text: str


class ToolOutput(BaseModel):
    """The result of a tool call that the client carries out: `output` (any JSON value) or `errorText`."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    tool_call_id: Annotated[str, StringConstraints(min_length=1, max_length=4000)] = Field(alias="toolCallId")
    output: Any = None
    error_text: Annotated[str, StringConstraints(min_length=1, max_length=2000)] | None = Field(default=None, alias="errorText")


class Decision(BaseModel):
    """The decision about an approval."""

    model_config = ConfigDict(extra="forbid")

    approved: bool
    reason: Annotated[str, StringConstraints(max_length=500, strip_whitespace=True)] = ""


WaitReason = Literal["approval", "reply", "client"] | None


class ConversationItem(ResponseSchema):
    """A conversation in a list.

    `activeRun`: an answer is being written. `waiting`: what an answer waits for. `unread`: an answer has ended that you have not seen.
    `revision`: of two states of the same conversation, the one with the higher number is newer.
    """

    id: UUID
    revision: int
    title: str
    created_at: datetime
    updated_at: datetime
    unread: bool
    active_run: bool
    waiting: WaitReason


class ConversationPage(ResponseSchema):
    """A page of conversations, newest activity first."""

    items: list[ConversationItem]
    next_cursor: str | None


class MessageItem(ResponseSchema):
    """A UIMessage of the AI SDK: `parts` are text, reasoning, tools and data, as in its stream."""

    id: UUID
    role: Literal["user", "assistant"]
    metadata: dict[str, Any] = Field(description="createdAt; of an answer also runId, modelName, provider, usage and more.")
    parts: list[dict[str, Any]]


class MessagePage(ResponseSchema):
    """A page of messages, oldest first. The next page has older ones."""

    items: list[MessageItem]
    next_cursor: str | None


class ConversationDetail(ResponseSchema):
    """A conversation with the newest messages of the branch that is shown, oldest first. `hasMore`: there are older ones."""

    id: UUID
    title: str
    model_id: UUID | None
    active_run: bool
    waiting: WaitReason
    messages: list[MessageItem]
    artifacts: list[ArtifactSummary]
    has_more: bool


class StopAccepted(ResponseSchema):
    """`stopping`: whether there was a run to stop."""

    stopping: bool


class InputAccepted(ResponseSchema):
    """The input was stored. `resumed`: the run waited and continues now."""

    run_id: UUID
    resumed: bool


class MessageAccepted(InputAccepted):
    """The message was stored. `messageId`: the id of the answer that it became part of."""

    message_id: UUID
