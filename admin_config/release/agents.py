"""Agents and their parts, as a release has them: operations, sections, step rules, plugins, tools, and what makes one an assistant."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from admin_config.defaults.options import AgentOptions
from admin_config.defaults.platform import CHAT_AGENT, PROVIDER_TOOLS_AGENT
from admin_config.release.base import Snapshot
from admin_config.validation.prompt_templates import template_render


class OperationSnapshot(Snapshot):
    """One operation of an agent."""

    name: str
    is_enabled: bool
    system_prompt: str
    user_prompt_template: str

    def user_prompt(self, **values: str) -> str:
        """Return the user prompt with its placeholders filled. Values that the template doesn't name are ignored."""
        return template_render(self.user_prompt_template, values)


class SectionSnapshot(Snapshot):
    """One section of an agent's system prompt."""

    is_enabled: bool
    text: str


class StepRuleSnapshot(Snapshot):
    """Settings of the steps `first` to `last`. A setting of None leaves the agent's own unchanged."""

    first: int
    last: int | None  # None: no end
    active_tools: tuple[str, ...] | None
    tool_choice: str | None
    max_output_tokens: int | None
    temperature: float | None


class PluginSnapshot(Snapshot):
    """A plugin that takes part in the agent's runs."""

    name: str
    settings: dict[str, Any] = {}
    secret_id: UUID | None = None  # row of the secret
    id: UUID | None = None  # row of the plugin


def _legacy_plugins(agent: dict[str, Any]) -> tuple[PluginSnapshot, ...]:
    """Return the plugins of releases from before plugins existed, when every chat got a title."""
    return (PluginSnapshot(name="title"),) if agent.get("kind") == CHAT_AGENT else ()


def _legacy_sections(agent: dict[str, Any]) -> dict[str, SectionSnapshot]:
    """Return the sections of releases from before sections existed.

    The chat agent's prompt was a single text then, followed by date, organization and user.
    """
    if agent.get("kind") != CHAT_AGENT:
        return {}
    return {"environment": SectionSnapshot(is_enabled=True, text="Date: {date}\nOrganization: {organization}\nUser: {user}")}


class AgentToolSnapshot(Snapshot):
    """What an agent may use: a tool source, or another agent by its key."""

    source_id: UUID | None = None
    agent_key: str = ""


class StarterSnapshot(Snapshot):
    """A message that a click sends. `title` is what stands on its card."""

    title: str
    text: str


class AssistantSnapshot(Snapshot):
    """What makes an agent one that members choose (admin_config.models.assistants.Assistant)."""

    is_offered: bool
    title: str
    description: str = ""
    picture_id: UUID | None = None
    starters: tuple[StarterSnapshot, ...] = ()
    model_choice: Literal["fixed", "member"] = "member"
    audience: Literal["everyone", "chosen"] = "everyone"
    roles: tuple[str, ...] = ()
    groups: tuple[UUID, ...] = ()
    for_agents: bool = False
    position: int = 1


class AgentSnapshot(AgentOptions):
    """One agent, with the platform's defaults filled in."""

    key: str
    kind: str
    provider: str
    is_enabled: bool
    model_id: UUID | None  # a ModelSnapshot's id; None: the provider's default
    system_prompt: str  # comes before the sections
    description: str
    temperature: float | None
    max_output_tokens: int | None
    max_steps: int
    thinking_budget: int
    operations: dict[str, OperationSnapshot]
    sections: dict[str, SectionSnapshot] = Field(default_factory=_legacy_sections)  # in the order of the kind
    step_rules: tuple[StepRuleSnapshot, ...] = ()
    plugins: tuple[PluginSnapshot, ...] = Field(default_factory=_legacy_plugins)  # the enabled ones, in order
    builtin_tools: tuple[str, ...] = ()  # those that are enabled; each model supports some of them
    provider_settings: dict[str, Any] = {}  # values of admin_config.defaults.provider_settings that are set
    provider_options: dict[str, Any] = {}  # fields of the provider's API that have no setting
    tools: tuple[AgentToolSnapshot, ...] = ()  # those beyond the kind's own
    name: str = ""  # see AgentConfig
    input_schema: dict[str, Any] = {}  # see AgentConfig
    assistant: AssistantSnapshot | None = None  # None: members can't choose it

    @property
    def tool_name(self) -> str:
        """The name under which other agents call it."""
        return self.name or self.kind

    @property
    def works_by_builtin_tools(self) -> bool:
        """Whether its purpose is to use the provider's built-in tools."""
        return self.kind == PROVIDER_TOOLS_AGENT
