"""An artifact agent as a tool of the chat agent: documents, programs, diagrams (SPEC 4.4 to 4.7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from admin_config.release import AgentSnapshot, OperationSnapshot
from agents.artifact_agents.artifact_writer import ArtifactTarget, ArtifactWriter
from agents.artifact_agents.attached_files import attached_files
from agents.artifact_agents.authoring import AuthoringPrompt, TextCheck, write_inline
from agents.artifact_agents.ports import ArtifactStore, StoredVersion
from agents.artifact_agents.problems import Problem
from agents.artifact_agents.requests import ArtifactRequest, parse_artifact_request, tool_definition
from agents.artifact_agents.results import stored_outcome
from agents.artifact_agents.rules import ArtifactAgentRules, OperationEffect, OperationRule
from agents.artifact_agents.suggestion_writer import SuggestionWriter
from agents.context.policy import ContextPolicy
from agents.engine.agent import AgentSpec
from agents.engine.ports import LanguageModel, ToolContext, ToolOutcome, ToolTraits
from agents.errors import ToolFailed
from agents.messages import Entry, ModelSettings, SystemPrompt, ToolDefinition
from telemetry.spans import sub_agent_span

TIMEOUT_S: Final = 600.0  # a long document on a slow model
REPAIR_OPERATION: Final = "fix"  # the operation whose prompts repair what the check found


@dataclass(frozen=True, kw_only=True)
class ArtifactTool:
    """Implements `Tool`. Each call runs the agent on the engine and returns metadata, or the text of inline work."""

    rules: ArtifactAgentRules
    agent: AgentSnapshot
    model_name: str
    window_tokens: int  # of the model
    settings: Callable[[], ModelSettings]  # made for a call: most runs make none
    # Called with the id of the tool call, at most once per call. May raise a ProviderError.
    language_model: Callable[[str], LanguageModel]
    store: ArtifactStore
    branch: Callable[[], Sequence[Entry]]  # the conversation, of which the agent gets the attached files

    @cached_property
    def definition(self) -> ToolDefinition:
        """What a run's start asks for again and again."""
        return tool_definition(self.rules.agent, self.agent.description, tuple(self._enabled_operations))

    @property
    def has_operations(self) -> bool:
        """False when all of its operations are switched off."""
        return bool(self._enabled_operations)

    @property
    def _enabled_operations(self) -> list[OperationRule]:
        return [rule for rule in self.rules.operations if self._is_enabled(rule.name)]

    @property
    def traits(self) -> ToolTraits:
        """The tool is repeatable: a version is stored once per run and call, so a repeated call finds the work of the first one."""
        template = f"{{operation}} {self.rules.noun} {{title}}{{artifact_id}}"
        return ToolTraits(repeatable=True, confirm=self.agent.ask_first, timeout_s=TIMEOUT_S, compact_template=template)

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        request, rule = parse_artifact_request(arguments, self.rules)
        if not self._is_enabled(rule.name):
            raise ToolFailed(f'The operation "{rule.name}" is switched off in this organization.')
        earlier = await self.store.version_of_call(context.call_id)
        if earlier is not None and not earlier.is_draft:
            return stored_outcome(earlier, context.call_id)
        base = await self._base(request, earlier) if request.artifact_id and rule.effect is not OperationEffect.CREATE else earlier
        with sub_agent_span(self.agent.key):
            return await self._work(request, rule, base, context)

    async def _work(self, request: ArtifactRequest, rule: OperationRule, base: StoredVersion | None, context: ToolContext) -> ToolOutcome:
        if rule.effect is OperationEffect.REVERT:
            return await self._revert(request, base, context)
        first = self._attempt(rule.name, request, base)
        model = self.language_model(context.call_id)
        if rule.effect is OperationEffect.SUGGEST:
            assert base is not None, "the rule needs the artifact_id"
            return await SuggestionWriter(base, context.call_id, store=self.store, parent=context.journal).run(first, model, context.budget)
        if rule.effect in (OperationEffect.INLINE, OperationEffect.INLINE_PROSE):
            kind = self.rules.kind if rule.effect is OperationEffect.INLINE else None
            check = self._build_check(request, base) if kind else None
            return await write_inline(rule.name, first, model, context, kind=kind, check=check)
        return await self._writer(request, base, context).run(first, model, context.budget, self._build_check(request, base))

    async def _revert(self, request: ArtifactRequest, base: StoredVersion | None, context: ToolContext) -> ToolOutcome:
        assert base is not None, "the rule needs the artifact_id"
        old = await self._version_to_restore(base, request.version)
        if old is None:
            target = "earlier version" if request.version is None else f"version {request.version}"
            raise ToolFailed(f"There is no {target} to go back to: the newest of this {self.rules.noun} is version {base.number}.")
        return await self._writer(request, old, context).restore(old.content)

    async def _version_to_restore(self, base: StoredVersion, number: int | None) -> StoredVersion | None:
        """Return the version with this number; with None, the finished version before `base`."""
        if number is None:
            return await self.store.load_before(base.artifact_id, base.number)
        return await self.store.load(base.artifact_id, number) if number > 0 else None

    def _writer(self, request: ArtifactRequest, base: StoredVersion | None, context: ToolContext) -> ArtifactWriter:
        effect = ArtifactTarget(
            artifact_id=base.artifact_id if base else self.store.new_id(context.call_id),
            title=base.title if base else request.one_line_title,
            kind=self.rules.kind.name,
            operation=request.operation,
            parent=base.number if base else None,
            call_id=context.call_id,
        )
        return ArtifactWriter(effect, store=self.store, parent=context.journal)

    async def _base(self, request: ArtifactRequest, draft: StoredVersion | None) -> StoredVersion:
        """Return the version to work on: the newest finished one.

        If an earlier attempt of this call left a draft, returns the version that the draft is based on. Raises
        ToolFailed, with the known artifacts, when there is none.
        """
        base = await self.store.load(request.artifact_id, draft.parent if draft else None)
        if base is not None and base.kind == self.rules.kind.name:
            return base
        noun = self.rules.noun
        titles = [f'"{title.title}" ({title.id})' for title in await self.store.titles() if title.kind == self.rules.kind.name]
        hint = f"Its {noun}s are: {', '.join(titles)}." if titles else "It has none yet; create one first."
        raise ToolFailed(f'There is no {noun} with the id "{request.artifact_id}" in this conversation. {hint}')

    def _attempt(self, operation: str, request: ArtifactRequest, base: StoredVersion | None) -> AuthoringPrompt:
        content = base.content if base else ""
        return self._build_prompt(operation, request, content=content, title=base.title if base else request.one_line_title)

    def _build_check(self, request: ArtifactRequest, base: StoredVersion | None) -> TextCheck | None:
        """Return the check of the written text; None when texts are not checked."""
        if self.rules.check is None:
            return None
        title = base.title if base else request.one_line_title

        def repair(content: str, problem: Problem) -> AuthoringPrompt:
            repair_request = request.model_copy(update={"error_message": str(problem)})
            return self._build_prompt(REPAIR_OPERATION, repair_request, content=content, title=title)

        return TextCheck(self.rules.check, repair, self.agent.max_repairs)

    def _build_prompt(self, operation: str, request: ArtifactRequest, *, content: str, title: str) -> AuthoringPrompt:
        operation_config = self.agent.operations[operation]
        values = {"title": title, "instruction": request.instruction, "error_message": request.error_message, self.rules.content: content}
        files = attached_files(self.branch()) if self.agent.attached_files else ()
        return AuthoringPrompt(self._spec(operation_config), operation_config.user_prompt(**values), files)

    def _spec(self, operation: OperationSnapshot) -> AgentSpec:
        prompts = dict.fromkeys(prompt for prompt in (self.agent.system_prompt, operation.system_prompt) if prompt)
        return AgentSpec(
            model=self.model_name,
            system=SystemPrompt("\n\n".join(prompts)),
            settings=replace(self.settings(), native_files=()),  # as text: with their bytes each repair would send whole files again
            max_steps=self.agent.max_steps,
            context=ContextPolicy(window_tokens=self.window_tokens),
        )

    def _is_enabled(self, name: str) -> bool:
        operation = self.agent.operations.get(name)
        return operation is not None and operation.is_enabled
