"""Plugins, runs and clocks that a test controls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest

from agents.engine.agent import RunBudget
from agents.engine.lifecycle import RunEnd, RunOutcome
from agents.messages import AssistantText, Entry, FinishReason, ModelResponse, ToolCall, ToolResult, Usage, UserMessage
from agents.plugins.building import PluginModelCall
from agents.plugins.plugin import AskModel, Plugin, PluginContext, PluginRun, PluginSettings
from agents.plugins.plugin_runner import PluginRunner, PluginTimeouts
from tests.agents.engine.scripted import ScriptedModel

CALL = ToolCall("c1", "look_up", {"name": "Ada"})
RESULT = ToolResult("c1", "look_up", {"found": "Lovelace"})
RESPONSE = ModelResponse((AssistantText("Answer."),), FinishReason.STOP, Usage(10, 2))
EXCHANGE: tuple[Entry, ...] = (UserMessage("What is a comet?"), AssistantText("A ball of ice."))
DONE = RunOutcome(RunEnd.ANSWERED, FinishReason.STOP, Usage(10, 2), 1)
STEP_LIMIT = RunOutcome(RunEnd.STEP_LIMIT, FinishReason.TOOL_CALLS, Usage(10, 2), 5)


@dataclass(slots=True)
class Actions:
    """Counts what plugins asked the application for."""

    titles: int = 0

    async def title_due(self) -> None:
        self.titles += 1


@dataclass(slots=True)
class Clock:
    """Stands still until a test moves it."""

    now_s: float = 100.0

    def __call__(self) -> float:
        return self.now_s


@dataclass(frozen=True, slots=True)
class RecordingPlugin(Plugin[PluginSettings]):
    """Notes every call as (hook, step, what came with it)."""

    calls: list[tuple[Any, ...]] = field(default_factory=list)

    async def user_message_received(self, context: PluginContext, message: UserMessage) -> None:
        self._note("user_message_received", context, message.text)

    async def run_status_changed(self, context: PluginContext, state: str) -> None:
        self._note("run_status_changed", context, str(state))

    async def response_update(self, context: PluginContext, text: str) -> None:
        self._note("response_update", context, text)

    async def on_start(self, context: PluginContext) -> None:
        self._note("on_start", context)

    async def on_step_start(self, context: PluginContext) -> None:
        self._note("on_step_start", context)

    async def on_tool_call_start(self, context: PluginContext, call: ToolCall) -> None:
        self._note("on_tool_call_start", context, call.name)

    async def on_tool_call_finish(self, context: PluginContext, call: ToolCall, result: ToolResult, duration_ms: int) -> None:
        self._note("on_tool_call_finish", context, call.name, duration_ms)

    async def on_step_finish(self, context: PluginContext, usage: Usage) -> None:
        self._note("on_step_finish", context, usage.input_tokens)

    def _note(self, hook: str, context: PluginContext, *values: object) -> None:
        self.calls.append((hook, context.step, *values))


def facts(*entries: Entry, actions: Actions | None = None) -> PluginRun:
    return PluginRun(
        organization_id=UUID(int=1),
        conversation_id=UUID(int=2),
        run_id=UUID(int=3),
        membership_id=UUID(int=4),
        agent_key="chat_model_agent_google",
        entries=lambda: entries,
        actions=actions or Actions(),
    )


def asking(model: ScriptedModel, budget: RunBudget | None = None) -> PluginModelCall:
    return PluginModelCall(model="model-1", language_model=model, budget=budget or RunBudget(), provider_options={})


def participants(
    *plugins: Plugin[Any], run: PluginRun | None = None, ask: AskModel | None = None, limits: PluginTimeouts | None = None
) -> Sequence[PluginRunner]:
    """The plugins at one run, named by their classes; without `ask` their model has nothing to say."""
    return [
        PluginRunner(type(plugin).__name__, plugin, run=run or facts(), ask=ask or asking(ScriptedModel()), limits=limits)
        for plugin in plugins
    ]


def log_lines(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    """The plugins' lines of a test, oldest first. Threads of the process may write others at any time."""
    return [record.msg for record in caplog.records if record.name.startswith("agents.plugins.") and isinstance(record.msg, dict)]
