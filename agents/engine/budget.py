"""What a run may spend, with everything that works for it: its steps, its sub-agents, its plugins (SPEC 3.4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from agents.engine.messages import Usage


@dataclass(slots=True, kw_only=True)
class RunBudget:
    """One object for a run and its sub-agents: children spend the parent's budget. None: no limit.

    `price(model, usage)` gives US dollars, or None when the model has no price. Spending is noted after a call, so a run ends with the
    call that passes the limit.
    """

    max_tokens: int | None = None
    max_cost_usd: float | None = None
    price: Callable[[str, Usage], float | None] | None = None
    usage: Usage = field(default_factory=Usage)
    cost_usd: float = 0.0

    def spend(self, model: str, *usages: Usage) -> None:
        """Note what each of these requests took; every one is priced by its own length."""
        for usage in usages:
            self.usage += usage
            if self.price is not None:
                self.cost_usd += self.price(model, usage) or 0.0

    @property
    def is_spent(self) -> bool:
        tokens = self.usage.input_tokens + self.usage.output_tokens + self.usage.thinking_tokens
        return (self.max_tokens is not None and tokens >= self.max_tokens) or (
            self.max_cost_usd is not None and self.cost_usd >= self.max_cost_usd
        )
