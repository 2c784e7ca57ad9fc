"""Puts a crash into the run that this process is going to own. What the code does stays as it is, up to the process's death."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial, wraps
from pathlib import Path
from typing import Any, Literal
from unittest.mock import patch
from uuid import UUID

import chat.runs.execution
import chat.runs.journal.run_journal
import chat.runs.run_owner
from agents.messages import (
    ApprovalRequest,
    ApprovalResponse,
    AssistantText,
    DataPart,
    Entry,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agents.orchestrator import RunnableAgent, chat_agent_build
from chat.conversations.selectors import ConversationState
from chat.runs.journal.run_journal import RunJournal
from chat.storage.run_loading import run_load
from chat.storage.run_writes import parts_append, run_finish, run_pause
from chat.storage.uncertain_commits import write_once, write_once_then
from tests.system.crash.points import Point, Trigger
from tests.system.crash.tools import CrashingModel, CrashingTool, tools_of_trials

Kind = Literal["response", "result", "asking", "input", "pause", "end", "other"]

_UNWRITTEN: Mapping[Kind, Point] = {"response": Point.AFTER_CALL, "result": Point.AFTER_TOOL}
_WRITE_POINTS: Mapping[Kind, Point] = {
    "response": Point.RESPONSE_WRITTEN,
    "result": Point.RESULT_WRITTEN,
    "asking": Point.ASKING_WRITTEN,
    "input": Point.INPUT_WRITTEN,
    "pause": Point.PAUSE_WRITTEN,
    "end": Point.END_WRITTEN,
}
_COMMIT_POINTS: Mapping[Kind, Point] = {
    "response": Point.RESPONSE_STORED,
    "result": Point.RESULT_STORED,
    "asking": Point.ASKING_STORED,
    "input": Point.INPUT_STORED,
    "pause": Point.PAUSE_STORED,
    "end": Point.END_STORED,
}


@contextmanager
def inject_crash(trigger: Trigger, letters: Path) -> Iterator[None]:
    """While open, runs of this process have the test's tools and die where `trigger` says."""
    places: list[tuple[Any, str, Any]] = [
        (chat.runs.run_owner, "RunJournal", crashing_journal(trigger)),
        (chat.runs.execution, "run_load", crashing_load(trigger)),
        (chat.runs.run_owner, "chat_agent_build", crashing_agents(trigger, letters)),
        (chat.runs.journal.run_journal, "parts_append", crashing_write(parts_append, trigger)),
        (chat.runs.journal.run_journal, "run_finish", crashing_write(run_finish, trigger)),
        (chat.runs.journal.run_journal, "run_pause", crashing_write(run_pause, trigger)),
        (chat.runs.journal.run_journal, "write_once", crashing_commit(write_once, trigger)),
        (chat.runs.journal.run_journal, "write_once_then", crashing_commit(write_once_then, trigger)),
    ]
    with ExitStack() as stack:
        for module, name, replacement in places:
            stack.enter_context(patch.object(module, name, replacement))
        yield


def crashing_journal(trigger: Trigger) -> type[RunJournal]:
    class CrashingJournal(RunJournal):
        async def step_start(self, step: int) -> None:
            await super().step_start(step)
            await trigger.reach(Point.BEFORE_CALL)

        def data(self, part: DataPart) -> None:
            super().data(part)
            if part.name == "artifact-delta":
                trigger.reach_now(Point.MID_DOCUMENT)

        async def append(self, *entries: Entry, ends_run: bool = False) -> None:
            if point := _UNWRITTEN.get(_kind_of_entries(entries)):
                await trigger.reach(point)
            await super().append(*entries, ends_run=ends_run)

        async def finish(self, **how: Any) -> ConversationState | None:
            await trigger.reach(Point.FINALIZING)
            return await super().finish(**how)

    return CrashingJournal


def crashing_load(trigger: Trigger) -> Callable[..., Any]:
    def load(**arguments: Any) -> Any:
        trigger.reach_now(Point.CLAIMED)
        return run_load(**arguments)

    return load


def crashing_agents(trigger: Trigger, letters: Path) -> Callable[..., Any]:
    async def build(*arguments: Any, **options: Any) -> RunnableAgent:
        await trigger.reach(Point.LOADED)
        agent = await chat_agent_build(*arguments, **options)
        tools = (*agent.tools, *tools_of_trials(letters))
        return replace(agent, model=CrashingModel(agent.model, trigger), tools=tuple(CrashingTool(tool, trigger) for tool in tools))

    return build


def crashing_write(write: Callable[..., Any], trigger: Trigger) -> Callable[..., Any]:
    """The rows are written, their transaction is open."""

    @wraps(write)
    def write_then_crash(**values: Any) -> Any:
        result = write(**values)
        if point := _WRITE_POINTS.get(_kind(write.__name__, values)):
            trigger.reach_now(point)
        return result

    return write_then_crash


def crashing_commit(once: Callable[..., Any], trigger: Trigger) -> Callable[..., Any]:
    """The rows are committed, the journal does not know it yet."""

    @wraps(once)
    async def commit_then_crash(write: partial[Any], *others: Callable[[], Any], organization_id: UUID) -> Any:
        result = await once(write, *others, organization_id=organization_id)
        if point := _COMMIT_POINTS.get(_kind(write.func.__name__, write.keywords)):
            await trigger.reach(point)
        return result

    return commit_then_crash


def _kind(name: str, values: Mapping[str, Any]) -> Kind:
    """Of a write of chat.storage.run_writes."""
    if name == "parts_append":
        return _kind_of_entries([entry.entry for entry in values["entries"]])
    return "end" if name == "run_finish" else "pause" if name == "run_pause" else "other"


def _kind_of_entries(entries: Sequence[Entry]) -> Kind:
    kinds: dict[Kind, tuple[type, ...]] = {
        "result": (ToolResult,),
        "response": (AssistantText, ToolCall),
        "asking": (ApprovalRequest,),
        "input": (UserMessage, ApprovalResponse),
    }
    return next((kind for kind, types in kinds.items() if any(isinstance(entry, types) for entry in entries)), "other")
