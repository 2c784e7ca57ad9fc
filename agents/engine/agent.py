"""An agent as the engine runs it: data that somebody else made from the configuration."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

from agents.engine.messages import ModelSettings, SystemPrompt

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
