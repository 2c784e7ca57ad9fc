"""Builds the runnable chat agent of a release: prompt, model, tools and plugin hooks (ARCHITECTURE 2, hop 4).

No connection is opened until it is needed. Provider keys are held only by these objects, and only for the duration of
the run.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial

from admin_config.release import AgentSnapshot, ModelSnapshot, ReleaseSnapshot
from agents.assistants import answering_agent
from agents.context.policy import no_masking
from agents.engine.agent import AgentSpec, CompletionMode
from agents.engine.ports import Agent, LanguageModel
from agents.messages import Notice
from agents.plugins.building import plugin_hooks_build
from agents.plugins.hooks import PluginHooks
from agents.plugins.plugin import PluginRun
from agents.prompts import compose_prompt, prompt_facts
from agents.run_context import RunContext
from agents.runtime.argument_repair import argument_repair
from agents.runtime.budget_holds import CallBudgets
from agents.runtime.call_recording import CallKind
from agents.runtime.call_snapshots import ContextSource
from agents.runtime.connections import RunConnections
from agents.runtime.files import RunAnswerFiles, RunAttachments
from agents.runtime.message_tool import MessageTool
from agents.runtime.model_factory import AgentModelFactory
from agents.runtime.provider_options import provider_options
from agents.runtime.specs import agent_spec, run_budget, with_result_limits
from agents.tools.base import LoadedTools, ToolBuildContext
from agents.tools.loading import tools_load
from files.generated_files import AnswerFiles
from files.selectors import ConversationFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnableAgent(Agent):
    """The chat agent of one run, with its model. Whoever runs the agent must close `hooks` and `exit_stack`.

    The budget is a new run's; whoever takes over a run adds what was already spent.
    """

    model: LanguageModel
    hooks: PluginHooks
    notices: tuple[Notice, ...]  # what the user should know about the tools
    exit_stack: AsyncExitStack


async def chat_agent_build(snapshot: ReleaseSnapshot, context: RunContext) -> RunnableAgent:
    """Return the chosen assistant, or the chat agent of the chosen model's provider. Raises RunConfigError."""
    agent, model = snapshot.chat_model(context.model_config_id, context.assistant)
    agent = answering_agent(agent, snapshot)
    models = _models(snapshot, agent, model, context)
    spec = context.request_overrides.apply_to_agent(
        agent_spec(agent, model, system=compose_prompt(agent, prompt_facts(context)), thinking=context.thinking)
    )
    budget = run_budget(agent, snapshot)
    exit_stack = AsyncExitStack()
    loaded_tools = await _tools(
        ToolBuildContext(run=context, agent=agent, model=model, models=models, path=(agent.key,), exit_stack=exit_stack), spec
    )
    spec = with_result_limits(spec, loaded_tools.tools)
    return RunnableAgent(
        spec=spec,
        model=models.model(CallKind.STEP, source=ContextSource(entries=context.branch, policy=spec.context)),
        tools=tuple(loaded_tools.tools),
        budget=budget,
        repair=argument_repair(models, model, budget),
        mask=context.placeholders.mask_entry if context.placeholders else no_masking,
        hooks=await plugin_hooks_build(
            agent.plugins,
            run=_run_facts(agent, context),
            model=model.model_id,
            language_model=models.model,
            budget=budget,
            provider_options=partial(provider_options, agent),
        ),
        notices=tuple(loaded_tools.notices),
        exit_stack=exit_stack,
    )


async def _tools(build: ToolBuildContext, spec: AgentSpec) -> LoadedTools:
    ends_with_tool = spec.completion is CompletionMode.MESSAGE_TOOL
    return await tools_load(build, own=(MessageTool(),) if ends_with_tool else ())


def _models(snapshot: ReleaseSnapshot, agent: AgentSnapshot, model: ModelSnapshot, context: RunContext) -> AgentModelFactory:
    files_of = context.replay.conversation_id if context.replay else context.conversation_id
    return AgentModelFactory(
        snapshot=snapshot,
        agent=agent,
        endpoints=snapshot.endpoints_of(model.provider),
        connections=RunConnections(context.organization_id, context.key_owner, context.preloaded_keys),
        record_call=context.record_call,
        call_opened=context.call_opened,
        hold=CallBudgets(context.organization_id, context.budgets, context.run_id).hold,
        placeholders=context.placeholders,
        attachments=RunAttachments(ConversationFiles(context.organization_id, files_of)),
        recorded=context.replay.models if context.replay else None,
        answer_file_store=RunAnswerFiles(AnswerFiles(context.organization_id, context.membership_id)),
    )


def _run_facts(agent: AgentSnapshot, context: RunContext) -> PluginRun:
    return PluginRun(
        organization_id=context.organization_id,
        conversation_id=context.conversation_id,
        run_id=context.run_id,
        membership_id=context.membership_id,
        agent_key=agent.key,
        entries=context.branch,
        actions=context.actions,
        placeholders=context.placeholders,
    )
