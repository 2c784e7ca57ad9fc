"""A worker with one more task, which only waits, and what sends it: `python -m bench.lane_jobs PROBES JOBS WORK_S` prints times as JSON.

Needs the environment of a running stack. Started by bench.lanes.
"""

from __future__ import annotations

import json
import sys
import time
from typing import cast
from uuid import UUID

from celery import Celery

from config.celery import app as parley
from tenants.lanes.table import ORGANIZATION
from tenants.redis.clients import key, sync_client

app: Celery = parley  # what `celery -A bench.lane_jobs worker` looks for
LANE = "interactive"
PAUSE_S = 0.25  # between two probes: with jobs of half a second two at once, less than the organization's share
QUIET, BUSY = (str(UUID(int=number)) for number in (1, 2))


@app.task(name="bench.lane_jobs.work", expires=3600)
def work(work_s: float, sent_s: float, result: str) -> None:
    """Wait like a job that asks a model; add the seconds since `sent_s` to the results."""
    sync_client().incr(key("bench", result, "begun"))
    time.sleep(work_s)
    sync_client().rpush(key("bench", result), time.time() - sent_s)


def send(organization_id: str, result: str, work_s: float, lane: str = LANE) -> None:
    work.apply_async((work_s, time.time(), result), queue=lane, headers={ORGANIZATION: organization_id})


def jobs_begun(result: str) -> int:
    return int(cast(bytes, sync_client().get(key("bench", result, "begun")) or 0))


def job_durations_s(result: str) -> list[float]:
    """Return the seconds that each finished job took, from its sending to its end."""
    durations = cast(list[bytes], sync_client().lrange(key("bench", result), 0, -1))
    return [float(seconds) for seconds in durations]


def probe(name: str, count: int, work_s: float) -> list[float]:
    for _ in range(count):
        send(QUIET, name, work_s)
        time.sleep(PAUSE_S)
    while len(job_durations_s(name)) < count:
        time.sleep(0.1)
    return job_durations_s(name)


def main(probes: int, jobs: int, work_s: float) -> None:
    probe("warm-up", 20, work_s)
    alone = probe("alone", probes, work_s)
    for _ in range(jobs):
        send(BUSY, "busy", work_s)
    waiting_count = jobs - len(job_durations_s("busy"))
    beside = probe("beside", probes, work_s)
    print(json.dumps({"alone": alone, "beside": beside, "waiting": waiting_count, "left": jobs - len(job_durations_s("busy"))}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
