"""Entries that only people see, never a model: sources, steps, questions to people and to the page, and notices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Source:
    """A web page that an answer is based on; shown to the user, not part of the model's context."""

    url: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class ArtifactReference:
    """An artifact version that a tool wrote. Shown to the user; the model knows of it through the tool's result."""

    artifact_id: str
    title: str
    kind: str
    version: int | None
    operation: str
    call_id: str
    status: Literal["streaming", "ready", "stopped", "failed"] = "ready"


@dataclass(frozen=True, slots=True)
class WorkflowStep:
    """A step of the agent's work that it reported to the user; the model knows of it from its own call."""

    text: str
    state: Literal["running", "done"] = "running"


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """The run waits until the user allows or refuses this call (SPEC 4.11). Not part of the model's context."""

    approval_id: str
    call_id: str
    reason: str = ""  # a sentence for the user: why approval is needed, unless the tool always asks
    host: str = ""  # where the arguments go; "": unknown, or nowhere
    may_last: bool = False  # whether the user may allow the tool and host for the rest of the conversation


@dataclass(frozen=True, slots=True)
class ApprovalResponse:
    """The user's decision; the model learns of it from the call's result."""

    approval_id: str
    call_id: str
    approved: bool
    reason: str = ""  # why it was refused, in the user's words
    lasts: bool = False  # later calls of the tool to this host are allowed too (agents.engine.taint)


@dataclass(frozen=True, slots=True)
class ClientRequest:
    """The run waits until the client has executed this call (SPEC 4.12). Not part of the model's context."""

    call_id: str
    name: str
    input: Mapping[str, Any]  # the arguments: what is left of the model's own after the server's check


@dataclass(frozen=True, slots=True)
class ClientOutput:
    """What the client returned for a call; the model learns of it from the call's result."""

    call_id: str
    output: Any  # a JSON value
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class ClientData:
    """A stored data part, such as suggestions; shown to the user, not part of the model's context."""

    name: str
    data: Mapping[str, Any]
    id: str | None = None


@dataclass(frozen=True, slots=True)
class DataPart:
    """Custom data for the client: an AI SDK `data-<name>` part. A later part with the same name and id replaces it."""

    name: str
    data: Mapping[str, Any]
    id: str | None = None
    transient: bool = False  # not stored


@dataclass(frozen=True, slots=True)
class Notice:
    """A status line for the user (stopped, failed, step limit); never part of the model's context."""

    code: str
    text: str
    level: Literal["info", "warning", "error"] = "info"
    action: Literal["retry", "continue", "settings"] | None = None  # what the user interface offers next
    retry_at: str = ""  # ISO 8601, when the provider named a time; "": it named none
