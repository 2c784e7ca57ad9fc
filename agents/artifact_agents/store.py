"""The artifact store in the database: every method is one transaction of the run's organization."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID, uuid5

from django.db import OperationalError

from agents.artifact_agents.ports import ArtifactTitle, StoredVersion, WrittenVersion
from agents.errors import ToolFailed
from artifacts.access import conversation_owner
from artifacts.edits import agent_version_save
from artifacts.errors import ArtifactTooLarge
from artifacts.live.documents import live_document_is_unsaved
from artifacts.live.versions import live_version_save
from artifacts.models import Artifact, Suggestion, Version
from artifacts.selectors import (
    artifact_get_in_conversation,
    artifacts_of_conversation,
    version_for_call,
    version_get,
    version_latest_complete,
)
from artifacts.services import NewSuggestion, NewVersion, artifact_create, artifact_lock, suggestion_id, suggestions_add
from tenants.db import in_db
from tenants.errors import BadRequest, NotFound

Result = TypeVar("Result")

SAVE_RETRY_DELAYS_S = (0.5, 1.0, 2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseArtifactStore:
    """The artifacts of one conversation, written by one agent in one run. Implements `ArtifactStore`.

    They are whose the conversation is, which may change while the agent writes.
    """

    organization_id: UUID
    author_id: UUID  # who asked
    conversation_id: UUID
    run_id: UUID
    agent: str = ""  # its name, as stored with versions

    def new_id(self, call_id: str) -> str:
        return str(uuid5(self.run_id, call_id))

    async def version_of_call(self, call_id: str) -> StoredVersion | None:
        return await self._in_db(self._version_of_call, call_id)

    async def load(self, artifact_id: str, number: int | None = None) -> StoredVersion | None:
        return await self._in_db(self._load, artifact_id, number)

    async def load_before(self, artifact_id: str, number: int) -> StoredVersion | None:
        return await self._in_db(self._load_before, artifact_id, number)

    async def titles(self) -> Sequence[ArtifactTitle]:
        return await self._in_db(self._titles)

    async def save(self, version: WrittenVersion) -> StoredVersion:
        return await self._with_retries(self._save, version)

    def suggestion_id(self, call_id: str, position: int) -> str:
        return str(suggestion_id(self.run_id, call_id, position))

    async def suggestions_of_call(self, call_id: str) -> int:
        return await self._in_db(self._suggestions_of_call, call_id)

    async def save_suggestions(self, base: StoredVersion, call_id: str, items: Sequence[NewSuggestion]) -> None:
        await self._with_retries(self._save_suggestions, base, call_id, items)

    async def _with_retries(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Retry while the database is briefly unavailable: a written text must not be lost. Safe, because a call saves only once."""
        for pause_s in SAVE_RETRY_DELAYS_S:
            try:
                return await self._in_db(work, *arguments)
            except OperationalError:
                await asyncio.sleep(pause_s)
        return await self._in_db(work, *arguments)

    async def _in_db(self, work: Callable[..., Result], *arguments: Any) -> Result:
        try:
            return await in_db(work, *arguments, organization_id=self.organization_id)
        except (NotFound, BadRequest, ArtifactTooLarge) as error:
            raise ToolFailed(error.message) from error

    def _version_of_call(self, call_id: str) -> StoredVersion | None:
        version = version_for_call(run_id=self.run_id, call_id=call_id)
        return _stored_version(version.artifact, version) if version else None

    def _load(self, artifact_id: str, number: int | None) -> StoredVersion | None:
        try:
            artifact = self._artifact(UUID(artifact_id))
            if number is None and live_document_is_unsaved(artifact):
                live_version_save(artifact_lock(artifact))
            version = version_latest_complete(artifact=artifact) if number is None else None
            return _stored_version(artifact, version or version_get(artifact=artifact, number=number or artifact.latest_number))
        except (ValueError, NotFound):
            return None

    def _load_before(self, artifact_id: str, number: int) -> StoredVersion | None:
        artifact = self._artifact(UUID(artifact_id))
        version = version_latest_complete(artifact=artifact, before=number)
        return _stored_version(artifact, version) if version else None

    def _titles(self) -> list[ArtifactTitle]:
        artifacts = artifacts_of_conversation(conversation_id=self.conversation_id)
        return [ArtifactTitle(str(artifact.pk), artifact.title, artifact.kind) for artifact in artifacts]

    def _save(self, version: WrittenVersion) -> StoredVersion:
        if version.parent is not None:
            artifact = self._artifact(UUID(version.artifact_id))
            return _stored_version(artifact, agent_version_save(artifact=artifact, version=self._new_version(version)))
        created = artifact_create(
            artifact_id=UUID(version.artifact_id),
            conversation_id=self.conversation_id,
            owner_id=conversation_owner(self.conversation_id),
            title=version.title,
            kind=version.kind,
            version=self._new_version(version),
        )
        return _stored_version(created.artifact, created)

    def _suggestions_of_call(self, call_id: str) -> int:
        return Suggestion.objects.filter(run_id=self.run_id, call_id=call_id).count()

    def _save_suggestions(self, base: StoredVersion, call_id: str, items: Sequence[NewSuggestion]) -> None:
        artifact = self._artifact(UUID(base.artifact_id))
        suggestions_add(artifact=artifact, version_number=base.number, call_id=call_id, run_id=self.run_id, items=items)

    def _artifact(self, artifact_id: UUID) -> Artifact:
        return artifact_get_in_conversation(artifact_id=artifact_id, conversation_id=self.conversation_id)

    def _new_version(self, version: WrittenVersion) -> NewVersion:
        return NewVersion(
            content=version.content,
            operation=Version.Operation(version.operation),
            author_kind=Version.AuthorKind.AGENT,
            author_id=self.author_id,
            parent=version.parent,
            is_draft=version.is_draft,
            agent=self.agent,
            run_id=self.run_id,
            call_id=version.call_id,
            metadata=version.metadata,
        )


def _stored_version(artifact: Artifact, version: Version) -> StoredVersion:
    return StoredVersion(
        artifact_id=str(artifact.pk),
        title=artifact.title,
        kind=artifact.kind,
        number=version.number,
        parent=version.parent,
        operation=version.operation,
        content=version.content,
        is_draft=version.is_draft,
        metadata=version.metadata,
    )
