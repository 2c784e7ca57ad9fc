"""The platform's defaults: an organization's blank fields mean these values, field by field (SPEC 4.1).

Adding a provider or an agent kind is one entry in PROVIDERS or KINDS.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from admin_config.prompts import (
    CHAT_DESCRIPTION,
    CHAT_SYSTEM_PROMPT,
    DOCUMENT_CREATE_TEMPLATE,
    DOCUMENT_DESCRIPTION,
    DOCUMENT_SYSTEM_PROMPT,
    DOCUMENT_UPDATE_PROMPT,
    DOCUMENT_UPDATE_TEMPLATE,
    TITLE_SYSTEM_PROMPT,
    TITLE_TEMPLATE,
)

ThinkingStyle = Literal["none", "budget", "level"]

CHAT_AGENT = "chat_model_agent"
DOCUMENT_AGENT = "document_agent"

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
class KindDefaults:
    """One agent kind. A blank operation prompt falls back to the operation's own default, not to the agent's prompt."""

    label: str
    system_prompt: str
    description: str
    operations: tuple[OperationDefaults, ...]
    temperature: float | None = None
    max_output_tokens: int | None = None
    max_steps: int = DEFAULT_MAX_STEPS
    thinking_budget: int = DEFAULT_THINKING_BUDGET

    def operation(self, name: str) -> OperationDefaults | None:
        return next((operation for operation in self.operations if operation.name == name), None)


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
    """`base_url` blank: the address comes from the operator's settings (the demo provider)."""

    label: str
    base_url: str
    api_version: str
    models: tuple[ModelDefaults, ...]
    needs_key: bool = True


KINDS: dict[str, KindDefaults] = {
    CHAT_AGENT: KindDefaults(
        label="Chat agent",
        system_prompt=CHAT_SYSTEM_PROMPT,
        description=CHAT_DESCRIPTION,
        operations=(
            OperationDefaults(
                name="title",
                system_prompt=TITLE_SYSTEM_PROMPT,
                user_prompt_template=TITLE_TEMPLATE,
                required=frozenset({"conversation"}),
            ),
        ),
    ),
    DOCUMENT_AGENT: KindDefaults(
        label="Document agent",
        system_prompt=DOCUMENT_SYSTEM_PROMPT,
        description=DOCUMENT_DESCRIPTION,
        operations=(
            OperationDefaults(
                name="create",
                system_prompt=DOCUMENT_SYSTEM_PROMPT,
                user_prompt_template=DOCUMENT_CREATE_TEMPLATE,
                required=frozenset({"instruction"}),
                optional=frozenset({"title"}),
            ),
            OperationDefaults(
                name="update",
                system_prompt=DOCUMENT_UPDATE_PROMPT,
                user_prompt_template=DOCUMENT_UPDATE_TEMPLATE,
                required=frozenset({"instruction", "current_content"}),
                optional=frozenset({"title"}),
            ),
        ),
    ),
}

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
    "demo": ProviderDefaults(
        label="Demo (no key, scripted)",
        base_url="",
        api_version="v1beta",
        needs_key=False,
        models=(
            ModelDefaults("demo-standard", "Demo", "budget", context_window=32_768, max_output_tokens=8_192, is_default=True),
            ModelDefaults("demo-fast", "Demo (fast)", "none", context_window=32_768, max_output_tokens=8_192),
        ),
    ),
}

KIND_CHOICES = [(kind, defaults.label) for kind, defaults in KINDS.items()]
PROVIDER_CHOICES = [(provider, defaults.label) for provider, defaults in PROVIDERS.items()]


def agent_key(kind: str, provider: str) -> str:
    """The key under which an agent is configured (SPEC 4.1), such as `document_agent_google`."""
    return f"{kind}_{provider}"
