"""Runs an agent on the engine with a test's model, tools and journal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agents.engine import loop
from agents.engine.agent import AgentSpec, RunBudget
from agents.engine.lifecycle import RunHooks, RunOutcome, RunState
from agents.engine.ports import Agent, Inbox, Journal, LanguageModel, NoInbox, RepairArguments, RunPorts, Tool, ToolContext


class StateHooks(RunHooks):
    """Tells `on_state` each new state of the run."""

    def __init__(self, on_state: Callable[[RunState], None]) -> None:
        self._on_state = on_state

    def state_changed(self, state: RunState) -> None:
        self._on_state(state)


async def run_agent(
    spec: AgentSpec,
    *,
    model: LanguageModel,
    tools: Sequence[Tool],
    journal: Journal,
    inbox: Inbox | None = None,
    hooks: RunHooks | None = None,
    budget: RunBudget | None = None,
    first_step: int = 1,
    caller: ToolContext | None = None,
    repair: RepairArguments | None = None,
    on_state: Callable[[RunState], None] | None = None,
) -> RunOutcome:
    """Run the agent; see agents.engine.loop.run_agent. `on_state` is called with each state that the run enters."""
    hooks = StateHooks(on_state) if on_state else hooks or RunHooks()
    agent = Agent(spec=spec, tools=tools, hooks=hooks, budget=budget or RunBudget(), repair=repair)
    ports = RunPorts(model=model, journal=journal, inbox=inbox or NoInbox(), caller=caller)
    return await loop.run_agent(agent, ports, first_step=first_step)
