"""Artifacts as the browser sees them (docs/protocol.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from artifacts.merge_context import MergeSides
from artifacts.models import Artifact, Suggestion, Version
from artifacts.text.diffs import Diff


def artifact_summary(artifact: Artifact) -> dict[str, Any]:
    """The same as artifacts.selectors.summaries_subquery."""
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
    """`versions`: oldest first; their content is not read."""
    return {
        **artifact_summary(artifact),
        "versions": [version_item(version) for version in versions],
        "content": latest.content,
        "fileUrl": file_url,
        "suggestions": [suggestion_item(suggestion) for suggestion in suggestions],
        "conflict": conflict_item(conflict) if conflict else None,
    }


def artifact_notice(version: Version) -> dict[str, Any]:
    """What the member's other screens hear of a new version: docs/protocol.md, `data-artifact` and where it belongs."""
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
    """Also what the stream part `data-suggestion` holds."""
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
    """Merges them."""
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
