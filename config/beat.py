"""Celery's beat, of which any number may run: one of them sends, the others wait for its lock (docs/decisions/0051).

What was sent last, and when, is in Redis beside the lock, so that whoever takes over neither repeats nor leaves out a task. A beat is a
process of its own, or a thread of a worker.
"""

from __future__ import annotations

import time
from datetime import datetime
from threading import Event, Thread
from typing import Any, cast

import structlog
from celery import Celery
from celery.beat import ScheduleEntry, Scheduler, SchedulingError, Service

from tenants.redis.clients import REDIS_ERRORS, key
from tenants.redis.sync_clients import sync_store

LOCK_S = 7.0  # after the last sign of life of a beat that was killed, another one gets the lock
TICK_S = 2.0  # the longest pause between two looks at the lock
RENEW_S = 1.0
TIMEOUT_S = 2.0

log = structlog.get_logger(__name__)


class SharedScheduler(Scheduler):
    """A scheduler that sends only while it holds the lock. Without Redis nobody sends: the tasks' queue is there, too."""

    ticked_s = time.monotonic()  # when this process last looked; also one that waits for the lock

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._redis = sync_store("broker", timeout_s=TIMEOUT_S)
        self._lock = self._redis.lock(key("beat", "lock"), timeout=LOCK_S, thread_local=False)
        self._renewed_at = 0.0  # by the monotonic clock; 0: the lock is another's
        self._is_queue_away = False  # a task of this tick could not be sent
        super().__init__(*args, **kwargs)

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Send what is due; return the seconds until the next look."""
        SharedScheduler.ticked_s = time.monotonic()
        if not self._holds_lock():
            return TICK_S
        self._is_queue_away = False
        pause_s = super().tick(*args, **kwargs)
        return TICK_S if self._is_queue_away else min(pause_s, TICK_S)

    def apply_entry(self, entry: ScheduleEntry, producer: Any = None) -> None:
        """Send the task, and only then note when, for whoever takes over: what was not noted is sent again, and nothing is left out."""
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except SchedulingError as error:
            log.warning("task_not_sent", task=entry.name, error=type(error.__context__ or error).__name__)
            self.schedule[str(entry.name)] = entry  # as it was before `reserve`: due
            self._heap, self._is_queue_away = None, True
            return
        try:
            self._redis.hset(key("beat", "sent"), str(entry.name), _sent_at(self.schedule[str(entry.name)]).isoformat())
        except REDIS_ERRORS as error:
            log.warning("beat_time_not_noted", task=entry.name, error=type(error).__name__)

    def close(self) -> None:
        """Let another one go on at once."""
        super().close()
        if self._renewed_at:
            self._renewed_at = 0.0
            try:
                self._lock.release()
            except REDIS_ERRORS:
                log.warning("beat_lock_not_released")  # it ends by itself

    def _holds_lock(self) -> bool:
        if time.monotonic() < self._renewed_at + RENEW_S:
            return True
        try:
            return self._renew() if self._renewed_at else self._acquire()
        except REDIS_ERRORS as error:  # also: the lock has become another's
            if self._renewed_at:
                log.warning("beat_lock_lost", error=type(error).__name__)
            self._renewed_at = 0.0
            return False

    def _renew(self) -> bool:
        self._lock.reacquire()
        self._renewed_at = time.monotonic()
        return True

    def _acquire(self) -> bool:
        if not self._lock.acquire(blocking=False):
            return False
        self._read_times()
        self._renewed_at = time.monotonic()
        log.info("beat_lock_taken")
        return True

    def _read_times(self) -> None:
        times = cast(dict[bytes, bytes], self._redis.hgetall(key("beat", "sent")))
        for name, text in times.items():
            if entry := self.schedule.get(name.decode()):
                entry.last_run_at = max(_sent_at(entry), datetime.fromisoformat(text.decode()))
        self._heap = None  # made anew from these times


def _sent_at(entry: ScheduleEntry) -> datetime:
    return cast(datetime, entry.last_run_at)  # Celery sets it when it makes an entry


class BeatThread:
    """Does in a worker what beat does, from `start` until `close`."""

    def __init__(self, app: Celery) -> None:
        self._app = app
        self._service = self._new_service()
        self._is_ending = Event()
        self._thread = Thread(target=self._run, name="beat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Let another one go on. The lock of one that can't reach Redis ends by itself."""
        self._is_ending.set()
        self._service.stop()
        self._thread.join(TICK_S + TIMEOUT_S)

    def _run(self) -> None:
        while not self._is_ending.is_set():
            try:
                self._service.start()
            except Exception:
                log.exception("beat_failed")
            if not self._is_ending.wait(TICK_S):  # it ended by itself
                self._service = self._new_service()

    def _new_service(self) -> Service:
        return Service(self._app, scheduler_cls=SharedScheduler)
