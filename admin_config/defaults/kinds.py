"""What is known of each agent kind before anybody tunes it: the shapes of the platform's defaults."""

from __future__ import annotations

from dataclasses import dataclass

# SPEC 2.4 and 3.4; the ceiling is SECURITY 25.
DEFAULT_THINKING_BUDGET = 8192
DEFAULT_MAX_STEPS = 5
MAX_STEPS_CEILING = 25


@dataclass(frozen=True)
class OperationDefaults:
    """One operation of an agent. `required` placeholders must appear in its template, `optional` ones may.

    Without a template it asks no model, so it has no prompts to tune.
    """

    name: str
    system_prompt: str = ""
    user_prompt_template: str = ""
    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()

    @property
    def asks_model(self) -> bool:
        return bool(self.user_prompt_template)

    @property
    def placeholders(self) -> frozenset[str]:
        return self.required | self.optional


@dataclass(frozen=True)
class SectionDefaults:
    """One section of a system prompt (SPEC 3.13).

    `is_dynamic`: differs between calls or people, so it stands behind all that a provider's cache can keep. Only the text of a section
    with placeholders is a template; it is left out while a `required` one has no value.
    """

    name: str
    text: str
    purpose: str
    is_dynamic: bool = False
    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()

    @property
    def placeholders(self) -> frozenset[str]:
        return self.required | self.optional


@dataclass(frozen=True)
class KindDefaults:
    """One agent kind. A blank operation prompt falls back to the operation's own default, not to the agent's prompt.

    `is_tool`: it works when another agent calls it. The others run the conversation: they have tools, the provider's own among them,
    sections and step rules. `is_sub_agent`: like those, but inside the run of the agent that calls it. `is_custom`: admins make these, under
    names of their own. `repairs`: what it writes is checked, and given back to it when it is wrong.
    """

    label: str
    system_prompt: str
    description: str
    operations: tuple[OperationDefaults, ...]
    sections: tuple[SectionDefaults, ...] = ()
    is_tool: bool = False
    is_sub_agent: bool = False
    is_custom: bool = False
    repairs: bool = False
    plugins: frozenset[str] = frozenset()
    temperature: float | None = None
    max_output_tokens: int | None = None
    max_steps: int = DEFAULT_MAX_STEPS
    thinking_budget: int = DEFAULT_THINKING_BUDGET

    def operation(self, name: str) -> OperationDefaults | None:
        return next((operation for operation in self.operations if operation.name == name), None)

    def section(self, name: str) -> SectionDefaults | None:
        return next((section for section in self.sections if section.name == name), None)
