"""Schemas of usage in the REST API (docs/protocol.md)."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from chat.conversations.shapes import UsageSums
from tenants.rest.schemas import ResponseSchema


class UsageItem(ResponseSchema):
    """The usage of one day, model or conversation.

    `key`: the day, the model or the conversation's id. `inputTokens` includes tokens read from and written to a cache, and tokens that
    the provider's own tools added. `costUsd` leaves out the `unpricedCalls`; null when no call has a price.
    Of the `estimatedCalls`, tokens and cost are estimates in part: they were stopped or cut, or the server does not count.
    """

    key: str
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


class UsageDay(UsageSums):
    """What one model did for the member on one day (UTC)."""

    day: date
    model: str


class UsageConversation(UsageSums):
    """What one conversation used. `id` is null when it was deleted."""

    id: UUID | None
    title: str


class UsageSummary(ResponseSchema):
    """What the member used from `first` to `last`, by day and model, and the conversations that cost most."""

    first: date
    last: date
    days: list[UsageDay]
    conversations: list[UsageConversation]


class UsagePage(ResponseSchema):
    """A page of sums, ordered by key."""

    items: list[UsageItem]
    next_cursor: str | None
