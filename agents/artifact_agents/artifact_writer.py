"""Writes one artifact version live: announces it, streams it and stores it, also when the work fails (SPEC 4.7, 7.2)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Literal

from agents.artifact_agents.authoring import AuthoredText, AuthoringContext, AuthoringPrompt, TextAuthor, TextCheck
from agents.artifact_agents.journal import ArtifactJournal
from agents.artifact_agents.ports import ArtifactStore, StoredVersion, WrittenVersion
from agents.artifact_agents.results import Status, artifact_data_part, stored_outcome, version_reference
from agents.engine.agent import RunBudget
from agents.engine.lifecycle import finish_before_cancel
from agents.engine.ports import Journal, LanguageModel, ToolOutcome
from agents.engine.run_progress import FALLBACK, last_fallback_notice
from agents.errors import RunError, ToolFailed
from agents.messages import ArtifactReference, DataPart, Notice
from artifacts.kinds import kind_get


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactTarget:
    """The artifact version that a call writes."""

    artifact_id: str
    title: str
    kind: str
    operation: str
    parent: int | None  # the version it is based on; None creates a new artifact
    call_id: str


class ArtifactWriter:
    """One agent writing one artifact. A broken or stopped stream leaves a draft version; an empty one leaves nothing."""

    def __init__(self, assignment: ArtifactTarget, *, store: ArtifactStore, parent: Journal) -> None:
        self._assignment = assignment
        self._store = store
        self._parent = parent
        self._journal = ArtifactJournal(parent, assignment.artifact_id)
        self._open = False

    async def run(self, first: AuthoringPrompt, model: LanguageModel, budget: RunBudget, check: TextCheck | None = None) -> ToolOutcome:
        """Return the stored version's metadata, or an error outcome that names the draft that was kept.

        `budget`: the parent run's. A cancellation is raised after what was written has been stored.
        """
        author = TextAuthor(AuthoringContext(model, self._journal, budget), kind_get(self._assignment.kind), check)
        self._announce("streaming", None)
        self._open = True
        try:
            outcome = await self._save_finished(await author.write(first))
            return replace(outcome, entries=(*outcome.entries, *self._fallback_notices()))
        except asyncio.CancelledError:
            await finish_before_cancel(self._save_stopped(author.partial_text))
            raise
        except (RunError, ToolFailed) as error:
            return await finish_before_cancel(self._save_failed(str(error), author.partial_text))
        finally:
            if self._open:  # an unexpected error: do not leave a panel that waits forever
                self._announce("failed", None)

    async def restore(self, content: str) -> ToolOutcome:
        """Store `content` again, without a model. Raises ToolFailed."""
        version = await finish_before_cancel(self._save(AuthoredText(content), is_draft=False))
        self._announce("streaming", None)
        return self._finish(version)

    def _fallback_notices(self) -> list[Notice]:
        """Return a notice that another endpoint wrote this, unless the last such notice already said so."""
        note = last_fallback_notice(self._journal.entries)
        return [Notice(FALLBACK, note)] if note and note != last_fallback_notice(self._parent.entries) else []

    async def _save_finished(self, authored_text: AuthoredText) -> ToolOutcome:
        return self._finish(await finish_before_cancel(self._save(authored_text, is_draft=False)))

    def _finish(self, version: StoredVersion) -> ToolOutcome:
        if version.content != self._journal.text:
            self._journal.replace(version.content)
        self._open = False
        self._announce("ready", version.number)  # immediately: the entry waits for the results of earlier calls
        return stored_outcome(version, self._assignment.call_id)

    async def _save_stopped(self, partial_text: str) -> None:
        reference = self._reference(await self._save_draft(partial_text), "stopped")
        self._open = False
        await self._parent.append(reference)

    async def _save_failed(self, text: str, partial_text: str) -> ToolOutcome:
        draft = await self._save_draft(partial_text)
        self._open = False
        self._announce("failed", draft.number if draft else None)
        note = f" What was written so far is kept as a draft: version {draft.number} of {draft.artifact_id}." if draft else ""
        return ToolOutcome(text + note, is_error=True, entries=(self._reference(draft, "failed"),))

    async def _save_draft(self, content: str) -> StoredVersion | None:
        """Return the stored draft; None when there is no text, or when the store refuses it."""
        if not content.strip():
            return None
        try:
            return await self._save(AuthoredText(content), is_draft=True)
        except ToolFailed:
            return None

    async def _save(self, authored_text: AuthoredText, *, is_draft: bool) -> StoredVersion:
        work = self._assignment
        return await self._store.save(
            WrittenVersion(
                artifact_id=work.artifact_id,
                title=work.title,
                kind=work.kind,
                parent=work.parent,
                operation=work.operation,
                content=authored_text.content,
                is_draft=is_draft,
                call_id=work.call_id,
                metadata=authored_text.problem.as_metadata() if authored_text.problem else {},
            )
        )

    def _reference(self, version: StoredVersion | None, status: Status) -> ArtifactReference:
        if version is not None:
            return version_reference(version, self._assignment.call_id, status if version.is_draft else "ready")
        return self._reference_at(status, None)

    def _reference_at(self, status: Literal["streaming", "ready", "stopped", "failed"], version: int | None) -> ArtifactReference:
        work = self._assignment
        return ArtifactReference(work.artifact_id, work.title, work.kind, version, work.operation, work.call_id, status)

    def _announce(self, status: Literal["streaming", "ready", "failed"], version: int | None) -> None:
        data = artifact_data_part(self._reference_at(status, version))
        self._parent.data(DataPart("artifact", data, id=self._assignment.artifact_id))
