"""A run's tools: what the model is told of them, the checks before a call, and how calls run."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for
from referencing import Registry

from agents.engine.errors import RunError, ToolFailed
from agents.engine.messages import Entry, ToolCall, ToolDefinition, ToolResult
from agents.engine.ports import Journal, Tool, ToolContext, ToolOutcome

logger = logging.getLogger(__name__)

PARALLEL_CALLS = 4  # SECURITY 25
MAX_CALLS = 40  # of one run in this process (SECURITY 25)
MESSAGE_LENGTH = 500  # characters of a problem's description: a validator quotes the value, which may be a whole document

DEFERRED = "Not run: one tool call is run per step. Ask for it again if it is still needed."
TOO_MANY_CALLS = "Not run: this run has used all its tool calls. Answer with what you have."
OUTCOME_UNKNOWN = "The run was interrupted while this tool worked, so its outcome is unknown. Find out before you run it again."
INTERNAL_ERROR = "The tool failed because of an internal error."


class ToolPolicy(StrEnum):
    """How the calls of one step run (SPEC 3.5)."""

    PARALLEL = "parallel"
    SINGLE = "single"


class Toolset:
    """The tools of one run, by name. Raises ValueError when two share a name."""

    def __init__(self, tools: Sequence[Tool], policy: ToolPolicy = ToolPolicy.PARALLEL) -> None:
        self.definitions: tuple[ToolDefinition, ...] = tuple(tool.definition for tool in tools)
        self._tools = {tool.definition.name: tool for tool in tools}
        if len(self._tools) < len(tools):
            raise ValueError("Two tools have the same name.")
        self._policy = policy
        self._calls_left = MAX_CALLS

    async def run(self, calls: Sequence[ToolCall], journal: Journal) -> None:
        """Run a step's calls and append their results in call order, each as soon as it and all before it are there.

        A failing tool gives an error result; only the journal's own errors and cancellation get out, after all tools have ended.
        """
        wanted = calls[:1] if self._policy is ToolPolicy.SINGLE else calls
        running = wanted[: self._calls_left]
        self._calls_left -= len(running)
        await _in_order(running, self._run_call, journal)
        refused = [(call, TOO_MANY_CALLS) for call in wanted[len(running) :]] + [(call, DEFERRED) for call in calls[len(wanted) :]]
        if refused:
            await journal.append(*(ToolResult(call.id, call.name, text, is_error=True) for call, text in refused))

    async def settle(self, calls: Sequence[ToolCall], journal: Journal) -> None:
        """Give each call of an interrupted step its result: repeatable tools run again, the outcome of others is unknown."""
        await _in_order(calls, self._settle_call, journal)

    async def _settle_call(self, call: ToolCall, journal: Journal) -> ToolOutcome:
        tool = self._tools.get(call.name)
        if tool is None or not tool.repeatable:
            return _failure(OUTCOME_UNKNOWN)
        return await self._run_call(call, journal)

    async def _run_call(self, call: ToolCall, journal: Journal) -> ToolOutcome:
        tool = self._tools.get(call.name)
        if tool is None:
            return _failure(f"There is no tool named {call.name!r}. Tools: {', '.join(self._tools) or 'none'}.")
        arguments = dict(call.arguments)
        try:
            if problem := argument_problem(tool.definition.input_schema, arguments):
                return _failure(problem)
            return await tool.run(arguments, ToolContext(call.id, journal))
        except (ToolFailed, RunError) as error:
            return _failure(str(error))
        except Exception:  # a tool is foreign code: its bug must not end the run
            logger.exception("The tool %s raised an error.", call.name)
            return _failure(INTERNAL_ERROR)


def argument_problem(schema: Mapping[str, Any], arguments: dict[str, Any]) -> str | None:
    """What is wrong with a call's arguments, with the place as a JSON path; None: nothing."""
    error = best_match(_validator(schema).iter_errors(arguments))
    return f"Wrong arguments at {error.json_path}: {error.message[:MESSAGE_LENGTH]}" if error else None


def _validator(schema: Mapping[str, Any]) -> Validator:
    # The empty registry keeps jsonschema from fetching remote references.
    return validator_for(schema, default=Draft202012Validator)(schema, registry=Registry())


async def _in_order(calls: Sequence[ToolCall], run: Callable[[ToolCall, Journal], Awaitable[ToolOutcome]], journal: Journal) -> None:
    slots = asyncio.Semaphore(PARALLEL_CALLS)

    async def in_slot(call: ToolCall) -> ToolOutcome:
        async with slots:
            return await run(call, journal)

    tasks = [asyncio.create_task(in_slot(call)) for call in calls]
    try:
        for call, task in zip(calls, tasks, strict=True):
            await journal.append(*_entries(call, await task))
    finally:
        await _end(tasks)


async def _end(tasks: Iterable[asyncio.Task[ToolOutcome]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _entries(call: ToolCall, outcome: ToolOutcome) -> tuple[Entry, ...]:
    return (ToolResult(call.id, call.name, outcome.output, outcome.is_error), *outcome.entries)


def _failure(text: str) -> ToolOutcome:
    return ToolOutcome(text, is_error=True)
