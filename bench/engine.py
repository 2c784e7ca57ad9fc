"""`python -m bench.engine`: what the engine itself costs per step, by the length of the history. No server, network or database.

Each figure is a median in microseconds of CPU time, which other programs on the machine hardly affect.

- "context": adding a call and its result, checking that everything fits, and building the entries to send.
- "step": the whole loop from one model call to the next, with a model and a tool that answer at once.
- "start": from the run's start to its first model call, when the whole history is read.
- "rebuild": building the context from nothing, as the call log does it.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, count, islice, pairwise
from typing import Any

from agents.context.policy import ContextPolicy
from agents.context.view import ContextView, build_context
from agents.engine.agent import AgentSpec
from agents.engine.loop import run_agent
from agents.engine.ports import Agent, RunPorts, ToolContext, ToolOutcome, ToolTraits
from agents.messages import (
    AssistantText,
    DataPart,
    Entry,
    FinishReason,
    ModelRequest,
    ModelResponse,
    ProviderPart,
    Reasoning,
    SystemPrompt,
    ToolCall,
    ToolDefinition,
    ToolResult,
    Usage,
    UserMessage,
)

LENGTHS = (10, 100, 1000, 5000)  # entries
STEPS = 20  # per run; the loop allows 25
TEXT = "A sentence of a conversation, about as long as they are. " * 4
POLICY = ContextPolicy()
Seconds = float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Microseconds with a history of `entries`."""

    entries: int
    context: float
    step: float
    start: float
    rebuild: float


class BenchJournal:
    """Journal that keeps entries in a list and publishes nothing."""

    def __init__(self, history: Iterable[Entry]) -> None:
        self.entries: list[Entry] = list(history)

    async def append(self, *entries: Entry, ends_run: bool = False) -> None:
        self.entries += entries

    def text_delta(self, text: str) -> None:
        pass

    def reasoning_delta(self, text: str) -> None:
        pass

    def provider_part(self, part: ProviderPart) -> None:
        pass

    def data(self, part: DataPart) -> None:
        pass

    async def step_start(self, step: int) -> None:
        pass

    async def step_finish(self, step: int, usage: Usage) -> None:
        pass


class BenchModel:
    """Model that asks for one call per step, then answers.

    `called_at`: CPU seconds at each request.
    """

    def __init__(self) -> None:
        self.called_at: list[Seconds] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelResponse]:
        self.called_at.append(time.process_time())
        step = len(self.called_at)
        if step < STEPS:
            yield ModelResponse((ToolCall(f"now{step}", "read", {"path": f"now/{step}.txt"}),), FinishReason.TOOL_CALLS)
        else:
            yield ModelResponse((AssistantText("Done."),), FinishReason.STOP)


class BenchTool:
    """Tool that answers at once."""

    definition = ToolDefinition("read", "Reads a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
    traits = ToolTraits(repeatable=True, compact_template="read {path}")

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        return ToolOutcome("ok")


def conversation(length: int) -> list[Entry]:
    """Return the first `length` entries of a long conversation, which ends with a message of the user."""
    return [*islice(chain.from_iterable(_exchange(number) for number in count()), length - 1), UserMessage(TEXT)]


def _exchange(number: int) -> Sequence[Entry]:
    first, second = f"a{number}", f"b{number}"
    return (
        UserMessage(TEXT),
        Reasoning(TEXT),
        ToolCall(first, "read", {"path": f"{number}/a.txt"}),
        ToolCall(second, "read", {"path": f"{number}/b.txt"}),
        ToolResult(first, "read", TEXT),
        ToolResult(second, "read", TEXT),
        AssistantText(TEXT),
    )


def context_step(history: Sequence[Entry], rounds: int) -> Seconds:
    """Return the median of `rounds` steps of a view that has already read the history."""
    entries = [*history]
    view = ContextView(POLICY)
    view.update(entries)
    view.context_entries()
    took = []
    for number in range(rounds):
        entries += (ToolCall(f"now{number}", "read", {"path": f"now/{number}.txt"}), ToolResult(f"now{number}", "read", TEXT))
        took.append(_cpu_seconds(partial(_request, view, entries)))
    return statistics.median(took)


def _request(view: ContextView, entries: Sequence[Entry]) -> tuple[Entry, ...]:
    view.update(entries)
    view.compaction_entries(1000)
    return view.context_entries()


def _cpu_seconds(work: Callable[[], object]) -> Seconds:
    started = time.process_time()
    work()
    return time.process_time() - started


async def loop_steps(history: Sequence[Entry], rounds: int) -> tuple[Seconds, Seconds]:
    """Return the medians of a step and of a run's start, over `rounds` runs."""
    agent = AgentSpec(model="bench", system=SystemPrompt(TEXT), max_steps=STEPS, context=POLICY)
    steps: list[Seconds] = []
    starts: list[Seconds] = []
    for _ in range(rounds):
        model = BenchModel()
        started = time.process_time()
        await run_agent(Agent(spec=agent, tools=[BenchTool()]), RunPorts(model=model, journal=BenchJournal(history)))
        steps += (after - before for before, after in pairwise(model.called_at))
        starts.append(model.called_at[0] - started)
    return statistics.median(steps), statistics.median(starts)


def cost_at(length: int, rounds: int) -> Cost:
    history = conversation(length)
    step, start = asyncio.run(loop_steps(history, rounds))
    rebuild = statistics.median(_cpu_seconds(partial(build_context, history, POLICY)) for _ in range(rounds))
    context = context_step(history, rounds * STEPS)
    return Cost(entries=length, context=context * 1e6, step=step * 1e6, start=start * 1e6, rebuild=rebuild * 1e6)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.engine", description="What the engine costs per step, in microseconds.")
    parser.add_argument("--rounds", type=int, default=20, help="runs for each length of the history (default: %(default)s)")
    rounds = parser.parse_args().rounds
    print(f"{'entries':>8}{'context µs':>12}{'step µs':>12}{'start µs':>12}{'rebuild µs':>13}")
    for length in LENGTHS:
        cost = cost_at(length, rounds)
        print(f"{cost.entries:>8,}{cost.context:>12,.0f}{cost.step:>12,.0f}{cost.start:>12,.0f}{cost.rebuild:>13,.0f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
