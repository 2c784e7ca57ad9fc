"""An artifact agent as a tool of the agent that talks with the user: documents, programs, diagrams (SPEC 4.4 to 4.7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from admin_config.release import AgentSnapshot, OperationSnapshot
from agents.artifact_agents.authoring import Attempt, Checking
from agents.artifact_agents.inline import text_for_chat
from agents.artifact_agents.orders import Order, input_schema, order_read
from agents.artifact_agents.ports import ArtifactStore, StoredVersion
from agents.artifact_agents.problems import Problem
from agents.artifact_agents.results import stored_outcome
from agents.artifact_agents.rules import AgentRules, OperationRule, Work
from agents.artifact_agents.suggesting import Suggesting
from agents.artifact_agents.writing import ArtifactWriting, Assignment
from agents.engine.agent import AgentSpec
from agents.engine.errors import ToolFailed
from agents.engine.messages import ModelSettings, SystemPrompt, ToolDefinition
from agents.engine.ports import LanguageModel, ToolContext, ToolOutcome, ToolTraits

TIMEOUT_S: Final = 600.0  # a long document on a slow model
REPAIRING: Final = "fix"  # the operation whose prompts mend what the check found


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactTool:
    """Implements `Tool`. Each call runs the agent on the engine and returns metadata, or the text of inline work.

    `language_model` is called once per call of the tool, with the call's id, when it is needed; it may raise a ProviderError.
    """

    rules: AgentRules
    agent: AgentSnapshot
    model_name: str
    settings: ModelSettings
    language_model: Callable[[str], LanguageModel]
    store: ArtifactStore

    @property
    def definition(self) -> ToolDefinition:
        return ToolDefinition(self.rules.agent, self.agent.description, input_schema(tuple(self._offered)))

    @property
    def offers_something(self) -> bool:
        """False: all of its operations are switched off."""
        return bool(self._offered)

    @property
    def _offered(self) -> list[OperationRule]:
        return [rule for rule in self.rules.operations if self._is_enabled(rule.name)]

    @property
    def traits(self) -> ToolTraits:
        """Repeatable: a version is stored once per run and call, so that a repeated call finds the work of the first one."""
        template = f"{{operation}} {self.rules.noun} {{title}}{{artifact_id}}"
        return ToolTraits(repeatable=True, confirm=self.agent.ask_first, timeout_s=TIMEOUT_S, compact_template=template)

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        order, rule = order_read(arguments, self.rules)
        if not self._is_enabled(rule.name):
            raise ToolFailed(f'The operation "{rule.name}" is switched off in this organization.')
        earlier = await self.store.version_of_call(context.call_id)
        if earlier is not None and not earlier.is_draft:
            return stored_outcome(earlier, context.call_id)
        base = await self._base(order, earlier) if order.artifact_id and rule.work is not Work.CREATE else earlier
        return await self._work(order, rule, base, context)

    async def _work(self, order: Order, rule: OperationRule, base: StoredVersion | None, context: ToolContext) -> ToolOutcome:
        if rule.work is Work.REVERT:
            return await self._revert(order, base, context)
        first = self._attempt(rule.name, order, base)
        model = self.language_model(context.call_id)
        if rule.work is Work.SUGGEST:
            assert base is not None, "the rule needs the artifact_id"
            return await Suggesting(base, context.call_id, store=self.store, parent=context.journal).run(first, model, context.budget)
        if rule.work in (Work.INLINE, Work.INLINE_PROSE):
            kind = self.rules.kind if rule.work is Work.INLINE else None
            checking = self._checking(order, base) if kind else None
            return await text_for_chat(rule.name, first, model, context, kind=kind, checking=checking)
        return await self._writing(order, base, context).run(first, model, context.budget, self._checking(order, base))

    async def _revert(self, order: Order, base: StoredVersion | None, context: ToolContext) -> ToolOutcome:
        assert base is not None, "the rule needs the artifact_id"
        old = await self._reverted_to(base, order.version)
        if old is None:
            wanted = "earlier version" if order.version is None else f"version {order.version}"
            raise ToolFailed(f"There is no {wanted} to go back to: the newest of this {self.rules.noun} is version {base.number}.")
        return await self._writing(order, old, context).restore(old.content)

    async def _reverted_to(self, base: StoredVersion, number: int | None) -> StoredVersion | None:
        """`number` as the model named it; None: the finished version before `base`."""
        if number is None:
            return await self.store.load_before(base.artifact_id, base.number)
        return await self.store.load(base.artifact_id, number) if number > 0 else None

    def _writing(self, order: Order, base: StoredVersion | None, context: ToolContext) -> ArtifactWriting:
        work = Assignment(
            artifact_id=base.artifact_id if base else self.store.new_id(context.call_id),
            title=base.title if base else order.one_line_title,
            kind=self.rules.kind.name,
            operation=order.operation,
            parent=base.number if base else None,
            call_id=context.call_id,
        )
        return ArtifactWriting(work, store=self.store, parent=context.journal)

    async def _base(self, order: Order, draft: StoredVersion | None) -> StoredVersion:
        """Return the version to work on: the newest finished one, or the same as before when an earlier try of this call left a draft."""
        base = await self.store.load(order.artifact_id, draft.parent if draft else None)
        if base is not None and base.kind == self.rules.kind.name:
            return base
        noun = self.rules.noun
        known = [f'"{found.title}" ({found.id})' for found in await self.store.titles() if found.kind == self.rules.kind.name]
        listed = f"Its {noun}s are: {', '.join(known)}." if known else "It has none yet; create one first."
        raise ToolFailed(f'There is no {noun} with the id "{order.artifact_id}" in this conversation. {listed}')

    def _attempt(self, operation: str, order: Order, base: StoredVersion | None) -> Attempt:
        content = base.content if base else ""
        return self._prompted(operation, order, content=content, title=base.title if base else order.one_line_title)

    def _checking(self, order: Order, base: StoredVersion | None) -> Checking | None:
        """None: what the agent writes is not looked at."""
        if self.rules.check is None:
            return None
        title = base.title if base else order.one_line_title

        def repair(content: str, problem: Problem) -> Attempt:
            broken = order.model_copy(update={"error_message": str(problem)})
            return self._prompted(REPAIRING, broken, content=content, title=title)

        return Checking(self.rules.check, repair, self.agent.max_repairs)

    def _prompted(self, operation: str, order: Order, *, content: str, title: str) -> Attempt:
        configured = self.agent.operations[operation]
        values = {"title": title, "instruction": order.instruction, "error_message": order.error_message, self.rules.content: content}
        return Attempt(self._spec(configured), configured.user_prompt(**values))

    def _spec(self, operation: OperationSnapshot) -> AgentSpec:
        prompts = dict.fromkeys(prompt for prompt in (self.agent.system_prompt, operation.system_prompt) if prompt)
        return AgentSpec(
            model=self.model_name, system=SystemPrompt("\n\n".join(prompts)), settings=self.settings, max_steps=self.agent.max_steps
        )

    def _is_enabled(self, name: str) -> bool:
        operation = self.agent.operations.get(name)
        return operation is not None and operation.is_enabled
