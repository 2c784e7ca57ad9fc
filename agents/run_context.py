"""What everything that takes part in a run knows of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from agents.engine.messages import Entry, Usage
from agents.engine.placeholders import Placeholders
from agents.plugins.plugin import PluginActions
from agents.runtime.call_recording import CallRecord
from agents.runtime.connections import PreloadedKeys
from agents.runtime.key_lookup import KeyOwner
from agents.runtime.page_state import PageState
from agents.runtime.request_overrides import NO_OVERRIDES, RequestOverrides


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """Who asks, where, and what was chosen.

    `record_call` gets every model call of the run (SPEC 3.16); `branch`: the entries of the chat agent's branch as of now.
    `preferences`: what the user wrote about the answers they want; `request_overrides`: what the caller of an API asks of this answer. `actions`: what plugins may ask of the application.
    `spent_on_calls`: what the model calls for these tool calls took so far, with their cost in US dollars; `is_handed_over`: whether this process
    gives the run to another one.
    `placeholders`: registered secrets, which no model call may carry (SPEC 3.17). `page_state`: what the page around the chat handed over. `key_owner`: whose provider keys the run may use.
    """

    organization_id: UUID
    organization_name: str
    membership_id: UUID
    user_name: str
    conversation_id: UUID
    run_id: UUID
    model_config_id: UUID
    thinking: bool
    record_call: Callable[[CallRecord], None]
    branch: Callable[[], Sequence[Entry]]
    spent_on_calls: Callable[[Collection[str]], Awaitable[tuple[Usage, float]]]
    is_handed_over: Callable[[], bool]
    actions: PluginActions
    placeholders: Placeholders
    key_owner: KeyOwner
    preferences: str = ""
    preloaded_keys: PreloadedKeys = field(default_factory=dict, repr=False)
    request_overrides: RequestOverrides = NO_OVERRIDES
    page_state: PageState | None = None
