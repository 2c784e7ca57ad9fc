"""Schemas of projects in the REST API (docs/protocol.md)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from chat.models import MAX_INSTRUCTIONS_CHARS, PROJECT_COLORS
from files.kinds import FileKind
from files.knowledge.models import KnowledgeFile
from tenants.rest.pagination import QueryParams
from tenants.rest.schemas import NO_NUL, ResponseSchema

Name = Annotated[str, StringConstraints(min_length=1, max_length=80, strip_whitespace=True, pattern=NO_NUL)]
Description = Annotated[str, StringConstraints(max_length=200, strip_whitespace=True, pattern=NO_NUL)]
Instructions = Annotated[str, StringConstraints(max_length=MAX_INSTRUCTIONS_CHARS, strip_whitespace=True, pattern=NO_NUL)]
Color = Annotated[int, Field(ge=1, le=PROJECT_COLORS)]


class ProjectItem(ResponseSchema):
    """A project. `color`: which of the identity colours, from 1. `conversationCount`: without archived ones."""

    id: UUID
    name: str
    description: str
    color: int
    instructions: str
    conversation_count: int
    file_count: int
    created_at: datetime


class ProjectList(ResponseSchema):
    """Your projects, by name."""

    items: list[ProjectItem]


class NewProject(BaseModel):
    """A project without conversations."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    description: Description = ""
    color: Color = 1
    instructions: Instructions = ""


class ProjectChange(BaseModel):
    """What to change of a project."""

    model_config = ConfigDict(extra="forbid")

    name: Name | None = None
    description: Description | None = None
    color: Color | None = None
    instructions: Instructions | None = None


class ProjectDeletion(QueryParams):
    conversations: Literal["keep", "delete"] = Field(default="keep", description="What becomes of its conversations.")


class ProjectFileItem(ResponseSchema):
    """A knowledge file of a project. `reason`: why a failed one has no text. `canRetry`: whether reading it can be tried again."""

    id: UUID
    name: str
    media_type: str
    kind: FileKind
    size_bytes: int
    state: KnowledgeFile.State
    reason: str
    can_retry: bool


class ProjectFileList(ResponseSchema):
    """The files of a project by name, and how many bytes they may have together."""

    items: list[ProjectFileItem]
    used_bytes: int
    max_bytes: int
