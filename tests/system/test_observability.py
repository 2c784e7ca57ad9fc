"""What operators see of the real processes: metrics on their own port, one JSON object for each line of a log, probes."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from doubles.script import Answer, Text
from tests.support.product import Product, end, product, restart, wait_for
from tests.system.client import Member
from tests.system.request_predicates import is_title
from tools.embedded import ports

QUESTION = "How tall is the lighthouse of Alexandria?"
ANSWER = "More than a hundred metres, they say."


@dataclass(frozen=True)
class Observed:
    """A product with its metrics' port."""

    product: Product
    port: int

    def get(self, path: str) -> httpx2.Response:
        return httpx2.get(f"http://127.0.0.1:{self.port}{path}", trust_env=False, timeout=30)

    def samples(self) -> dict[tuple[str, frozenset[str]], float]:
        """The values by name and labels' values."""
        families = text_string_to_metric_families(self.get("/metrics").text)
        return {(sample.name, frozenset(sample.labels.values())): sample.value for family in families for sample in family.samples}

    def value(self, name: str, *labels: str) -> float:
        """The sum of all samples of the name that have these labels' values."""
        return sum(value for (found, values), value in self.samples().items() if found == name and values.issuperset(labels))

    def log(self, part: str) -> list[dict[str, Any]]:
        """Each line of a part's log, which must be an object of the promised shape."""
        lines = (self.product.stack.layout.logs / f"{part}.log").read_text().splitlines()
        return [json_line(line) for line in lines]


def json_line(text: str) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(text)
    assert {"time", "level", "event"} <= line.keys(), text
    return line


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None) -> Iterator[Observed]:
    port = ports.free_port()
    env: Mapping[str, str] = {"METRICS_PORT": str(port), "LOG_FORMAT": "json", "TMPDIR": str(tmp_path_factory.mktemp("values"))}
    with product(tmp_path_factory.mktemp("observed") / "data", **env) as running:
        running.double.respond(lambda request: Answer((Text("A title" if is_title(request) else ANSWER),)))
        yield Observed(running, port)


def test_an_answer_shows_in_metrics_and_logs_without_its_text(observed: Observed) -> None:
    member = Member(observed.product.url)
    with member.socket() as socket:
        chat = str(uuid4())
        socket.chunks(socket.send(chat, QUESTION))
    [run] = observed.product.finished(chat)

    wait_for(lambda: observed.value("parley_run_ends_total", "done") == 1, "the run was counted")
    assert observed.value("parley_first_token_seconds_count") == 1
    assert observed.value("parley_model_calls_total", "ok") >= 1
    assert observed.value("parley_model_tokens_total", "output") > 0
    assert observed.value("parley_live_runs") == 0
    assert observed.value("parley_requests_total", "login/", "POST") == 1
    wait_for(lambda: {"web", "worker", "beat"} <= parts(observed), "all parts are there")
    wait_for(lambda: observed.value("parley_tasks_total", "done") > 0, "a task was counted")
    wait_for(lambda: observed.value("parley_store_up", "postgres") == observed.value("parley_store_up", "redis") == 1, "stores were asked")
    wait_for(lambda: ("parley_queue_depth", frozenset({"celery"})) in observed.samples(), "the queue was looked at")

    lines = [line for part in ("web", "worker", "beat") for line in observed.log(part)]
    [ended] = [line for line in lines if line["event"] == "run_ended"]
    assert (ended["run_id"], ended["outcome"]) == (str(run.id), "done")
    assert {"organization_id", "request_id", "duration_ms"} <= ended.keys()
    asked = [line for line in lines if line["event"] == "chat_request"]
    assert [line["request_id"] for line in asked] == [ended["request_id"]]
    assert any(line["event"] == "request" and line["route"] == "login/" and line["status"] == 302 for line in lines)
    assert any(line["event"] == "task" and line["outcome"] == "done" and line["request_id"] for line in lines)
    everything = json.dumps(lines)
    assert QUESTION not in everything
    assert ANSWER not in everything
    assert member.http.cookies["parley_session"] not in everything


def parts(observed: Observed) -> set[str]:
    return {label for (name, labels) in observed.samples() if name == "parley_processes" for label in labels}


def test_the_public_port_has_no_metrics_and_the_other_one_has_probes(observed: Observed) -> None:
    public = httpx2.get(f"{observed.product.url}/metrics", trust_env=False)
    assert public.status_code == 404
    wait_for(lambda: observed.get("/readyz").status_code == 200, "the process is ready")
    assert observed.get("/readyz").json() == {
        "status": "ok",
        "process": True,
        "database": True,
        "migrations": True,
        "redis": True,
        "recovery": True,
    }
    assert (observed.get("/livez").status_code, observed.get("/startedz").status_code) == (200, 200)
    assert observed.get("/secret").status_code == 404


def test_a_killed_process_leaves_its_counters_and_no_gauges(observed: Observed, tmp_path: Path) -> None:
    """Whoever listened: another process takes the port. The takeover of its run is counted, and the log names the run."""
    observed.product.double.respond(lambda request: Answer((Text(ANSWER),)) if is_title(request) else None)
    before = observed.value("parley_requests_total", "login/", "POST")
    end(observed.product.web, signal.SIGKILL)
    wait_for(lambda: is_up(observed) and "web" not in parts(observed), "the other processes have the port")
    assert observed.value("parley_requests_total", "login/", "POST") == before
    restart(observed.product.web)
    wait_for(lambda: "web" in parts(observed), "it is counted again")


def is_up(observed: Observed) -> bool:
    try:
        return observed.get("/livez").status_code == 200
    except httpx2.TransportError:
        return False
