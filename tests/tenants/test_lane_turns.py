"""Whose turn it is in a lane, on the session's Valkey."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis
from django.conf import settings

from tenants.lanes import turns
from tenants.lanes.turns import job_end, job_put, lane_look, worker_leave, worker_renew

LANE = "test_lane_turns"


@pytest.fixture
def client() -> Iterator[redis.Redis]:
    with redis.Redis.from_url(settings.REDIS_URL, decode_responses=True) as redis_client:
        yield redis_client
        for name in redis_client.scan_iter(f"{LANE}*"):
            redis_client.delete(name)


def put(client: redis.Redis, organization: str, *jobs: int) -> None:
    for job in jobs:
        job_put(client, LANE, organization=organization, job=f"{organization}{job}", message=f"{organization}{job}")


def take_all(client: redis.Redis) -> list[str]:
    """Take, like workers, everything that is in the lane's list."""
    jobs = []
    while (job := client.rpop(LANE)) is not None:
        jobs.append(str(job))
    return jobs


def test_organizations_take_turns_and_no_more_is_moved_than_there_are_slots(client: redis.Redis) -> None:
    worker_renew(client, LANE, worker="one", slots=3, jobs=[])
    put(client, "a", 1, 2, 3, 4, 5, 6)
    put(client, "b", 1, 2)
    put(client, "c", 1)
    assert take_all(client) == ["a1", "a2", "a3"]
    for job in ("a1", "a2", "a3", "a4"):
        job_end(client, LANE, job)
    assert take_all(client) == ["a4", "b1", "c1", "a5"]  # a4 had ended, too
    job_end(client, LANE, "b1")
    job_end(client, LANE, "b1")  # said twice, it frees one slot
    assert take_all(client) == ["b2"]


def test_a_quarter_of_the_slots_is_kept_for_organizations_that_hold_fewer(client: redis.Redis) -> None:
    worker_renew(client, LANE, worker="one", slots=8, jobs=[])
    put(client, "a", *range(20))
    assert len(take_all(client)) == 6
    put(client, "b", 1, 2, 3)
    assert take_all(client) == ["b1", "b2"]  # at once; its third one waits for its turn
    put(client, "c", 1)
    job_end(client, LANE, "a0")
    assert take_all(client) == ["c1"]
    job_end(client, LANE, "a1")
    assert take_all(client) == []  # what is free is kept
    for job in ("a2", "a3"):
        job_end(client, LANE, job)
    assert take_all(client) == ["a6"]
    job_end(client, LANE, "a4")
    assert take_all(client) == ["b3"]


def test_the_slots_of_a_dead_worker_come_back(client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    worker_renew(client, LANE, worker="lives", slots=1, jobs=[])
    monkeypatch.setattr(turns, "SLOT_S", 0)  # as if SLOT_S had passed since
    worker_renew(client, LANE, worker="dies", slots=1, jobs=[])
    put(client, "a", 1)
    monkeypatch.undo()
    put(client, "a", 2, 3)
    assert take_all(client) == ["a1", "a2"]  # a1 was lost with its worker, and its slot is free again
    worker_renew(client, LANE, worker="lives", slots=1, jobs=["a2"])
    worker_leave(client, LANE, worker="lives", slots=1)
    depth, slots_in_use, slots, _, organizations = lane_look(client, LANE)
    assert (depth, slots_in_use, slots, organizations) == (1, 1, 0, [["a", 1, 1]])
