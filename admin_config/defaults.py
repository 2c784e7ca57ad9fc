"""The platform's defaults: an organization's blank fields mean these values, field by field (SPEC 4.1).

Adding a provider, an agent kind or a tool is one entry in PROVIDERS, KINDS or TOOLS. What is tuned alike for all kinds has its
defaults in admin_config.options.
"""

from __future__ import annotations

from dataclasses import dataclass

from admin_config import prompts
from admin_config.provider_defaults import (
    BUILTIN_TOOLS,
    DEMO_WIRES,
    PROVIDER_CHOICES,
    PROVIDERS,
    UNKNOWN_CONTEXT_WINDOW,
    UNKNOWN_MAX_OUTPUT,
    ModelDefaults,
    ProviderDefaults,
    ThinkingStyle,
    Wire,
    is_demo,
)

__all__ = [
    "BUILTIN_TOOLS",
    "CHAT_AGENT",
    "CHAT_SECTIONS",
    "DEMO_WIRES",
    "DOCUMENT_AGENT",
    "KINDS",
    "KIND_CHOICES",
    "MAX_STEPS_CEILING",
    "PROVIDERS",
    "PROVIDER_CHOICES",
    "TOOLS",
    "UNKNOWN_CONTEXT_WINDOW",
    "UNKNOWN_MAX_OUTPUT",
    "KindDefaults",
    "ModelDefaults",
    "OperationDefaults",
    "ProviderDefaults",
    "SectionDefaults",
    "ThinkingStyle",
    "Wire",
    "agent_key",
    "is_demo",
]

CHAT_AGENT = "chat_model_agent"
DOCUMENT_AGENT = "document_agent"

# The tools that an agent can have, by the names that models call them.
TOOLS: dict[str, str] = {
    DOCUMENT_AGENT: "Writes and changes documents",
    "message": "Tells, asks or answers the user",
}

# SPEC 2.4 and 3.4; the ceiling is SECURITY 25.
DEFAULT_THINKING_BUDGET = 8192
DEFAULT_MAX_STEPS = 5
MAX_STEPS_CEILING = 25


@dataclass(frozen=True)
class OperationDefaults:
    """One operation of an agent. `required` placeholders must appear in its template, `optional` ones may."""

    name: str
    system_prompt: str
    user_prompt_template: str
    required: frozenset[str]
    optional: frozenset[str] = frozenset()

    @property
    def placeholders(self) -> frozenset[str]:
        return self.required | self.optional


@dataclass(frozen=True)
class SectionDefaults:
    """One section of a system prompt (SPEC 3.13).

    `is_changing`: differs between calls or people, so it stands behind all that a provider's cache can keep. Only the text of a section
    with placeholders is a template; it is left out while a `required` one has no value.
    """

    name: str
    text: str
    purpose: str
    is_changing: bool = False
    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()

    @property
    def placeholders(self) -> frozenset[str]:
        return self.required | self.optional


@dataclass(frozen=True)
class KindDefaults:
    """One agent kind. A blank operation prompt falls back to the operation's own default, not to the agent's prompt.

    `is_tool`: it works when another agent calls it. The others run the conversation: they have tools, the provider's own among them,
    sections and step rules.
    """

    label: str
    system_prompt: str
    description: str
    operations: tuple[OperationDefaults, ...]
    sections: tuple[SectionDefaults, ...] = ()
    is_tool: bool = False
    plugins: frozenset[str] = frozenset()
    temperature: float | None = None
    max_output_tokens: int | None = None
    max_steps: int = DEFAULT_MAX_STEPS
    thinking_budget: int = DEFAULT_THINKING_BUDGET

    def operation(self, name: str) -> OperationDefaults | None:
        return next((operation for operation in self.operations if operation.name == name), None)

    def section(self, name: str) -> SectionDefaults | None:
        return next((section for section in self.sections if section.name == name), None)


# In the order of the prompt.
CHAT_SECTIONS = (
    SectionDefaults("identity", prompts.IDENTITY, "Who the agent is and what it is there for."),
    SectionDefaults("language", prompts.LANGUAGE, "Which language it answers in."),
    SectionDefaults("output_format", prompts.OUTPUT_FORMAT, "What its answers look like."),
    SectionDefaults("agent_loop", prompts.AGENT_LOOP, "How it plans and works in steps."),
    SectionDefaults("tool_use", prompts.TOOL_USE, "When and how it uses its tools."),
    SectionDefaults("error_handling", prompts.ERROR_HANDLING, "What it does when a tool fails."),
    SectionDefaults("safety", prompts.SAFETY, "Protects against instructions hidden in documents and tool results."),
    SectionDefaults("skills", "", "What your organization wants it to know or do: products, terms, ways of working."),
    SectionDefaults(
        "environment",
        prompts.ENVIRONMENT,
        "The facts of the moment. A line whose placeholder has no value is left out.",
        is_changing=True,
        optional=frozenset({"date", "organization", "user"}),
    ),
    SectionDefaults(
        "user_preferences",
        prompts.USER_PREFERENCES,
        "What each member has written about the answers they want; left out for those who wrote nothing.",
        is_changing=True,
        required=frozenset({"preferences"}),
    ),
)

KINDS: dict[str, KindDefaults] = {
    CHAT_AGENT: KindDefaults(
        label="Chat agent",
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
    DOCUMENT_AGENT: KindDefaults(
        label="Document agent",
        system_prompt=prompts.DOCUMENT_SYSTEM_PROMPT,
        description=prompts.DOCUMENT_DESCRIPTION,
        operations=(
            OperationDefaults(
                name="create",
                system_prompt=prompts.DOCUMENT_SYSTEM_PROMPT,
                user_prompt_template=prompts.DOCUMENT_CREATE_TEMPLATE,
                required=frozenset({"instruction"}),
                optional=frozenset({"title"}),
            ),
            OperationDefaults(
                name="update",
                system_prompt=prompts.DOCUMENT_UPDATE_PROMPT,
                user_prompt_template=prompts.DOCUMENT_UPDATE_TEMPLATE,
                required=frozenset({"instruction", "current_content"}),
                optional=frozenset({"title"}),
            ),
        ),
        is_tool=True,
    ),
}


KIND_CHOICES = [(kind, defaults.label) for kind, defaults in KINDS.items()]


def agent_key(kind: str, provider: str) -> str:
    """The key under which an agent is configured (SPEC 4.1), such as `document_agent_google`."""
    return f"{kind}_{provider}"
