"""A recorded run's tool results, given again to a replay by the call's name and arguments (SPEC 3.16, docs/decisions/0064).

Nothing has a side effect: a call that was not recorded ends the replay, unless its tool only reads what Parley itself has and the admin
wanted such calls to run. A replay that ended so can go on once an admin has settled the call (agents.runtime.replay.settled_calls).
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, TypedDict
from uuid import UUID

from agents.engine.ports import Danger, ReplayRule, Tool, ToolContext, ToolOutcome, ToolTraits
from agents.engine.run_progress import parent_call_ids, unwrap_entry
from agents.messages import Entry, File, NextStep, Notice, ToolCall, ToolDefinition, ToolResult
from agents.runtime.replay.recorded_model import RecordedModels

# The codes of the notice that ends a replay. The second one: the tool only reads, so that an admin may let the call run.
UNRECORDED_CALL: Final = "unrecorded_call"
UNRECORDED_READING: Final = "unrecorded_reading"
STOPS: Final = frozenset({UNRECORDED_CALL, UNRECORDED_READING})
NOT_RECORDED: Final = "The agent called {name}, which the recorded run did not."
OTHER_ARGUMENTS: Final = "The agent called {name} with arguments that the recorded run did not use."
REPLAY_STOPPED: Final = "The replay stopped here."
NOT_GIVEN: Final = "The agent called {name}, of which no result is recorded."
OTHER_GIVEN: Final = "The agent called {name} with arguments for which no result is recorded."
TRIAL_STOPPED: Final = "The answer stopped here."


@dataclass(frozen=True, slots=True)
class RecordedResult:
    """What a call gave. `files`: what came with it for the model."""

    output: Any
    is_error: bool
    next_step: NextStep
    denied: bool
    files: tuple[File, ...] = ()


class GivenResult(TypedDict):
    """A call's result as a trial or a case keeps it, without files."""

    tool: str
    arguments: dict[str, Any]
    output: Any
    is_error: bool


def given_results(entries: Iterable[Entry]) -> list[GivenResult]:
    """Return what the calls among the entries gave, those that a person refused left out.

    A call that stopped the run, because it was not recorded, gave nothing, and neither did the calls of the agents above it.
    """
    all_entries = list(entries)
    stop = next((place for place, entry in enumerate(all_entries) if _is_stop(unwrap_entry(entry))), None)
    results = list(_results(all_entries[:stop]))
    return [
        GivenResult(tool=call.name, arguments=dict(call.arguments), output=result.output, is_error=result.is_error)
        for call, result in (results if stop is None else results[:-1])
        if not result.denied
    ]


def _is_stop(entry: Entry) -> bool:
    return isinstance(entry, Notice) and entry.code in STOPS


class RecordedCalls:
    """The results of a run's calls, those of its sub-agents included. Equal calls give theirs in the recorded order."""

    def __init__(self, entries: Iterable[Entry], extra_results: Iterable[GivenResult] = ()) -> None:
        self._results: dict[str, deque[RecordedResult]] = defaultdict(deque)
        self._names: set[str] = set()
        for each in extra_results:
            self._add(each["tool"], each["arguments"], RecordedResult(each["output"], each["is_error"], NextStep.GO_ON, denied=False))
        for call, result in _results(entries):
            self._add(call.name, call.arguments, result)

    def _add(self, name: str, arguments: Mapping[str, Any], result: RecordedResult) -> None:
        self._names.add(name)
        self._results[_signature(name, arguments)].append(result)

    def take(self, name: str, arguments: Mapping[str, Any]) -> RecordedResult | None:
        """Return the next result of such a call; None when the run made no other one."""
        results = self._results.get(_signature(name, arguments))
        return results.popleft() if results else None

    def skip(self, entries: Iterable[Entry]) -> None:
        """Take the results of the calls that the replay has made before."""
        for call, _ in _results(entries):
            self.take(call.name, call.arguments)

    def knows(self, name: str) -> bool:
        return name in self._names


class DefinitionChange(TypedDict):
    """Other words for a tool in a replay. `arguments`: descriptions of arguments, by name."""

    description: str
    arguments: dict[str, str]


def changed_definition(definition: ToolDefinition, change: DefinitionChange | None) -> ToolDefinition:
    """Return the definition with other words. Arguments that the tool has no more are left as they are."""
    if change is None:
        return definition
    schema = dict(definition.input_schema)
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        descriptions = {name: text for name, text in change["arguments"].items() if isinstance(properties.get(name), Mapping)}
        schema["properties"] = {**properties, **{name: {**properties[name], "description": text} for name, text in descriptions.items()}}
    return replace(definition, description=change["description"], input_schema=schema)


