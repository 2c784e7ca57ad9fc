"""The document agent as a tool of the chat agent: it writes and changes Markdown documents live (SPEC 4.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from admin_config.release import AgentSnapshot, OperationSnapshot
from agents.artifact_agents.ports import ArtifactStore, StoredVersion
from agents.artifact_agents.writing import ArtifactWriting, Assignment, stored_outcome
from agents.engine.agent import AgentSpec
from agents.engine.errors import ToolFailed
from agents.engine.messages import ModelSettings, SystemPrompt, ToolDefinition
from agents.engine.ports import LanguageModel, ToolContext, ToolOutcome, ToolTraits
from artifacts.kinds import TEXT

NAME: Final = "document_agent"
TIMEOUT_S: Final = 600.0  # a long document on a slow model
COMPACT_TEMPLATE: Final = "{operation} document {title}{artifact_id}"


class DocumentOrder(BaseModel):
    """The arguments of a call, as the chat agent's model writes them."""

    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True)

    operation: Literal["create", "update"]
    instruction: str
    title: str = ""
    artifact_id: str = ""


class DocumentTool:
    """Implements `Tool`. Each call runs the document agent on the engine and returns metadata only.

    `language_model` is called once per call of the tool, with the call's id, when it is needed; it may raise a ProviderError.
    """

    def __init__(
        self,
        *,
        agent: AgentSnapshot,
        model_name: str,
        settings: ModelSettings,
        language_model: Callable[[str], LanguageModel],
        store: ArtifactStore,
    ) -> None:
        self._agent = agent
        self._model_name = model_name
        self._settings = settings
        self._language_model = language_model
        self._store = store

    @property
    def definition(self) -> ToolDefinition:
        operations = [name for name in ("create", "update") if self._is_enabled(name)]
        return ToolDefinition(NAME, self._agent.description, _input_schema(operations))

    @property
    def traits(self) -> ToolTraits:
        """Repeatable: a version is stored once per run and call, so that a repeated call finds the work of the first one."""
        return ToolTraits(repeatable=True, confirm=self._agent.ask_first, timeout_s=TIMEOUT_S, compact_template=COMPACT_TEMPLATE)

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        order = _order(arguments)
        operation = self._operation(order)
        earlier = await self._store.version_of_call(context.call_id)
        if earlier is not None and not earlier.is_draft:
            return stored_outcome(earlier, context.call_id)
        base = earlier if order.operation == "create" else await self._base(order, earlier)
        return await self._write(order, operation, base, context)

    async def _write(
        self, order: DocumentOrder, operation: OperationSnapshot, base: StoredVersion | None, context: ToolContext
    ) -> ToolOutcome:
        work = Assignment(
            artifact_id=base.artifact_id if base else self._store.new_id(context.call_id),
            title=base.title if base else _title(order),
            kind=TEXT.name,
            operation=order.operation,
            parent=base.number if base else None,
            call_id=context.call_id,
        )
        prompt = operation.user_prompt(title=work.title, instruction=order.instruction, current_content=base.content if base else "")
        writing = ArtifactWriting(work, prompt=prompt, store=self._store, parent=context.journal)
        return await writing.run(self._spec(operation), self._language_model(context.call_id), context.budget)

    async def _base(self, order: DocumentOrder, draft: StoredVersion | None) -> StoredVersion:
        """Return the version to change: the latest, or the same as before when an earlier try of this call left a draft."""
        base = await self._store.load(order.artifact_id, draft.parent if draft else None)
        if base is not None and base.kind == TEXT.name:
            return base
        known = [f'"{found.title}" ({found.id})' for found in await self._store.titles() if found.kind == TEXT.name]
        listed = f"Its documents are: {', '.join(known)}." if known else "It has none yet; create one first."
        raise ToolFailed(f'There is no document with the id "{order.artifact_id}" in this conversation. {listed}')

    def _spec(self, operation: OperationSnapshot) -> AgentSpec:
        prompts = dict.fromkeys(prompt for prompt in (self._agent.system_prompt, operation.system_prompt) if prompt)
        return AgentSpec(
            model=self._model_name,
            system=SystemPrompt("\n\n".join(prompts)),
            settings=self._settings,
            max_steps=self._agent.max_steps,
        )

    def _operation(self, order: DocumentOrder) -> OperationSnapshot:
        if not self._is_enabled(order.operation):
            raise ToolFailed(f'The operation "{order.operation}" is switched off in this organization.')
        return self._agent.operations[order.operation]

    def _is_enabled(self, name: str) -> bool:
        operation = self._agent.operations.get(name)
        return operation is not None and operation.is_enabled


def _order(arguments: dict[str, Any]) -> DocumentOrder:
    try:
        order = DocumentOrder.model_validate(arguments)
    except ValidationError as error:
        names = ", ".join(sorted({str(problem["loc"][0]) for problem in error.errors()}))
        raise ToolFailed(f"These arguments are missing or wrong: {names}.") from error
    if not order.instruction:
        raise ToolFailed("The instruction is empty. Say what the document must contain or how it must change.")
    if order.operation == "create" and not order.title:
        raise ToolFailed("A new document needs a title.")
    if order.operation == "update" and not order.artifact_id:
        raise ToolFailed("An update needs the artifact_id of the document.")
    return order


def _title(order: DocumentOrder) -> str:
    return " ".join(order.title.split())


def _input_schema(operations: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "operation": {"type": "string", "enum": operations, "description": "create: a new document. update: change one."},
            "title": {"type": "string", "description": "For create: a short title."},
            "instruction": {
                "type": "string",
                "description": "All that the writer must know; the writer does not see the conversation.",
            },
            "artifact_id": {"type": "string", "description": "For update: the id of the document."},
        },
        "required": ["operation", "instruction"],
    }
