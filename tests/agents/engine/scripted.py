"""A model and tools that do what a test says: the ports' other side, so that the engine runs on data alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from typing import Any

from agents.engine.agent import AgentSpec
from agents.engine.ports import Danger, ToolContext, ToolOutcome, ToolTraits
from agents.messages import (
    AssistantText,
    Entry,
    FinishReason,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    SystemPrompt,
    Taint,
    ToolCall,
    ToolDefinition,
    Usage,
    UserMessage,
)

AGENT = AgentSpec(model="model-1", system=SystemPrompt("Be kind."))
QUESTION = UserMessage("Question?")
ANY_OBJECT: Mapping[str, Any] = {"type": "object"}


class Hang:
    """A place in a model's stream where nothing more comes; `reached` is set when the engine waits there."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()


Step = Sequence[ModelEvent | Exception | Hang]


class ScriptedModel:
    """Plays one step per call: events are yielded, exceptions raised."""

    def __init__(self, *steps: Step) -> None:
        self._steps = list(steps)
        self.requests: list[ModelRequest] = []
        self.closed = 0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        self.requests.append(request)
        try:
            for item in self._steps.pop(0):
                if isinstance(item, Exception):
                    raise item
                if isinstance(item, Hang):
                    item.reached.set()
                    await asyncio.Event().wait()
                else:
                    yield item
        finally:
            self.closed += 1


class FunctionTool:
    """A tool around a coroutine function of its arguments; without one it gives "ok". `runs`: the arguments of each run."""

    def __init__(
        self,
        name: str = "look_up",
        run: Callable[[dict[str, Any], ToolContext], Awaitable[ToolOutcome]] | None = None,
        *,
        schema: Mapping[str, Any] = ANY_OBJECT,
        repeatable: bool = False,
        danger: Danger = Danger.SAFE,
        confirm: bool = False,
        timeout_s: float = 120.0,
        reads: frozenset[Taint] = frozenset(),
        sends: bool = False,
        by_client: bool = False,
        **traits: Any,
    ) -> None:
        self.definition = ToolDefinition(name, "Looks things up.", schema)
        self.traits = ToolTraits(
            repeatable=repeatable,
            danger=danger,
            confirm=confirm,
            timeout_s=timeout_s,
            reads=reads,
            sends=sends,
            by_client=by_client,
            **traits,
        )
        self.runs: list[dict[str, Any]] = []
        self._run = run

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        self.runs.append(arguments)
        return await self._run(arguments, context) if self._run else ToolOutcome("ok")


def answer(text: str = "Answer.") -> ModelResponse:
    return ModelResponse((AssistantText(text),), FinishReason.STOP, Usage(10, 2))


def calls_response(*calls: ToolCall) -> ModelResponse:
    return ModelResponse(calls, FinishReason.TOOL_CALLS, Usage(10, 3))


def call(id: str = "c1", name: str = "look_up", **arguments: Any) -> ToolCall:  # noqa: A002
    return ToolCall(id, name, arguments)


def kinds(entries: tuple[Entry, ...]) -> list[str]:
    return [type(entry).__name__ for entry in entries]
