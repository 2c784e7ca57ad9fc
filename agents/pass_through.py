"""Pass-through: one model call with the caller's own history, tools and format of the answer (SPEC 5.4).

The caller runs the tools. Neither the engine nor any of Parley's own tools are involved.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.utils.translation import gettext

from admin_config.errors import ModelNotConfigured
from admin_config.release import AgentSnapshot, ModelSnapshot, ReleaseSnapshot
from agents.assistants import answering_agent
from agents.messages import Entry, ModelEvent, ModelRequest, ModelSettings, ToolDefinition
from agents.prompts import PromptFacts, compose_prompt
from agents.runtime.budget_holds import CallBudgets
from agents.runtime.call_recording import CallKind, CallRecord
from agents.runtime.connections import RunConnections
from agents.runtime.files import RunAnswerFiles, RunAttachments
from agents.runtime.key_lookup import KeyOwner
from agents.runtime.model_factory import AgentModelFactory
from agents.runtime.placeholders import Placeholders
from agents.runtime.request_overrides import RequestOverrides
from agents.runtime.specs import model_settings
from limits.budgets import NO_BUDGETS, Budgets


@dataclass(frozen=True, slots=True, kw_only=True)
class PassThroughRequest:
    """The answer that the caller requests."""

    entries: tuple[Entry, ...]
    tools: tuple[ToolDefinition, ...]
    tool_choice: str  # "auto", "none", "required" or the name of a tool
    single_tool_call: bool  # whether the answer may call one tool only
    answer_format: Mapping[str, Any] | None  # see ModelSettings
    model_config_id: UUID
    thinking: bool
    request_overrides: RequestOverrides
    assistant: str = ""  # the key of the assistant whose prompt is used; "": the chat agent's


@dataclass(frozen=True, slots=True, kw_only=True)
class PassThroughCaller:
    """On whose behalf the model is called, and the services that the call uses."""

    snapshot: ReleaseSnapshot
    organization_id: UUID
    organization_name: str
    user_name: str
    preferences: str
    key_owner: KeyOwner
    placeholders: Placeholders
    record_call: Callable[[CallRecord], None]  # receives every model call, for the call log
    files: RunAttachments  # the files among the request's entries
    answer_file_store: RunAnswerFiles  # where files that the model generates are stored
    budgets: Budgets = NO_BUDGETS  # that pay for the call


def pass_through(call: PassThroughRequest, caller: PassThroughCaller) -> AsyncGenerator[ModelEvent, None]:
    """Return the stream of the model's answer: deltas first, the complete response last.

    The call uses the chat agent's or the assistant's prompt, limits and endpoints. Raises RunConfigError immediately; while the stream is
    read, raises what models raise (agents.engine.ports.LanguageModel).
    """
    agent, model = caller.snapshot.chat_model(call.model_config_id, call.assistant)
    agent = answering_agent(agent, caller.snapshot)
    if call.tools and not model.supports_tools:
        raise ModelNotConfigured(
            gettext("%(display_name)s can't call tools. Choose another model, or send no tools.") % {"display_name": model.display_name}
        )
    request = ModelRequest(
        model=model.model_id,
        system=call.request_overrides.apply_to_prompt(compose_prompt(agent, _prompt_facts(caller))),
        entries=call.entries,
        tools=call.tools,
        settings=_settings(call, agent, model),
    )
    return _model_factory(caller, agent, model).model(CallKind.STEP).stream(request)


def _prompt_facts(caller: PassThroughCaller) -> PromptFacts:
    mask = caller.placeholders.mask
    return PromptFacts(
        date=datetime.now(UTC),
        organization=mask(caller.organization_name),
        user=mask(caller.user_name),
        preferences=mask(caller.preferences),
    )


def _settings(call: PassThroughRequest, agent: AgentSnapshot, model: ModelSnapshot) -> ModelSettings:
    return replace(
        call.request_overrides.apply_to_settings(model_settings(agent, model, thinking=call.thinking)),
        tool_choice=call.tool_choice,
        single_tool_call=call.single_tool_call,
        answer_format=call.answer_format,
        builtin_tools=(),
    )


def _model_factory(caller: PassThroughCaller, agent: AgentSnapshot, model: ModelSnapshot) -> AgentModelFactory:
    return AgentModelFactory(
        snapshot=caller.snapshot,
        agent=agent,
        endpoints=caller.snapshot.endpoints_of(model.provider),
        connections=RunConnections(caller.organization_id, caller.key_owner),
        record_call=caller.record_call,
        hold=CallBudgets(caller.organization_id, caller.budgets).hold,
        placeholders=caller.placeholders,
        attachments=caller.files,
        answer_file_store=caller.answer_file_store,
    )
