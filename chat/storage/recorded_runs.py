"""What a replay takes from the run that it replays: history, facts about the member, tool results (docs/decisions/0064)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from agents.artifact_agents.artifacts_context import NAME as ARTIFACTS
from agents.entry_codec import entry_decode
from agents.messages import ContextData, Entry
from agents.run_context import RunProject
from agents.runtime.replay.recorded_calls import DefinitionChange, RecordedCalls, RunReplay
from agents.runtime.replay.recorded_model import RecordedModels
from chat.entries import StoredEntry
from chat.models import Part, Run
from files.knowledge.models import KnowledgeFile
from tenants.errors import NotFound


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run as it was recorded, with its conversation, and the entries of its answer."""

    run: Run
    project: RunProject | None
    answer: Sequence[StoredEntry]

    @property
    def entries(self) -> list[Entry]:
        return [entry.entry for entry in self.answer]

    @property
    def artifacts(self) -> ContextData | None:
        """What its model was told about artifacts before the first step."""
        lists = (entry for entry in self.entries if isinstance(entry, ContextData) and entry.name == ARTIFACTS)
        return next(lists, None)

    def replay(
        self,
        *,
        looks_up: bool = False,
        live: frozenset[str] = frozenset(),
        models: RecordedModels | None = None,
        definitions: Mapping[str, DefinitionChange] | None = None,
    ) -> RunReplay:
        """Return what a replay takes of it besides the history."""
        return RunReplay(
            calls=RecordedCalls(self.entries),
            began_at=self.run.created_at,
            conversation_id=self.run.conversation_id,
            looks_up=looks_up,
            live=live,
            models=models,
            definitions=definitions or {},
        )


def recorded_run(run_id: UUID) -> RecordedRun:
    """Return a run as it was recorded. Two queries. Raises NotFound."""
    run = whole_runs().filter(pk=run_id).first()
    if run is None:
        raise NotFound
    parts = Part.objects.filter(message_id=run.answer_id).order_by("position")
    answer = [StoredEntry(entry_decode(part.kind, part.content, part.extras), part.step) for part in parts]
    return RecordedRun(run, run_project(run), answer)


def whole_runs() -> QuerySet[Run]:
    """Return runs with their conversations, the owners and projects of these, and what `run_project` needs."""
    runs = Run.objects.select_related("conversation__owner__user", "conversation__owner__organization", "conversation__project")
    return runs.annotate(project_has_files=Exists(KnowledgeFile.objects.filter(project_id=OuterRef("conversation__project_id"))))


def run_project(run: Any) -> RunProject | None:
    """Return the project of the conversation of a run from `whole_runs`."""
    project = run.conversation.project
    return RunProject(project.pk, project.name, project.instructions, run.project_has_files) if project else None
