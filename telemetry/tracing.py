"""Sends spans to a collector over OTLP/HTTP, when OTEL_EXPORTER_OTLP_ENDPOINT names one.

The address is the operator's, like that of the database, so it does not go through `security.egress`, which guards against addresses that
members and admins enter. The SDK reads the other variables of its own: OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_SAMPLER and so on.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from django.conf import settings
from opentelemetry.util.types import AttributeValue

from telemetry.spans import use_tracer

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider


SEND_S: Final = 3.0  # for one batch, also for the last one: a collector that is away must not hold up the end of a process

_provider: TracerProvider | None = None


def start_tracing(part: str) -> None:
    """Make and send spans from now on. `part`: web, worker or beat. Does nothing without an endpoint, and loads nothing."""
    if not settings.OTLP_ENDPOINT:
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource_attributes: dict[str, AttributeValue] = {
        "service.name": os.environ.get("OTEL_SERVICE_NAME", "parley"),
        "parley.part": part,
        "process.pid": os.getpid(),
    }
    provider = TracerProvider(resource=Resource.create(resource_attributes))  # sends what is left when Python ends
    timeout_s = None if os.environ.get("OTEL_EXPORTER_OTLP_TIMEOUT") else SEND_S
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{settings.OTLP_ENDPOINT}/v1/traces", timeout=timeout_s)))
    global _provider
    _provider = provider
    # Not OpenTelemetry's global one: libraries would add spans of theirs, with what they like to say.
    use_tracer(provider.get_tracer("parley"))


def stop_tracing() -> None:
    """Send what is left, within SEND_S. For a process that a signal ends, as uvicorn's."""
    use_tracer(None)
    if _provider is not None:
        _provider.shutdown()
