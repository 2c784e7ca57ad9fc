"""Spans of steps and tools, beside the engine: it knows only hooks and tools."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from agents.engine.lifecycle import RunHooks, RunState
from agents.engine.ports import Tool, ToolContext, ToolOutcome, ToolTraits
from agents.messages import ToolDefinition, Usage
from telemetry import conventions as names, spans


class StepSpans(RunHooks):
    """A span for each step. All methods are called in the run's own task, so what the step does is below it."""

    def __init__(self) -> None:
        self._step = ExitStack()

    def step_started(self, step: int) -> None:
        self._step.enter_context(spans.step_span(step))

    def step_finished(self, step: int, usage: Usage) -> None:
        self._step.close()

    def state_changed(self, state: RunState) -> None:
        """End the step of a run that breaks off."""
        if state in (RunState.FAILED, RunState.STOPPED):
            self._step.close()


@dataclass(frozen=True, slots=True)
class TracedTool:
    """The tool, with a span for each call."""

    tool: Tool

    @property
    def definition(self) -> ToolDefinition:
        return self.tool.definition

    @property
    def traits(self) -> ToolTraits:
        return self.tool.traits

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        with spans.tool_span(self.tool.definition.name, context.call_id) as span:
            outcome = await self.tool.run(arguments, context)
            if outcome.is_error:
                span.set_attribute(names.ERROR, "tool_error")
            return outcome


def trace_tool(tool: Tool) -> Tool:
    """Return the tool with spans, or as it is without traces."""
    return TracedTool(tool) if spans.is_on() else tool
