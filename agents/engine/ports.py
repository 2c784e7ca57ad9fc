"""What the engine needs from outside, as protocols: a model, tools and the one way into a conversation."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from agents.engine.messages import DataPart, Entry, ModelEvent, ModelRequest, ToolDefinition, Usage


class LanguageModel(Protocol):
    """One model behind one endpoint."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield deltas as they come and one ModelResponse last.

        Raises a `ProviderError` (agents.engine.errors). Closing the iterator or cancelling the task that awaits it closes the
        provider's connection at once.
        """
        ...


class Journal(Protocol):
    """The one way into a conversation: what is appended is stored, published and in the model's context, or none of it."""

    @property
    def entries(self) -> Sequence[Entry]:
        """The model's context: the branch's history and all that this run appended, oldest first."""
        ...

    async def append(self, *entries: Entry) -> None:
        """Store, publish and add `entries` in one go. Text and reasoning that were streamed as deltas are closed, not repeated."""
        ...

    def text_delta(self, text: str) -> None: ...

    def reasoning_delta(self, text: str) -> None: ...

    def data(self, part: DataPart) -> None:
        """Publish a data part that is no entry (progress; artifact text while it is written)."""
        ...

    async def step_start(self, step: int) -> None:
        """Begin step `step` (from 1)."""
        ...

    async def step_finish(self, step: int, usage: Usage) -> None: ...


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a tool gives back: `output` (a JSON value) goes to the model, `entries` are appended after the result."""

    output: Any
    is_error: bool = False
    entries: tuple[Entry, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a running tool may use: its call's id and a way to publish progress."""

    call_id: str
    journal: Journal


class Tool(Protocol):
    """One tool. `repeatable`: running it again after a crash is safe (SPEC 5.2)."""

    @property
    def definition(self) -> ToolDefinition: ...

    @property
    def repeatable(self) -> bool: ...

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        """Raises `ToolFailed` for what the model should read; any other exception is a bug and is logged as one."""
        ...
