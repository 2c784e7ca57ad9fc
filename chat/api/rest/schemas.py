"""Schemas of the REST API on conversations and runs (docs/protocol.md): query parameters, request bodies, and the answers about runs.

Docstrings and field descriptions appear in the OpenAPI schema. The other answers are in chat.conversations.shapes.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from chat.api.frames import AssistantKey, ClientId
from chat.conversations.branch_pages import MESSAGES_PAGE_SIZE
from chat.conversations.filing import Filing
from chat.conversations.lists import LIST_CURSOR
from chat.models import MAX_COMMENT_CHARS, MessageFeedback
from tenants.rest.pagination import LimitQuery, QueryParams, UtcDatetime, cursor_field
from tenants.rest.schemas import ResponseSchema

KEY_PARAMETER = {
    "key": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$", "description": "The conversation's id, or the id that its client chose."}
}
MAX_BATCH = 100  # conversations
Title = Annotated[str, StringConstraints(max_length=1000), Field(json_schema_extra={"minLength": 1, "pattern": r"[^\s\x00]"})]


class ConversationQuery(LimitQuery):
    """Filters of the list of conversations."""

    cursor: str = cursor_field(LIST_CURSOR)
    updated_since: UtcDatetime | None = Field(default=None, alias="updatedSince", description="Only those with activity since then.")
    q: Annotated[str, StringConstraints(max_length=200)] = Field(default="", description="Only those with this in their title.")
    running: bool | None = Field(default=None, description="Only those whose answer is being written now, or only the others.")
    archived: bool = Field(default=False, description="Only archived ones; they are in no other list.")
    project_id: UUID | None = Field(default=None, alias="projectId", description="Only those of this project.")


class MessageQuery(LimitQuery):
    """A page of a conversation's messages. The cursor is the id of the last one."""

    cursor: str = cursor_field("[0-9a-f]{32}")


class DetailQuery(QueryParams):
    """Which page of messages: the newest, one that begins with a message or at a time, or one that ends before a message. The first given counts."""

    start: UUID | None = Field(default=None, alias="from", description="This message and those after it.")
    since: UtcDatetime | None = Field(
        default=None, description="The first message written then or later, and those after it, without `from`."
    )
    before: UUID | None = Field(default=None, description="Only messages before this one, without `from` and `since`.")
    limit: int = Field(default=MESSAGES_PAGE_SIZE, ge=1, le=500, description="How many messages.")


class NewConversation(BaseModel):
    """A new, empty conversation."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=())

    title: Title | None = None
    model_config_id: UUID | None = Field(default=None, alias="modelId")
    project_id: UUID | None = Field(default=None, alias="projectId")
    assistant: AssistantKey | None = Field(
        default=None, description="The key of the assistant that is to answer; empty: the chat agent; left out: your default assistant."
    )


class ConversationChange(BaseModel):
    """What to change of a conversation. `projectId`: null takes it out of its project."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=())

    title: Title | None = None
    model_config_id: UUID | None = Field(default=None, alias="modelId")
    assistant: AssistantKey | None = Field(default=None, description="The key of the assistant that is to answer; empty: the chat agent.")
    pinned: bool | None = None
    archived: bool | None = None
    project_id: UUID | None = Field(default=None, alias="projectId")

    @property
    def filing(self) -> Filing:
        return Filing(self.pinned, self.archived, "project_id" in self.model_fields_set, self.project_id)


class ConversationBatch(BaseModel):
    """One act on several conversations. `restore` undoes `delete`. `projectId`: where to `move` them; null: out of any project."""

    model_config = ConfigDict(extra="forbid")

    ids: Annotated[list[UUID], Field(min_length=1, max_length=MAX_BATCH)]
    act: Literal["archive", "unarchive", "move", "delete", "restore"]
    project_id: UUID | None = Field(default=None, alias="projectId")

    @property
    def filing(self) -> Filing:
        is_archived = {"archive": True, "unarchive": False}.get(self.act)
        return Filing(archived=is_archived, moves=self.act == "move", project_id=self.project_id if self.act == "move" else None)


class BranchChoice(BaseModel):
    """A message of the branch that is to be shown."""

    model_config = ConfigDict(extra="forbid")

    message_id: UUID = Field(alias="messageId")


class Feedback(BaseModel):
    """What the user thinks of an answer."""

    model_config = ConfigDict(extra="forbid")

    rating: Literal["up", "down"]
    reasons: Annotated[list[MessageFeedback.Reason], Field(max_length=len(MessageFeedback.Reason))] = []
    comment: Annotated[str, StringConstraints(max_length=MAX_COMMENT_CHARS, strip_whitespace=True)] = ""


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
    """The decision about an approval. `lasts`: allow the tool and the host for the rest of the conversation, where that is offered."""

    model_config = ConfigDict(extra="forbid")

    approved: bool
    reason: Annotated[str, StringConstraints(max_length=500, strip_whitespace=True)] = ""
    lasts: bool = False


class StopAccepted(ResponseSchema):
    """`stopping`: whether there was a run to stop."""

    stopping: bool


class InputAccepted(ResponseSchema):
    """The input was stored. `resumed`: the run waited and continues now."""

    run_id: UUID
    resumed: bool


class MessageAccepted(ResponseSchema):
    """The message was stored. `messageId`: the id of the answer that it became part of. `resumed`: the run waited and continues now."""

    run_id: UUID
    message_id: UUID
    resumed: bool
