"""What a process with METRICS_PORT has: the port with metrics and probes, and samples. Loaded only then."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from django.conf import settings

from config.beat import SharedScheduler
from config.monitoring.probes import Probes
from config.monitoring.samples import Part, Sampler
from telemetry.exposition import MetricsServer, forget_the_dead
from telemetry.loop_lag import LoopLag

MAX_LOOP_SILENCE_S: Final = 30.0
MAX_BEAT_SILENCE_S: Final = 300.0  # it looks each two seconds; a broker that hangs may hold up one look


class MetricsPort:
    """The port of this process, with its probes and samples."""

    def __init__(self, part: Part) -> None:
        self._part = part
        assert settings.METRICS_DIR is not None, "it is loaded only with a port"
        self._directory = settings.METRICS_DIR
        self._loop_lag = LoopLag()
        if part == "beat":
            self._probes = Probes(self._beat_silence_s, MAX_BEAT_SILENCE_S)
        else:
            self._probes = Probes(self._loop_lag.silent_s, MAX_LOOP_SILENCE_S)

    def serve(self) -> None:
        """Serve metrics and probes from now on; /startedz says no until `note_started`."""
        forget_the_dead(self._directory)
        MetricsServer(settings.METRICS_ADDRESS, settings.METRICS_PORT, self._directory, self._probes.answers()).start()
        Sampler(self._part).start()

    def note_started(self) -> None:
        self._probes.is_started = True

    def watch_running_loop(self) -> None:
        self._loop_lag.start(asyncio.get_running_loop())

    def _beat_silence_s(self) -> float:
        return time.monotonic() - SharedScheduler.ticked_s
