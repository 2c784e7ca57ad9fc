"""Schemas of artifacts in the REST API (docs/protocol.md), and the functions that fill them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
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
    """`authorName`: the member's name; empty for agents. `agent`: the agent's name; empty for members. `parent`: the number of the version
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


class TextOfVersion(ResponseSchema):
    number: int
    content: str


class MergeHunk(ResponseSchema):
    """A part of the text. The texts of all hunks joined are the whole texts. `same`: all three texts are the merged one."""

    kind: Literal["same", "conflict"]
    base: str
    theirs: str
    yours: str


class BothSides(ResponseSchema):
    """Two texts that were made from `base` and changed the same lines: `latest` is the current version, `yours` must be merged with it."""

    base: TextOfVersion
    latest: TextOfVersion
    yours: str
    merged: list[MergeHunk]


class ConflictError(Error, BothSides):
    """Nothing was stored."""


class ArtifactDetail(ArtifactSummary):
    """`content` is the latest version's. `versions` come oldest first. `suggestions`: the undecided ones. `conflict`: an agent changed the
    same lines as you; `latest` has the agent's text, `yours` has yours.
    """

    versions: list[VersionItem]
    content: str
    file_url: str | None
    suggestions: list[SuggestionItem]
    conflict: BothSides | None


class SavedVersion(ResponseSchema):
    """`merged`: others wrote meanwhile, and `content` includes both changes."""

    version: VersionItem
    content: str
    merged: bool


class Decided(ResponseSchema):
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


def artifact_summary(artifact: Artifact) -> dict[str, Any]:
    """Return the same JSON as artifacts.selectors.summaries_subquery."""
    return {
        "id": str(artifact.pk),
        "conversationId": str(artifact.conversation_id),
        "title": artifact.title,
        "kind": artifact.kind,
        "latestVersion": artifact.latest_number,
    }


def artifact_list_item(artifact: Artifact) -> dict[str, Any]:
    return {**artifact_summary(artifact), "createdAt": _time(artifact.created_at), "updatedAt": _time(artifact.updated_at)}


def artifact_detail(
    artifact: Artifact,
    *,
    versions: Sequence[Version],
    latest: Version,
    suggestions: Sequence[Suggestion] = (),
    conflict: MergeSides | None = None,
    file_url: str | None = None,
) -> dict[str, Any]:
    """Return the JSON of ArtifactDetail. `versions`: oldest first; their content is not read."""
    return {
        **artifact_summary(artifact),
        "versions": [version_item(version) for version in versions],
        "content": latest.content,
        "fileUrl": file_url,
        "suggestions": [suggestion_item(suggestion) for suggestion in suggestions],
        "conflict": conflict_item(conflict) if conflict else None,
    }


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


def version_item(version: Version) -> dict[str, Any]:
    return {
        "number": version.number,
        "createdAt": _time(version.created_at),
        "operation": version.operation,
        "isDraft": version.is_draft,
        "isAutosave": bool(version.metadata.get("autosave")),
        "authorKind": version.author_kind,
        "authorName": _author_name(version),
        "agent": version.agent,
        "runId": str(version.run_id) if version.run_id else None,
        "parent": version.parent,
        "changedLines": version.metadata.get("changedLines"),
    }


def version_detail(version: Version, *, file_url: str | None = None) -> dict[str, Any]:
    return {**version_item(version), "content": version.content, "fileUrl": file_url}


def suggestion_item(suggestion: Suggestion) -> dict[str, Any]:
    """Return the JSON of SuggestionItem, which is also the content of the stream part `data-suggestion`."""
    return {
        "id": str(suggestion.pk),
        "artifactId": str(suggestion.artifact_id),
        "version": suggestion.version_number,
        "original": suggestion.original,
        "prefix": suggestion.prefix,
        "suffix": suggestion.suffix,
        "start": suggestion.start,
        "replacement": suggestion.replacement,
        "comment": suggestion.comment,
        "status": suggestion.status,
    }


def conflict_item(sides: MergeSides) -> dict[str, Any]:
    """Merge the two sides and return the JSON of BothSides."""
    return {
        "base": {"number": sides.base.number, "content": sides.base.content},
        "latest": {"number": sides.theirs.number, "content": sides.theirs.content},
        "yours": sides.yours,
        "merged": [asdict(hunk) for hunk in sides.merged().hunks],
    }


def diff_item(diff: Diff) -> dict[str, Any]:
    return {
        "hunks": [
            {"fromStart": hunk.from_start, "toStart": hunk.to_start, "lines": [line._asdict() for line in hunk.lines]}
            for hunk in diff.hunks
        ],
        "added": diff.added,
        "removed": diff.removed,
    }


def _author_name(version: Version) -> str:
    if version.author_kind != Version.AuthorKind.USER or version.author is None:
        return ""
    return version.author.user.get_full_name()


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()
