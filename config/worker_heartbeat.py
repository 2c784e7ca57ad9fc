"""A worker's heartbeat: that it lives, which lanes it serves, and on which jobs it works (tenants.lanes.turns)."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Collection, Iterable
from threading import Event, Thread
from typing import Any
from uuid import uuid4

import structlog
from celery import current_app
from celery.worker import state
from kombu.exceptions import OperationalError

from config.broker import held_jobs
from tenants.lanes.table import LANES
from tenants.lanes.turns import SLOT_S, worker_leave, worker_renew
from tenants.lanes.waiting_jobs import broker
from tenants.redis.clients import REDIS_ERRORS
from tenants.redis.workers import worker_note

RENEW_S = SLOT_S / 4
MAX_LEAVE_S = 5.0  # for which a worker that ends waits; a broker that is away may hold its thread up for ever
AWAY = (*REDIS_ERRORS, OperationalError)

log = structlog.get_logger(__name__)


def served_lanes() -> list[str]:
    """Return the lanes of this worker's command line; without any, all."""
    return [lane for lane in LANES if lane in current_app.amqp.queues.consume_from]


def _members(requests: Iterable[Any]) -> list[Any]:
    """Return what is in one of Celery's weak sets. Other threads add to it meanwhile, and then Python refuses to go on."""
    while True:
        try:
            return [*requests]
        except RuntimeError:
            continue


class WorkerHeartbeat:
    """Renews this worker's slots in its lanes, from `start` until `close`. `current()` creates it on first use."""

    _current: WorkerHeartbeat | None = None

    @classmethod
    def current(cls) -> WorkerHeartbeat:
        if cls._current is None:
            cls._current = cls(served_lanes())
        return cls._current

    def __init__(self, lanes: Collection[str]) -> None:
        self._lanes = lanes
        self._process = f"{socket.gethostname()}:{os.getpid()}"
        self._worker = f"{self._process}:{uuid4().hex[:8]}"
        self._noted_count, self._noted_at_s = 0, time.monotonic()  # tasks until the last note, and when that was
        self._missing: set[str] = set()  # held without being worked on, at the last look
        self._is_draining = self._is_ending = False
        self._wakes = Event()
        self._thread = Thread(target=self._renew_forever, name="worker-heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def begin_drain(self) -> None:
        """Give the slots back: what is moved from now on is for other workers. Those of jobs that are worked on stay held. Returns at once."""
        self._is_draining = True
        self._wakes.set()

    def close(self) -> None:
        """Say nothing any more. Without the broker, what was not given back is free when its lease has ended."""
        self._is_draining = self._is_ending = True
        self._wakes.set()
        if self._thread.is_alive():
            self._thread.join(MAX_LEAVE_S)

    def _jobs(self) -> dict[str, str]:
        """Return the lanes of the jobs that Celery works on. Those that it dropped, as after a lost connection, are forgotten a look later."""
        live = {request.message.delivery_tag for request in (*_members(state.active_requests), *_members(state.reserved_requests))}
        missing = held_jobs.keys() - live
        for job in missing & self._missing:
            held_jobs.pop(job, None)
        self._missing = missing
        return {job: lane for job, lane in held_jobs.copy().items() if job in live}

    def _renew_forever(self) -> None:
        while not self._is_ending:
            for say in (self._renew, self._note):
                try:
                    say()
                except AWAY as error:
                    log.warning("worker_not_heard", what=say.__name__, error=type(error).__name__)
                except Exception:  # without this thread the worker's slots are gone after SLOT_S, and nobody gives them back
                    log.exception("worker_not_heard", what=say.__name__)
            if self._wakes.wait(RENEW_S):
                self._wakes.clear()
        try:
            self._leave()
        except AWAY as error:
            log.warning("lanes_not_left", error=type(error).__name__)

    def _renew(self) -> None:
        lanes_by_job = self._jobs()
        if self._is_draining:
            self._leave()
        with broker() as client:
            for lane in self._lanes:
                jobs = [job for job, its_lane in lanes_by_job.items() if its_lane == lane]
                slots = 0 if self._is_draining else LANES[lane].slots
                worker_renew(client, lane, worker=self._worker, slots=slots, jobs=jobs)

    def _leave(self) -> None:
        with broker() as client:
            for lane in self._lanes:
                for slots in (LANES[lane].slots, 0):
                    worker_leave(client, lane, worker=self._worker, slots=slots)

    def _note(self) -> None:
        """Say for the board of operations that this worker lives, and how many tasks it begins in a minute."""
        started_count, now_s = state.all_total_count[0], time.monotonic()
        rate = 60 * (started_count - self._noted_count) / max(now_s - self._noted_at_s, 0.001)
        self._noted_count, self._noted_at_s = started_count, now_s
        worker_note(self._process, tasks_per_minute=rate)
