"""Options that admins tune for every agent in the same way, with the platform's defaults (SPEC 3.4, 3.5, 3.8, 3.9, 3.14, 4.11)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

Pruning = Literal["none", "before_last_message", "all"]


class AgentOptions(BaseModel):
    """Options of an agent. The defaults apply to blank fields, and to releases from before a field existed.

    None means no limit, or the model's own value. Fields named `..._percent` are shares of the model's window.
    """

    # protected_namespaces: `model_id` names a model, not one of pydantic's methods.
    model_config = ConfigDict(frozen=True, extra="ignore", protected_namespaces=())

    top_p: float | None = None
    top_k: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    seed: int | None = None
    stop_sequences: tuple[str, ...] = ()
    tool_policy: Literal["parallel", "single"] = "parallel"
    tool_choice: str = "auto"
    active_tools: tuple[str, ...] | None = None
    hidden_tools: tuple[str, ...] = ()
    ask_first: bool = False
    completion: Literal["plain_text", "message_tool"] = "plain_text"
    max_reminders: int = 2
    stop_on_tool_call: tuple[str, ...] = ()
    max_equal_calls: int = 5
    max_repairs: int = 2  # how often an agent whose work is checked (a diagram) gets it back
    token_budget: int | None = None  # of one run with its sub-agents
    cost_budget_usd: float | None = None  # of one run with its sub-agents
    compact_at_percent: int = 75
    tail_percent: int = 15
    guard_percent: int = 90
    prune_reasoning: Pruning = "none"
    prune_tool_calls: Pruning = "none"
    prune_tools: dict[str, Pruning] = {}
    prune_empty: bool = True

    def shows(self, tool: str) -> bool:
        return tool not in self.hidden_tools and (self.active_tools is None or tool in self.active_tools)


def option_default(name: str) -> Any:
    return AgentOptions.model_fields[name].default
