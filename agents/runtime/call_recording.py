"""Records model calls for the call log (SPEC 3.16): the request, its usage and cost, and how the call ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

from agents.context.policy import ContextPolicy
from agents.engine.agent import Price, counted_cost, total_cost
from agents.errors import RunError
from agents.messages import CallMeter, Entry, ModelRequest, ModelResponse, Usage
from agents.providers.usage_estimates import prompt_tokens
from agents.runtime.call_snapshots import ContextSource
from limits.call_limits import Charge
from telemetry import conventions as names
from telemetry.bounded_labels import model_label, provider_label
from telemetry.families import COST, MODEL_CALLS, MODEL_FIRST_TOKEN, MODEL_SECONDS, TOKENS
from telemetry.spans import model_call_span

OWNER_LOST = "owner_lost"  # the error code of a call whose process died


class CallKind(StrEnum):
    """What a model was called for."""

    STEP = "step"
    SUB_AGENT = "sub_agent"
    TITLE = "title"
    SUGGESTIONS = "suggestions"
    REPAIR = "repair"
    JUDGE = "judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOrigin:
    """Which agent calls which endpoint, and for what."""

    kind: CallKind
    agent_key: str
    provider: str
    endpoint: str
    parent_call_id: str = ""  # the tool call that a sub-agent works for

    def span_attributes(self) -> dict[str, str]:
        return {names.PROVIDER: self.provider, names.ENDPOINT: self.endpoint, names.AGENT: self.agent_key, names.CALL_KIND: self.kind.value}


def unknown_price(model: str, usage: Usage) -> None:
    """A price function for calls whose cost is unknown."""


@dataclass(slots=True, kw_only=True)
class CallRecord:
    """One model call. agents.runtime.call_snapshots makes what is stored of the request; the event loop need not wait for it."""

    id: UUID = field(default_factory=uuid4)  # of its row
    origin: CallOrigin
    request: ModelRequest
    price: Price = unknown_price
    branch: tuple[Entry, ...] = ()  # the branch's entries at the time; empty for a call without a branch
    policy: ContextPolicy | None = None  # selects what is sent of the branch; None for a call without a branch
    step: int = 0  # set by the recorder
    attempts: int = 0
    usage: Usage = field(default_factory=Usage)  # the sum over all attempts
    is_estimated: bool = False  # whether some of the usage, and so of the cost, is an estimate
    is_held: bool = False  # whether budgets hold money for it, which its row in the log settles
    charges: tuple[Charge, ...] = ()  # the limits that it is charged to with its row in the log
    cost_usd: float | None = None  # the sum over all requests; None when one of them has no price
    counted_usd: float = 0.0  # the part of it that is known, which limits count
    model_version: str = ""
    finish_reason: str = ""
    error_code: str = ""
    first_token_ms: int | None = None
    duration_ms: int = 0
    started_s: float = field(default_factory=time.monotonic)

    def lost_before(self) -> CallRecord:
        """Return the same call as a lost owner's, of which only is known that it may have been sent."""
        usage = Usage(input_tokens=prompt_tokens(self.request))
        return replace(
            self, id=uuid4(), is_held=False, attempts=1, usage=usage, cost_usd=self._cost([usage]), is_estimated=True, error_code=OWNER_LOST
        )

    def measure(self) -> None:
        """Set what was used and what it cost so far; of an attempt that is going on, by an estimate."""
        meter = self.request.meter
        under_way = [meter.progress()] if meter.progress else []
        usages = [*meter.usages, *under_way]
        self.duration_ms = self.age_ms()
        self.attempts, self.usage = meter.attempts + len(under_way), sum(usages, Usage())
        self.model_version, self.is_estimated = meter.model_version, meter.is_estimated or bool(under_way)
        self.cost_usd = self._cost(usages or [Usage()])
        self.counted_usd = sum(counted_cost(self.price, self.request.model, usage) for usage in usages)

    def _cost(self, usages: Sequence[Usage]) -> float | None:
        """Return the sum of the costs of each request, or None. Priced separately, as long prompts can have a higher price."""
        return total_cost(self.price(self.request.model, usage) for usage in usages)

    def columns(self) -> dict[str, Any]:
        """Return what is stored of the call besides its request, as JSON, by the names of ModelCall's fields."""
        return {
            "kind": self.origin.kind.value,
            "step": self.step,
            "parent_call_id": self.origin.parent_call_id.replace("\x00", ""),
            "agent_key": self.origin.agent_key,
            "provider": self.origin.provider,
            "endpoint": self.origin.endpoint,
            "model": self.request.model,
            "model_version": self.model_version.replace("\x00", ""),
            "attempts": self.attempts,
            "request_hash": self.request.meter.request_hash,
            "usage": self.usage.as_dict(),
            "is_estimated": self.is_estimated,
            "cost_usd": self.cost_usd,
            "finish_reason": self.finish_reason,
            "error_code": self.error_code,
            "first_token_ms": self.first_token_ms,
            "duration_ms": self.duration_ms,
        }

    def span_attributes(self) -> dict[str, Any]:
        """Return what the call's span says of how it ended."""
        attributes = {
            names.RESPONSE_MODEL: self.model_version,
            names.FINISH_REASONS: [self.finish_reason] if self.finish_reason else None,
            names.INPUT_TOKENS: self.usage.input_tokens,
            names.OUTPUT_TOKENS: self.usage.output_tokens + self.usage.thinking_tokens,
            names.CACHED_TOKENS: self.usage.cached_tokens,
            names.COST: self.cost_usd,
            names.FIRST_TOKEN_MS: self.first_token_ms,
            names.ERROR: self.error_code,
        }
        return {name: value for name, value in attributes.items() if value not in (None, "")}

    def note_first_event(self) -> None:
        self.first_token_ms = self.age_ms()

    def note_response(self, response: ModelResponse) -> None:
        self.finish_reason = response.finish_reason.value

    def age_ms(self) -> int:
        return round((time.monotonic() - self.started_s) * 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecorder:
    """Passes one CallRecord per call to `call_opened` before the request is sent, and to `record` when it has ended, however it ended.

    `source` is what the requests are built from, if that is stored
    already; entries that do not come from it are stored with the record.
    """

    origin: CallOrigin
    record: Callable[[CallRecord], None]
    call_opened: Callable[[CallRecord], None] = lambda call: None
    price: Price = unknown_price
    source: ContextSource | None = None

    @contextmanager
    def recording(self, request: ModelRequest) -> Iterator[CallRecord]:
        """Record the call that is made in the context. Its `request` is the one to send, with a meter of its own."""
        call = self._call_of(replace(request, meter=CallMeter()))
        self.call_opened(call)
        with model_call_span(request.model, self.origin.span_attributes()) as span:
            try:
                yield call
            except Exception as exc:
                call.error_code = exc.code if isinstance(exc, RunError) else "internal_error"
                raise
            finally:
                call.error_code = call.error_code or ("" if call.finish_reason else "stopped")
                call.measure()
                request.meter.include(call.request.meter)
                _count(call)
                if span.is_recording():
                    span.set_attributes(call.span_attributes())
                self.record(call)

    def _call_of(self, request: ModelRequest) -> CallRecord:
        if self.source is None:
            return CallRecord(origin=self.origin, request=request, price=self.price)
        branch = tuple(self.source.entries())
        return CallRecord(origin=self.origin, request=request, price=self.price, branch=branch, policy=self.source.policy)


def _count(call: CallRecord) -> None:
    """Add a call that has ended to the metrics."""
    provider, model = provider_label(call.origin.provider), model_label(call.request.model)
    MODEL_CALLS.labels(provider, model, call.error_code or "ok").inc()
    MODEL_SECONDS.labels(provider).observe(call.duration_ms / 1000)
    if call.first_token_ms is not None:
        MODEL_FIRST_TOKEN.labels(provider).observe(call.first_token_ms / 1000)
    for kind, count in call.usage.as_dict().items():
        if count and kind.endswith("_tokens"):
            TOKENS.labels(provider, model, kind.removesuffix("_tokens")).inc(count)
    if call.cost_usd:
        COST.labels(provider, model).inc(call.cost_usd)
