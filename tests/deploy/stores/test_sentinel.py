"""All of Redis behind Sentinels: the primary is killed under thirty streams, a replica takes over, and nobody loses anything."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from tests.deploy.stores.sentinels import Sentinels, running_sentinels
from tests.deploy.stores.valkeys import PASSWORD
from tests.support.system.product import product as running_product, wait_for
from tests.system.rolling_restart import DRAIN_S, problems_of, under_streams

STREAMS = 30


def failover(sentinels: Sentinels, figures: dict[str, float]) -> Callable[[object], None]:
    """Kill the primary, wait for the next one, and bring the former one back, which becomes a replica."""

    def act(_: object) -> None:
        former = sentinels.primary()
        former.kill()
        began_s = time.monotonic()
        wait_for(lambda: sentinels.primary() is not former, "the Sentinels had another primary")
        figures["failover_s"] = time.monotonic() - began_s
        time.sleep(8)  # new answers on the new primary
        former.start()
        with former.client(password=PASSWORD) as client:
            wait_for(lambda: client.info("replication")["role"] == "slave", "the former primary was a replica")
        time.sleep(4)

    return act


def test_a_failover_under_streams_loses_nothing_and_fails_no_answer(django_db_setup: None, tmp_path: Path) -> None:
    figures = dict[str, float]()
    with (
        running_sentinels(tmp_path / "redis") as sentinels,
        running_product(tmp_path / "data", DRAIN_S=str(DRAIN_S), REDIS_URL=sentinels.url) as running,
    ):
        answers = under_streams(running, STREAMS, failover(sentinels, figures), moves=True)
        problems = problems_of(answers, running)
        titles = [each for each in answers if each.member.conversation(each.conversation_id)["title"] != "A title"]
        member = answers[0].member
        wait_for(lambda: member.http.get("/readyz").is_success, "everything was ready again")
    print({"answers": len(answers), "longest_pause_s": max(each.longest_pause_s for each in answers), **figures, "untitled": len(titles)})
    assert problems == []
    assert len(answers) > STREAMS
