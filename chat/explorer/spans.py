"""What happened in a run, as spans of time: steps, model calls, tools, sub-agents and waits (design 47)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from django.utils.translation import gettext

from agents.engine.run_progress import parent_call_ids, unwrap_entry
from agents.entry_codec import entry_decode
from agents.messages import ProviderToolCall, ToolCall, ToolResult
from chat.models import Approval, ModelCall, Part, Run

SpanKind = Literal["step", "model", "tool", "sub_agent", "wait"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A line of the waterfall. Times are milliseconds since the run began."""

    kind: SpanKind
    title: str
    start_ms: int
    end_ms: int
    note: str = ""
    failed: bool = False
    first_token_ms: int | None = None  # of a model call, since its start
    tokens: int | None = None
    cost_usd: float | None = None
    call: ModelCall | None = None  # which a model's span is about
    depth: int = 0
    parent: str = ""  # the tool call under which it happened; "" at the top of a step
    tool_call_id: str = ""
    step: int = 0

    @property
    def duration_ms(self) -> int:
        return self.end_ms - self.start_ms


@dataclass(slots=True)
class _Tool:
    """A tool call as its entries tell of it."""

    call: ToolCall
    parent: str
    step: int
    called_at: datetime
    result: ToolResult | None = None
    ended_at: datetime | None = None
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True)
class RunStory:
    """What is stored of a run."""

    run: Run
    calls: Sequence[ModelCall]
    parts: Sequence[Part]
    approvals: Sequence[Approval]
    now: datetime

    def since_start(self, at: datetime) -> int:
        """Return milliseconds since the run began."""
        return max(0, round((at - self.run.created_at).total_seconds() * 1000))


def run_story(run: Run, *, calls: Sequence[ModelCall], now: datetime) -> RunStory:
    """Load what is stored of a run besides its calls. Two queries."""
    parts = list(Part.objects.filter(message_id=run.answer_id).order_by("position"))
    approvals = list(Approval.objects.filter(run=run).select_related("decided_by__user").order_by("created_at"))
    return RunStory(run, calls, parts, approvals, now)


def run_spans(story: RunStory) -> list[Span]:
    """Return the spans in reading order: each step, what happened in it by time, and below a sub-agent what it did."""
    spans = [*_model_spans(story), *_tool_spans(story), *_wait_spans(story)]
    lines: list[Span] = []
    for step in sorted({span.step for span in spans}):
        inside = [span for span in spans if span.step == step]
        lines += [_step_span(step, inside), *_nest(inside, "", 1)]
    return lines


def _nest(spans: Sequence[Span], parent: str, depth: int) -> Iterator[Span]:
    def order(span: Span) -> tuple[bool, int]:
        """At the top of a step models come before their tools: a call's time is taken from when its row was written, which may be later."""
        return not parent and span.kind != "model", span.start_ms

    for span in sorted((span for span in spans if span.parent == parent), key=order):
        inside = list(_nest(spans, span.tool_call_id, depth + 1)) if span.tool_call_id else []
        works = [each for each in inside if each.kind == "model"]
        nested_span = replace(span, depth=depth)
        yield replace(nested_span, kind="sub_agent", tokens=_sum_tokens(works), cost_usd=_sum_cost(works)) if works else nested_span
        yield from inside


def _step_span(step: int, inside: Sequence[Span]) -> Span:
    models = [span for span in inside if span.kind == "model"]
    return Span(
        kind="step",
        title=gettext("Step %(step)s") % {"step": step},
        start_ms=min(span.start_ms for span in inside),
        end_ms=max(span.end_ms for span in inside),
        tokens=_sum_tokens(models),
        cost_usd=_sum_cost(models),
        step=step,
    )


