"""What an artifact agent needs from outside: where its work is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from artifacts.services import NewSuggestion


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVersion:
    """One version of an artifact as it is stored. `parent`: the number it was made from."""

    artifact_id: str
    title: str
    kind: str
    number: int
    parent: int | None
    operation: str
    content: str
    is_draft: bool
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenVersion:
    """What a tool call wrote. Without a `parent` it is the first version of a new artifact."""

    artifact_id: str
    title: str
    kind: str
    parent: int | None
    operation: str
    content: str
    is_draft: bool
    call_id: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ArtifactTitle:
    id: str
    title: str
    kind: str


class ArtifactStore(Protocol):
    """The artifacts of one conversation, as one run may use them. Methods raise `ToolFailed` for what the model should read."""

    def new_id(self, call_id: str) -> str:
        """Return the id of the artifact that this call makes: the same one when the call is run again after a crash."""
        ...

    async def version_of_call(self, call_id: str) -> StoredVersion | None:
        """Return what this call wrote before: the finished version, else a draft of it, else None."""
        ...

    async def load(self, artifact_id: str, number: int | None = None) -> StoredVersion | None:
        """Return that version (None: the newest that is finished, else the newest draft); None when the conversation has no such one."""
        ...

    async def load_before(self, artifact_id: str, number: int) -> StoredVersion | None:
        """Return the newest finished version below `number`; None when there is none."""
        ...

    async def titles(self) -> Sequence[ArtifactTitle]:
        """Return the conversation's artifacts, oldest first."""
        ...

    async def save(self, version: WrittenVersion) -> StoredVersion:
        """Append the version, once per call: saving the same call's work again returns what is stored.

        What the user typed since `version.parent` is merged in, so that the stored content may be another one.
        """
        ...

    def suggestion_id(self, call_id: str, position: int) -> str:
        """Return the id that the call's suggestion at `position` (from 0) has when it is stored."""
        ...

    async def suggestions_of_call(self, call_id: str) -> int:
        """Return how many suggestions this call has stored."""
        ...

    async def save_suggestions(self, base: StoredVersion, call_id: str, items: Sequence[NewSuggestion]) -> None:
        """Store what a call suggests for the version `base`; what it stored before stays."""
        ...
