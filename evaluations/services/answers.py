"""What a run answered, as graders read it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from agents.engine.run_progress import parent_call_ids, unwrap_entry
from agents.entry_codec import entry_decode
from agents.messages import Entry, Notice, ProviderToolCall, ToolCall, ToolResult
from agents.runtime.message_tool import visible_text
from agents.runtime.replay.recorded_calls import STOPS
from chat.explorer.figures import RunFigures, figures_of
from chat.models import Part, Run
from evaluations.graders.answer import Answer, CalledTool
from evaluations.services.written_artifacts import written_artifacts


def answer_of(run: Run) -> Answer:
    """Return the answer of a finished run. Three queries."""
    entries = _entries(run)
    return Answer(
        text=_text(entries),
        tools=_tools(entries),
        artifacts=written_artifacts(run.pk),
        duration_s=_working_time(run) / timedelta(seconds=1),
        cost_usd=figures_of([run.pk]).get(run.pk, RunFigures(cost_usd=0.0)).cost_usd,
    )


def unrecorded_call(run: Run) -> str:
    """Return the name of the tool at whose call the run stopped, because no result was recorded; "" when it did not stop. One query."""
    name = ""
    names: dict[str, str] = {}
    for entry in map(unwrap_entry, _entries(run)):
        match entry:
            case ToolCall():
                names[entry.id] = entry.name
            case ToolResult():
                name = names.get(entry.call_id, entry.name)
            case Notice(code=code) if code in STOPS:
                return name
    return ""


def _entries(run: Run) -> list[Entry]:
    parts = Part.objects.filter(message_id=run.answer_id).order_by("position")
    return [entry_decode(part.kind, part.content, None) for part in parts]


def _text(entries: Sequence[Entry]) -> str:
    """Return what the member would have read as the agent's own words, not those of its sub-agents."""
    own = (visible_text(entry) for entry in entries if not parent_call_ids(entry))
    return "\n\n".join(filter(None, own))


def _tools(entries: Sequence[Entry]) -> list[CalledTool]:
    """Return all calls, also those of sub-agents and those that a provider ran itself."""
    calls = [entry for entry in map(unwrap_entry, entries) if isinstance(entry, (ToolCall, ProviderToolCall))]
    return [CalledTool(call.name, call.arguments) for call in calls]


def _working_time(run: Run) -> timedelta:
    end = run.finished_at or run.created_at
    return max(timedelta(0), end - run.created_at - timedelta(milliseconds=run.waited_ms))
