"""Records model calls for the call log (SPEC 3.16): the request, its usage and cost, and how the call ended."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from enum import StrEnum

from agents.engine.agent import ContextPolicy
from agents.engine.errors import RunError
from agents.engine.messages import CallMeter, Entry, ModelEvent, ModelRequest, ModelResponse, Usage
from agents.engine.ports import LanguageModel
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
    cost_usd: float | None = None  # the sum over all requests; None when the model has no price
    model_version: str = ""
    finish_reason: str = ""
    error_code: str = ""
    first_token_ms: int | None = None
    duration_ms: int = 0


def unknown_price(model: str, usage: Usage) -> None:
    """A price function for calls whose cost is unknown."""


class RecordingModel:
    """Wraps a model and passes one CallRecord per call to `record`, also for failed and stopped calls.

    `price(model, usage)` returns US dollars or None. `source` is what the requests are built from, if that is stored
    already; entries that do not come from it are stored with the record.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        origin: CallOrigin,
        record: Callable[[CallRecord], None],
        price: Callable[[str, Usage], float | None] = unknown_price,
        source: ContextSource | None = None,
    ) -> None:
        self._model, self._origin, self._record = model, origin, record
        self._price, self._source = price, source

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        request = replace(request, meter=CallMeter())
        call = self._call_of(request)
        start = time.monotonic()
        try:
            async with aclosing(self._model.stream(request)) as events:
                async for event in events:
                    if call.first_token_ms is None:
                        call.first_token_ms = _ms_since(start)
                    if isinstance(event, ModelResponse):
                        call.finish_reason = event.finish_reason.value
                    yield event
        except Exception as exc:
            call.error_code = exc.code if isinstance(exc, RunError) else "internal_error"
            raise
        finally:
            call.duration_ms = _ms_since(start)
            call.error_code = call.error_code or ("" if call.finish_reason else "stopped")
            _apply_meter(call, request.meter)
            call.cost_usd = self._cost(request)
            self._record(call)

    def _cost(self, request: ModelRequest) -> float | None:
        """Return the sum of the costs of each request, or None. Priced separately, as long prompts can have a higher price."""
        costs = [self._price(request.model, usage) for usage in request.meter.usages or [Usage()]]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None

    def _call_of(self, request: ModelRequest) -> CallRecord:
        if self._source is None:
            return CallRecord(origin=self._origin, request=request)
        branch = tuple(self._source.entries())
        return CallRecord(origin=self._origin, request=request, branch=branch, policy=self._source.policy)


def _apply_meter(call: CallRecord, meter: CallMeter) -> None:
    call.attempts, call.usage, call.model_version = meter.attempts, meter.usage, meter.model_version


def _ms_since(start: float) -> int:
    return round((time.monotonic() - start) * 1000)
