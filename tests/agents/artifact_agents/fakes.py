"""In-memory ends for the artifact agents: a store, a journal and a model that plays a script."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid5

from admin_config.release import AgentSnapshot, OperationSnapshot
from agents.artifact_agents.ports import ArtifactStore, ArtifactTitle, StoredVersion, WrittenVersion
from agents.artifact_agents.rules import DOCUMENTS, ArtifactAgentRules
from agents.artifact_agents.tool import ArtifactTool
from agents.engine.ports import LanguageModel, ToolContext, ToolOutcome
from agents.messages import (
    ArtifactReference,
    AssistantText,
    DataPart,
    Entry,
    FinishReason,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    ModelSettings,
    ProviderPart,
    TextDelta,
    Usage,
)
from artifacts.services import NewSuggestion

RUN_ID = UUID("00000000-0000-4000-8000-00000000000a")


@dataclass
class MemoryStore:
    """Implements ArtifactStore; `versions` is all that was saved, oldest first."""

    versions: list[tuple[str, StoredVersion]] = field(default_factory=list)
    suggestions: dict[str, list[NewSuggestion]] = field(default_factory=dict)

    def new_id(self, call_id: str) -> str:
        return str(uuid5(RUN_ID, call_id))

    async def version_of_call(self, call_id: str) -> StoredVersion | None:
        versions = [version for call, version in self.versions if call == call_id]
        return min(versions, key=lambda version: version.is_draft, default=None)

    async def load(self, artifact_id: str, number: int | None = None) -> StoredVersion | None:
        versions = [version for version in self.all() if version.artifact_id == artifact_id and number in (None, version.number)]
        final_versions = [version for version in versions if not version.is_draft]
        return (final_versions or versions)[-1] if versions else None

    async def load_before(self, artifact_id: str, number: int) -> StoredVersion | None:
        versions = [v for v in self.all() if v.artifact_id == artifact_id and v.number < number and not v.is_draft]
        return versions[-1] if versions else None

    def suggestion_id(self, call_id: str, position: int) -> str:
        return str(uuid5(RUN_ID, f"{call_id}/{position}"))

    async def suggestions_of_call(self, call_id: str) -> int:
        return len(self.suggestions.get(call_id, ()))

    async def save_suggestions(self, base: StoredVersion, call_id: str, items: Sequence[NewSuggestion]) -> None:
        self.suggestions[call_id] = list(items)

    async def titles(self) -> Sequence[ArtifactTitle]:
        return [ArtifactTitle(v.artifact_id, v.title, v.kind) for v in self.all() if v.number == 1]

    async def save(self, version: WrittenVersion) -> StoredVersion:
        for call, stored_version in self.versions:
            if call == version.call_id and (version.is_draft or not stored_version.is_draft):
                return stored_version
        stored_version = StoredVersion(
            artifact_id=version.artifact_id,
            title=version.title,
            kind=version.kind,
            number=1 + sum(other_version.artifact_id == version.artifact_id for other_version in self.all()),
            parent=version.parent,
            operation=version.operation,
            content=version.content,
            is_draft=version.is_draft,
            metadata=version.metadata,
        )
        self.versions.append((version.call_id, stored_version))
        return stored_version

    def all(self) -> list[StoredVersion]:
        return [version for _, version in self.versions]


class RecordingJournal:
    """Implements Journal; `parts` is what was published, `panel` what a viewer's copy of each artifact holds."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.parts: list[DataPart] = []
        self.panel: dict[str, str] = {}
        self._changed = asyncio.Event()

    async def append(self, *entries: Entry, ends_run: bool = False) -> None:
        self.entries.extend(entries)

    async def wait_for_text(self, text: str) -> None:
        """Wait until a panel holds `text`."""
        while text not in self.panel.values():
            self._changed.clear()
            await self._changed.wait()

    def text_delta(self, text: str) -> None:
        raise AssertionError("An artifact's text must not reach the chat.")

    def reasoning_delta(self, text: str) -> None:
        raise AssertionError("An artifact agent's thinking must not reach the chat.")

    def provider_part(self, part: ProviderPart) -> None:
        raise AssertionError("What an artifact agent looks up must not reach the chat.")

    def data(self, part: DataPart) -> None:
        self.parts.append(part)
        if part.name == "artifact-delta":
            prefix = self.panel.get(part.data["id"], "").encode("utf-16-le")[: 2 * part.data["at"]].decode("utf-16-le")
            self.panel[part.data["id"]] = prefix + part.data["delta"]
            self._changed.set()

    async def step_start(self, step: int) -> None:
        raise AssertionError("The parent's steps are its own.")

    async def step_finish(self, step: int, usage: Usage) -> None:
        raise AssertionError("The parent's steps are its own.")

    def statuses(self) -> list[str]:
        return [part.data["status"] for part in self.parts if part.name == "artifact"]

    def references(self) -> list[ArtifactReference]:
        return [entry for entry in self.entries if isinstance(entry, ArtifactReference)]


