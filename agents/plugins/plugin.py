"""What a plugin is (SPEC 3.15): a value made of its settings, with one method for everything it may take part in.

A plugin keeps nothing between calls: what it needs to know comes with each call, in a `PluginContext`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from agents.engine.lifecycle import RunOutcome, RunState
from agents.engine.messages import DataPart, Entry, ModelResponse, SystemPrompt, ToolCall, ToolResult, Usage, UserMessage
from agents.engine.placeholders import Placeholders
from security.secret_text import SecretText


class PluginSettings(BaseModel):
    """Settings of a plugin, and of one that has none. A field without a default must be filled in by the admin."""

    model_config = ConfigDict(frozen=True, extra="ignore")


Settings = TypeVar("Settings", bound=PluginSettings)


class PluginActions(Protocol):
    """What a plugin may ask of the application that runs the agent."""

    async def title_due(self) -> None:
        """Have the conversation named in the background, if it has no title of its own yet."""
        ...


class AskModel(Protocol):
    """One short call of the agent's own model, in the call log and at the run's expense."""

    async def __call__(self, system: str, prompt: str) -> str:
        """Return the answer's text; empty when there was none. Raises RunError (provider, budget)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginRun:
    """The run that plugins take part in. `entries` gives the model's context as it is now.

    `placeholders` stand for registered secrets in all text that leaves for elsewhere (SPEC 3.17).
    """

    organization_id: UUID
    conversation_id: UUID
    run_id: UUID
    membership_id: UUID
    agent_key: str
    entries: Callable[[], Sequence[Entry]]
    actions: PluginActions
    placeholders: Placeholders = field(default_factory=Placeholders, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginContext:
    """Where a plugin is called and what it may use there. `step`: 0 before the first.

    `run_in_background` puts work behind this plugin's other background work of the run: it is limited and ends with the run, like the methods that
    nobody waits for.
    """

    run: PluginRun
    step: int
    ask: AskModel
    run_in_background: Callable[[Callable[[], Awaitable[None]]], None]


@dataclass(frozen=True, slots=True)
class AnotherStep:
    """Asks the model for another round; `text` becomes a reminder that the user sees too."""

    text: str


@dataclass(frozen=True, slots=True)
class Plugin(Generic[Settings]):
    """Base of all plugins: override what you take part in. Subclasses are frozen dataclasses too (the registry checks).

    The run waits, for a limited time, for `process_prompts`, `response_complete`, `tool_executed` and `on_finish`; all other methods
    run beside it, one after the other. Whatever a method raises is logged and skipped.
    """

    settings: Settings
    secret: SecretText | None = None

    async def process_prompts(self, context: PluginContext, system: SystemPrompt) -> SystemPrompt:
        """The system prompt that this step sends, from the one that the plugins before made."""
        return system

    async def user_message_received(self, context: PluginContext, message: UserMessage) -> None: ...

    async def run_status_changed(self, context: PluginContext, state: RunState) -> None: ...

    async def response_update(self, context: PluginContext, text: str) -> None:
        """`text`: all of this step's answer so far. At most every 250 ms; updates are left out while an earlier one is worked on."""

    async def response_complete(self, context: PluginContext, response: ModelResponse) -> AnotherStep | None:
        return None

    async def tool_executed(self, context: PluginContext, call: ToolCall, result: ToolResult) -> AnotherStep | None:
        return None

    async def on_start(self, context: PluginContext) -> None:
        """Also when the run goes on after a pause, or in another process."""

    async def on_step_start(self, context: PluginContext) -> None: ...

    async def on_tool_call_start(self, context: PluginContext, call: ToolCall) -> None: ...

    async def on_tool_call_finish(self, context: PluginContext, call: ToolCall, result: ToolResult, duration_ms: int) -> None: ...

    async def on_step_finish(self, context: PluginContext, usage: Usage) -> None: ...

    async def on_finish(self, context: PluginContext, outcome: RunOutcome) -> Sequence[DataPart]:
        """Data parts for the client, when the run is over; not when it pauses, is stopped or fails."""
        return ()
