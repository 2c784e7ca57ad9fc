"""Schemas of shared links in the REST API (docs/rest.md)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from sharing.checks import ShareCheck
from sharing.policy import SharingPolicy
from tenants.rest.pagination import QueryParams
from tenants.rest.schemas import WHOLE, ResponseSchema

SharedKind = Literal["conversation", "artifact"]
Audience = Literal["named", "members", "public"]
ReaderKind = Literal["member", "group"]
Days = Annotated[int, Field(ge=1, le=365, description="From now on; null: until you stop it."), WHOLE]
DEFAULT_DAYS = 30
MAX_VERSION = 2**31 - 1  # of its column
MAX_READERS = 50
Password = Annotated[str, StringConstraints(min_length=8, max_length=128)]


class ReaderId(BaseModel):
    """A member (the id of the membership) or a group."""

    model_config = ConfigDict(extra="forbid")

    kind: ReaderKind
    id: UUID


class NamedReader(ResponseSchema):
    """Somebody whom a link names, or could."""

    kind: ReaderKind
    id: UUID
    name: str


class NamedReaders(ResponseSchema):
    items: list[NamedReader]


class ShareItem(ResponseSchema):
    """A link of yours. `url`: empty when it can't be shown any more; it works all the same.

    `version`: the shared version of a document; null when the link follows it, and for conversations.
    """

    id: UUID
    title: str
    of: SharedKind
    target_id: UUID
    follows: bool
    version: int | None
    audience: Audience
    readers: list[NamedReader]
    has_password: bool
    url: str
    created_at: datetime
    expires_at: datetime | None
    expired: bool
    view_count: int
    last_viewed_at: datetime | None


class ShareList(ResponseSchema):
    """Your links that were not stopped, newest first."""

    items: list[ShareItem]


class NewShare(BaseModel):
    """A link to one of your conversations or artifacts.

    `version`: of an artifact whose link does not follow it; null: the latest one now. `follows`: it shows what is added later, too.
    `readers`: whom a link of the audience `named` is for. `password`: what a link of the audience `public` asks for.
    """

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)

    of: SharedKind
    target_id: UUID
    follows: bool = False
    version: Annotated[int, Field(ge=1, le=MAX_VERSION), WHOLE] | None = None
    audience: Audience = "members"
    readers: Annotated[list[ReaderId], Field(max_length=MAX_READERS)] = []
    password: Password | None = None
    days: Days | None = DEFAULT_DAYS


class ShareChange(BaseModel):
    """A new end of a link."""

    model_config = ConfigDict(extra="forbid")

    days: Days | None


class SharesOf(QueryParams):
    target: UUID | None = Field(default=None, description="Only links to the conversation or artifact with this id.")


class ReadersNamed(QueryParams):
    q: Annotated[str, StringConstraints(min_length=1, max_length=100)] = Field(description="Part of a name, or a whole e-mail address.")


class PreviewOf(QueryParams):
    of: SharedKind = Field(description="What it is.")
    target: UUID = Field(description="The id of the conversation or artifact.")


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
