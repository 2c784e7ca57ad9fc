"""Schemas of conversations, messages and usage in the REST API (docs/protocol.md). The selectors here fill them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from artifacts.schemas import ArtifactSummary
from chat.models import WaitReason
from tenants.rest.schemas import ResponseSchema


class ConversationItem(ResponseSchema):
    """A conversation in a list.

    `activeRun`: an answer is being written. `waiting`: what an answer waits for. `unread`: an answer has ended that you have not seen.
    `headId`: the newest message of the branch that is shown. `archived`: put away until it gets a message. `projectId`: the project it is in.
    `revision`: of two states of the same conversation, the one with the higher number is newer.
    """

    id: UUID
    title: str
    head_id: UUID | None
    created_at: datetime
    updated_at: datetime
    unread: bool
    pinned: bool
    archived: bool
    project_id: UUID | None
    revision: int
    active_run: bool
    waiting: WaitReason | None


ReadingPolicy = Literal["never", "consent", "always"]


class ConversationReaders(ResponseSchema):
    """Who besides its owner may read a conversation.

    `policy`: whether admins and auditors may read members' chats: never, with the owner's consent, or always. `sharedUntil`: until when
    the owner has consented.
    """

    policy: ReadingPolicy
    shared_until: datetime | None


class ConversationPage(ResponseSchema):
    """A page of conversations: pinned ones first, then the newest activity."""

    items: list[ConversationItem]
    next_cursor: str | None


class BatchResult(ResponseSchema):
    """What a batch did. `ids`: the conversations that were there."""

    ids: list[UUID]


class MessageItem(ResponseSchema):
    """A UIMessage of the AI SDK: `parts` are text, reasoning, tools and data, as in its stream."""

    id: UUID
    role: Literal["user", "assistant"]
    metadata: dict[str, Any] = Field(
        description="createdAt; of an answer also runId, modelName, provider, usage, feedback and more. `siblings`: the ids of all messages "
        "at this place, oldest first, when there are several."
    )
    parts: list[dict[str, Any]]


class MessagePage(ResponseSchema):
    """A page of messages, oldest first. The next page has older ones."""

    items: list[MessageItem]
    next_cursor: str | None


class MessagePlace(ResponseSchema):
    """Where a message is. `shown`: in the branch that is shown. `newer`: how many messages of that branch are newer; 0 when it is not in it."""

    shown: bool
    newer: int


class ConversationDetail(ResponseSchema):
    """A conversation with the newest messages of the branch that is shown, oldest first.

    `hasMore`: there are older ones. `assistant`: the key of the assistant that was chosen in it; empty: the chat agent.
    `expiresAt`: when a temporary conversation is deleted; null for all others.
    """

    id: UUID
    title: str
    model_id: UUID | None
    project_id: UUID | None
    archived: bool
    expires_at: datetime | None
    assistant: str
    active_run: bool
    waiting: WaitReason | None
    messages: list[MessageItem]
    artifacts: list[ArtifactSummary]
    has_more: bool


class UsageSums(ResponseSchema):
    """What model calls used in all. `answers`: those of chats that began with them and did not fail. The others are as in UsageItem."""

    answers: int
    calls: int
    input_tokens: int
    cached_tokens: int
    cache_write_tokens: int
    tool_tokens: int
    output_tokens: int
    thinking_tokens: int
    cost_usd: float | None
    unpriced_calls: int
    estimated_calls: int


class AnswerUsage(UsageSums):
    """What one answer used. `firstTokenMs`: after which its first word came. `durationMs`: without the time that it waited for somebody."""

    run_id: UUID
    first_token_ms: int | None
    duration_ms: int | None


class ConversationUsage(ResponseSchema):
    """What a conversation used in all, with its titles and suggestions, and what single answers used."""

    total: UsageSums
    answers: list[AnswerUsage]


class TextSegment(ResponseSchema):
    """A piece of a text. `hit`: it is what was searched for."""

    text: str
    hit: bool


class SearchHit(ResponseSchema):
    """A conversation that was found: by its title, by a message in it, or by a document.

    `title`: of the conversation, or of the document. `archived`, `projectId`: as in ConversationItem. `messageId`: the message that fits
    best; null when the title or a document was found. `artifactId`: the document, of this `kind`, whose `version` was searched; all null for
    other hits. `snippet`: a piece of the message or of that version. `at`: when that was written, or when the conversation was used last.
    """

    conversation_id: UUID
    title: list[TextSegment]
    archived: bool
    project_id: UUID | None
    message_id: UUID | None
    role: Literal["user", "assistant"] | None
    artifact_id: UUID | None
    kind: str | None
    version: int | None
    snippet: list[TextSegment]
    at: datetime


class SearchAgent(ResponseSchema):
    """An agent. `name`: for the search's filter `agent`."""

    name: str
    label: str


class SearchAgents(ResponseSchema):
    """The agents that may have worked in your conversations, by label."""

    items: list[SearchAgent]


class SearchPage(ResponseSchema):
    """Hits, the best first. `similar`: words that were searched for as well, because nothing was found for those of the query."""

    items: list[SearchHit]
    next_cursor: str | None
    similar: list[str]
