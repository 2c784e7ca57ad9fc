"""Schemas of what is shared with a member by name, and of comments on it (docs/rest.md)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic.alias_generators import to_camel

from artifacts.models import MAX_CONTEXT_CHARS
from sharing.models import SharedKind
from sharing.shapes import ShareRight
from tenants.rest.schemas import WHOLE, ResponseSchema, requires_field

MAX_TEXT_CHARS = 4000
MAX_QUOTE_CHARS = 2000
MAX_VERSION = 2**31 - 1  # of its column
_MESSAGE: dict[str, Any] = {
    "required": ["messageId"],
    "properties": {"messageId": {"type": "string"}, "artifactId": {"type": "null"}, "version": {"type": "null"}},
}
_ARTIFACT: dict[str, Any] = {
    "required": ["artifactId", "version"],
    "properties": {"messageId": {"type": "null"}, "artifactId": {"type": "string"}, "version": {"type": "integer"}},
}


class SharedPiece(ResponseSchema):
    """A text, a document, or the mention of a file. `heading`: the assistant's name, or the document's title. `note`: what the document is.

    `messageId`: of a question or an answer. `artifactId`, `version`: of a document.
    """

    kind: Literal["question", "answer", "artifact", "file"]
    heading: str
    note: str
    markdown: str
    message_id: UUID | None
    artifact_id: UUID | None
    version: int | None


class CommentAnchor(ResponseSchema):
    """A passage of a document as its reader sees it: its words, some before and behind them, and where it began, in UTF-16 code units."""

    model_config = ConfigDict(extra="forbid")

    quote: Annotated[str, StringConstraints(min_length=1, max_length=MAX_QUOTE_CHARS, pattern=r"[^\x00]")]  # NUL is not stored, the rest is
    prefix: Annotated[str, StringConstraints(max_length=MAX_CONTEXT_CHARS)]
    suffix: Annotated[str, StringConstraints(max_length=MAX_CONTEXT_CHARS)]
    start: Annotated[int, Field(ge=0, le=MAX_VERSION), WHOLE]

    def mapped(self, change: Callable[[str], str]) -> CommentAnchor:
        """Return it with each of its texts changed."""
        return self.model_copy(update={name: change(getattr(self, name)) for name in ("quote", "prefix", "suffix")})


class CommentItem(ResponseSchema):
    """A comment on a message, or on a version of a document. `author`: empty when they have left. `mayComment`, `mayEdit`, `mayDelete`: you.

    `resolvedBy`: empty when nobody did, or when they have left. `anchor`: the passage that it is about. `threadId`: of a reply, the comment that it answers.
    """

    id: UUID
    share_id: UUID
    author: str
    text: str
    message_id: UUID | None
    artifact_id: UUID | None
    version: int | None
    anchor: CommentAnchor | None
    thread_id: UUID | None
    created_at: datetime
    edited_at: datetime | None
    resolved_at: datetime | None
    resolved_by: str
    may_comment: bool
    may_edit: bool
    may_delete: bool


class CommentList(ResponseSchema):
    """Oldest first."""

    items: list[CommentItem]


class ArtifactComments(ResponseSchema):
    """What is said about a document through links that show it to you, oldest first. `shareId`: the link that your new comments belong to, if you may write any."""

    share_id: UUID | None
    items: list[CommentItem]


class OpenedShare(ResponseSchema):
    """What a link shows to a member whom it names, or to its owner (`isOwn`). `cut`: its end is left out. `mayComment`, `mayEdit`: you."""

    id: UUID
    title: str
    of: SharedKind
    owner: str
    is_own: bool
    right: ShareRight
    may_comment: bool
    may_edit: bool
    cut: bool
    pieces: list[SharedPiece]
    comments: list[CommentItem]


class NewComment(BaseModel):
    """A comment on a message, or on a version of a document, that the link shows.

    `anchor`: the passage that it is about; only where the link shows the latest version and hides nothing. `threadId`: the comment at the
    same place that it answers.
    """

    model_config = ConfigDict(
        extra="forbid", alias_generator=to_camel, populate_by_name=True, json_schema_extra={"oneOf": [_MESSAGE, _ARTIFACT]}
    )

    text: Annotated[str, StringConstraints(min_length=1, max_length=MAX_TEXT_CHARS)]
    message_id: UUID | None = None
    artifact_id: UUID | None = None
    version: Annotated[int, Field(ge=1, le=MAX_VERSION), WHOLE] | None = None
    anchor: CommentAnchor | None = None
    thread_id: UUID | None = None

    @model_validator(mode="after")
    def _check_place(self) -> NewComment:
        if (self.message_id is None) == (self.artifact_id is None) or (self.artifact_id is None) != (self.version is None):
            raise ValueError("the messageId, or the artifactId with its version")
        if self.anchor is not None and (self.artifact_id is None or self.thread_id is not None):
            raise ValueError("an anchor only for a document, and not in a reply")
        return self


class CommentChange(BaseModel):
    """One of the two. `text`: of an own comment. `resolved`: of a comment that answers no other."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"oneOf": [requires_field("resolved"), requires_field("text")]})

    resolved: bool | None = None
    text: Annotated[str, StringConstraints(min_length=1, max_length=MAX_TEXT_CHARS)] | None = None

    @model_validator(mode="after")
    def _check_one(self) -> CommentChange:
        if (self.resolved is None) == (self.text is None):
            raise ValueError("resolved or text")
        return self
