"""Types for the platform's defaults of an agent kind."""

from __future__ import annotations

from dataclasses import dataclass

from admin_config.defaults.options import AgentOptions

# SPEC 2.4 and 3.4; SECURITY 25 for the ceiling.
DEFAULT_THINKING_BUDGET = 8192
DEFAULT_MAX_STEPS = 5
MAX_STEPS_CEILING = 25
OPTIONS_OF_CODE = AgentOptions()


@dataclass(frozen=True)
class OperationDefaults:
    """One operation of an agent. Without a template it calls no model, so it has no prompts to tune."""

    name: str
    system_prompt: str = ""
    user_prompt_template: str = ""
    required: frozenset[str] = frozenset()  # placeholders that must appear in the template
    optional: frozenset[str] = frozenset()  # placeholders that may appear in the template
    is_enabled: bool = True

    @property
    def asks_model(self) -> bool:
        return bool(self.user_prompt_template)

    @property
    def placeholders(self) -> frozenset[str]:
        return self.required | self.optional


@dataclass(frozen=True)
class SectionDefaults:
    """One section of a system prompt (SPEC 3.13).

    Only the text of a section with placeholders is a template. The section is left out while a `required` placeholder has no value.
    """

    name: str
    text: str
    purpose: str
    is_dynamic: bool = False  # differs between calls or people, so it comes after everything that a provider's cache can keep
    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    is_enabled: bool = True

    @property
    def placeholders(self) -> frozenset[str]:
        return self.required | self.optional


@dataclass(frozen=True)
class KindDefaults:
    """One agent kind.

    An agent that is not a tool runs the conversation: it has tools (including the provider's own), sections and step rules. A blank
    operation prompt falls back to the operation's own default, not to the agent's prompt.
    """

    label: str
    system_prompt: str
    description: str
    operations: tuple[OperationDefaults, ...]
    sections: tuple[SectionDefaults, ...] = ()
    is_tool: bool = False  # works only when another agent calls it
    is_sub_agent: bool = False  # has tools, sections and step rules, but works inside the run of the agent that calls it
    is_custom: bool = False  # created by admins, under names of their own
    repairs: bool = False  # what it writes is checked, and returned to it when it is wrong
    plugins: frozenset[str] = frozenset()  # those that are enabled at first
    temperature: float | None = None
    max_output_tokens: int | None = None
    max_steps: int = DEFAULT_MAX_STEPS
    thinking_budget: int = DEFAULT_THINKING_BUDGET
    options: AgentOptions = OPTIONS_OF_CODE

    def operation(self, name: str) -> OperationDefaults | None:
        return next((operation for operation in self.operations if operation.name == name), None)

    def section(self, name: str) -> SectionDefaults | None:
        return next((section for section in self.sections if section.name == name), None)
