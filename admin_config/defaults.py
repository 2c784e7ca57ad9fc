"""The platform's defaults: an organization's blank fields mean these values, field by field (SPEC 4.1).

Adding a provider, an agent kind or a tool is one entry in PROVIDERS, KINDS or TOOLS. What is tuned alike for all kinds has its
defaults in admin_config.options.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from admin_config import prompts

ThinkingStyle = Literal["none", "budget", "level"]

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

# Of a model that nobody knows, in tokens: small enough for nearly every model of today.
UNKNOWN_CONTEXT_WINDOW = 128_000
UNKNOWN_MAX_OUTPUT = 8_192


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

    `is_tool`: it works when another agent calls it. The others run the conversation: they have tools, sections and step rules.
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


@dataclass(frozen=True)
class ModelDefaults:
    model_id: str
    display_name: str
    thinking_style: ThinkingStyle
    context_window: int = 1_048_576
    max_output_tokens: int = 65_536
    is_default: bool = False


@dataclass(frozen=True)
class ProviderDefaults:
    """`base_url` blank: the address comes from the operator's settings (the demo provider), or an admin must enter one.

    `plugins`: those that its agents have switched on besides their kind's. `takes_key`: members may bring a key of their own, where the
    organization lets them; `needs_key`: nothing goes without one. `demo_path`: where the demo server speaks this provider's wire, below its
    address; None: this is no demo.
    """

    label: str
    base_url: str
    api_version: str
    models: tuple[ModelDefaults, ...]
    needs_key: bool = True
    takes_key: bool = True
    plugins: frozenset[str] = frozenset()
    demo_path: str | None = None


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


def _demo_wire(name: str, model_id: str, thinking_style: ThinkingStyle, path: str) -> ProviderDefaults:
    """The demo on another provider's wire, so that a newcomer sees one conversation go from provider to provider (SPEC 2.8)."""
    return ProviderDefaults(
        label=f"Demo · {name} wire",
        base_url="",
        api_version="",
        models=(
            ModelDefaults(model_id, f"Demo ({name})", thinking_style, context_window=32_768, max_output_tokens=8_192, is_default=True),
        ),
        needs_key=False,
        takes_key=False,
        plugins=frozenset({"suggestions"}),
        demo_path=path,
    )


PROVIDERS: dict[str, ProviderDefaults] = {
    "google": ProviderDefaults(
        label="Google Gemini",
        base_url="https://generativelanguage.googleapis.com",
        api_version="v1beta",
        models=(
            ModelDefaults("gemini-2.5-flash", "Gemini 2.5 Flash", "budget", is_default=True),
            ModelDefaults("gemini-2.5-pro", "Gemini 2.5 Pro", "budget"),
            ModelDefaults("gemini-3-flash-preview", "Gemini 3 Flash (preview)", "level"),
        ),
    ),
    "openai": ProviderDefaults(
        label="OpenAI",
        base_url="https://api.openai.com/v1",
        api_version="",
        models=(
            ModelDefaults("gpt-6.2-sol", "GPT-6.2 Sol", "budget", 1_050_000, 128_000, is_default=True),
            ModelDefaults("gpt-6-astra", "GPT-6 Astra", "budget", 1_050_000, 128_000),
            ModelDefaults("gpt-6-luna", "GPT-6 Luna", "budget", 1_050_000, 128_000),
        ),
    ),
    "anthropic": ProviderDefaults(
        label="Anthropic Claude",
        base_url="https://api.anthropic.com",
        api_version="",
        models=(
            ModelDefaults("claude-sonnet-5-5", "Claude Sonnet 5.5", "level", 1_000_000, 128_000, is_default=True),
            ModelDefaults("claude-opus-5-5", "Claude Opus 5.5", "level", 1_000_000, 128_000),
            ModelDefaults("claude-haiku-5-5", "Claude Haiku 5.5", "level", 1_000_000, 128_000),
        ),
    ),
    "compatible": ProviderDefaults(
        label="OpenAI-compatible endpoint",
        base_url="",  # every installation has its own; an admin enters it
        api_version="",
        models=(),
        needs_key=False,
    ),
    "demo": ProviderDefaults(
        label="Demo (no key, scripted)",
        base_url="",
        api_version="v1beta",
        needs_key=False,
        takes_key=False,
        plugins=frozenset({"suggestions"}),  # so that a first visit shows them; elsewhere they cost a call for each answer
        models=(
            ModelDefaults("demo-standard", "Demo", "budget", context_window=32_768, max_output_tokens=8_192, is_default=True),
            ModelDefaults("demo-fast", "Demo (fast)", "none", context_window=32_768, max_output_tokens=8_192),
        ),
        demo_path="",
    ),
    "demo_openai": _demo_wire("OpenAI", "gpt-6-demo", "budget", "/v1"),
    "demo_anthropic": _demo_wire("Anthropic", "claude-demo", "level", ""),
    "demo_compatible": _demo_wire("compatible", "compatible-demo", "none", "/v1"),
}
DEMO_WIRES = ("demo_openai", "demo_anthropic", "demo_compatible")

KIND_CHOICES = [(kind, defaults.label) for kind, defaults in KINDS.items()]
PROVIDER_CHOICES = [(provider, defaults.label) for provider, defaults in PROVIDERS.items()]


def is_demo(provider: str) -> bool:
    """Whether a script answers there, and no model."""
    return provider in PROVIDERS and PROVIDERS[provider].demo_path is not None


def agent_key(kind: str, provider: str) -> str:
    """The key under which an agent is configured (SPEC 4.1), such as `document_agent_google`."""
    return f"{kind}_{provider}"
