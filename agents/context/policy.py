"""How much of a conversation a model is sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agents.messages import Entry

Pruning = Literal["none", "before_last_message", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPolicy:
    """How much of the conversation a model is sent (SPEC 3.8). Shares are fractions of `window_tokens`, from 0 to 1.

    A chat agent and a sub-agent get all of it from their release and their model (agents.runtime.specs), an artifact agent the window of its
    model. The other defaults are the platform's (AgentOptions), which tests/agents/test_specs.py compares.
    """

    window_tokens: int = 1_000_000
    compact_at: float = 0.75
    tail: float = 0.15
    guard_at: float = 0.90
    prune_reasoning: Pruning = "none"
    prune_tool_calls: Pruning = "none"  # for all tools that `prune_tools` does not list
    prune_tools: tuple[tuple[str, Pruning], ...] = ()  # (tool name, pruning) pairs
    prune_empty: bool = True
    max_result_tokens: int | None = None  # of one tool result; None: results are not cut, as in calls from before these limits
    max_step_result_tokens: int = 0  # of all results of one step


def no_masking(entry: Entry) -> Entry:
    """Return the entry as it is, for a run without registered secrets."""
    return entry
