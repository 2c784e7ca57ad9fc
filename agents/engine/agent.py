"""An agent as the engine runs it: its specification and its budget.

All of it is plain data that the caller builds from the configuration. The budget (SPEC 3.4) covers everything that
works for a run: its steps, sub-agents and plugins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from agents.context.policy import ContextPolicy
from agents.messages import ModelSettings, SystemPrompt, Usage

Price = Callable[[str, Usage], float | None]
"""price(model, usage) returns US dollars, or None when a price is unknown."""


def total_cost(costs: Iterable[float | None]) -> float | None:
    """Return the sum in US dollars; None when one of them is not known."""
    amounts = list(costs)
    return None if None in amounts else sum(cost for cost in amounts if cost is not None)


def counted_cost(price: Price, model: str, usage: Usage) -> float:
    """Return the part of a request's cost that is known, in US dollars, which limits count.

    Searches and pictures without a price count nothing, but the tokens beside them do. Of a model without a price, nothing counts.
    """
    cost = price(model, usage)
    if cost is None:
        cost = price(model, replace(usage, searches=0, pictures=0))
    return cost or 0.0


@dataclass(slots=True, kw_only=True)
class RunBudget:
    """What a run has spent and may spend. A limit of None means no limit.

    A sub-agent's budget has the budget of the calling run as its `parent`: it spends both, and ends when either is
    spent. Spending is recorded after a call, so a run ends with the call that exceeds the limit.
    """

    max_tokens: int | None = None
    max_cost_usd: float | None = None
    price: Price | None = None
    usage: Usage = field(default_factory=Usage)
    cost_usd: float = 0.0
    parent: RunBudget | None = None
    calls: int = 0  # number of tool calls, including those of sub-agents; counted in the root budget only

    def spend(self, model: str, *usages: Usage) -> None:
        """Record what each of these requests used. Each is priced separately, as the price may depend on its length."""
        for usage in usages:
            self.record(usage, counted_cost(self.price, model, usage) if self.price else 0.0)

    def record(self, usage: Usage, cost_usd: float) -> None:
        """Add usage and its cost to this budget and to those of all parent runs."""
        self.usage += usage
        self.cost_usd += cost_usd
        if self.parent is not None:
            self.parent.record(usage, cost_usd)

    @property
    def root(self) -> RunBudget:
        """The budget of the outermost run."""
        return self.parent.root if self.parent is not None else self

    @property
    def is_spent(self) -> bool:
        if self.parent is not None and self.parent.is_spent:
            return True
        tokens = self.usage.input_tokens + self.usage.output_tokens + self.usage.thinking_tokens
        return (self.max_tokens is not None and tokens >= self.max_tokens) or (
            self.max_cost_usd is not None and self.cost_usd >= self.max_cost_usd
        )


class ToolPolicy(StrEnum):
    """How the tool calls of one step run (SPEC 3.5)."""

    PARALLEL = "parallel"
    SINGLE = "single"


class CompletionMode(StrEnum):
    """What ends a run (SPEC 3.4): an answer without tool calls, or the `message` tool with type `result`."""

    PLAIN_TEXT = "plain_text"
    MESSAGE_TOOL = "message_tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRule:
    """Settings for the steps `first` to `last` that override the agent's own (SPEC 3.14). None leaves a setting unchanged."""

    first: int  # counted from 1
    last: int | None = None  # inclusive; None: no end
    active_tools: frozenset[str] | None = None
    tool_choice: str | None = None
    max_output_tokens: int | None = None
    temperature: float | None = None

    def applies_to(self, step: int) -> bool:
        return self.first <= step and (self.last is None or step <= self.last)


_RULE_SETTINGS = ("tool_choice", "max_output_tokens", "temperature")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSpec:
    """The configuration of one agent for the engine."""

    model: str  # the provider's id of the model
    system: SystemPrompt
    settings: ModelSettings = field(default_factory=ModelSettings)
    max_steps: int = 5  # counted from the user's last message
    tool_policy: ToolPolicy = ToolPolicy.PARALLEL
    completion: CompletionMode = CompletionMode.PLAIN_TEXT
    max_reminders: int = 2
    max_equal_calls: int = 5  # how often the same tool may run with the same arguments
    active_tools: frozenset[str] | None = None  # the only tools that the model is offered; None: all
    hidden_tools: frozenset[str] = frozenset()  # never offered to the model
    stop_on_tool_call: frozenset[str] = frozenset()
    step_rules: tuple[StepRule, ...] = ()
    context: ContextPolicy = field(default_factory=ContextPolicy)

    def at_step(self, step: int) -> AgentSpec:
        """Return the agent with the settings of this step: the first matching rule wins."""
        rule = next((rule for rule in self.step_rules if rule.applies_to(step)), None)
        if rule is None:
            return self
        changes = {name: value for name in _RULE_SETTINGS if (value := getattr(rule, name)) is not None}
        active = self.active_tools if rule.active_tools is None else rule.active_tools
        return replace(self, settings=replace(self.settings, **changes), active_tools=active)
