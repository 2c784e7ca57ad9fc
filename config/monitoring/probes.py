"""Answers probes on the metrics' port, which workers and beat have, too (docs/operations.md, "Health")."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Final

from chat.runs.recovery import is_recovery_alive
from config.pages.health import in_time, stores_state
from config.start_checks import is_waiting
from telemetry.exposition import Answer, Probe
from tenants.redis.clients import close_redis

NOT_YET: Final = "not yet"


class Probes:
    """The probes of one process. `silent_s` returns for how long it has not moved; after `max_silence_s` it counts as stuck."""

    def __init__(self, silent_s: Callable[[], float], max_silence_s: float) -> None:
        self._silent_s, self._max_silence_s = silent_s, max_silence_s
        self.is_started = False

    def answers(self) -> Mapping[str, Probe]:
        return {"/livez": self._live, "/startedz": self._startup_answer, "/readyz": self._ready}

    def _live(self) -> Answer:
        """Say whether the process still moves. One that does not should be started again. A start takes what it takes."""
        silent_s = self._silent_s()
        is_live = silent_s < self._max_silence_s or not self.is_started
        return _answer(is_live, "ok" if is_live else "stuck", silent_s=round(silent_s, 1))

    def _takes_work(self) -> bool:
        return self.is_started and not is_waiting()

    def _startup_answer(self) -> Answer:
        return _answer(self._takes_work(), "ok" if self._takes_work() else NOT_YET)

    def _ready(self) -> Answer:
        states = {"process": self._takes_work(), **asyncio.run(_states())}
        is_ready = all(states.values())
        return _answer(is_ready, "ok" if is_ready else "not ready", **states)


async def _states() -> dict[str, bool]:
    try:
        stores, is_recovered = await asyncio.gather(stores_state(), in_time(is_recovery_alive(), late=True))
    finally:
        await close_redis()
    return {**stores, "recovery": is_recovered}


def _answer(is_good: bool, status: str, **more: object) -> Answer:
    return Answer(200 if is_good else 503, json.dumps({"status": status, **more}).encode())
