"""Starts what operators see of this process: traces, and with METRICS_PORT metrics and probes."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Final, Literal

from celery import signals
from django.conf import settings

from chat.runs.worker_loop import WorkerLoop
from config.monitoring.probes import Probes
from config.monitoring.samples import Sampler
from telemetry.exposition import MetricsServer, forget_the_dead
from telemetry.loop_lag import LoopLag
from telemetry.tracing import start_tracing

Part = Literal["web", "worker", "beat"]

MAX_LOOP_SILENCE_S: Final = 30.0
MAX_BEAT_SILENCE_S: Final = 300.0  # it sends a task each ten seconds, and waits while Redis is away


class Monitoring:
    """The metrics' port, probes and samples of this process."""

    def __init__(self, part: Part) -> None:
        self._loop_lag = LoopLag()
        self._sent_s = time.monotonic()
        silence = (self._beat_silence_s, MAX_BEAT_SILENCE_S) if part == "beat" else (self._loop_lag.silent_s, MAX_LOOP_SILENCE_S)
        self._probes = Probes(*silence)
        self._part = part

    def serve(self) -> None:
        """Serve metrics and probes from now on; /startedz says no until `started`."""
        forget_the_dead(settings.METRICS_DIR)
        MetricsServer(settings.METRICS_ADDRESS, settings.METRICS_PORT, settings.METRICS_DIR, self._probes.answers()).start()
        Sampler(self._part).start()
        if self._part == "beat":
            signals.before_task_publish.connect(self._note_sent, weak=False)

    def started(self) -> None:
        self._probes.is_started = True

    def watch_running_loop(self) -> None:
        self._loop_lag.start(asyncio.get_running_loop())

    def _beat_silence_s(self) -> float:
        return time.monotonic() - self._sent_s

    def _note_sent(self, **_: Any) -> None:
        self._sent_s = time.monotonic()


def monitor_web() -> None:
    """Call it in the event loop of a web process that is about to serve."""
    start_tracing("web")
    if settings.METRICS_PORT:
        monitoring = Monitoring("web")
        monitoring.serve()
        monitoring.watch_running_loop()
        monitoring.started()


def monitor_beat() -> None:
    start_tracing("beat")
    if settings.METRICS_PORT:
        monitoring = Monitoring("beat")
        monitoring.serve()
        monitoring.started()


def monitor_worker() -> None:
    """Call it when a worker begins its start."""
    start_tracing("worker")
    if settings.METRICS_PORT:
        monitoring = Monitoring("worker")
        monitoring.serve()

        async def watch() -> None:
            monitoring.watch_running_loop()

        def started(**_: Any) -> None:
            WorkerLoop.current().run(watch())
            monitoring.started()

        signals.worker_ready.connect(started, weak=False)
