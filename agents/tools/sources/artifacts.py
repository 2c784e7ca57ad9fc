"""The artifact agents of the agent's provider, as tools (SPEC 4.4 to 4.7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from admin_config.errors import AgentNotConfigured
from agents.artifact_agents.rules import AGENT_RULES, ArtifactAgentRules
from agents.artifact_agents.store import DatabaseArtifactStore
from agents.artifact_agents.tool import ArtifactTool
from agents.engine.ports import Tool
from agents.run_context import RunContext
from agents.runtime.call_recording import CallKind
from agents.runtime.specs import model_settings
from agents.tools.base import ToolBuildContext


def artifact_tools(build: ToolBuildContext) -> tuple[Tool, ...]:
    """Return the tools. They use the connections of the calling agent, because both belong to one provider."""
    return tuple(_tools(build))


def _tools(build: ToolBuildContext) -> Iterator[Tool]:
    for rules in AGENT_RULES:
        try:
            tool = _tool(rules, build)
        except AgentNotConfigured:
            continue
        if tool.has_operations:
            yield tool


def _tool(rules: ArtifactAgentRules, build: ToolBuildContext) -> ArtifactTool:
    agent = build.models.snapshot.agent(rules.agent, build.agent.provider)
    model = build.models.snapshot.model(None, agent)
    models = replace(build.models, agent=agent)
    return ArtifactTool(
        rules=rules,
        agent=agent,
        model_name=model.model_id,
        window_tokens=model.context_window,
        settings=partial(model_settings, agent, model, thinking=False),
        language_model=lambda call_id: models.model(CallKind.SUB_AGENT, parent_call_id=call_id),
        store=_store(build.run, rules.agent),
        branch=build.run.branch,
    )


def _store(run: RunContext, agent: str) -> DatabaseArtifactStore:
    return DatabaseArtifactStore(
        organization_id=run.organization_id,
        author_id=run.membership_id,
        conversation_id=run.conversation_id,
        run_id=run.run_id,
        agent=agent,
    )
