"""Writing one artifact live: announce it, stream it, store it, whatever happens (SPEC 4.7, 7.2)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Literal

from agents.artifact_agents.fences import without_fence
from agents.artifact_agents.journal import ArtifactJournal
from agents.artifact_agents.ports import ArtifactStore, StoredVersion, WrittenVersion
from agents.engine.agent import AgentSpec
from agents.engine.budget import RunBudget
from agents.engine.errors import RunError, ToolFailed
from agents.engine.history import FALLBACK, told_of_fallback
from agents.engine.loop import run_agent
from agents.engine.messages import ArtifactReference, DataPart, FinishReason, Notice, UserMessage
from agents.engine.outcome import RunOutcome
from agents.engine.ports import Journal, LanguageModel, ToolOutcome
from agents.engine.tasks import uninterrupted
from artifacts.kinds import kind_get

Status = Literal["ready", "stopped", "failed"]

EMPTY_ANSWER = "The agent answered without any text, so that nothing was written."
UNFINISHED = {
    FinishReason.LENGTH: "The text reached the model's maximum length before its end.",
    FinishReason.CONTENT_FILTER: "The provider's safety filter ended the text before its end.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """What a call has to write. `parent`: the version it is made from; None makes a new artifact."""

    artifact_id: str
    title: str
    kind: str
    operation: str
    parent: int | None
    call_id: str


class ArtifactWriting:
    """One agent at work on one artifact. A broken or stopped stream leaves a draft version; an empty one leaves nothing."""

    def __init__(self, assignment: Assignment, *, prompt: str, store: ArtifactStore, parent: Journal) -> None:
        self._assignment = assignment
        self._store = store
        self._parent = parent
        self._journal = ArtifactJournal(parent, assignment.artifact_id, UserMessage(prompt))
        self._open = False

    async def run(self, agent: AgentSpec, model: LanguageModel, budget: RunBudget) -> ToolOutcome:
        """Return the stored version's metadata, or an error outcome with the version that was kept. `budget`: the parent run's.

        A cancellation goes on after what was written is stored.
        """
        self._announce("streaming", None)
        self._open = True
        try:
            outcome = await self._finished(await run_agent(agent, model=model, tools=(), journal=self._journal, budget=budget))
            return replace(outcome, entries=(*outcome.entries, *self._news_of_fallback()))
        except asyncio.CancelledError:
            await uninterrupted(self._stopped())
            raise
        except (RunError, ToolFailed) as error:
            return await uninterrupted(self._failed(str(error)))
        finally:
            if self._open:  # a defect: do not leave a panel that waits for ever
                self._announce("failed", None)

    def _news_of_fallback(self) -> list[Notice]:
        """That another endpoint wrote this, unless the user was told so last."""
        told = told_of_fallback(self._journal.entries)
        return [Notice(FALLBACK, told)] if told and told != told_of_fallback(self._parent.entries) else []

    async def _finished(self, outcome: RunOutcome) -> ToolOutcome:
        if outcome.finish_reason in UNFINISHED:
            raise ToolFailed(UNFINISHED[outcome.finish_reason])
        content = self._content()
        if not content.strip():
            raise ToolFailed(EMPTY_ANSWER)
        if content != self._journal.text:
            self._journal.replace(content)
        stored = await uninterrupted(self._save(content, is_draft=False))
        self._open = False
        self._announce("ready", stored.number)  # at once: the entry waits for the results of earlier calls
        return stored_outcome(stored, self._assignment.call_id)

    async def _stopped(self) -> None:
        reference = self._reference(await self._save_draft(), "stopped")
        self._open = False
        await self._parent.append(reference)

    async def _failed(self, text: str) -> ToolOutcome:
        draft = await self._save_draft()
        self._open = False
        self._announce("failed", draft.number if draft else None)
        kept = f" What was written so far is kept as a draft: version {draft.number} of {draft.artifact_id}." if draft else ""
        return ToolOutcome(text + kept, is_error=True, entries=(self._reference(draft, "failed"),))

    async def _save_draft(self) -> StoredVersion | None:
        """Return what was kept: None when there is nothing, or when the store refuses it."""
        content = self._content()
        if not content.strip():
            return None
        try:
            return await self._save(content, is_draft=True)
        except ToolFailed:
            return None

    def _content(self) -> str:
        return without_fence(self._journal.text, kind_get(self._assignment.kind).fence_languages)

    async def _save(self, content: str, *, is_draft: bool) -> StoredVersion:
        work = self._assignment
        return await self._store.save(
            WrittenVersion(
                artifact_id=work.artifact_id,
                title=work.title,
                kind=work.kind,
                parent=work.parent,
                operation=work.operation,
                content=content,
                is_draft=is_draft,
                call_id=work.call_id,
            )
        )

    def _reference(self, stored: StoredVersion | None, status: Status) -> ArtifactReference:
        if stored is not None:
            return version_reference(stored, self._assignment.call_id, status if stored.is_draft else "ready")
        work = self._assignment
        return ArtifactReference(work.artifact_id, work.title, work.kind, None, work.operation, work.call_id, status)

    def _announce(self, status: Literal["streaming", "ready", "failed"], version: int | None) -> None:
        work = self._assignment
        data = {
            "id": work.artifact_id,
            "title": work.title,
            "kind": work.kind,
            "status": status,
            "version": version,
            "operation": work.operation,
            "callId": work.call_id,
        }
        self._parent.data(DataPart("artifact", data, id=work.artifact_id))


def stored_outcome(stored: StoredVersion, call_id: str) -> ToolOutcome:
    """The result of a call whose version is stored: metadata only, the text stays out of the chat agent's context."""
    output = {
        "id": stored.artifact_id,
        "title": stored.title,
        "kind": stored.kind,
        "version": stored.number,
        "operation": stored.operation,
    }
    return ToolOutcome(output, entries=(version_reference(stored, call_id, "ready"),))


def version_reference(stored: StoredVersion, call_id: str, status: Status) -> ArtifactReference:
    return ArtifactReference(stored.artifact_id, stored.title, stored.kind, stored.number, stored.operation, call_id, status)
