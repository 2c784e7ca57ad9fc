"""Connects the plugins of one run to the engine's hooks; they are called in the agent's order.

The growing answer is passed to plugins at time intervals, not per token.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

import structlog

from agents.engine.lifecycle import RunHooks, RunOutcome, RunState
from agents.messages import (
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
from agents.plugins.plugin import AnotherStep
from agents.plugins.plugin_runner import PluginRunner
from agents.runtime.traced_tools import StepSpans

UPDATE_INTERVAL_S = 0.25
DRAIN_TIMEOUT_S = 5.0


class ThrottledText:
    """Collects a step's text. `clock` returns monotonic seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._pieces: list[str] = []
        self._last_s = clock()

    def add(self, text: str) -> str | None:
        """Return all the text so far if the last return was at least UPDATE_INTERVAL_S ago, else None."""
        self._pieces.append(text)
        now_s = self._clock()
        if now_s - self._last_s < UPDATE_INTERVAL_S:
            return None
        self._last_s = now_s
        self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    def clear(self) -> None:
        """Start the next step's text. The interval since the last return is not reset."""
        self._pieces = []


log = structlog.get_logger(__name__)


class PluginHooks(RunHooks):
    """The plugins of one run. The owner of the run must close it; no plugin task outlives that."""

    def __init__(
        self, participants: Sequence[PluginRunner], *, drain_s: float = DRAIN_TIMEOUT_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._participants = participants
        self._drain_s, self._clock = drain_s, clock
        self.needs_stored_answer = any(one.needs_stored_answer for one in participants)
        self._step = 0
        self._update_listeners = self._participants_with("response_update")
        self._text = ThrottledText(clock)
        self._started_s: dict[str, float] = {}
        self._spans = StepSpans()

    async def aclose(self) -> None:
        """Wait at most `drain_s` seconds for background work, then cancel the rest. Call this when the run is recorded."""
        try:
            async with asyncio.timeout(self._drain_s):
                await self._all_done()
        except TimeoutError:
            log.warning("plugin_work_cut", plugins=[one.name for one in self._participants if not one.queue.is_idle])
        finally:
            self._close()
            await self._all_done()

    def run_started(self) -> None:
        self._notify("on_start")

    def message_received(self, message: UserMessage) -> None:
        self._notify("user_message_received", message)

    def state_changed(self, state: RunState) -> None:
        """Notify the plugins. A run that is stopped, or handed to another process, cancels its background work."""
        self._spans.state_changed(state)
        if state is RunState.STOPPED:
            self._close()
        self._notify("run_status_changed", state)

    def step_started(self, step: int) -> None:
        self._step = step
        self._spans.step_started(step)
        self._text.clear()
        self._notify("on_step_start")

    async def prompt(self, system: SystemPrompt, step: int) -> SystemPrompt:
        for participant in self._participants_with("process_prompts"):
            new_system = await participant.answer("process_prompts", step, system)
            system = system if new_system is None else new_system
        return system

    def response_update(self, delta: TextDelta | ReasoningDelta) -> None:
        if not self._update_listeners or isinstance(delta, ReasoningDelta) or (text := self._text.add(delta.text)) is None:
            return
        for participant in self._update_listeners:
            if participant.queue.is_idle:
                participant.notify("response_update", self._step, text)

    async def response_complete(self, response: ModelResponse, step: int) -> str | None:
        return await self._next_round("response_complete", response)

    def tool_started(self, call: ToolCall) -> None:
        self._started_s[call.id] = self._clock()
        self._notify("on_tool_call_start", call)

    async def tool_executed(self, call: ToolCall, result: ToolResult) -> str | None:
        now_s = self._clock()
        duration_ms = round((now_s - self._started_s.pop(call.id, now_s)) * 1000)
        self._notify("on_tool_call_finish", call, result, duration_ms)
        return await self._next_round("tool_executed", call, result)

    def step_finished(self, step: int, usage: Usage) -> None:
        self._notify("on_step_finish", usage)
        self._spans.step_finished(step, usage)

    async def finished(self, outcome: RunOutcome) -> Sequence[DataPart]:
        """Call all plugins concurrently, because the user waits for them. Their parts are returned in the agent's order."""
        async with asyncio.TaskGroup() as group:
            answers = [
                group.create_task(participant.answer("on_finish", self._step, outcome))
                for participant in self._participants_with("on_finish")
            ]
        return [part for answer in answers for part in answer.result() or ()]

    async def _next_round(self, hook: str, *arguments: object) -> str | None:
        """Return the joined texts of all plugins that ask for another step, or None."""
        texts = []
        for participant in self._participants_with(hook):
            next_step: AnotherStep | None = await participant.answer(hook, self._step, *arguments)
            if next_step is not None:
                texts.append(next_step.text)
        return "\n\n".join(texts) or None

    def _notify(self, hook: str, *arguments: object) -> None:
        for participant in self._participants_with(hook):
            participant.notify(hook, self._step, *arguments)

    def _participants_with(self, hook: str) -> list[PluginRunner]:
        return [participant for participant in self._participants if participant.implements(hook)]

    def _close(self) -> None:
        for participant in self._participants:
            participant.queue.close()

    async def _all_done(self) -> None:
        await asyncio.gather(*(participant.queue.wait() for participant in self._participants))
