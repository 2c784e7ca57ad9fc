"""What operators see of one process's work on a run: metrics, and a line in the log when it ends."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import structlog
from django.conf import settings

from agents.runtime.call_recording import CallKind, CallRecord
from chat.storage.leases import Claim
from chat.storage.loaded_run import LoadedRun
from telemetry import conventions as names
from telemetry.bounded_labels import error_label, organization_label
from telemetry.families import (
    ERRORS,
    FIRST_TOKEN,
    ORGANIZATION_COST,
    ORGANIZATION_RUNS,
    ORGANIZATION_TOKENS,
    RUN_ENDS,
    RUN_SECONDS,
    RUN_STARTS,
)
from telemetry.spans import bind_trace, run_span

CHAT_AGENT = "chat"  # the name of the agent that answers where no assistant was chosen

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class RunReport:
    """One owner's work on a run. `outcome` is how it ended: a run's last status, or what became of the owner."""

    claim: Claim
    started_s: float = field(default_factory=time.monotonic)
    outcome: str = "handed_over"
    error: str = ""  # the code of a run that failed
    calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    asked_at: datetime | None = None  # when the question was stored; None: the first token is not looked for, or was seen

    def begin(self) -> None:
        RUN_STARTS.labels("new" if self.claim.epoch == 1 else "continued").inc()

    def note_question(self, asked_at: datetime) -> None:
        """Look for the first token. A later owner's comes after a wait of a person, or after a loss."""
        self.asked_at = asked_at if self.claim.epoch == 1 else None

    def note_call(self, call: CallRecord) -> None:
        """Count a model call that has ended."""
        self.calls += 1
        self.tokens += call.usage.input_tokens + call.usage.output_tokens + call.usage.thinking_tokens
        self.cost_usd += call.cost_usd or 0.0
        if self.asked_at is not None and call.origin.kind is CallKind.STEP and call.first_token_ms is not None:
            ago_s = time.monotonic() - call.started_s - call.first_token_ms / 1000
            FIRST_TOKEN.observe(max(0.0, time.time() - ago_s - self.asked_at.timestamp()))
            self.asked_at = None

    @contextmanager
    def span(self, run: LoadedRun) -> Iterator[None]:
        """The span of this owner's work, in the trace of the request that created the run."""
        ids = {names.RUN: str(run.run_id), names.ORGANIZATION: str(run.organization_id), names.CONVERSATION: str(run.conversation_id)}
        with run_span(run.assistant or CHAT_AGENT, run.trace_parent, {**ids, names.EPOCH: run.epoch}) as span:
            bind_trace(span)
            try:
                yield
            finally:
                span.set_attribute(names.OUTCOME, self.outcome)
                if self.error:
                    span.set_attribute(names.ERROR, self.error)

    def note_end(self, outcome: str, error: str = "") -> None:
        self.outcome, self.error = outcome, error

    def close(self) -> None:
        took_s = time.monotonic() - self.started_s
        RUN_ENDS.labels(self.outcome, error_label(self.error) if self.error else "").inc()
        RUN_SECONDS.labels(self.outcome).observe(took_s)
        if self.error:
            ERRORS.labels("run", error_label(self.error)).inc()
        if settings.METRICS_ORGANIZATIONS:
            self._count_for(self.claim.organization_id)
        log.info(
            "run_ended",
            outcome=self.outcome,
            error=self.error,
            epoch=self.claim.epoch,
            model_calls=self.calls,
            tokens=self.tokens,
            cost_usd=round(self.cost_usd, 6),
            duration_ms=round(took_s * 1000),
        )

    def _count_for(self, organization_id: UUID) -> None:
        organization = organization_label(str(organization_id))
        ORGANIZATION_RUNS.labels(organization, self.outcome).inc()
        ORGANIZATION_TOKENS.labels(organization).inc(self.tokens)
        ORGANIZATION_COST.labels(organization).inc(self.cost_usd)
