"""Says every SIGN_S seconds that this worker lives, for the board of operations. It needs no METRICS_PORT."""

from __future__ import annotations

import os
import socket
import threading
import time
from contextlib import suppress
from typing import Final, NoReturn

from telemetry.celery_tasks import tasks_done
from tenants.redis.clients import REDIS_ERRORS
from tenants.redis.workers import WORKER_S, worker_note

SIGN_S: Final = WORKER_S / 4


def start_worker_sign() -> None:
    """Begin in a thread of its own, which a server that hangs may hold up. It ends with the process."""
    threading.Thread(target=_sign_for_ever, name="worker-sign", daemon=True).start()


def _sign_for_ever() -> NoReturn:
    name = f"{socket.gethostname()}:{os.getpid()}"
    done, done_at_s = tasks_done(), time.monotonic()
    rate = 0.0  # tasks a minute since the sign before
    while True:
        with suppress(*REDIS_ERRORS):  # the next sign comes soon
            worker_note(name, tasks_per_minute=rate)
        time.sleep(SIGN_S)
        done_before, before_s = done, done_at_s
        done, done_at_s = tasks_done(), time.monotonic()
        rate = 60 * (done - done_before) / (done_at_s - before_s)
