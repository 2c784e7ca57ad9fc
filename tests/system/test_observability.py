"""What operators see of the real processes: metrics on their own port, one JSON object for each line of a log, traces, probes."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from config.processes import beat_arguments
from doubles.script import Answer, Text
from doubles.signals import Gate
from tests.support.system.otlp_receiver import OtlpReceiver, ReceivedSpan, otlp_receiver
from tests.support.system.product import Product, product, wait_for
from tests.support.system.product_servers import end, restart
from tests.system.client import Member, is_text
from tests.system.request_predicates import create_document, is_chat_about, is_document_about, is_title
from tools.embedded import ports
from tools.embedded.stack import WORKER

QUESTION = "How tall is the lighthouse of Alexandria?"
ANSWER = "More than a hundred metres, they say."
DOCUMENT = "# Rivers\n\nThey find the sea."


@dataclass(frozen=True)
class ObservedProduct:
    """A product with its metrics' port, and the collector of its traces."""

    product: Product
    port: int
    collector: OtlpReceiver

    def get(self, path: str) -> httpx2.Response:
        return httpx2.get(f"http://127.0.0.1:{self.port}{path}", trust_env=False, timeout=30)

    def samples(self) -> dict[tuple[str, frozenset[str]], float]:
        """The values by name and labels' values."""
        families = text_string_to_metric_families(self.get("/metrics").text)
        return {(sample.name, frozenset(sample.labels.values())): sample.value for family in families for sample in family.samples}

    def value(self, name: str, *labels: str) -> float:
        """The sum of all samples of the name that have these labels' values."""
        return sum(value for (sample_name, values), value in self.samples().items() if sample_name == name and values.issuperset(labels))

    def log(self, part: str) -> list[dict[str, Any]]:
        """Each line of a part's log, which must be an object of the promised shape."""
        lines = (self.product.stack.layout.logs / f"{part}.log").read_text().splitlines()
        return [json_line(line) for line in lines]


def json_line(text: str) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(text)
    assert {"time", "level", "event"} <= line.keys(), text
    assert "part" not in line, text  # else it was no object, and the supervisor made it one
    return line


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None) -> Iterator[ObservedProduct]:
    port = ports.free_port()
    values = str(tmp_path_factory.mktemp("values"))
    with (
        otlp_receiver() as collector,
        product(
            tmp_path_factory.mktemp("observed") / "data",
            METRICS_PORT=str(port),
            METRICS_ORGANIZATIONS="1",
            LOG_FORMAT="json",
            TMPDIR=values,
            OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
            OTEL_BSP_SCHEDULE_DELAY="100",
            BEAT_IN_WORKERS="0",
        ) as running,
        running_beat(running),
    ):
        running.double.respond(lambda request: Answer((Text("A title" if is_title(request) else ANSWER),)))
        yield ObservedProduct(running, port, collector)


@contextmanager
def running_beat(running: Product) -> Iterator[None]:
    beat = running.stack.program("beat", beat_arguments(), running.env, stop_rank=WORKER, grace_s=10)
    beat.launch()
    try:
        yield
    finally:
        end(beat, signal.SIGKILL)


def test_an_answer_shows_in_metrics_and_logs_without_its_text(observed: ObservedProduct) -> None:
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
    wait_for(lambda: ("parley_queue_depth", frozenset({"upkeep"})) in observed.samples(), "the queue was looked at")

    lines = [line for part in ("web", "worker", "beat") for line in observed.log(part)]
    [run_end] = [line for line in lines if line["event"] == "run_ended"]
    assert (run_end["run_id"], run_end["outcome"]) == (str(run.id), "done")
    assert {"organization_id", "request_id", "duration_ms"} <= run_end.keys()
    assert observed.value("parley_organization_run_ends_total", run_end["organization_id"]) == 1
    requests = [line for line in lines if line["event"] == "chat_request"]
    assert [line["request_id"] for line in requests] == [run_end["request_id"]]
    assert any(line["event"] == "request" and line["route"] == "login/" and line["status"] == 302 for line in lines)
    assert any(line["event"] == "task" and line["outcome"] == "done" and line["request_id"] for line in lines)
    everything = json.dumps(lines)
    assert QUESTION not in everything
    assert ANSWER not in everything
    assert member.http.cookies["parley_session"] not in everything


def parts(observed: ObservedProduct) -> set[str]:
    return {label for (name, labels) in observed.samples() if name == "parley_processes" for label in labels}


def test_the_public_port_has_no_metrics_and_the_other_one_has_probes(observed: ObservedProduct) -> None:
    public = httpx2.get(f"{observed.product.url}/metrics", trust_env=False)
    assert public.status_code == 404
    wait_for(lambda: observed.get("/readyz").status_code == 200, "the process is ready")
    assert observed.get("/readyz").json() == {
        "status": "ok",
        "process": True,
        "database": True,
        "migrations": True,
        "redis": True,
        "files": True,
        "recovery": True,
    }
    assert (observed.get("/livez").status_code, observed.get("/startedz").status_code) == (200, 200)
    assert observed.get("/secret").status_code == 404


