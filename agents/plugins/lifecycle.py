"""Base of plugins that react to lifecycle events of a run, such as `log` and `webhook`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, TypeVar

from django.utils.translation import gettext_noop as _
from pydantic import Field

from agents.engine.lifecycle import RunOutcome
from agents.messages import DataPart, Entry, ToolCall, ToolResult, Usage, UserMessage
from agents.plugins.plugin import Plugin, PluginContext, PluginSettings
from agents.runtime.message_tool import visible_text


@dataclass(frozen=True, slots=True)
class Exchange:
    """The user's last message and the assistant's last text after it; each is empty when there is none."""

    question: str = ""
    answer: str = ""


def last_exchange(entries: Sequence[Entry]) -> Exchange:
    """Return the newest exchange of a conversation."""
    answer = ""
    for entry in reversed(entries):
        if isinstance(entry, UserMessage):
            return Exchange(entry.text, answer)
        answer = answer or visible_text(entry).strip()
    return Exchange(answer=answer)


class LifecycleEvent(StrEnum):
    RUN_STARTED = "run.started"
    STEP_STARTED = "step.started"
    TOOL_STARTED = "tool.started"
    TOOL_FINISHED = "tool.finished"
    STEP_FINISHED = "step.finished"
    RUN_FINISHED = "run.finished"


class LifecycleSettings(PluginSettings):
    events: tuple[LifecycleEvent, ...] = Field(
        default=(LifecycleEvent.TOOL_FINISHED, LifecycleEvent.RUN_FINISHED), title=_("On"), description=_("What it reacts to.")
    )


Settings = TypeVar("Settings", bound=LifecycleSettings)


@dataclass(frozen=True, slots=True)
class LifecycleEventData:
    """What is known about one event."""

    event: LifecycleEvent
    facts: Mapping[str, Any]  # ids, names and numbers
    text: Mapping[str, Any]  # what people, the model and tools wrote


@dataclass(frozen=True, slots=True)
class LifecyclePlugin(Plugin[Settings]):
    """Base of plugins that do the same for every chosen event."""

    async def react(self, context: PluginContext, event_data: LifecycleEventData) -> None:
        """Handle one of the chosen events."""
        raise NotImplementedError

    async def on_start(self, context: PluginContext) -> None:
        await self._handle(
            context, LifecycleEventData(LifecycleEvent.RUN_STARTED, {}, {"message": last_exchange(context.run.entries()).question})
        )

    async def on_step_start(self, context: PluginContext) -> None:
        await self._handle(context, LifecycleEventData(LifecycleEvent.STEP_STARTED, {}, {}))

    async def on_tool_call_start(self, context: PluginContext, call: ToolCall) -> None:
        await self._handle(context, LifecycleEventData(LifecycleEvent.TOOL_STARTED, _call_facts(call), {"arguments": call.arguments}))

    async def on_tool_call_finish(self, context: PluginContext, call: ToolCall, result: ToolResult, duration_ms: int) -> None:
        facts = _call_facts(call) | {"is_error": result.is_error, "duration_ms": duration_ms}
        text = {"arguments": call.arguments, "output": result.output}
        await self._handle(context, LifecycleEventData(LifecycleEvent.TOOL_FINISHED, facts, text))

    async def on_step_finish(self, context: PluginContext, usage: Usage) -> None:
        await self._handle(context, LifecycleEventData(LifecycleEvent.STEP_FINISHED, usage.as_dict(), {}))

    async def on_finish(self, context: PluginContext, outcome: RunOutcome) -> Sequence[DataPart]:
        """Handle the event in the background, after the plugin's other work, so that the client does not wait for it."""
        facts = {"end": outcome.end.value, "finish_reason": outcome.finish_reason.value, **outcome.usage.as_dict()}
        event_data = LifecycleEventData(LifecycleEvent.RUN_FINISHED, facts, {"answer": last_exchange(context.run.entries()).answer})
        context.run_in_background(partial(self._handle, context, event_data))
        return ()

    async def _handle(self, context: PluginContext, event_data: LifecycleEventData) -> None:
        if event_data.event in self.settings.events:
            await self.react(context, event_data)


def _call_facts(call: ToolCall) -> dict[str, Any]:
    return {"tool": call.name, "call_id": call.id}
