"""Schemas of shared links in the REST API (docs/rest.md)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic.alias_generators import to_camel

from sharing.checks import MAX_CHECKS, MAX_LINE, ShareCheck
from sharing.models import SharedKind
from sharing.policy import SharingPolicy
from tenants.rest.pagination import QueryParams
from tenants.rest.schemas import NO_NUL, WHOLE, ResponseSchema

Audience = Literal["named", "members", "public"]
ReaderKind = Literal["member", "group"]
ShareRight = Literal["read", "comment", "edit"]
Days = Annotated[int, Field(ge=1, le=365, description="From now on; null: until you stop it."), WHOLE]
DEFAULT_DAYS = 30  # as in frontend/src/sharing/labels.ts, for the dialog
MAX_VERSION = 2**31 - 1  # of its column
MAX_READERS = 50
MAX_ORIGINS = 10
MAX_ORIGIN = 300
Password = Annotated[str, StringConstraints(min_length=8, max_length=128)]
HiddenText = Annotated[str, StringConstraints(min_length=3, max_length=MAX_LINE, pattern=NO_NUL)]


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

    `version`: the shared version of a document; null when the link follows it, and for conversations. `frameOrigins`: whose pages may show
    the document in a frame, at the `url` with `frame/` behind it. `hidden`, `hidesKeys`: what the page leaves out. `commentCount`: those not
    resolved.
    """

    id: UUID
    title: str
    of: SharedKind
    target_id: UUID
    follows: bool
    version: int | None
    audience: Audience
    right: ShareRight
    readers: list[NamedReader]
    has_password: bool
    is_listed: bool
    hidden: list[str]
    hides_keys: bool
    frame_origins: list[str]
    comment_count: int
    url: str
    created_at: datetime
    expires_at: datetime | None
    expired: bool
    view_count: int
    last_viewed_at: datetime | None


class ShareList(ResponseSchema):
    """Your links that were not stopped, newest first."""

    items: list[ShareItem]


_FOR_READERS: dict[str, Any] = {"readers": {"maxItems": 0}, "right": {"const": "read"}}
_NOT_PUBLIC: dict[str, Any] = {"password": {"type": "null"}, "isListed": {"const": False}}
_NAMED_AUDIENCE: dict[str, Any] = {"audience": {"const": "named"}, "readers": {"minItems": 1}, **_NOT_PUBLIC}
_AUDIENCES: list[Any] = [
    {"required": ["audience", "readers"], "properties": {**_NAMED_AUDIENCE, "right": {"enum": ["read", "comment"]}}},
    {
        "required": ["audience", "readers", "right", "follows"],
        "properties": {
            **_NAMED_AUDIENCE,
            "right": {"const": "edit"},
            "follows": {"const": True},
            "hidden": {"maxItems": 0},
            "hidesKeys": {"const": False},
        },
    },
    {"properties": {"audience": {"const": "members"}, **_FOR_READERS, **_NOT_PUBLIC}},
    {"required": ["audience"], "properties": {"audience": {"const": "public"}, **_FOR_READERS, "isListed": {"const": False}}},
    {
        "required": ["audience", "isListed"],
        "properties": {"audience": {"const": "public"}, **_FOR_READERS, "isListed": {"const": True}, "password": {"type": "null"}},
    },
]

_FOLLOWED_ANSWER: dict[str, Any] = {"required": ["of", "follows"], "properties": {"of": {"const": "answer"}, "follows": {"const": True}}}


class NewShare(BaseModel):
    """A link to one of your conversations, answers or artifacts. Of an answer, which stays as it is, it shows the question, too.

    `version`: of an artifact whose link does not follow it; null: the latest one now. `follows`: it shows what is added later, too.
    `readers`: whom a link of the audience `named` is for. `right`: what they may do; to edit a document, or those of a conversation, the link
    follows it. `password`: what a link of the audience `public` asks for. `isListed`: search engines may list it, if it has no password.
    `hidden`: texts that are left out. `hidesKeys`: what looks like a key or a password is left out; needed where there is one, and always so
    of a link that follows. Who may edit sees all. `previewed`: the `state` of the preview that you looked at; what would show anything else by
    now is refused (409).
    """

    model_config = ConfigDict(
        extra="forbid", alias_generator=to_camel, populate_by_name=True, json_schema_extra={"oneOf": _AUDIENCES, "not": _FOLLOWED_ANSWER}
    )

    of: SharedKind
    target_id: UUID
    follows: bool = False
    version: Annotated[int, Field(ge=1, le=MAX_VERSION), WHOLE] | None = None
    audience: Audience = "members"
    right: ShareRight = "read"
    readers: Annotated[list[ReaderId], Field(max_length=MAX_READERS)] = []
    password: Password | None = None
    is_listed: bool = False
    hidden: Annotated[list[HiddenText], Field(max_length=MAX_CHECKS)] = []
    hides_keys: bool = False
    previewed: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] | None = None
    days: Days | None = DEFAULT_DAYS

    @model_validator(mode="after")
    def _check_audience(self) -> NewShare:
        if bool(self.readers) != (self.audience == "named"):
            raise ValueError("readers: at least one for a link of the audience `named`, and none for others")
        if self.password is not None and self.audience != "public":
            raise ValueError("password: only a link of the audience `public` can have one")
        if self.right != "read" and self.audience != "named":
            raise ValueError("right: only a link of the audience `named` can have another one than `read`")
        if self.of == "answer" and self.follows:
            raise ValueError("follows: an answer stays as it is")
        if self.right == "edit" and not self.follows:
            raise ValueError("follows: needed for the right `edit`")
        if self.right == "edit" and (self.hidden or self.hides_keys):
            raise ValueError("hidden: nothing can be hidden from those who may edit")
        if self.is_listed and (self.audience != "public" or self.password is not None):
            raise ValueError("isListed: only for a link of the audience `public` without a password")
        return self


class ShareChange(BaseModel):
    """What is sent changes: the end of a link; for one of the audience `named` whom it is for, and what they may do.

    `frameOrigins`: for a link to an artifact of the audience `public` without a password, such as https://wiki.example.
    """

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True, json_schema_extra={"minProperties": 1})

    days: Days | None = None
    right: ShareRight | None = None
    readers: Annotated[list[ReaderId], Field(min_length=1, max_length=MAX_READERS)] | None = None
    frame_origins: Annotated[list[Annotated[str, StringConstraints(max_length=MAX_ORIGIN)]], Field(max_length=MAX_ORIGINS)] | None = None

    @model_validator(mode="after")
    def _check_something(self) -> ShareChange:
        if not self.model_fields_set:
            raise ValueError("something to change")
        return self


class SharesQuery(QueryParams):
    target: UUID | None = Field(default=None, description="Only links to the conversation or artifact with this id.")


class ReadersQuery(QueryParams):
    q: Annotated[str, StringConstraints(min_length=1, max_length=100)] = Field(description="Part of a name, or a whole e-mail address.")


class PreviewQuery(QueryParams):
    of: SharedKind = Field(description="What it is.")
    target: UUID = Field(description="The id of the conversation, the answer (its message) or the artifact.")


class PreviewPiece(ResponseSchema):
    """The beginning of a text, or a document's title."""

    kind: Literal["question", "answer", "artifact", "file"]
    text: str


class SharePreview(ResponseSchema):
    """What a link would show now, and what the organization allows. `cut`: it is too long, and its end would be left out.

    `state`: changes when the page would.
    """

    state: str
    title: str
    organization: str
    policy: SharingPolicy
    message_count: int
    artifact_count: int
    file_count: int
    cut: bool
    pieces: list[PreviewPiece]
    checks: list[ShareCheck]
