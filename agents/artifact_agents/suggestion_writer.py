"""Suggests changes to a document (SPEC 4.4).

Each suggestion is shown as soon as it is complete. If the work is interrupted, the suggestions so far are kept.
"""

from __future__ import annotations

import asyncio
from typing import Any

from agents.artifact_agents.authoring import UNFINISHED_TEXTS, AuthoringPrompt
from agents.artifact_agents.journal import BufferedJournal
from agents.artifact_agents.ports import ArtifactStore, StoredVersion
from agents.artifact_agents.results import artifact_data_part, version_output, version_reference
from agents.artifact_agents.suggestion_parser import SuggestionParser
from agents.engine.agent import RunBudget
from agents.engine.lifecycle import finish_before_cancel
from agents.engine.loop import run_agent
from agents.engine.ports import Agent, Journal, LanguageModel, RunPorts, ToolOutcome
from agents.errors import RunError, ToolFailed
from agents.messages import ArtifactReference, DataPart
from artifacts.services import NewSuggestion

OPERATION = "suggestion"
INTERRUPTED = "The work was interrupted after {count} suggestions, which the user sees. Ask again if there may be more to suggest."
NO_SUGGESTIONS_TEXT = "The agent wrote no suggestion that could be read."


class SuggestionJournal(BufferedJournal):
    """Publishes a `data-suggestion` part for each complete suggestion."""

    def __init__(self, parent: Journal, base: StoredVersion, call_id: str, store: ArtifactStore) -> None:
        super().__init__(parent)
        self.proposals = SuggestionParser(base.content)
        self._base, self._call_id, self._store = base, call_id, store

    def text_delta(self, text: str) -> None:
        super().text_delta(text)
        first = len(self.proposals.items)
        for position, item in enumerate(self.proposals.feed(text), first):
            self._parent.data(DataPart("suggestion", self._suggestion_data(position, item), transient=True))

    def _suggestion_data(self, position: int, item: NewSuggestion) -> dict[str, Any]:
        anchor = item.anchor
        return {
            "id": self._store.suggestion_id(self._call_id, position),
            "artifactId": self._base.artifact_id,
            "version": self._base.number,
            "original": anchor.original,
            "prefix": anchor.prefix,
            "suffix": anchor.suffix,
            "start": anchor.start,
            "replacement": item.replacement,
            "comment": item.comment,
            "status": "open",
        }


class SuggestionWriter:
    """One agent that suggests changes to one version of a document."""

    def __init__(self, base: StoredVersion, call_id: str, *, store: ArtifactStore, parent: Journal) -> None:
        self._base, self._call_id, self._store, self._parent = base, call_id, store, parent
        self._journal = SuggestionJournal(parent, base, call_id, store)

    async def run(self, attempt: AuthoringPrompt, model: LanguageModel, budget: RunBudget) -> ToolOutcome:
        """Return an outcome with the number of suggestions. A cancellation is raised after the suggestions so far are stored."""
        if count := await self._store.suggestions_of_call(
            self._call_id
        ):  # the call runs again after an interruption: these were shown before, but there may be more to suggest
            return self._outcome(count, 0, note=INTERRUPTED.format(count=count))
        self._parent.data(DataPart("artifact", artifact_data_part(self._reference), id=self._base.artifact_id))
        self._journal.start_prompt(attempt.prompt, attempt.files)
        try:
            outcome = await run_agent(Agent(spec=attempt.agent, budget=budget), RunPorts(model=model, journal=self._journal))
        except asyncio.CancelledError:
            await finish_before_cancel(self._save_stopped())
            raise
        except RunError as error:
            return await self._save_failed(str(error))
        if outcome.finish_reason in UNFINISHED_TEXTS:
            return await self._save_failed(UNFINISHED_TEXTS[outcome.finish_reason])
        proposals = self._journal.proposals
        if not proposals.items and (proposals.dropped or self._journal.text.strip() not in ("", "[]", "{}")):
            return await self._save_failed(NO_SUGGESTIONS_TEXT)
        await finish_before_cancel(self._save())
        return self._outcome(len(proposals.items), proposals.dropped)

    @property
    def _reference(self) -> ArtifactReference:
        """A reference to the document as it is: suggestions change nothing yet."""
        reference = version_reference(self._base, self._call_id, "ready")
        return ArtifactReference(reference.artifact_id, reference.title, reference.kind, reference.version, OPERATION, self._call_id)

    async def _save_stopped(self) -> None:
        await self._save()
        await self._parent.append(self._reference)

    async def _save_failed(self, text: str) -> ToolOutcome:
        await finish_before_cancel(self._save())
        count = len(self._journal.proposals.items)
        note = f" {count} that came before are shown to the user." if count else ""
        return ToolOutcome(text + note, is_error=True, entries=(self._reference,))

    async def _save(self) -> None:
        if not self._journal.proposals.items:
            return
        try:
            await self._store.save_suggestions(self._base, self._call_id, self._journal.proposals.items)
        except ToolFailed:  # the document is gone
            return

    def _outcome(self, count: int, dropped: int, **fields: str) -> ToolOutcome:
        output = {**version_output(self._base), "operation": OPERATION, "suggestions": count, "dropped": dropped, **fields}
        return ToolOutcome(output, entries=(self._reference,))
