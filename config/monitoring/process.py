"""Starts what operators see of this process.

Traces with OTEL_EXPORTER_OTLP_ENDPOINT, reports of errors with SENTRY_DSN, metrics and probes with METRICS_PORT.
"""

from __future__ import annotations

from typing import Any

from celery import signals
from django.conf import settings

from chat.runs.worker_loop import WorkerLoop
from telemetry.error_reports import start_error_reports
from telemetry.tracing import start_tracing


def monitor_web() -> None:
    """Call it in the event loop of a web process that is about to serve."""
    start_tracing("web")
    start_error_reports("web")
    if settings.METRICS_PORT:
        from config.monitoring.metrics_port import MetricsPort

        port = MetricsPort("web")
        port.serve()
        port.watch_running_loop()
        port.note_started()


def monitor_beat() -> None:
    """Call it when beat begins its start."""
    start_tracing("beat")
    start_error_reports("beat")
    if settings.METRICS_PORT:
        from config.monitoring.metrics_port import MetricsPort

        port = MetricsPort("beat")
        port.serve()
        port.note_started()


def monitor_worker() -> None:
    """Call it when a worker begins its start."""
    start_tracing("worker")
    start_error_reports("worker")
    if not settings.METRICS_PORT:
        return
    from config.monitoring.metrics_port import MetricsPort

    port = MetricsPort("worker")
    port.serve()

    async def watch() -> None:
        port.watch_running_loop()

    def started(**_: Any) -> None:
        WorkerLoop.current().run(watch())
        port.note_started()

    signals.worker_ready.connect(started, weak=False)
