"""One model call with a caller's own history and tools, which the caller runs (SPEC 5.4): no engine, no tools of Parley's."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import UUID

from admin_config.errors import ModelNotConfigured
from admin_config.release import ReleaseSnapshot
from agents.engine.messages import Entry, ModelEvent, ModelRequest, ToolDefinition
from agents.engine.placeholders import Placeholders
from agents.prompting import PromptFacts, composed_prompt
from agents.runtime.agent_models import AgentModels
from agents.runtime.answer_files import RunAnswerFiles
from agents.runtime.attachments import RunAttachments
from agents.runtime.calls import CallKind, CallRecord
from agents.runtime.connections import RunConnections
from agents.runtime.keys import KeyOwner
from agents.runtime.request_overrides import CallerWishes
from agents.runtime.specs import model_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedCall:
    """What the caller asks. `tool_choice`: "auto", "none", "required" or a tool's name."""

    entries: tuple[Entry, ...]
    tools: tuple[ToolDefinition, ...]
    tool_choice: str
    model_config_id: UUID
    thinking: bool
    wishes: CallerWishes


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """For whom and with what the model is called; `record_call` gets every call for the log. `files`: those among the entries; `made`: where those go
    that the model makes."""

    snapshot: ReleaseSnapshot
    organization_id: UUID
    organization_name: str
    user_name: str
    preferences: str
    key_owner: KeyOwner
    placeholders: Placeholders
    record_call: Callable[[CallRecord], None]
    files: RunAttachments
    made: RunAnswerFiles


def pass_through(call: PassedCall, caller: Caller) -> AsyncGenerator[ModelEvent, None]:
    """The model's answer: deltas, and the whole response last. Under the chat agent's prompt, limits and endpoints.

    Raises RunConfigError at once, and while it is read what models raise (agents.engine.ports.LanguageModel).
    """
    agent, model = caller.snapshot.chat_model(call.model_config_id)
    if not model.supports_tools:
        raise ModelNotConfigured(f"{model.display_name} can't call tools. Choose another model, or send no tools.")
    mask = caller.placeholders.mask
    facts = PromptFacts(
        date=datetime.now(UTC),
        organization=mask(caller.organization_name),
        user=mask(caller.user_name),
        preferences=mask(caller.preferences),
    )
    settings = replace(
        call.wishes.for_settings(model_settings(agent, model, thinking=call.thinking)), tool_choice=call.tool_choice, builtin_tools=()
    )
    models = AgentModels(
        snapshot=caller.snapshot,
        agent=agent,
        endpoints=caller.snapshot.endpoints_of(model.provider),
        connections=RunConnections(caller.organization_id, caller.key_owner),
        record_call=caller.record_call,
        placeholders=caller.placeholders,
        attachments=caller.files,
        made=caller.made,
    )
    request = ModelRequest(
        model=model.model_id,
        system=call.wishes.for_prompt(composed_prompt(agent, facts)),
        entries=call.entries,
        tools=call.tools,
        settings=settings,
    )
    return models.model(CallKind.STEP).stream(request)
