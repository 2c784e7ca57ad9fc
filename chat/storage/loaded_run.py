"""A run as its owner has loaded it, and what connects its agent to the owner."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from admin_config.services.selectors import LoadedRelease
from agents.artifact_agents.rules import ARTIFACT_TOOLS
from agents.engine.ports import Tool
from agents.messages import ContextData, Entry, Usage
from agents.messages.prefix_cache import BranchPrefixCache
from agents.plugins.plugin import PluginActions
from agents.run_context import RunContext, RunProject
from agents.runtime.call_recording import CallRecord
from agents.runtime.connections import PreloadedKeys
from agents.runtime.key_lookup import KeyOwner
from agents.runtime.page_state import PageState
from agents.runtime.placeholders import Placeholders
from agents.runtime.replay.recorded_calls import RunReplay
from agents.runtime.request_overrides import RequestOverrides
from chat.entries import StoredEntry
from chat.storage.pending_inputs import PendingInput
from limits.budgets import NO_BUDGETS, Budgets


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLinks:
    """What connects a run's agent to whoever works on the run; see RunContext."""

    record_call: Callable[[CallRecord], None]
    call_opened: Callable[[CallRecord], None]
    branch: Callable[[], Sequence[Entry]]
    spent_on_calls: Callable[[Collection[str]], Awaitable[tuple[Usage, float]]]
    is_handed_over: Callable[[], bool]
    actions: PluginActions
    key_owner: KeyOwner


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedRun:
    """A run with everything that its owner needs."""

    run_id: UUID
    organization_id: UUID
    organization_name: str
    membership_id: UUID
    user_name: str
    preferences: str
    project: RunProject | None
    is_temporary: bool
    conversation_id: UUID
    answer_id: UUID
    epoch: int
    step: int
    model_config_id: UUID
    thinking: bool
    switches: Mapping[str, bool]
    assistant: str  # the key of the assistant that answers; "": the chat agent
    display: dict[str, Any]
    usage: Usage
    logged_step: int  # the last step of which the call log has a model call; 0: none, or this is the first owner
    created_at: datetime
    trace_parent: str
    release: LoadedRelease
    history: tuple[Entry, ...]  # the branch up to and including the question
    answer_entries: tuple[StoredEntry, ...]  # the answer's entries so far
    stop_requested: bool
    open_text: tuple[dict[str, Any], ...]  # what a former owner showed and did not store
    takeovers: int  # how many owners in a row were lost
    placeholders: Placeholders = field(repr=False)
    pending_inputs: tuple[PendingInput, ...]
    session_hash: str
    keys_sent_for: frozenset[str]
    request_overrides: RequestOverrides
    pending_file_ids: tuple[str, ...] = ()  # files in the history whose text has not been extracted yet
    artifacts: ContextData | None = None  # about the conversation's artifacts, for the model; None: there are none, or it knows them
    budgets: Budgets = NO_BUDGETS  # that pay for its model calls
    replay: RunReplay | None = field(default=None, repr=False)  # set: it replays a recorded run
    page_state: PageState | None = None  # what the page around the chat handed over
    page_tools: frozenset[str] = frozenset()  # names of the tools that this page carries out
    page: ContextData | None = None  # the page state, for the model; None: there is none, or the model knows it
    first_title: str | None = None  # the title of a conversation that is as new as this run; None: the conversation existed before
    preloaded_keys: PreloadedKeys = field(default_factory=dict, repr=False)
    # Values that earlier runs derived from the history, for this run to extend.
    prefix_cache: BranchPrefixCache = field(default_factory=BranchPrefixCache, repr=False)

    def opening_entries(self, tools: Iterable[Tool]) -> list[ContextData]:
        """Return the data for the model that comes before the first step of an agent with these tools."""
        knows_artifacts = self.artifacts is not None and any(tool.definition.name in ARTIFACT_TOOLS for tool in tools)
        return [data for data in (self.artifacts if knows_artifacts else None, self.page) if data is not None]

    def context(self, links: RunLinks) -> RunContext:
        """Return what the run's agent is built with."""
        return RunContext(
            organization_id=self.organization_id,
            organization_name=self.organization_name,
            membership_id=self.membership_id,
            user_name=self.user_name,
            preferences=self.preferences,
            project=self.project,
            conversation_id=self.conversation_id,
            run_id=self.run_id,
            model_config_id=self.model_config_id,
            thinking=self.thinking,
            assistant=self.assistant,
            record_call=links.record_call,
            call_opened=links.call_opened,
            branch=links.branch,
            spent_on_calls=links.spent_on_calls,
            is_handed_over=links.is_handed_over,
            actions=links.actions,
            placeholders=self.placeholders,
            key_owner=links.key_owner,
            budgets=self.budgets,
            preloaded_keys=self.preloaded_keys,
            request_overrides=self.request_overrides,
            page_state=self.page_state,
            page_tools=self.page_tools,
            replay=self.replay,
        )
