"""Lanes with a real worker: Celery takes what is whose turn, and every task has its lane and ends to wait."""

from __future__ import annotations

import inspect
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from celery import current_app

from bench import lane_jobs
from bench.lane_jobs import BUSY, QUIET
from config.processes import worker_arguments
from tenants.lanes.table import LANES, OF_ORGANIZATIONS, TASKS
from tenants.lanes.waiting_jobs import LaneState, lanes_read
from tenants.redis.workers import workers_alive
from tests.support.system.product import wait_for
from tests.support.system.product_servers import own_database
from tools.embedded.layout import ROOT

JOBS = 300


def in_lane() -> LaneState:
    [lane] = [lane for lane in lanes_read() if lane.name == lane_jobs.LANE]
    return lane


def waiting(organization_id: str) -> int:
    return sum(each.waiting for each in in_lane().organizations if str(each.organization_id) == organization_id)


@pytest.fixture
def worker(django_db_setup: None, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    arguments = ["bench.lane_jobs" if each == "config" else each for each in worker_arguments("--lanes", "interactive,takeover")]
    with own_database("lanes") as urls, (tmp_path / "worker.log").open("wb") as log:
        started = subprocess.Popen([sys.executable, *arguments], cwd=ROOT, env={**os.environ, **urls}, stdout=log, stderr=log)
        yield started
        started.kill()
        started.wait()


def test_an_organization_with_few_jobs_waits_for_none_of_anothers(worker: subprocess.Popen[bytes]) -> None:
    for _ in range(JOBS):
        lane_jobs.send(BUSY, "busy", 0.1)
    wait_for(lambda: lane_jobs.job_durations_s("busy"), "the worker took jobs", timeout_s=60)
    for _ in range(3):
        lane_jobs.send(QUIET, "quiet", 0.0)
    wait_for(lambda: len(lane_jobs.job_durations_s("quiet")) == 3, "the other organization's are done")
    assert waiting(BUSY) > JOBS / 2
    assert waiting(QUIET) == 0
    assert (in_lane().slots, in_lane().oldest_s > 0) == (12, True)
    assert f"{socket.gethostname()}:{worker.pid}" in [each.name for each in workers_alive()]  # for the board, also without METRICS_PORT
    wait_for(lambda: len(lane_jobs.job_durations_s("busy")) == JOBS, "all were done", timeout_s=60)
    wait_for(lambda: in_lane().slots_in_use == 0, "the worker had given back the slots of all")  # right after each job's last line
    lane_jobs.send(QUIET, "last", 4.0)
    wait_for(lambda: lane_jobs.jobs_begun("last"), "the worker began it")  # it holds a slot before, when it may be taken
    worker.send_signal(signal.SIGTERM)
    wait_for(lambda: in_lane().slots == 0, "the worker had given its slots back")  # not those of what it still does
    assert (in_lane().slots_in_use, lane_jobs.job_durations_s("last")) == (1, [])
    assert worker.wait(60) == 0
    assert len(lane_jobs.job_durations_s("last")) == 1
    assert [(lane.depth, lane.slots_in_use) for lane in lanes_read()] == [(0, 0)] * len(LANES)


def test_every_task_has_a_lane_and_those_of_organizations_say_whose_they_are() -> None:
    current_app.loader.import_default_modules()
    ours = {name: task for name, task in current_app.tasks.items() if not name.startswith(("celery.", "bench."))}
    assert TASKS.keys() <= ours.keys()
    first = {name: next(iter(inspect.signature(task.run).parameters), "") for name, task in ours.items()}
    assert {name for name, parameter in first.items() if parameter == "organization_id"} == OF_ORGANIZATIONS
