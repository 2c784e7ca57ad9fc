"""What a run may spend, with everything that works for it: its steps, its sub-agents, its plugins (SPEC 3.4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from agents.engine.messages import Usage


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
