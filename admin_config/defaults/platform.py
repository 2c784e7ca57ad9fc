"""The platform's defaults: what an organization's blank fields mean, field by field (SPEC 4.1).

Adding a provider, an agent kind or a tool is one entry in PROVIDERS, KINDS or TOOLS. Options that are the same for all kinds have their
defaults in admin_config.defaults.options.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext, gettext_lazy, gettext_noop as _

from admin_config.defaults import prompts
from admin_config.defaults.artifact_agents import ARTIFACT_AGENTS, DOCUMENT_AGENT, MERMAID_AGENT, PYTHON_AGENT
from admin_config.defaults.github import GIT_MCP_AGENT, github_agent
from admin_config.defaults.kinds import MAX_STEPS_CEILING, KindDefaults, OperationDefaults, SectionDefaults
from admin_config.defaults.providers import (
    ALL_PROVIDERS,
    BUILTIN_TOOLS,
    DEFAULT_PROVIDER,
    DEMO_PROVIDER,
    DEMO_WIRES,
    PROVIDER_CHOICES,
    PROVIDERS,
    UNKNOWN_CONTEXT_WINDOW,
    UNKNOWN_MAX_OUTPUT,
    ModelDefaults,
    ProviderSpec,
    ThinkingStyle,
    Wire,
    is_demo,
)
from admin_config.defaults.sub_agents import CUSTOM_AGENT, PROVIDER_TOOLS_AGENT, sub_agents

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

__all__ = [
    "ALL_PROVIDERS",
    "BUILTIN_TOOLS",
    "CHAT_AGENT",
    "CHAT_SECTIONS",
    "CUSTOM_AGENT",
    "DEFAULT_PROVIDER",
    "DEMO_PROVIDER",
    "DEMO_WIRES",
    "DOCUMENT_AGENT",
    "GIT_MCP_AGENT",
    "KINDS",
    "MAX_STEPS_CEILING",
    "MERMAID_AGENT",
    "PROJECT_FILE_TOOLS",
    "PROVIDERS",
    "PROVIDER_CHOICES",
    "PROVIDER_TOOLS_AGENT",
    "PYTHON_AGENT",
    "TOOLS",
    "UNKNOWN_CONTEXT_WINDOW",
    "UNKNOWN_MAX_OUTPUT",
    "KindDefaults",
    "ModelDefaults",
    "OperationDefaults",
    "ProviderSpec",
    "SectionDefaults",
    "ThinkingStyle",
    "Wire",
    "agent_key",
    "agent_label",
    "agent_name",
    "is_demo",
    "kind_choices",
]

CHAT_AGENT = "chat_model_agent"

# The platform's tools, by the names under which models call them.
TOOLS: dict[str, str] = {
    DOCUMENT_AGENT: _("Writes and changes documents"),
    PYTHON_AGENT: _("Writes, changes, mends and explains Python programs"),
    MERMAID_AGENT: _("Draws and changes diagrams"),
    PROVIDER_TOOLS_AGENT: _("Searches the web, reads pages and runs code"),
    GIT_MCP_AGENT: _("Reads repositories, issues and pull requests on GitHub"),
    "message": _("Tells, asks or answers the user"),
}

# Those that read the files of a conversation's project; no admin gives or takes them.
PROJECT_FILE_TOOLS = ("list_project_files", "read_project_file", "search_project_files")

# In the order of the prompt.
CHAT_SECTIONS = (
    SectionDefaults("identity", prompts.IDENTITY, _("Who the agent is and what it is there for.")),
    SectionDefaults("language", prompts.LANGUAGE, _("Which language it answers in.")),
    SectionDefaults("output_format", prompts.OUTPUT_FORMAT, _("What its answers look like.")),
    SectionDefaults("agent_loop", prompts.AGENT_LOOP, _("How it plans and works in steps.")),
    SectionDefaults("tool_use", prompts.TOOL_USE, _("When and how it uses its tools.")),
    SectionDefaults("error_handling", prompts.ERROR_HANDLING, _("What it does when a tool fails.")),
    SectionDefaults("safety", prompts.SAFETY, _("Protects against instructions hidden in documents and tool results.")),
    SectionDefaults("skills", "", _("What your organization wants it to know or do: products, terms, ways of working.")),
    SectionDefaults(
        "project",
        prompts.PROJECT,
        _("The instructions that a member wrote for the project of the conversation; left out where there are none."),
        is_dynamic=True,
        required=frozenset({"project_instructions"}),
        optional=frozenset({"project"}),
    ),
    SectionDefaults(
        "environment",
        prompts.ENVIRONMENT,
        _("The facts of the moment. A line whose placeholder has no value is left out."),
        is_dynamic=True,
        optional=frozenset({"date", "organization", "user"}),
    ),
    SectionDefaults(
        "user_preferences",
        prompts.USER_PREFERENCES,
        _("What each member has written about the answers they want; left out for those who wrote nothing."),
        is_dynamic=True,
        required=frozenset({"preferences"}),
    ),
)

KINDS: dict[str, KindDefaults] = {
    CHAT_AGENT: KindDefaults(
        label=_("Chat agent"),
        system_prompt="",
        description=prompts.CHAT_DESCRIPTION,
        operations=(
            OperationDefaults(
                name="title",
                system_prompt=prompts.TITLE_SYSTEM_PROMPT,
                user_prompt_template=prompts.TITLE_TEMPLATE,
                required=frozenset({"conversation"}),
            ),
        ),
        sections=CHAT_SECTIONS,
        plugins=frozenset({"title"}),
    ),
    **ARTIFACT_AGENTS,
    **sub_agents(CHAT_SECTIONS),
    GIT_MCP_AGENT: github_agent(CHAT_SECTIONS),
}


def kind_choices() -> list[tuple[str, StrOrPromise]]:
    """Return the choices of a model field. As a callable, so that a new kind needs no migration."""
    return [(kind, gettext_lazy(defaults.label)) for kind, defaults in KINDS.items()]


def agent_key(kind: str, provider: str) -> str:
    """Return the key of an agent in the configuration (SPEC 4.1), such as `document_agent_google`."""
    return f"{kind}_{provider}"


def agent_label(name: str) -> str:
    """Return what people read of an agent with this name, at any provider: a kind's label, or the name of a custom agent."""
    return gettext(KINDS[name].label) if name in KINDS else name


def agent_name(key: str) -> str:
    """Return the name of an agent, the same at all providers, of its key: `document_agent` of `document_agent_google`."""
    endings = (f"_{provider}" for provider in sorted((*PROVIDERS, ALL_PROVIDERS), key=len, reverse=True))
    return key.removesuffix(next((ending for ending in endings if key.endswith(ending)), ""))