def _model_spans(story: RunStory) -> Iterator[Span]:
    for call in story.calls:
        end = story.since_start(call.created_at)
        attempts = f"{call.attempts} attempts" if call.attempts > 1 else ""
        purpose = gettext("repair of arguments") if call.kind == ModelCall.Kind.REPAIR else ""
        yield Span(
            kind="model",
            title=call.model,
            note=", ".join(filter(None, (call.endpoint, purpose, attempts, call.error_code))),
            start_ms=max(0, end - call.duration_ms),
            end_ms=end,
            failed=bool(call.error_code) and call.error_code != "stopped",
            first_token_ms=call.first_token_ms,
            tokens=call_tokens(call),
            cost_usd=call.cost_usd,
            call=call,
            parent=call.parent_call_id,
            step=call.step,
        )


def call_tokens(call: ModelCall) -> int:
    """Return all tokens that a call read and wrote."""
    usage = call.usage
    return int(sum(usage.get(name, 0) for name in ("input_tokens", "output_tokens", "thinking_tokens")))


def _tool_spans(story: RunStory) -> Iterator[Span]:
    decision_times = {approval.call_id: approval.decided_at for approval in story.approvals if approval.decided_at is not None}
    for tool in _tools(story.parts):
        ended_at = tool.ended_at or story.run.finished_at or story.now
        end = story.since_start(ended_at)
        began = story.since_start(decision_times.get(tool.call.id, tool.called_at))
        yield Span(
            kind="tool",
            title=tool.call.name,
            note=_tool_note(tool),
            failed=tool.result is not None and tool.result.is_error,
            start_ms=min(began if tool.duration_ms is None else max(0, end - tool.duration_ms), end),
            end_ms=end,
            parent=tool.parent,
            tool_call_id=tool.call.id,
            step=tool.step,
        )


def _tool_note(tool: _Tool) -> str:
    if tool.result is None:
        return gettext("no result")
    if tool.result.denied:
        return gettext("not allowed")
    return "failed" if tool.result.is_error else ""


def _tools(parts: Iterable[Part]) -> list[_Tool]:
    tools: dict[str, _Tool] = {}
    for part in parts:
        outer_entry = entry_decode(part.kind, part.content, None)
        entry, above = unwrap_entry(outer_entry), parent_call_ids(outer_entry)
        parent = above[-1] if above else ""
        match entry:
            case ToolCall():
                tools[entry.id] = _Tool(entry, parent, part.step, part.created_at)
            case ProviderToolCall():
                call = ToolCall(entry.id, entry.name, entry.arguments)
                result = ToolResult(entry.id, entry.name, entry.output, entry.is_error)
                tools[entry.id] = _Tool(call, parent, part.step, part.created_at, result, part.created_at)
            case ToolResult() if entry.call_id in tools:
                tool = tools[entry.call_id]
                tool.result, tool.ended_at, tool.duration_ms = entry, part.created_at, part.duration_ms
    return list(tools.values())


def _wait_spans(story: RunStory) -> Iterator[Span]:
    steps = {tool.call.id: (tool.step, tool.parent) for tool in _tools(story.parts)}
    for approval in story.approvals:
        ended_at = approval.decided_at or min(approval.expires_at, story.run.finished_at or story.now)
        step, parent = steps.get(approval.call_id, (approval.step, ""))
        by = approval.decided_by.user.get_full_name() if approval.decided_by else ""
        yield Span(
            kind="wait",
            title=gettext("Waited for permission"),
            note=" ".join(
                filter(None, (approval.tool_name, approval.get_status_display().lower(), gettext("by %(by)s") % {"by": by} if by else ""))
            ),
            start_ms=story.since_start(approval.created_at),
            end_ms=story.since_start(ended_at),
            parent=parent,
            step=step,
        )


def _sum_tokens(spans: Iterable[Span]) -> int | None:
    counts = [span.tokens for span in spans if span.tokens is not None]
    return sum(counts) if counts else None


def _sum_cost(spans: Sequence[Span]) -> float | None:
    costs = [span.cost_usd for span in spans if span.cost_usd is not None]
    return sum(costs) if costs and len(costs) == len(spans) else None
