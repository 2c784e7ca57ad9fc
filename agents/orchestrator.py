"""From a run's release to agents that can work: prompt, model and tools of the chat agent (ARCHITECTURE 2, hop 4).

Nothing is connected until it is called. The keys live in these objects only, and those only as long as the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from uuid import UUID

from admin_config.errors import AgentNotConfigured
from admin_config.release import AgentSnapshot, ModelSnapshot, ReleaseSnapshot
from agents.agent_models import AgentModels
from agents.artifact_agents.document import DocumentTool
from agents.artifact_agents.store import DatabaseArtifactStore
from agents.attachments import RunAttachments
from agents.call_snapshots import ContextSource
from agents.calls import CallKind, CallRecord
from agents.connections import OpenedKeys, RunConnections
from agents.engine.agent import AgentSpec, Completion
from agents.engine.budget import RunBudget
from agents.engine.context import unmasked
from agents.engine.messages import Entry
from agents.engine.placeholders import Placeholders
from agents.engine.ports import LanguageModel, Tool
from agents.keys import KeyOwner
from agents.message_tool import MessageTool
from agents.plugins.base import PluginActions, RunFacts
from agents.plugins.building import plugin_hooks_build
from agents.plugins.runner import PluginHooks
from agents.prompting import PromptFacts, composed_prompt
from agents.provider_options import provider_options
from agents.specs import agent_spec, model_settings, run_budget
from agents.wishes import NO_WISHES, CallerWishes
from files.selectors import ConversationFiles

DOCUMENT = "document_agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """Who asks, where, and what was chosen.

    `record_call` gets every model call of the run (SPEC 3.16); `branch`: the entries of the chat agent's branch as of now.
    `preferences`: what the user wrote about the answers they want; `wishes`: what the caller of an API asks of this answer. `actions`: what plugins may ask of the application.
    `placeholders`: registered secrets, which no model call may carry (SPEC 3.17). `key_owner`: whose provider keys the run may use.
    """

    organization_id: UUID
    organization_name: str
    membership_id: UUID
    user_name: str
    conversation_id: UUID
    run_id: UUID
    model_config_id: UUID
    thinking: bool
    record_call: Callable[[CallRecord], None]
    branch: Callable[[], Sequence[Entry]]
    actions: PluginActions
    placeholders: Placeholders
    key_owner: KeyOwner
    preferences: str = ""
    opened_keys: OpenedKeys = field(default_factory=dict, repr=False)
    wishes: CallerWishes = NO_WISHES


@dataclass(frozen=True, slots=True)
class BuiltAgent:
    """`budget` is a fresh run's: who takes one over adds what was spent. `hooks` are closed by who runs the agent."""

    spec: AgentSpec
    model: LanguageModel
    tools: tuple[Tool, ...]
    budget: RunBudget
    mask: Callable[[Entry], Entry]
    hooks: PluginHooks


async def chat_agent_build(snapshot: ReleaseSnapshot, context: RunContext) -> BuiltAgent:
    """The chat agent of the chosen model's provider. Raises RunConfigError."""
    agent, model = snapshot.chat_model(context.model_config_id)
    models = _models(snapshot, agent, model, context)
    spec = context.wishes.for_agent(agent_spec(agent, model, system=composed_prompt(agent, _facts(context)), thinking=context.thinking))
    budget = run_budget(agent, snapshot)
    return BuiltAgent(
        spec=spec,
        model=models.model(CallKind.STEP, source=ContextSource(entries=context.branch, policy=spec.context)),
        tools=(*_speech(spec), *_document_tool(models, context)) if model.supports_tools else (),
        budget=budget,
        mask=context.placeholders.masked_entry if context.placeholders else unmasked,
        hooks=await plugin_hooks_build(
            agent.plugins,
            run=_run_facts(agent, context),
            model=model.model_id,
            language_model=models.model,
            budget=budget,
            provider_options=provider_options(agent),
        ),
    )


def _models(snapshot: ReleaseSnapshot, agent: AgentSnapshot, model: ModelSnapshot, context: RunContext) -> AgentModels:
    return AgentModels(
        snapshot=snapshot,
        agent=agent,
        endpoints=snapshot.endpoints_of(model.provider),
        connections=RunConnections(context.organization_id, context.key_owner, context.opened_keys),
        record_call=context.record_call,
        placeholders=context.placeholders,
        attachments=RunAttachments(ConversationFiles(context.organization_id, context.conversation_id)),
    )


def _speech(spec: AgentSpec) -> tuple[Tool, ...]:
    return (MessageTool(),) if spec.completion is Completion.MESSAGE_TOOL else ()


def _document_tool(chat: AgentModels, context: RunContext) -> tuple[Tool, ...]:
    """The document agent over the chat agent's connections: both are of the active provider."""
    try:
        agent = chat.snapshot.agent(DOCUMENT, chat.agent.provider)
    except AgentNotConfigured:
        return ()
    model = chat.snapshot.model(None, agent)
    models = replace(chat, agent=agent)
    store = DatabaseArtifactStore(
        organization_id=context.organization_id,
        owner_id=context.membership_id,
        conversation_id=context.conversation_id,
        run_id=context.run_id,
    )
    return (
        DocumentTool(
            agent=agent,
            model_name=model.model_id,
            settings=model_settings(agent, model, thinking=False),
            language_model=lambda call_id: models.model(CallKind.SUB_AGENT, parent_call_id=call_id),
            store=store,
        ),
    )


def _facts(context: RunContext) -> PromptFacts:
    """Masked before they are escaped: an escaped secret could not be found any more."""
    mask = context.placeholders.mask
    return PromptFacts(
        date=datetime.now(UTC),
        organization=mask(context.organization_name),
        user=mask(context.user_name),
        preferences=mask(context.preferences),
    )


def _run_facts(agent: AgentSnapshot, context: RunContext) -> RunFacts:
    return RunFacts(
        organization_id=context.organization_id,
        conversation_id=context.conversation_id,
        run_id=context.run_id,
        membership_id=context.membership_id,
        agent_key=agent.key,
        entries=context.branch,
        actions=context.actions,
        placeholders=context.placeholders,
    )
