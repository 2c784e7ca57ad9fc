"""Records model calls for the call log (SPEC 3.16): the request, its usage and cost, and how the call ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum

from agents.engine.agent import ContextPolicy
from agents.engine.errors import RunError
from agents.engine.messages import CallMeter, Entry, ModelRequest, ModelResponse, Usage
from agents.runtime.call_snapshots import ContextSource


class CallKind(StrEnum):
    """What a model was called for."""

    STEP = "step"
    SUB_AGENT = "sub_agent"
    TITLE = "title"
    SUGGESTIONS = "suggestions"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOrigin:
    """Which agent calls which endpoint, and for what."""

    kind: CallKind
    agent_key: str
    provider: str
    endpoint: str
    parent_call_id: str = ""  # the tool call that a sub-agent works for


@dataclass(slots=True, kw_only=True)
class CallRecord:
    """One model call. agents.runtime.call_snapshots makes what is stored of the request; the event loop need not wait for it."""

    origin: CallOrigin
    request: ModelRequest
    branch: tuple[Entry, ...] = ()  # the branch's entries at the time; empty for a call without a branch
    policy: ContextPolicy | None = None  # selects what is sent of the branch; None for a call without a branch
    step: int = 0  # set by the recorder
    attempts: int = 0
    usage: Usage = field(default_factory=Usage)  # the sum over all attempts
    is_estimated: bool = False  # whether some of the usage, and so of the cost, is an estimate
    cost_usd: float | None = None  # the sum over all requests; None when the model has no price
    model_version: str = ""
    finish_reason: str = ""
    error_code: str = ""
    first_token_ms: int | None = None
    duration_ms: int = 0
    started_s: float = field(default_factory=time.monotonic)

    def note_first_event(self) -> None:
        self.first_token_ms = self.age_ms()

    def note_response(self, response: ModelResponse) -> None:
        self.finish_reason = response.finish_reason.value

    def age_ms(self) -> int:
        return round((time.monotonic() - self.started_s) * 1000)


def unknown_price(model: str, usage: Usage) -> None:
    """A price function for calls whose cost is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecorder:
    """Passes one CallRecord per call to `record`, also for failed and stopped calls.

    `price(model, usage)` returns US dollars or None. `source` is what the requests are built from, if that is stored
    already; entries that do not come from it are stored with the record.
    """

    origin: CallOrigin
    record: Callable[[CallRecord], None]
    price: Callable[[str, Usage], float | None] = unknown_price
    source: ContextSource | None = None

    @contextmanager
    def recorded(self, request: ModelRequest) -> Iterator[CallRecord]:
        """Record the call that is made in the context. Its `request` is the one to send, with a meter of its own."""
        call = self._call_of(replace(request, meter=CallMeter()))
        try:
            yield call
        except Exception as exc:
            call.error_code = exc.code if isinstance(exc, RunError) else "internal_error"
            raise
        finally:
            call.duration_ms = call.age_ms()
            call.error_code = call.error_code or ("" if call.finish_reason else "stopped")
            _apply_meter(call, call.request.meter)
            request.meter.include(call.request.meter)
            call.cost_usd = self._cost(call.request)
            self.record(call)

    def _cost(self, request: ModelRequest) -> float | None:
        """Return the sum of the costs of each request, or None. Priced separately, as long prompts can have a higher price."""
        costs = [self.price(request.model, usage) for usage in request.meter.usages or [Usage()]]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None

    def _call_of(self, request: ModelRequest) -> CallRecord:
        if self.source is None:
            return CallRecord(origin=self.origin, request=request)
        branch = tuple(self.source.entries())
        return CallRecord(origin=self.origin, request=request, branch=branch, policy=self.source.policy)


def _apply_meter(call: CallRecord, meter: CallMeter) -> None:
    call.attempts, call.usage, call.model_version = meter.attempts, meter.usage, meter.model_version
    call.is_estimated = meter.is_estimated
