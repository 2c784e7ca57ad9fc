"""Results of an artifact agent's tool: metadata only, the text stays out of the chat agent's context (SPEC 4.7)."""

from __future__ import annotations

from typing import Any, Literal

from agents.artifact_agents.ports import StoredVersion
from agents.engine.ports import ToolOutcome
from agents.messages import ArtifactReference

Status = Literal["ready", "stopped", "failed"]


def stored_outcome(stored: StoredVersion, call_id: str) -> ToolOutcome:
    """Return the outcome of a call whose version is stored.

    It includes what is still wrong with the text and how the user's own changes were merged.
    """
    extra = {name: stored.metadata[name] for name in ("problem", "line", "merged", "conflict") if name in stored.metadata}
    return ToolOutcome({**version_output(stored), **extra}, entries=(version_reference(stored, call_id, "ready"),))


def version_output(stored: StoredVersion) -> dict[str, Any]:
    return {
        "id": stored.artifact_id,
        "title": stored.title,
        "kind": stored.kind,
        "version": stored.number,
        "operation": stored.operation,
    }


def version_reference(stored: StoredVersion, call_id: str, status: Status) -> ArtifactReference:
    return ArtifactReference(stored.artifact_id, stored.title, stored.kind, stored.number, stored.operation, call_id, status)


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
