"""Schemas of shared links in the REST API (docs/rest.md)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from sharing.checks import ShareCheck
from sharing.policy import SharingPolicy
from tenants.rest.pagination import QueryParams
from tenants.rest.schemas import ResponseSchema, WholeNumber

Audience = Literal["members", "public"]
Days = Annotated[WholeNumber, Field(ge=1, le=365, description="From now on; null: until you stop it.")]
DEFAULT_DAYS = 30


class ShareItem(ResponseSchema):
    """A link of yours. `url`: empty when it can't be shown any more; it works all the same.

    `version`: the shared version of a document; null when the link follows it, and for conversations.
    """

    id: UUID
    title: str
    conversation_id: UUID | None
    artifact_id: UUID | None
    follows: bool
    version: int | None
    audience: Audience
    url: str
    created_at: datetime
    expires_at: datetime | None
    expired: bool
    view_count: int
    last_viewed_at: datetime | None


class ShareList(ResponseSchema):
    """Your links that were not stopped, newest first."""

    items: list[ShareItem]


class SharedThing(BaseModel):
    """One conversation or one artifact."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)

    conversation_id: UUID | None = None
    artifact_id: UUID | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.conversation_id is None) == (self.artifact_id is None):
            raise ValueError("name a conversation or an artifact")
        return self


class NewShare(SharedThing):
    """A link. `version`: of an artifact; null: its latest one now, or with `follows` always the latest."""

    follows: bool = False
    version: Annotated[WholeNumber, Field(ge=1)] | None = None
    audience: Audience = "members"
    days: Days | None = DEFAULT_DAYS


class ShareChange(BaseModel):
    """A new end of a link."""

    model_config = ConfigDict(extra="forbid")

    days: Days | None


class SharesOf(QueryParams):
    conversation: UUID | None = Field(default=None, description="Only links to this conversation.")
    artifact: UUID | None = Field(default=None, description="Only links to this artifact.")


class PreviewOf(QueryParams):
    conversation: UUID | None = Field(default=None, description="The conversation; or name an artifact.")
    artifact: UUID | None = Field(default=None, description="The artifact; or name a conversation.")


class PreviewPiece(ResponseSchema):
    """The beginning of a text, or a document's title."""

    kind: Literal["question", "answer", "artifact", "file"]
    text: str


class SharePreview(ResponseSchema):
    """What a link would show now, and what the organization allows. `cut`: it is too long, and its end would be left out."""

    title: str
    organization: str
    policy: SharingPolicy
    message_count: int
    artifact_count: int
    file_count: int
    cut: bool
    pieces: list[PreviewPiece]
    checks: list[ShareCheck]
