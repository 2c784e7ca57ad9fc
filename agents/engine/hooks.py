"""Where others take part in a run: what the loop tells them and what they may answer (SPEC 3.15)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from agents.engine.messages import (
    DataPart,
    ModelResponse,
    ReasoningDelta,
    SystemPrompt,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from agents.engine.outcome import RunOutcome
from agents.engine.states import RunState


class RunHooks(Protocol):
    """What the loop calls. No method raises: a failing plugin is logged and skipped by who implements this.

    The plain methods return at once and whoever listens works beside the run; the coroutines are awaited.
    """

    def run_started(self) -> None: ...

    def message_received(self, message: UserMessage) -> None: ...

    def state_changed(self, state: RunState) -> None: ...

    def step_started(self, step: int) -> None: ...

    async def prompt(self, system: SystemPrompt, step: int) -> SystemPrompt:
        """The system prompt that step `step` sends."""
        ...

    def response_update(self, delta: TextDelta | ReasoningDelta) -> None: ...

    async def response_complete(self, response: ModelResponse, step: int) -> str | None:
        """The text of a reminder that asks the model for another round, or None. It becomes a visible entry."""
        ...

    def tool_started(self, call: ToolCall) -> None: ...

    async def tool_executed(self, call: ToolCall, result: ToolResult) -> str | None:
        """Like `response_complete`, after a tool's result was appended."""
        ...

    def step_finished(self, step: int, usage: Usage) -> None: ...

    async def finished(self, outcome: RunOutcome) -> Sequence[DataPart]:
        """Data parts for the client, sent before the answer's end; those that are not transient are kept."""
        ...


class NoHooks:
    """Nobody takes part. Implements `RunHooks`."""

    def run_started(self) -> None:
        pass

    def message_received(self, message: UserMessage) -> None:
        pass

    def state_changed(self, state: RunState) -> None:
        pass

    def step_started(self, step: int) -> None:
        pass

    async def prompt(self, system: SystemPrompt, step: int) -> SystemPrompt:
        return system

    def response_update(self, delta: TextDelta | ReasoningDelta) -> None:
        pass

    async def response_complete(self, response: ModelResponse, step: int) -> str | None:
        return None

    def tool_started(self, call: ToolCall) -> None:
        pass

    async def tool_executed(self, call: ToolCall, result: ToolResult) -> str | None:
        return None

    def step_finished(self, step: int, usage: Usage) -> None:
        pass

    async def finished(self, outcome: RunOutcome) -> Sequence[DataPart]:
        return ()
