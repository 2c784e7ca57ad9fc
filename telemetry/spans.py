"""The seven kinds of spans: request, task, run, step, model call, tool, sub-agent. They have ids, names and numbers, and never text.

Without an endpoint for traces no span is made; its name and attributes are. A trace begins in Parley: what clients send as
`traceparent` is not read, because anybody could write it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

from opentelemetry import context as otel_context, trace
from opentelemetry.trace import INVALID_SPAN, Span, SpanKind, Status, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from structlog.contextvars import bind_contextvars

from telemetry import conventions as names

PARENT: Final = "traceparent"  # W3C Trace Context: the header of tasks, and how a run's row names the span that began it

_PROPAGATOR: Final = TraceContextTextMapPropagator()
_tracer: Tracer | None = None

Attributes = Mapping[str, str | int | float | bool]


def use_tracer(tracer: Tracer | None) -> None:
    """Make spans with it from now on. None: make none."""
    global _tracer
    _tracer = tracer


def is_on() -> bool:
    return _tracer is not None


def current_parent() -> str:
    """Return the current span as W3C Trace Context has it, for whoever continues elsewhere; "" when there is none."""
    if _tracer is None:
        return ""
    carrier: dict[str, str] = {}
    _PROPAGATOR.inject(carrier)
    return carrier.get(PARENT, "")


def bind_trace(span: Span) -> None:
    """Let all lines of the log name the span's trace from here on, in this task; also those after the span's end."""
    if span.is_recording():
        bind_contextvars(trace_id=trace.format_trace_id(span.get_span_context().trace_id))


def request_span(method: str, request_id: str) -> AbstractContextManager[Span]:
    """Name it by the route with `name_request` when that is known."""
    return _span(method, SpanKind.SERVER, {names.HTTP_METHOD: method, names.REQUEST: request_id})


def name_request(span: Span, method: str, route: str, status: int) -> None:
    if span.is_recording():
        span.update_name(f"{method} {route}")
        span.set_attributes({names.HTTP_ROUTE: route, names.HTTP_STATUS: status})
        if status >= 500:
            span.set_status(Status(StatusCode.ERROR))


def frame_span(kind: str) -> AbstractContextManager[Span]:
    """The request in a frame of a chat socket."""
    return _span(f"chat {kind}", SpanKind.SERVER, {})


def task_span(name: str, task_id: str, lane: str, parent: str) -> AbstractContextManager[Span]:
    return _span(name, SpanKind.CONSUMER, {names.TASK: task_id, names.LANE: lane}, parent)


def run_span(agent: str, parent: str, attributes: Attributes) -> AbstractContextManager[Span]:
    """One process's work on a run; `parent` is the span in which it was created, for later owners, too."""
    return _agent_span(agent, attributes, parent)


def sub_agent_span(agent: str) -> AbstractContextManager[Span]:
    return _agent_span(agent, {})


def step_span(step: int) -> AbstractContextManager[Span]:
    return _span("step", SpanKind.INTERNAL, {names.STEP: step})


def tool_span(tool: str, call_id: str) -> AbstractContextManager[Span]:
    return _span(
        f"{names.EXECUTE_TOOL} {tool}", SpanKind.INTERNAL, {**_operation(names.EXECUTE_TOOL), names.TOOL: tool, names.TOOL_CALL: call_id}
    )


def model_call_span(model: str, attributes: Attributes) -> AbstractContextManager[Span]:
    """It has no children, and is not made current: it is opened in a generator, which may be closed elsewhere."""
    span_attributes = {**_operation(names.CHAT), names.REQUEST_MODEL: model, **attributes}
    return _span(f"{names.CHAT} {model}", SpanKind.CLIENT, span_attributes, is_current=False)


def _agent_span(agent: str, attributes: Attributes, parent: str = "") -> AbstractContextManager[Span]:
    span_attributes = {**_operation(names.INVOKE_AGENT), names.AGENT: agent, **attributes}
    return _span(f"{names.INVOKE_AGENT} {agent}", SpanKind.INTERNAL, span_attributes, parent)


def _operation(name: str) -> dict[str, Any]:
    return {names.OPERATION: name}


@contextmanager
def _span(name: str, kind: SpanKind, attributes: Attributes, parent: str = "", *, is_current: bool = True) -> Iterator[Span]:
    """Open a span below `parent`, or else below the current one. An error leaves its class, because its text may be anything."""
    if _tracer is None:
        yield INVALID_SPAN
        return
    above = _PROPAGATOR.extract({PARENT: parent}) if parent else None
    span = _tracer.start_span(name, above, kind, attributes, record_exception=False, set_status_on_exception=False)
    token = otel_context.attach(trace.set_span_in_context(span)) if is_current else None
    try:
        yield span
    except Exception as error:
        span.set_attribute(names.ERROR, type(error).__name__)
        span.set_status(Status(StatusCode.ERROR))
        raise
    finally:
        span.end()
        if token is not None:
            otel_context.detach(token)
