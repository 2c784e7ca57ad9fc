"""Schemas of artifacts in the REST API (docs/protocol.md), and the functions that fill them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from artifacts.merge_context import MergeSides
from artifacts.models import Artifact, Suggestion, Version
from artifacts.text.diffs import Diff
from tenants.rest.schemas import Error, ResponseSchema


class LinesChanged(ResponseSchema):
    """Compared with the version that it was made from."""

    added: int
    removed: int


class VersionItem(ResponseSchema):
    """`authorName`: the member's name, or those of all who wrote it together; empty for agents. `agent`: the agent's name; empty for members. `parent`: the number of the version
    that it was made from. `changedLines`: null if it was not counted.
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
    """`fileUrl`: of an image, whose content is empty; valid for five minutes."""

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
    """`original` was between `prefix` and `suffix`, at `start` (UTF-16 code units) of `version`."""

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


class VersionText(ResponseSchema):
    number: int
    content: str


class MergeHunk(ResponseSchema):
    """A part of the text. The texts of all hunks joined are the whole texts. `same`: all three texts are the merged one."""

    kind: Literal["same", "conflict"]
    base: str
    theirs: str
    yours: str


class ConflictSides(ResponseSchema):
    """Two texts that were made from `base` and changed the same lines: `latest` is the current version, `yours` must be merged with it."""

    base: VersionText
    latest: VersionText
    yours: str
    merged: list[MergeHunk]


class ConflictError(ConflictSides, Error):
    """Nothing was stored."""


class ArtifactDetail(ArtifactSummary):
    """`content` is the latest version's. `versions` come oldest first. `suggestions`: the undecided ones. `conflict`: an agent changed the
    same lines as you; `latest` has the agent's text, `yours` has yours. `isOwn`: false for one that another member lets you edit.
    """

    versions: list[VersionItem]
    content: str
    file_url: str | None
    suggestions: list[SuggestionItem]
    conflict: ConflictSides | None
    is_own: bool


class SavedVersion(ResponseSchema):
    """`merged`: others wrote meanwhile, and `content` includes both changes."""

    version: VersionItem
    content: str
    merged: bool


class DecisionResult(ResponseSchema):
    """`version`: the new version, or the latest if none was created, with its content. `suggestions`: those that were decided."""

    version: VersionItem
    content: str
    suggestions: list[SuggestionItem]


class DiffLineItem(ResponseSchema):
    op: Literal[" ", "+", "-"]
    text: str


class DiffHunkItem(ResponseSchema):
    """The starts are the line numbers, from 1, of its first line in each text."""

    from_start: int
    to_start: int
    lines: list[DiffLineItem]


class DiffAnswer(ResponseSchema):
    hunks: list[DiffHunkItem]
    added: int
    removed: int


def artifact_summary(artifact: Artifact) -> ArtifactSummary:
    return ArtifactSummary(
        id=artifact.pk,
        conversation_id=artifact.conversation_id,
        title=artifact.title,
        kind=artifact.kind,
        latest_version=artifact.latest_number,
    )


def artifact_list_item(artifact: Artifact) -> ArtifactListItem:
    return ArtifactListItem(**dict(artifact_summary(artifact)), created_at=artifact.created_at, updated_at=artifact.updated_at)


def artifact_detail(
    artifact: Artifact,
    *,
    versions: Sequence[Version],
    latest: Version,
    suggestions: Sequence[Suggestion] = (),
    conflict: MergeSides | None = None,
    file_url: str | None = None,
    is_own: bool = True,
) -> ArtifactDetail:
    """`versions`: oldest first; their content is not read."""
    return ArtifactDetail(
        **dict(artifact_summary(artifact)),
        versions=[version_item(version) for version in versions],
        content=latest.content,
        file_url=file_url,
        suggestions=[suggestion_item(suggestion) for suggestion in suggestions],
        conflict=both_sides(conflict) if conflict else None,
        is_own=is_own,
    )


def artifact_notice(version: Version) -> dict[str, Any]:
    """Return the notification of a new version for the member's open pages (docs/protocol.md, `data-artifact`)."""
    artifact = version.artifact
    change = {
        "id": str(artifact.pk),
        "title": artifact.title,
        "kind": artifact.kind,
        "status": "ready",
        "version": version.number,
        "operation": version.operation,
        "callId": "",
    }
    return {"type": "artifact", "conversationId": str(artifact.conversation_id), "artifact": change}


def version_item(version: Version) -> VersionItem:
    return VersionItem(
        number=version.number,
        created_at=version.created_at,
        operation=Version.Operation(version.operation),
        is_draft=version.is_draft,
        is_autosave=bool(version.metadata.get("autosave")),
        author_kind=Version.AuthorKind(version.author_kind),
        author_name=_author_name(version),
        agent=version.agent,
        run_id=version.run_id,
        parent=version.parent,
        changed_lines=version.metadata.get("changedLines"),
    )


def version_detail(version: Version, *, file_url: str | None = None) -> VersionDetail:
    return VersionDetail(**dict(version_item(version)), content=version.content, file_url=file_url)


def suggestion_item(suggestion: Suggestion) -> SuggestionItem:
    return SuggestionItem(
        id=suggestion.pk,
        artifact_id=suggestion.artifact_id,
        version=suggestion.version_number,
        original=suggestion.original,
        prefix=suggestion.prefix,
        suffix=suggestion.suffix,
        start=suggestion.start,
        replacement=suggestion.replacement,
        comment=suggestion.comment,
        status=Suggestion.Status(suggestion.status),
    )


def both_sides(sides: MergeSides) -> ConflictSides:
    """Merge the two sides."""
    return ConflictSides(
        base=VersionText(number=sides.base.number, content=sides.base.content),
        latest=VersionText(number=sides.theirs.number, content=sides.theirs.content),
        yours=sides.yours,
        merged=[MergeHunk(kind=hunk.kind, base=hunk.base, theirs=hunk.theirs, yours=hunk.yours) for hunk in sides.merge().hunks],
    )


def diff_hunks(diff: Diff) -> list[DiffHunkItem]:
    return [
        DiffHunkItem(
            from_start=hunk.from_start, to_start=hunk.to_start, lines=[DiffLineItem(op=line.op, text=line.text) for line in hunk.lines]
        )
        for hunk in diff.hunks
    ]


def _author_name(version: Version) -> str:
    if version.author_kind != Version.AuthorKind.USER or version.author is None:
        return ""
    return ", ".join(member.user.get_full_name() for member in (version.author, *version.other_authors))
