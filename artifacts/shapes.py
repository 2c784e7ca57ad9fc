"""Artifacts as the browser sees them (docs/protocol.md)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from artifacts.models import Artifact, Suggestion, Version


def artifact_item(artifact: Artifact, versions: Sequence[Version]) -> dict[str, Any]:
    """An artifact without its content. `versions`: oldest first; their content is not read."""
    return {**_summary(artifact), "versions": [version_item(version) for version in versions]}


def artifact_list_item(artifact: Artifact) -> dict[str, Any]:
    return {**_summary(artifact), "createdAt": _time(artifact.created_at), "updatedAt": _time(artifact.updated_at)}


def artifact_detail(artifact: Artifact, versions: Sequence[Version], latest: Version) -> dict[str, Any]:
    return {**artifact_item(artifact, versions), "content": latest.content}


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
        "authorKind": version.author_kind,
    }


def version_detail(version: Version) -> dict[str, Any]:
    return {**version_item(version), "content": version.content, "parent": version.parent}


def _summary(artifact: Artifact) -> dict[str, Any]:
    return {
        "id": str(artifact.pk),
        "conversationId": str(artifact.conversation_id),
        "title": artifact.title,
        "kind": artifact.kind,
        "latestVersion": artifact.latest_number,
    }


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


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
