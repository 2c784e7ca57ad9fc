"""The plugin interface (SPEC 3.15): a value made of its settings, with one method per hook.

A plugin keeps nothing between calls: everything it needs is passed with each call in a `PluginContext`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Generic, Protocol, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from agents.engine.lifecycle import RunOutcome, RunState
from agents.messages import DataPart, Entry, ModelResponse, SystemPrompt, ToolCall, ToolResult, Usage, UserMessage
from agents.runtime.placeholders import Placeholders
from security.secrets.secret_text import SecretText


class PluginSettings(BaseModel):
    """Base of plugin settings, also used for plugins without settings. The admin must fill in fields without a default."""

    model_config = ConfigDict(frozen=True, extra="ignore")


Settings = TypeVar("Settings", bound=PluginSettings)


class PluginActions(Protocol):
    """What a plugin may ask of the application that runs the agent."""

    async def title_due(self) -> None:
        """Have the conversation named in the background, if it has no title yet."""
        ...


class AskModel(Protocol):
    """One short call of the agent's own model, recorded in the call log and charged to the run."""

    async def __call__(self, system: str, prompt: str) -> str:
        """Return the answer's text; empty when there was none. Raises RunError (provider, budget)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginRun:
    """The run that plugins take part in."""

    organization_id: UUID
    conversation_id: UUID
    run_id: UUID
    membership_id: UUID
    agent_key: str
    entries: Callable[[], Sequence[Entry]]  # returns the current context of the model
    actions: PluginActions
    # replace registered secrets in all text that is sent elsewhere (SPEC 3.17)
    placeholders: Placeholders = field(default_factory=Placeholders, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginContext:
    """Where in the run a plugin is called, and what it may use there."""

    run: PluginRun
    step: int  # 0 before the first step
    ask: AskModel
    # Queues work after this plugin's other background work of the run. It has a time limit and ends with the run, like
    # the methods that the run does not wait for.
    run_in_background: Callable[[Callable[[], Awaitable[None]]], None]


@dataclass(frozen=True, slots=True)
class AnotherStep:
    """Asks the model for another step; `text` becomes a reminder that the user sees too."""

    text: str


@dataclass(frozen=True, slots=True)
class Plugin(Generic[Settings]):
    """Base of all plugins: override the hooks to take part in. Subclasses must be frozen dataclasses too (the registry checks).

    The run waits, for a limited time, for `process_prompts`, `response_complete`, `tool_executed` and `on_finish`; all
    other methods run in the background, one after the other. Exceptions are logged and skipped.
    """

    # Whether it may pass on what it sees of an answer. Otherwise an answer is stored with the end of its run, after `on_finish`.
    needs_stored_answer: ClassVar[bool] = True

    settings: Settings
    secret: SecretText | None = None

    async def process_prompts(self, context: PluginContext, system: SystemPrompt) -> SystemPrompt:
        """Return the system prompt for this step. `system` already contains the changes of the plugins before this one."""
        return system

    async def user_message_received(self, context: PluginContext, message: UserMessage) -> None: ...

    async def run_status_changed(self, context: PluginContext, state: RunState) -> None: ...

    async def response_update(self, context: PluginContext, text: str) -> None:
        """Handle the growing answer. `text`: all of this step's answer so far.

        Called at most every 250 ms; updates are skipped while an earlier one is being handled.
        """

    async def response_complete(self, context: PluginContext, response: ModelResponse) -> AnotherStep | None:
        return None

    async def tool_executed(self, context: PluginContext, call: ToolCall, result: ToolResult) -> AnotherStep | None:
        return None

    async def on_start(self, context: PluginContext) -> None:
        """Called when the run starts, and also when it continues after a pause or in another process."""

    async def on_step_start(self, context: PluginContext) -> None: ...

    async def on_tool_call_start(self, context: PluginContext, call: ToolCall) -> None: ...

    async def on_tool_call_finish(self, context: PluginContext, call: ToolCall, result: ToolResult, duration_ms: int) -> None: ...

    async def on_step_finish(self, context: PluginContext, usage: Usage) -> None: ...

    async def on_finish(self, context: PluginContext, outcome: RunOutcome) -> Sequence[DataPart]:
        """Return data parts for the client when the run is over. Not called when it pauses, is stopped or fails."""
        return ()