class ScriptedModel:
    """Implements LanguageModel: streams `texts`, then raises `error`, waits for ever (`hangs`) or finishes."""

    def __init__(
        self,
        *texts: str,
        error: Exception | None = None,
        hangs: bool = False,
        finish: FinishReason = FinishReason.STOP,
        notice: str = "",
    ) -> None:
        self.texts, self.error, self.hangs, self.finish, self.notice = texts, error, hangs, finish, notice
        self.requests: list[ModelRequest] = []
        self.has_streamed = asyncio.Event()
        self.is_closed = False

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        self.requests.append(request)
        try:
            for text in self.texts:
                yield TextDelta(text)
            self.has_streamed.set()
            if self.error:
                raise self.error
            if self.hangs:
                await asyncio.Event().wait()
            whole = "".join(self.texts)
            yield ModelResponse((AssistantText(whole),) if whole else (), self.finish, notice=self.notice)
        finally:
            self.is_closed = True


def arguments(operation: str = "create", **more: Any) -> dict[str, Any]:
    return {"operation": operation, "instruction": "Write about tea.", **({"title": "Tea"} if operation == "create" else {}), **more}


TEMPLATES = {
    "create": "{title} / {instruction}",
    "generate": "{instruction}",
    "update": "{content} / {instruction}",
    "suggestion": "{content} / {instruction}",
    "fix": "{content} / {error_message} / {instruction}",
    "explain": "{content} / {instruction}",
    "revert": "",
}


def artifact_agent(rules: ArtifactAgentRules, **changes: Any) -> AgentSnapshot:
    """With all operations of `rules`, in short words."""
    operations = {
        rule.name: OperationSnapshot(
            name=rule.name,
            is_enabled=True,
            system_prompt=f"{rule.name.capitalize()} well.",
            user_prompt_template=TEMPLATES[rule.name].replace("{content}", f"{{{rules.content}}}"),
        )
        for rule in rules.operations
    }
    fields: dict[str, Any] = {
        "key": f"{rules.agent}_google",
        "kind": rules.agent,
        "provider": "google",
        "is_enabled": True,
        "model_id": None,
        "system_prompt": f"You write {rules.noun}s.",
        "description": f"Writes {rules.noun}s.",
        "temperature": None,
        "max_output_tokens": None,
        "max_steps": 5,
        "thinking_budget": 0,
        "operations": operations,
    }
    return AgentSnapshot(**{**fields, **changes})


def artifact_tool(
    model: LanguageModel | Callable[[str], LanguageModel],
    *,
    rules: ArtifactAgentRules = DOCUMENTS,
    store: ArtifactStore | None = None,
    agent: AgentSnapshot | None = None,
    model_name: str = "gemini-test",
    **changes: Any,
) -> ArtifactTool:
    return ArtifactTool(
        rules=rules,
        agent=agent or artifact_agent(rules, **changes),
        model_name=model_name,
        window_tokens=1_000_000,
        settings=lambda: ModelSettings(temperature=0.5),
        language_model=model if callable(model) else lambda call_id: model,
        store=store or MemoryStore(),
        branch=tuple,
    )


class ConversationFixture:
    """One conversation: its store and journal, and calls of an artifact agent's tool."""

    def __init__(self, rules: ArtifactAgentRules = DOCUMENTS) -> None:
        self.rules = rules
        self.store = MemoryStore()
        self.journal = RecordingJournal()

    def call(self, model: LanguageModel, tool_arguments: dict[str, Any], call_id: str = "call-1", **changes: Any) -> Any:
        tool = artifact_tool(model, rules=self.rules, store=self.store, **changes)
        return tool.run(tool_arguments, ToolContext(call_id, self.journal))

    async def write_artifact(self, content: str, call_id: str = "call-0") -> str:
        """Write an artifact and return its id."""
        outcome: ToolOutcome = await self.call(ScriptedModel(content), arguments(), call_id)
        self.journal.parts.clear()
        artifact_id: str = outcome.output["id"]
        return artifact_id
