"""What a replay changes: the release that it runs with, made of the recorded run's or of another one."""

from __future__ import annotations

from uuid import UUID

from admin_config.models import Release
from admin_config.release import ReleaseSnapshot
from admin_config.services.replaced_secrets import with_current_keys
from admin_config.services.trials import trial_release_store
from agents.messages import ToolDefinition
from chat.models import ModelCall, PromptSnapshot, Run
from evaluations.models import Replay


def without_plugins(snapshot: ReleaseSnapshot) -> ReleaseSnapshot:
    """Return the release without plugins: nobody hears of a replay, and no title or suggestion is paid for."""
    agents = {key: agent.model_copy(update={"plugins": ()}) for key, agent in snapshot.agents.items()}
    return snapshot.model_copy(update={"agents": agents})


def release_snapshot(release_id: UUID) -> ReleaseSnapshot:
    """Return a release with today's keys. Raises Release.DoesNotExist."""
    return with_current_keys(ReleaseSnapshot.model_validate(Release.objects.get(pk=release_id).content))


def own_prompt(snapshot: ReleaseSnapshot, run: Run) -> str:
    """Return the own prompt of the agent that answers the run under this release. Raises RunConfigError."""
    return snapshot.chat_model(run.model_config_id, run.assistant)[0].system_prompt


def recorded_tools(run: Run) -> list[ToolDefinition]:
    """Return the tools that the run's agents had, as its models were told of them, by name. Two queries."""
    calls = ModelCall.objects.filter(run=run, kind__in=(ModelCall.Kind.STEP, ModelCall.Kind.SUB_AGENT)).exclude(prompt_hash="")
    prompts = PromptSnapshot.objects.filter(content_hash__in=list(calls.order_by().values_list("prompt_hash", flat=True).distinct()))
    tools = (ToolDefinition(**tool) for content in prompts.values_list("content", flat=True) for tool in content["tools"])
    return sorted({tool.name: tool for tool in tools}.values(), key=lambda tool: tool.name)


def replay_release(replay: Replay, original: Run, *, author_id: int) -> UUID:
    """Store what this run is replayed with, unless it is stored; return its id. Raises RunConfigError."""
    snapshot = release_snapshot(replay.release_id or original.release_id)
    if replay.changes_prompt:
        snapshot = _with_prompt(snapshot, replay, original)
    return trial_release_store(without_plugins(snapshot), author_id=author_id)


def _with_prompt(snapshot: ReleaseSnapshot, replay: Replay, original: Run) -> ReleaseSnapshot:
    key = snapshot.chat_model(replay.model_config_id or original.model_config_id, original.assistant)[0].key
    agent = snapshot.agents[key].model_copy(update={"system_prompt": replay.prompt})
    return snapshot.model_copy(update={"agents": {**snapshot.agents, key: agent}})