def test_a_run_that_was_taken_over_goes_on_in_its_trace(observed: ObservedProduct) -> None:
    """Its process is killed, which had the metrics' port: another one takes that, too. Counters stay, gauges go, the log names the run."""
    running, chat, gate = observed.product, str(uuid4()), Gate("rivers")
    running.double.answer(create_document("rivers"), when=is_chat_about("rivers"))
    running.double.answer(Text(DOCUMENT), when=is_document_about("rivers"))
    running.double.answer(Text("It "), gate, when=is_chat_about("rivers"))
    running.double.answer(Text(ANSWER), when=is_chat_about("rivers"))
    before = observed.value("parley_requests_total", "login/", "POST")
    spans_before = {name: len(observed.collector.spans_named(name)) for name in ("chat send", "execute_tool document_agent", "step")}
    with Member(running.url).socket() as socket:
        socket.chunks(socket.send(chat, "About rivers"), until=is_text)
        gate.reached.wait()
        wait_for(
            lambda: all(len(observed.collector.spans_named(name)) > count for name, count in spans_before.items()), "what ended was sent"
        )
        assert observed.value("parley_live_runs") == 1
        pid = running.web.process.pid if running.web.process else 0
        end(running.web, signal.SIGKILL)
    wait_for(lambda: is_up(observed) and "web" not in parts(observed), "another process has the port")
    assert not [*Path(running.env["TMPDIR"]).rglob(f"*_{pid}.db")]  # its files; the values are in another one
    assert observed.value("parley_requests_total", "login/", "POST") == before + 1
    [run] = running.finished(chat)
    wait_for(lambda: observed.value("parley_takeovers_total", "lost") == 1, "the takeover was counted")
    restart(running.web)
    wait_for(lambda: "web" in parts(observed), "it is counted again")

    [taken_over] = [line for line in observed.log("worker") if line["event"] == "run_taken_over"]
    assert (taken_over["run_id"], taken_over["cause"]) == (str(run.id), "lost")
    is_its = lambda span: span.attributes.get("parley.run.id") == str(run.id)  # noqa: E731
    wait_for(lambda: any(map(is_its, observed.collector.spans_named("invoke_agent chat"))), "the worker's span was sent")
    [work] = filter(is_its, observed.collector.spans_named("invoke_agent chat"))
    assert (work.resource["parley.part"], work.attributes["parley.run.epoch"], work.attributes["parley.outcome"]) == ("worker", 2, "done")
    trace = {span.span_id: span for span in observed.collector.spans if span.trace_id == work.trace_id}
    by_web = {path(span, trace) for span in trace.values() if span.resource["parley.part"] == "web"}
    assert "chat send" in by_web
    document_paths = [
        way for way in by_web if re.fullmatch(r"step > execute_tool document_agent > invoke_agent \S+ > chat demo-standard", way)
    ]
    assert document_paths, by_web  # its own `invoke_agent chat` never ended
    assert {path(span, trace) for span in trace.values() if span.resource["parley.part"] == "worker"} >= {
        "chat send > invoke_agent chat",
        "chat send > invoke_agent chat > step",
        "chat send > invoke_agent chat > step > chat demo-standard",
    }
    [run_end] = [line for line in observed.log("worker") if line["event"] == "run_ended"]
    assert run_end["trace_id"] == work.trace_id
    payload = b"".join(observed.collector.raw)
    assert not [text for text in (ANSWER, DOCUMENT, "About rivers", QUESTION) if text.encode() in payload]


def path(span: ReceivedSpan, trace: dict[str, ReceivedSpan]) -> str:
    above = trace.get(span.parent_id)
    return f"{path(above, trace)} > {span.name}" if above else span.name


def test_spans_have_the_names_of_the_conventions(observed: ObservedProduct) -> None:
    wait_for(
        lambda: {"chat.tasks.conversation_title_generate", "POST login/"} <= {span.name for span in observed.collector.spans}, "all came"
    )
    call = observed.collector.spans_named("chat demo-standard")[0]
    expected = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "demo", "gen_ai.request.model": "demo-standard"}
    assert expected.items() <= call.attributes.items()
    assert call.attributes["gen_ai.usage.output_tokens"] > 0
    assert call.attributes["gen_ai.response.finish_reasons"] == ["stop"]
    [task] = observed.collector.spans_named("chat.tasks.conversation_title_generate")[:1]
    titles = {span.span_id: span for span in observed.collector.spans if span.trace_id == task.trace_id}
    assert path(task, titles).startswith("chat send > invoke_agent chat")  # through the queue


def is_up(observed: ObservedProduct) -> bool:
    try:
        return observed.get("/livez").status_code == 200
    except httpx2.TransportError:
        return False
