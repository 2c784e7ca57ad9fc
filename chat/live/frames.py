"""The JSON that a page with a live document sends (docs/protocol.md, "Live documents")."""

from __future__ import annotations

import binascii
from base64 import b64decode
from typing import Annotated, Final, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from tenants.errors import BadRequest

MAX_UPDATE_CHARS: Final = 1_000_000  # in base64; of one change


def _bytes(text: str) -> str:
    try:
        b64decode(text, validate=True)
    except binascii.Error as exc:
        raise ValueError("base64") from exc
    return text


class _Frame(BaseModel):
    model_config = ConfigDict(extra="forbid")


class JoinFrame(_Frame):
    """`document` and `seq`: what the page has already."""

    type: Literal["join"]
    document: UUID | None = None
    seq: int = Field(default=0, ge=0, le=2**53)


class UpdateFrame(_Frame):
    """A change of the document in Yjs's format. `id`: the page's own number, which the acknowledgement has."""

    type: Literal["update"]
    document: UUID
    id: int = Field(ge=0, le=2**53)
    content: Annotated[str, Field(max_length=MAX_UPDATE_CHARS), AfterValidator(_bytes)]

    @property
    def update(self) -> bytes:
        return b64decode(self.content)


class ItemId(_Frame):
    client: int = Field(ge=0, le=2**53)
    clock: int = Field(ge=0, le=2**53)


class Position(_Frame):
    """A relative position, as Yjs writes it."""

    type: ItemId | None = None
    tname: str | None = Field(default=None, max_length=100)
    item: ItemId | None = None
    assoc: int | None = Field(default=None, ge=-1, le=0)


class Cursor(_Frame):
    anchor: Position
    head: Position


class CursorFrame(_Frame):
    """Where the member's selection is. None: nowhere."""

    type: Literal["cursor"]
    cursor: Cursor | None


class SaveFrame(_Frame):
    """Make a version now."""

    type: Literal["save"]


LiveFrame = JoinFrame | UpdateFrame | CursorFrame | SaveFrame

_FRAMES: TypeAdapter[LiveFrame] = TypeAdapter(Annotated[LiveFrame, Field(discriminator="type")])


def live_frame_parse(text: str) -> LiveFrame:
    """Raises BadRequest."""
    try:
        return _FRAMES.validate_json(text)
    except ValidationError as exc:
        raise BadRequest from exc
