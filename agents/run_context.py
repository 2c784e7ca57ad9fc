"""The context of one run, shared by its tools, plugins and prompt."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from agents.messages import Entry, Usage
from agents.plugins.plugin import PluginActions
from agents.runtime.call_recording import CallRecord
from agents.runtime.connections import PreloadedKeys
from agents.runtime.key_lookup import KeyOwner
from agents.runtime.page_state import PageState
from agents.runtime.placeholders import Placeholders
from agents.runtime.replay.recorded_calls import RunReplay
from agents.runtime.request_overrides import NO_OVERRIDES, RequestOverrides
from limits.budgets import NO_BUDGETS, Budgets


@dataclass(frozen=True, slots=True)
class RunProject:
    """The project of the conversation. `has_files`: it has knowledge files."""

    id: UUID
    name: str
    instructions: str
    has_files: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """Who asks, in which conversation, and what was chosen for this run."""

    organization_id: UUID
    organization_name: str
    membership_id: UUID
    user_name: str
    conversation_id: UUID
    run_id: UUID
    model_config_id: UUID
    thinking: bool
    record_call: Callable[[CallRecord], None]  # receives every model call of the run (SPEC 3.16)
    call_opened: Callable[[CallRecord], None]  # receives it before the request is sent
    branch: Callable[[], Sequence[Entry]]  # returns the current entries of the chat agent's branch
    # Returns what the model calls made for the given tool call ids have used so far: tokens and US dollars.
    spent_on_calls: Callable[[Collection[str]], Awaitable[tuple[Usage, float]]]
    is_handed_over: Callable[[], bool]  # whether this process hands the run over to another one
    actions: PluginActions  # what plugins may ask of the application
    placeholders: Placeholders  # registered secrets, which no model call may contain (SPEC 3.17)
    key_owner: KeyOwner  # whose provider keys the run may use
    assistant: str = ""  # the key of the assistant that answers; "": the chat agent
    preferences: str = ""  # what the user wrote about the answers they want
    project: RunProject | None = None
    budgets: Budgets = NO_BUDGETS  # that pay for its model calls
    preloaded_keys: PreloadedKeys = field(default_factory=dict, repr=False)
    request_overrides: RequestOverrides = NO_OVERRIDES  # what an API caller overrides for this answer
    page_state: PageState | None = None  # what the page around the chat passed in
    page_tools: frozenset[str] = frozenset()  # names of the tools that this page carries out (agents.tools.sources.page_tool)
    replay: RunReplay | None = None  # set: a recorded run is replayed
