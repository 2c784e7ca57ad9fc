"""The shapes of artifacts in the REST API (docs/protocol.md); artifacts.shapes makes them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from artifacts.models import Suggestion, Version
from tenants.rest.schemas import Error, ResponseSchema


class LinesChanged(ResponseSchema):
    """Against the version that it was made from."""

    added: int
    removed: int


class VersionItem(ResponseSchema):
    """`author_name`: of a member, empty for agents. `agent`: the agent's name, empty for members. `parent`: the number of the version
    that it follows. `changed_lines` None: it was not counted.
    """

    number: int
    created_at: datetime
    operation: Version.Operation
    is_draft: bool
    is_autosave: bool
    author_kind: Version.AuthorKind
    author_name: str
    agent: str
    run_id: UUID | None
    parent: int | None
    changed_lines: LinesChanged | None


class VersionDetail(VersionItem):
    """`file_url`: of an image, whose content is empty; good for five minutes."""

    content: str
    file_url: str | None


class VersionPage(ResponseSchema):
    items: list[VersionItem]
    next_cursor: str | None


class ArtifactSummary(ResponseSchema):
    id: UUID
    conversation_id: UUID
    title: str
    kind: str
    latest_version: int


class ArtifactListItem(ArtifactSummary):
    created_at: datetime
    updated_at: datetime


class ArtifactPage(ResponseSchema):
    items: list[ArtifactListItem]
    next_cursor: str | None


class SuggestionItem(ResponseSchema):
    """`original` stood between `prefix` and `suffix`, at `start` (UTF-16 code units) of `version`."""

    id: UUID
    artifact_id: UUID
    version: int
    original: str
    prefix: str
    suffix: str
    start: int
    replacement: str
    comment: str
    status: Suggestion.Status


class TextOfVersion(ResponseSchema):
    number: int
    content: str


class MergeHunk(ResponseSchema):
    """A stretch of the text. Joined, hunks are whole texts. `same`: the three are what was merged."""

    kind: Literal["same", "conflict"]
    base: str
    theirs: str
    yours: str


class BothSides(ResponseSchema):
    """Two texts that were made from `base` and changed the same lines: `latest` is what stands now, `yours` is to be joined with it."""

    base: TextOfVersion
    latest: TextOfVersion
    yours: str
    merged: list[MergeHunk]


class ConflictError(Error, BothSides):
    """Nothing was stored."""


class ArtifactDetail(ArtifactSummary):
    """`content` is the latest version's, `versions` come oldest first. `suggestions`: the undecided ones. `conflict`: an agent wrote
    this while you changed the same lines; `latest` has the agent's text, `yours` has yours.
    """

    versions: list[VersionItem]
    content: str
    file_url: str | None
    suggestions: list[SuggestionItem]
    conflict: BothSides | None


class SavedVersion(ResponseSchema):
    """`merged`: others wrote meanwhile, and `content` holds both."""

    version: VersionItem
    content: str
    merged: bool


class Decided(ResponseSchema):
    """`version`: what was made, or the latest when nothing was; with its content. `suggestions`: those that were decided on."""

    version: VersionItem
    content: str
    suggestions: list[SuggestionItem]


class DiffLineItem(ResponseSchema):
    op: Literal[" ", "+", "-"]
    text: str


class DiffHunkItem(ResponseSchema):
    """The starts are the line numbers, from 1, of its first line in either text."""

    from_start: int
    to_start: int
    lines: list[DiffLineItem]


class DiffAnswer(ResponseSchema):
    hunks: list[DiffHunkItem]
    added: int
    removed: int
