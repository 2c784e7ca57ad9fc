"""The interface of the artifact store: where artifact agents keep their work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from artifacts.services import NewSuggestion


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVersion:
    """One stored version of an artifact."""

    artifact_id: str
    title: str
    kind: str
    number: int
    parent: int | None  # number of the version it is based on
    operation: str
    content: str
    is_draft: bool
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenVersion:
    """What a tool call wrote."""

    artifact_id: str
    title: str
    kind: str
    parent: int | None  # None: the first version of a new artifact
    operation: str
    content: str
    is_draft: bool
    call_id: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ArtifactTitle:
    """An artifact as it is listed for the model."""

    id: str
    title: str
    kind: str


class ArtifactStore(Protocol):
    """The artifacts of one conversation, as one run may use them. Methods raise `ToolFailed` with a text for the model."""

    def new_id(self, call_id: str) -> str:
        """Return the id of the artifact that this call creates; the same id when the call is run again after a crash."""
        ...

    async def version_of_call(self, call_id: str) -> StoredVersion | None:
        """Return what this call wrote before: the finished version, else its draft, else None."""
        ...

    async def load(self, artifact_id: str, number: int | None = None) -> StoredVersion | None:
        """Return the version; None when the conversation has no such version.

        Without `number`, returns the newest finished version, else the newest draft.
        """
        ...

    async def load_before(self, artifact_id: str, number: int) -> StoredVersion | None:
        """Return the newest finished version below `number`; None when there is none."""
        ...

    async def titles(self) -> Sequence[ArtifactTitle]:
        """Return the conversation's artifacts, oldest first."""
        ...

    async def save(self, version: WrittenVersion) -> StoredVersion:
        """Append the version. Saving the same call's work again returns what is stored.

        What the user typed since `version.parent` is merged in, so the stored content may differ.
        """
        ...

    def suggestion_id(self, call_id: str, position: int) -> str:
        """Return the id under which the call's suggestion at `position` (from 0) is stored."""
        ...

    async def suggestions_of_call(self, call_id: str) -> int:
        """Return how many suggestions this call has stored."""
        ...

    async def save_suggestions(self, base: StoredVersion, call_id: str, items: Sequence[NewSuggestion]) -> None:
        """Store a call's suggestions for the version `base`; suggestions that it stored before are kept."""
        ...
