"""The call log's source (SPEC 3.16): a LanguageModel that reports what each call was made of, what it took and how it ended."""

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
    """Who calls which endpoint. `parent_call_id`: the tool call that a sub-agent works for."""

    kind: CallKind
    agent_key: str
    provider: str
    endpoint: str
    parent_call_id: str = ""


@dataclass(slots=True, kw_only=True)
class CallRecord:
    """One model call. `branch`: what there was of it, and `policy` how it is shown; empty and None for a call that is on none.

    `usage` is the sum of all attempts, `cost_usd` of what each of their requests cost; None when the model has no price. `step` is set by who records it. What is stored of the request: agents.runtime.call_snapshots, for which
    the event loop need not wait.
    """

    origin: CallOrigin
    request: ModelRequest
    branch: tuple[Entry, ...] = ()
    policy: ContextPolicy | None = None
    step: int = 0
    attempts: int = 0
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = None
    model_version: str = ""
    finish_reason: str = ""
    error_code: str = ""
    first_token_ms: int | None = None
    duration_ms: int = 0


def unknown_price(model: str, usage: Usage) -> None:
    """Nobody knows what the call cost."""


class RecordingModel:
    """Wraps a model; `record` gets one CallRecord a call, also for failed and stopped ones.

    `price(model, usage)` gives US dollars or None. `source`: what its requests are made of is stored already; other entries are kept with the record.
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
        """The sum of what each request cost: a long prompt has prices of its own, several short ones have not."""
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
