"""Results of an artifact agent's tool: metadata only, the text stays out of the chat agent's context (SPEC 4.7)."""

from __future__ import annotations

from typing import Any, Literal

from agents.artifact_agents.ports import StoredVersion
from agents.engine.ports import ToolOutcome
from agents.messages import ArtifactReference

Status = Literal["ready", "stopped", "failed"]


def stored_outcome(version: StoredVersion, call_id: str) -> ToolOutcome:
    """Return the outcome of a call whose version is stored.

    It includes what is still wrong with the text and how the user's own changes were merged.
    """
    extra = {name: version.metadata[name] for name in ("problem", "line", "merged", "conflict") if name in version.metadata}
    return ToolOutcome({**version_output(version), **extra}, entries=(version_reference(version, call_id, "ready"),))


def version_output(version: StoredVersion) -> dict[str, Any]:
    return {
        "id": version.artifact_id,
        "title": version.title,
        "kind": version.kind,
        "version": version.number,
        "operation": version.operation,
    }


def version_reference(version: StoredVersion, call_id: str, status: Status) -> ArtifactReference:
    return ArtifactReference(version.artifact_id, version.title, version.kind, version.number, version.operation, call_id, status)


def artifact_data_part(reference: ArtifactReference) -> dict[str, Any]:
    """Return the content of the data part `data-artifact` (docs/protocol.md)."""
    return {
        "id": reference.artifact_id,
        "title": reference.title,
        "kind": reference.kind,
        "status": reference.status,
        "version": reference.version,
        "operation": reference.operation,
        "callId": reference.call_id,
    }
