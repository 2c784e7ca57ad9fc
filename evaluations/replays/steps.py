"""What happened in a run, one thing after the other, as a replay and its original are compared: requests, texts, calls."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from django.utils.functional import Promise
from django.utils.translation import gettext

from admin_config.defaults.artifact_agents import ARTIFACT_AGENTS
from agents.engine.run_progress import unwrap_entry
from agents.entry_codec import entry_decode
from agents.messages import AssistantText, Entry, Notice, ProviderToolCall, Reasoning, SubAgentEntry, ToolCall, ToolResult
from agents.runtime.message_tool import NAME as MESSAGE, visible_text
from agents.runtime.replay.recorded_calls import STOPS
from chat.models import ModelCall, Part, Run

_ARTIFACT_AGENTS: Final = tuple(f"{kind}_" for kind in ARTIFACT_AGENTS)  # whose documents come from the record
Kind = Literal["request", "text", "thinking", "call", "notice"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing of a run. `key`: equal for what is the same in both runs, whatever its text says."""

    kind: Kind
    key: str
    label: str
    text: str = ""
    agent: str = ""  # of a sub-agent; "": the answering agent
    call: ModelCall | None = None  # of a request
    result: str = ""  # of a call
    is_error: bool = False
    call_id: str = ""  # of a call, and of the call at which the replay stopped
    note: str | Promise = ""  # what an admin did about the call

    @property
    def content(self) -> str:
        """What is compared of two of the same key."""
        return self.call.request_hash if self.call else self.text


def run_entries(run: Run) -> list[tuple[int, Entry]]:
    """Return (step, entry) of the run's answer, in order. One query."""
    parts = Part.objects.filter(message_id=run.answer_id).order_by("position")
    return [(part.step, entry_decode(part.kind, part.content, None)) for part in parts]


def run_calls(run: Run) -> list[ModelCall]:
    """Return the model calls that a replay makes again, in their order: not titles, suggestions and those of artifact agents. One query."""
    calls = ModelCall.objects.filter(run=run, kind__in=(ModelCall.Kind.STEP, ModelCall.Kind.SUB_AGENT))
    ordered_calls = calls.defer("own_entries").order_by("created_at", "pk")
    return [call for call in ordered_calls if not call.agent_key.startswith(_ARTIFACT_AGENTS)]


def run_steps(entries: Sequence[tuple[int, Entry]], calls: Iterable[ModelCall]) -> list[Step]:
    """Return what happened, each request before what came of it."""
    requests: dict[int, list[Step]] = defaultdict(list)
    for call in calls:
        if call.kind == ModelCall.Kind.STEP:
            requests[call.step].append(_request(call, len(requests[call.step])))
    results = {result.call_id: result for _, entry in entries if isinstance(result := unwrap_entry(entry), ToolResult)}
    steps: list[Step] = []
    last_result = ""  # the call whose result came last: a notice that the replay stopped follows it
    for step, entry in entries:
        steps += requests.pop(step, [])
        steps += _steps_of(entry, results, last_result)
        last_result = inner.call_id if isinstance(inner := unwrap_entry(entry), ToolResult) else last_result
    for left in sorted(requests):
        steps += requests[left]
    return steps


def _request(call: ModelCall, attempt: int) -> Step:
    failed = call.error_code not in ("", "stopped")
    label = (gettext("Request, step %(step)s") % {"step": call.step}) + (f", {call.endpoint}: {call.error_code}" if failed else "")
    return Step(kind="request", key=f"request {call.step} {attempt}", label=label, call=call, is_error=failed)


def _steps_of(entry: Entry, results: dict[str, ToolResult], last_result: str) -> Iterator[Step]:
    inner, agent = unwrap_entry(entry), _agent_of(entry)
    match inner:
        case ToolCall(name=name) if name == MESSAGE and visible_text(inner):
            yield Step(kind="text", key=f"text {agent}", label=gettext("Answer"), text=visible_text(inner), agent=agent)
        case ToolCall() | ProviderToolCall():
            result = results.get(inner.id)
            yield Step(
                kind="call",
                key=f"call {agent} {inner.name}",
                label=inner.name,
                text=_json(inner.arguments),
                agent=agent,
                result=_json(result.output) if result else "",
                is_error=bool(result and result.is_error),
                call_id=inner.id,
            )
        case AssistantText(text=text) if text.strip():
            yield Step(
                kind="text",
                key=f"text {agent}",
                label=gettext("Answer") if not agent else gettext("Answer of the sub-agent"),
                text=text,
                agent=agent,
            )
        case Reasoning(text=text) if text.strip():
            yield Step(kind="thinking", key=f"thinking {agent}", label=gettext("Thinking"), text=text, agent=agent)
        case Notice() if inner.code in STOPS or inner.level == "error":
            stopped_at = last_result if inner.code in STOPS else ""
            yield Step(
                kind="notice", key=f"notice {inner.code}", label=inner.code, text=inner.text, agent=agent, is_error=True, call_id=stopped_at
            )
        case _:
            return


def _agent_of(entry: Entry) -> str:
    """Return the key of the innermost sub-agent."""
    agent = ""
    while isinstance(entry, SubAgentEntry):
        agent, entry = entry.agent, entry.entry
    return agent


def own_calls(steps: Iterable[Step]) -> list[tuple[str, str, str]]:
    """Return (agent, tool, arguments) of all calls, in order."""
    return [(step.agent, step.label, step.text) for step in steps if step.kind == "call"]


def own_text(steps: Iterable[Step]) -> str:
    """Return the answer as a member would read it."""
    return "\n\n".join(step.text for step in steps if step.kind == "text" and not step.agent)


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True, default=dict)
