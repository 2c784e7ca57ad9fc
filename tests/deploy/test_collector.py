"""Traces in a real collector: it takes what Parley sends, in OTLP over HTTP, and hands the same spans on to a receiver of the test."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from doubles.script import Answer, Text
from tests.support.system.otlp_receiver import OtlpReceiver, otlp_receiver
from tests.support.system.product import product as running_product, wait_for
from tests.system.client import Member
from tests.system.request_predicates import is_title
from tools.embedded import ports
from tools.embedded.layout import ROOT
from tools.embedded.programs import listening

QUESTION, ANSWER = "How tall is the lighthouse of Alexandria?", "More than a hundred metres."
[COLLECTOR] = (ROOT / ".data-deploy" / "linters" / "lib").glob("python*/site-packages/rotel/rotel-agent")


@contextmanager
def running_collector(folder: Path, receiver: OtlpReceiver) -> Iterator[str]:
    """Run Rotel between Parley and the receiver; gives the address for OTEL_EXPORTER_OTLP_ENDPOINT."""
    port, grpc_port = ports.free_port(), ports.free_port()
    takes = ["--otlp-http-endpoint", f"127.0.0.1:{port}", "--otlp-grpc-endpoint", f"127.0.0.1:{grpc_port}"]
    gives = ["--exporter", "otlp", "--otlp-exporter-endpoint", receiver.url, "--otlp-exporter-protocol", "http"]
    files = ["--pid-file", str(folder / "pid"), "--log-file", str(folder / "log")]
    process = subprocess.Popen([str(COLLECTOR), "start", *takes, *gives, *files], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: listening(("127.0.0.1", port)), "the collector was listening")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=30)


def test_the_spans_of_a_run_arrive_in_a_collector_as_one_trace(django_db_setup: None, tmp_path: Path) -> None:
    with (
        otlp_receiver() as receiver,
        running_collector(tmp_path, receiver) as collector,
        running_product(tmp_path / "data", OTEL_EXPORTER_OTLP_ENDPOINT=collector, OTEL_BSP_SCHEDULE_DELAY="100") as running,
    ):
        running.double.respond(lambda request: Answer((Text("A title" if is_title(request) else ANSWER),)))
        chat = str(uuid4())
        with Member(running.url).socket() as socket:
            socket.chunks(socket.send(chat, QUESTION))
        [run] = running.finished(chat)
        wait_for(lambda: receiver.spans_named("chat.tasks.conversation_title_generate"), "the worker's span had arrived")
        wait_for(lambda: receiver.spans_named("invoke_agent chat"), "the run's span had arrived")
    [of_run], [request] = receiver.spans_named("invoke_agent chat"), receiver.spans_named("chat send")
    of_trace = [span for span in receiver.spans if span.trace_id == of_run.trace_id]
    assert {request.trace_id, of_run.parent_id} == {of_run.trace_id, request.span_id}
    calls = [span for span in of_trace if span.attributes.get("gen_ai.operation.name") == "chat"]
    assert {span.name for span in of_trace} >= {"chat send", "invoke_agent chat", "step", "chat.tasks.conversation_title_generate"}
    assert calls[0].attributes["gen_ai.usage.output_tokens"] > 0
    assert of_run.resource["service.name"] == "parley"
    assert str(run.id) in str(of_run.attributes)
    assert not any(text.encode() in body for body in receiver.raw for text in (QUESTION, ANSWER))
