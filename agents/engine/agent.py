"""What a run may spend, with everything that works for it: its steps, its sub-agents, its plugins (SPEC 3.4).

The system prompt: sections in XML tags, the stable ones first so that a provider's prompt cache keeps them (SPEC 2.10, 3.13).

An agent as the engine runs it: data that somebody else made from the configuration.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

from agents.engine.messages import ModelSettings, SystemPrompt, Usage


@dataclass(slots=True, kw_only=True)
class RunBudget:
    """What a run has spent and may spend. None: no limit.

    A sub-agent has a budget of its own whose `parent` is that of the run it works for: it spends both, and ends with either.
    `price(model, usage)` gives US dollars, or None when the model has no price. Spending is noted after a call, so a run ends with the
    call that passes the limit. `calls`: how many tool calls there were, sub-agents' too; kept by the outermost.
    """

    max_tokens: int | None = None
    max_cost_usd: float | None = None
    price: Callable[[str, Usage], float | None] | None = None
    usage: Usage = field(default_factory=Usage)
    cost_usd: float = 0.0
    parent: RunBudget | None = None
    calls: int = 0

    def spend(self, model: str, *usages: Usage) -> None:
        """Note what each of these requests took; every one is priced by its own length."""
        for usage in usages:
            self.record(usage, (self.price and self.price(model, usage)) or 0.0)

    def record(self, usage: Usage, cost_usd: float) -> None:
        """Note what was spent at this price, here and in the runs around."""
        self.usage += usage
        self.cost_usd += cost_usd
        if self.parent is not None:
            self.parent.record(usage, cost_usd)

    @property
    def root(self) -> RunBudget:
        """That of the whole run."""
        return self.parent.root if self.parent is not None else self

    @property
    def is_spent(self) -> bool:
        if self.parent is not None and self.parent.is_spent:
            return True
        tokens = self.usage.input_tokens + self.usage.output_tokens + self.usage.thinking_tokens
        return (self.max_tokens is not None and tokens >= self.max_tokens) or (
            self.max_cost_usd is not None and self.cost_usd >= self.max_cost_usd
        )


_SECTION_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a system prompt, `<name>text</name>`; a section without text is left out. Raises ValueError for a bad name."""

    name: str
    text: str

    def __post_init__(self) -> None:
        if not _SECTION_NAME.fullmatch(self.name):
            raise ValueError(f"{self.name!r} is no name of a prompt section.")


def compose(stable: Iterable[Section], changing: Iterable[Section] = ()) -> SystemPrompt:
    """A system prompt of the given sections, in their order."""
    return SystemPrompt(_render(stable), _render(changing))


def _render(sections: Iterable[Section]) -> str:
    return "\n\n".join(f"<{section.name}>\n{section.text.strip()}\n</{section.name}>" for section in sections if section.text.strip())


Pruning = Literal["none", "before_last_message", "all"]


class ToolPolicy(StrEnum):
    """How the calls of one step run (SPEC 3.5)."""

    PARALLEL = "parallel"
    SINGLE = "single"


class CompletionMode(StrEnum):
    """What ends a run (SPEC 3.4): an answer without tool calls, or the `message` tool with type `result`."""

    PLAIN_TEXT = "plain_text"
    MESSAGE_TOOL = "message_tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRule:
    """Settings of the steps `first` to `last` (from 1, inclusive; None: no end), over the agent's own (SPEC 3.14). None: unchanged."""

    first: int
    last: int | None = None
    active_tools: frozenset[str] | None = None
    tool_choice: str | None = None
    max_output_tokens: int | None = None
    temperature: float | None = None

    def applies_to(self, step: int) -> bool:
        return self.first <= step and (self.last is None or step <= self.last)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPolicy:
    """How much of the conversation a model is sent (SPEC 3.8). Shares of `window_tokens`, between 0 and 1.

    `prune_tool_calls` holds for all tools but those that `prune_tools` names with their own.
    """

    window_tokens: int = 1_000_000
    compact_at: float = 0.75
    tail: float = 0.15
    guard_at: float = 0.90
    prune_reasoning: Pruning = "none"
    prune_tool_calls: Pruning = "none"
    prune_tools: tuple[tuple[str, Pruning], ...] = ()
    prune_empty: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSpec:
    """`model`: the provider's id of the model. `active_tools`: only these are shown to the model (None: all); `hidden_tools`: never these.

    `max_steps` counts from the last message of the user. `max_equal_calls`: so often may the same tool run with the same arguments.
    """

    model: str
    system: SystemPrompt
    settings: ModelSettings = field(default_factory=ModelSettings)
    max_steps: int = 5
    tool_policy: ToolPolicy = ToolPolicy.PARALLEL
    completion: CompletionMode = CompletionMode.PLAIN_TEXT
    max_reminders: int = 2
    max_equal_calls: int = 5
    active_tools: frozenset[str] | None = None
    hidden_tools: frozenset[str] = frozenset()
    stop_on_tool_call: frozenset[str] = frozenset()
    step_rules: tuple[StepRule, ...] = ()
    context: ContextPolicy = field(default_factory=ContextPolicy)

    def at_step(self, step: int) -> AgentSpec:
        """The agent with the settings of this step: the first rule that holds wins."""
        return next((_with_rule(self, rule) for rule in self.step_rules if rule.applies_to(step)), self)


def _with_rule(agent: AgentSpec, rule: StepRule) -> AgentSpec:
    names: Iterable[str] = ("tool_choice", "max_output_tokens", "temperature")
    changed = {name: value for name in names if (value := getattr(rule, name)) is not None}
    active = agent.active_tools if rule.active_tools is None else rule.active_tools
    return replace(agent, settings=replace(agent.settings, **changed), active_tools=active)