@dataclass(slots=True, kw_only=True)
class RunReplay:
    """What a run takes from the recorded run that it replays."""

    calls: RecordedCalls
    began_at: datetime  # the prompt names this day
    conversation_id: UUID  # whose files its calls send
    looks_up: bool = False  # whether calls that only read inside Parley run when they were not recorded
    live: frozenset[str] = frozenset()  # ids of the calls that an admin let run
    models: RecordedModels | None = None  # the models' answers as well; None: models are asked
    is_stopped: bool = False  # by a call that was not recorded
    definitions: Mapping[str, DefinitionChange] = field(default_factory=dict)  # tools that are described in other words, by name
    is_trial: bool = False  # no run is replayed: a trial or a case has results of its own


@dataclass(frozen=True, slots=True)
class ReplayedTool:
    """The tool, with recorded results. It never asks, because nothing leaves. Implements `Tool`."""

    tool: Tool
    replay: RunReplay

    @property
    def definition(self) -> ToolDefinition:
        definition = self.tool.definition
        return changed_definition(definition, self.replay.definitions.get(definition.name))

    @property
    def traits(self) -> ToolTraits:
        return replace(self.tool.traits, repeatable=True, danger=Danger.SAFE, confirm=False, sends=False, by_client=False)

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        traits, name = self.tool.traits, self.definition.name
        recorded_result = self.replay.calls.take(name, arguments)
        if traits.replay is ReplayRule.RUNS and not (recorded_result and self._is_kept(recorded_result)):
            outcome = await self.tool.run(arguments, context)
            return replace(outcome, next_step=NextStep.FINISH) if self.replay.is_stopped else outcome
        if recorded_result is not None:
            return ToolOutcome(
                recorded_result.output,
                recorded_result.is_error,
                entries=recorded_result.files,
                next_step=recorded_result.next_step,
                is_recorded=True,
            )
        looks_up = self.replay.looks_up and traits.replay is ReplayRule.READS and not traits.needs_approval
        if looks_up or (context.call_id in self.replay.live and only_reads(traits)):
            return await self.tool.run(arguments, context)
        return self._stop(name)

    def _is_kept(self, recorded_result: RecordedResult) -> bool:
        """Return whether the record counts although the tool could run: somebody refused the call, or all answers come from the record."""
        return recorded_result.denied or (recorded_result.is_error and self.replay.models is not None)

    def _stop(self, name: str) -> ToolOutcome:
        """End the replay, from a sub-agent as well: each agent above it ends with this call."""
        self.replay.is_stopped = True
        known_text, unknown_text = (OTHER_GIVEN, NOT_GIVEN) if self.replay.is_trial else (OTHER_ARGUMENTS, NOT_RECORDED)
        text = (known_text if self.replay.calls.knows(name) else unknown_text).format(name=name)
        code = UNRECORDED_READING if only_reads(self.tool.traits) else UNRECORDED_CALL
        notice = Notice(code, f"{text} {TRIAL_STOPPED if self.replay.is_trial else REPLAY_STOPPED}", "warning")
        return ToolOutcome(text, is_error=True, entries=(notice,), next_step=NextStep.FINISH)


def json_or_text(text: str) -> Any:
    """Return the JSON value that a person entered as a result, or the text."""
    with suppress(ValueError):
        return json.loads(text)
    return text


def only_reads(traits: ToolTraits) -> bool:
    """Return whether a live call changes nothing: the tool's mark is safe, nobody is asked about it, and it reads here or elsewhere."""
    is_safe = traits.danger is Danger.SAFE and not traits.confirm and not traits.by_client
    return is_safe and (traits.replay is ReplayRule.READS or (traits.repeatable and traits.sends))


def _results(entries: Iterable[Entry]) -> Iterator[tuple[ToolCall, RecordedResult]]:
    """Yield the calls that have a result, in the order of the results."""
    calls: dict[str, ToolCall] = {}
    results: list[tuple[ToolCall, RecordedResult]] = []
    last: dict[tuple[str, ...], int] = {}  # by the calls that the entries are stored under: where the newest result is
    for entry in entries:
        match unwrap_entry(entry):
            case ToolCall() as call:
                calls[call.id] = call
            case ToolResult() as result if result.call_id in calls:
                last[parent_call_ids(entry)] = len(results)
                results.append((calls[result.call_id], RecordedResult(result.output, result.is_error, result.next_step, result.denied)))
            case File() as file if file.from_tool and (place := last.get(parent_call_ids(entry))) is not None:
                call, recorded_result = results[place]
                results[place] = call, replace(recorded_result, files=(*recorded_result.files, file))
    yield from results


def _signature(name: str, arguments: Mapping[str, Any]) -> str:
    return json.dumps([name, arguments], sort_keys=True, default=dict)
