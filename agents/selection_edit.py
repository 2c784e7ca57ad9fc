"""Edits a selected part of an artifact with one model call ("Edit just this", SPEC 7.8).

The artifact's agent sees the selection and the text around it, and answers with the replacement. The model can't change
the rest of the text: the server puts the pieces together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.utils.translation import gettext

from admin_config.defaults.artifact_agents import DOCUMENT_AGENT, MERMAID_AGENT, PYTHON_AGENT
from admin_config.errors import AgentNotConfigured
from admin_config.release import AgentSnapshot, OperationSnapshot, ReleaseSnapshot
from admin_config.validation.prompt_templates import template_render
from agents.artifact_agents.authoring import without_fence
from agents.engine.ports import LanguageModel
from agents.errors import ProviderError, RunError
from agents.messages import AssistantText, FinishReason, ModelRequest, ModelResponse, SystemPrompt, UserMessage
from agents.runtime.budget_holds import CallBudgets
from agents.runtime.call_recording import CallKind, CallRecord
from agents.runtime.connections import RunConnections
from agents.runtime.key_lookup import KeyOwner
from agents.runtime.model_factory import AgentModelFactory
from agents.runtime.placeholders import Placeholders
from agents.runtime.specs import model_settings
from artifacts.kinds import MERMAID, PYTHON, ArtifactKind
from limits.budgets import NO_BUDGETS, Budgets

OPERATION: Final = "patch"
MAX_SURROUNDING_CHARS: Final = 4000  # characters before and after the selection that the model sees
TIMEOUT_S: Final = 120.0
EMPTY_REPLACEMENT: Final = "<nothing/>"
AGENT_BY_ARTIFACT_KIND = {PYTHON.name: PYTHON_AGENT, MERMAID.name: MERMAID_AGENT}


class NoReplacement(RunError):
    """The model answered, but without a complete replacement."""

    code = "no_replacement"


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionContext:
    """The selected text, the text around it and the instruction for changing it."""

    title: str
    kind: ArtifactKind
    before: str
    selection: str
    after: str
    instruction: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionEditCaller:
    """On whose behalf the model is called."""

    snapshot: ReleaseSnapshot
    organization_id: UUID
    model_config_id: UUID | None  # the conversation's model: its provider has already seen the texts
    key_owner: KeyOwner
    placeholders: Placeholders
    record_call: Callable[[CallRecord], None]  # receives the call for the call log, also when it fails
    budgets: Budgets = NO_BUDGETS  # that pay for the call


async def replacement_write(part: SelectionContext, caller: SelectionEditCaller) -> str:
    """Return the replacement for the selection, with the same trailing line feeds as the selection. Raises RunConfigError, RunError."""
    snapshot = caller.snapshot
    agent = snapshot.agent(AGENT_BY_ARTIFACT_KIND.get(part.kind.name, DOCUMENT_AGENT), snapshot.provider_of(caller.model_config_id))
    model = snapshot.model(None, agent)
    operation = _operation(agent)
    prompts = dict.fromkeys(prompt for prompt in (agent.system_prompt, operation.system_prompt) if prompt)
    request = ModelRequest(
        model=model.model_id,
        system=SystemPrompt("\n\n".join(prompts)),
        entries=(UserMessage(_prompt(operation, part, caller.placeholders)),),
        settings=model_settings(agent, model, thinking=False),
    )
    models = AgentModelFactory(
        snapshot=snapshot,
        agent=agent,
        endpoints=snapshot.endpoints_of(model.provider),
        connections=RunConnections(caller.organization_id, caller.key_owner),
        record_call=caller.record_call,
        hold=CallBudgets(caller.organization_id, caller.budgets).hold,
        placeholders=caller.placeholders,
    )
    try:
        async with asyncio.timeout(TIMEOUT_S):
            text = await _answer(models.model(CallKind.SUB_AGENT), request)
    except TimeoutError as exc:
        raise ProviderError("The model took too long. Try again, or select less.") from exc
    return replacement_clean(text, part.selection, part.kind)


def replacement_clean(text: str, selection: str, kind: ArtifactKind) -> str:
    """Return the answer without a wrapping code fence and with the selection's trailing line feeds. Raises NoReplacement."""
    if text.strip() == EMPTY_REPLACEMENT:
        return ""
    if not text.strip():
        raise NoReplacement("The model returned an empty answer. Try rephrasing.")
    bare = text if selection.lstrip().startswith(("```", "~~~")) else without_fence(text, {*kind.fence_languages, ""})
    ending = selection[len(selection.rstrip("\n")) :]
    return bare.rstrip("\n") + ending


def _operation(agent: AgentSnapshot) -> OperationSnapshot:
    """Return the agent's patch operation. Raises AgentNotConfigured when it is switched off."""
    operation = agent.operations[OPERATION]
    if not operation.is_enabled:
        raise AgentNotConfigured(gettext("Changing a selected part is switched off in this organization."))
    return operation


def _prompt(operation: OperationSnapshot, part: SelectionContext, placeholders: Placeholders) -> str:
    """Return the user prompt. Texts are masked before they are cut: half a secret could no longer be found."""
    mask = placeholders.mask
    values = {
        "title": mask(part.title),
        "before": mask(part.before)[-MAX_SURROUNDING_CHARS:],
        "selection": mask(part.selection),
        "after": mask(part.after)[:MAX_SURROUNDING_CHARS],
        "instruction": mask(part.instruction),
    }
    return template_render(operation.user_prompt_template, values)


async def _answer(model: LanguageModel, request: ModelRequest) -> str:
    text, reason = "", None
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            if isinstance(event, ModelResponse):
                text = "".join(entry.text for entry in event.entries if isinstance(entry, AssistantText))
                reason = event.finish_reason
    if reason is FinishReason.LENGTH:
        raise NoReplacement("The new text reached the model's maximum length. Select less.")
    if reason is FinishReason.CONTENT_FILTER:
        raise NoReplacement("The provider's safety filter ended the new text.")
    return text
