"""The streaming artifact agents of the agent's provider (SPEC 4.4 to 4.7)."""

from __future__ import annotations

from dataclasses import replace

from admin_config.defaults import DOCUMENT_AGENT
from admin_config.errors import AgentNotConfigured
from agents.artifact_agents.document import DocumentTool
from agents.artifact_agents.store import DatabaseArtifactStore
from agents.calls import CallKind
from agents.engine.ports import Tool
from agents.run_context import RunContext
from agents.specs import model_settings
from agents.tool_sources.base import ToolBuild


def artifact_tools(build: ToolBuild) -> tuple[Tool, ...]:
    """They work over the connections of the agent that calls them: both are of one provider."""
    try:
        agent = build.models.snapshot.agent(DOCUMENT_AGENT, build.agent.provider)
    except AgentNotConfigured:
        return ()
    model = build.models.snapshot.model(None, agent)
    models = replace(build.models, agent=agent)
    return (
        DocumentTool(
            agent=agent,
            model_name=model.model_id,
            settings=model_settings(agent, model, thinking=False),
            language_model=lambda call_id: models.model(CallKind.SUB_AGENT, parent_call_id=call_id),
            store=_store(build.run),
        ),
    )


def _store(run: RunContext) -> DatabaseArtifactStore:
    return DatabaseArtifactStore(
        organization_id=run.organization_id, owner_id=run.membership_id, conversation_id=run.conversation_id, run_id=run.run_id
    )
