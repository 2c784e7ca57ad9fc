"""Sentinels and a cluster over TLS with an authority of one's own: everything works over both, and another authority is not believed."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

from doubles.script import Answer, Text
from tests.deploy.stores.authority import authority_make
from tests.deploy.stores.cluster import running_cluster
from tests.deploy.stores.sentinels import running_sentinels
from tests.deploy.stores.test_redis_cluster import look
from tests.support.system.product import product as running_product, wait_for
from tests.system.client import Member, shown_text

ANSWER = "Over encrypted connections."


def answer_of(member: Member) -> str:
    with member.socket() as socket:
        return shown_text(socket.chunks(socket.send(str(uuid4()), "Are you there?")))


def test_sentinels_and_a_cluster_are_reached_over_tls_and_only_by_their_authority(django_db_setup: None, tmp_path: Path) -> None:
    ours, another = authority_make(tmp_path / "ours"), authority_make(tmp_path / "another")
    with (
        running_sentinels(tmp_path / "redis", ours) as sentinels,
        running_cluster(tmp_path / "log", ours) as cluster,
        running_product(tmp_path / "data", REDIS_URL=sentinels.url, REDIS_EVENT_LOG_URL=cluster.url) as running,
    ):
        findings = look(running.env)
        assert findings["redis"][0] == "ok", findings
        assert findings["REDIS_EVENT_LOG_URL"] == ("ok", "A cluster of 3 primaries takes writes.")
        assert findings["workers"] == ("ok", "1 answered.")
        for variable, subject in (("REDIS_URL", "redis"), ("REDIS_EVENT_LOG_URL", "REDIS_EVENT_LOG_URL")):
            wrong = running.env[variable].replace(str(ours.certificate), str(another.certificate))
            assert look({**running.env, variable: wrong})[subject][0] == "error"

        running.double.respond(lambda request: Answer((Text(ANSWER),)))
        member = Member(running.url)
        assert answer_of(member) == ANSWER
        former = sentinels.primary()
        former.kill()
        wait_for(lambda: sentinels.primary() is not former, "the Sentinels had another primary")
        wait_for(lambda: member.http.get("/readyz").is_success, "the process found the next primary")
        assert answer_of(member) == ANSWER
