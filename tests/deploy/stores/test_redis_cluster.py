"""Each store on a Redis of its own, and the event log's a cluster: under thirty streams slots move and a node is killed, and nobody
loses anything."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import redis
from redis.crc import key_slot

from tests.deploy.stores.cluster import Cluster, running_cluster
from tests.deploy.stores.valkeys import PASSWORD
from tests.support.stores.redis_servers import own_redis
from tests.support.system.product import product as running_product, wait_for
from tests.system.rolling_restart import DRAIN_S, problems_of, under_streams
from tools.embedded.layout import ROOT

STREAMS = 30
TAGS = [f"log-{number:02}" for number in range(16)]


def disturb(cluster: Cluster, figures: dict[str, float]) -> Callable[[object], None]:
    def act(_: object) -> None:
        figures["moved_keys"] = sum(cluster.move_slot(tag) for tag in TAGS)
        time.sleep(4)
        node = cluster.owner(key_slot(TAGS[0].encode()))
        node.kill()
        began_s = time.monotonic()
        wait_for(lambda: cluster.info(cluster.alive())["cluster_state"] == "ok" and _owner(cluster) is not node, "a replica took over")
        figures["failover_s"] = time.monotonic() - began_s
        time.sleep(6)
        node.start()
        time.sleep(3)

    return act


def look(env: dict[str, str]) -> dict[str, tuple[str, str]]:
    """What `manage.py doctor` says: the level and the text by subject, the worst if there are several."""
    result = subprocess.run(
        [sys.executable, "manage.py", "doctor", "--json"], cwd=ROOT, env=env, capture_output=True, text=True, timeout=120
    )
    levels = ["error", "warning", "ok"]
    findings = sorted(json.loads(result.stdout), key=lambda finding: levels.index(finding["level"]), reverse=True)
    return {finding["subject"]: (finding["level"], finding["text"]) for finding in findings}


def _owner(cluster: Cluster) -> object:
    return cluster.owner(key_slot(TAGS[0].encode()))


def test_the_event_log_on_a_cluster_outlives_a_killed_node_and_moved_slots(django_db_setup: None, tmp_path: Path) -> None:
    figures = dict[str, float]()
    with (
        running_cluster(tmp_path / "redis") as cluster,
        own_redis(tmp_path / "broker") as broker,
        own_redis(tmp_path / "cache") as cache,
        running_product(
            tmp_path / "data",
            DRAIN_S=str(DRAIN_S),
            REDIS_EVENT_LOG_URL=cluster.url,
            REDIS_BROKER_URL=broker,
            REDIS_CACHE_URL=cache,
        ) as running,
    ):
        assert look(running.env)["REDIS_EVENT_LOG_URL"] == ("ok", "A cluster of 3 primaries takes writes.")
        node = cluster.nodes[0]
        wrong = look({**running.env, "REDIS_URL": f"redis://:{PASSWORD}@{node.host}:{node.port}"})
        assert wrong["redis"][1].startswith("REDIS_URL leads to a node of a Redis Cluster: it can't be one")
        answers = under_streams(running, STREAMS, disturb(cluster, figures), moves=True)
        problems = problems_of(answers, running)
        member = answers[0].member
        wait_for(lambda: member.http.get("/readyz").is_success, "everything was ready again")
        prefix = running.env["REDIS_PREFIX"]
        with redis.Redis.from_url(broker) as of_broker, redis.Redis.from_url(running.env["REDIS_URL"]) as of_state:
            assert of_broker.exists(f"{prefix}:beat:lock")
            assert of_broker.keys(f"{prefix}:celery:*")
            assert [*of_state.keys(f"{prefix}:run:*"), *of_state.keys(f"{prefix}:celery:*"), *of_state.keys(f"{prefix}:cache:*")] == []
    print({"answers": len(answers), "longest_pause_s": max(each.longest_pause_s for each in answers), **figures})
    assert problems == []
    assert len(answers) > STREAMS
    assert figures["moved_keys"]
