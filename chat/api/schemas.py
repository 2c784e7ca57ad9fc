"""The shapes of conversations in the REST API (docs/protocol.md); chat.conversations.selectors makes them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from artifacts.schemas import ArtifactSummary
from tenants.rest.schemas import ResponseSchema

WaitReason = Literal["approval", "reply", "client"] | None


class ConversationItem(ResponseSchema):
    """`activeRun`: an answer is being written; `waiting`: for what an answer waits; `unread`: one has ended that you have not seen.

    `revision` orders what was read at different times: of two states of one conversation, that with the higher number is the newer.
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
    items: list[ConversationItem]
    next_cursor: str | None


class MessageItem(ResponseSchema):
    """A UIMessage of the AI SDK: `parts` are text, reasoning, tools and data, as in its stream."""

    id: UUID
    role: Literal["user", "assistant"]
    metadata: dict[str, Any] = Field(description="createdAt; of an answer also runId, modelName, provider, usage and more.")
    parts: list[dict[str, Any]]


class MessagePage(ResponseSchema):
    """Oldest first; the next page has older ones."""

    items: list[MessageItem]
    next_cursor: str | None


class ConversationDetail(ResponseSchema):
    """The newest messages of the branch that is shown, oldest first. `hasMore`: there are older ones."""

    id: UUID
    title: str
    model_id: UUID | None
    active_run: bool
    waiting: WaitReason
    messages: list[MessageItem]
    artifacts: list[ArtifactSummary]
    has_more: bool


class StopAccepted(ResponseSchema):
    stopping: bool


class InputAccepted(ResponseSchema):
    """`resumed`: the run waited and goes on now."""

    run_id: UUID
    resumed: bool


class MessageAccepted(InputAccepted):
    """`messageId` is the answer's."""

    message_id: UUID
