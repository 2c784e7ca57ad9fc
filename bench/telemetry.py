"""What metrics, log lines and traces add to one send: the same process sends with each of them and without, in turns.

    python -m bench.telemetry [--blocks 10]

Counts CPU of the process from the send to the end of the run's work, all threads, as `bench.send_cost` does; with traces also that of
their encoding and sending, to a collector in another process. In this file's own process the parts can be switched between two sends,
so that the machine's drift affects all alike.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import os
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import django
import orjson
import structlog

COLLECTOR = "import time, tests.support.system.otlp_receiver as o\nwith o.otlp_receiver() as r: print(r.url, flush=True); time.sleep(3600)"
OPERATIONS = 400  # fewer than a batch of spans holds
BLOCK = 20  # sends


@contextmanager
def without_metrics() -> Iterator[None]:
    from prometheus_client import Counter as CounterMetric, Gauge, Histogram

    def same(self: Any, *labels: str) -> Any:
        return self

    def nothing(self: Any, amount: float = 1) -> None: ...

    with ExitStack() as patches:
        for kind, methods in ((CounterMetric, ("inc",)), (Gauge, ("inc", "dec", "set")), (Histogram, ("observe",))):
            patches.enter_context(patch.object(kind, "labels", same))
            for method in methods:
                patches.enter_context(patch.object(kind, method, nothing))
        yield


@contextmanager
def without_lines() -> Iterator[None]:
    logging.disable(logging.INFO)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


@contextmanager
def with_traces(provider: Any) -> Iterator[None]:
    from telemetry.spans import use_tracer

    use_tracer(provider.get_tracer("bench"))
    try:
        yield
        provider.force_flush()
    finally:
        use_tracer(None)


def tracer_provider(endpoint: str) -> Any:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{endpoint}/v1/traces"), schedule_delay_millis=3_600_000))
    return provider


async def rounds(blocks: int, cookie: str, collector: str) -> dict[str, Any]:
    """Return the CPU milliseconds of a send, in each block, by mode; how often one send counts; and what that costs."""
    from channels.testing import WebsocketCommunicator
    from django.conf import settings

    from bench.send_cost import StatementCounter, one_send
    from bench.stack.seed import SLUG
    from config.asgi import application

    provider, counter = tracer_provider(collector), StatementCounter()
    headers = [(b"cookie", cookie.encode()), (b"origin", settings.PUBLIC_URL.encode())]
    socket = WebsocketCommunicator(application, f"/o/{SLUG}/ws/chat/", headers=headers)
    is_connected, _ = await socket.connect(timeout=30)
    if not is_connected:
        raise RuntimeError("The socket was refused.")

    async def block(*modes: Any) -> float:
        """Return the mean of a few sends, which share what traces cost at their end: one request to the collector."""
        gc.collect()
        began = time.process_time()
        with ExitStack() as exit_stack:
            for mode in modes:
                exit_stack.enter_context(mode)
            for _ in range(BLOCK):
                await one_send(socket, counter)
        return (time.process_time() - began) / BLOCK * 1000

    ways: dict[str, Callable[[], tuple[Any, ...]]] = {
        "nothing": lambda: (without_metrics(), without_lines()),
        "metrics": lambda: (without_lines(),),
        "metrics and lines": tuple,
        "traces besides": lambda: (with_traces(provider),),
    }
    sends: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(blocks + 1):  # the first one opens connections and loads the release
        for name, way in sorted(ways.items(), reverse=number % 2 == 1):
            took = await block(*way())
            if number:
                sends[name].append(took)
    counts = Counter[str]()
    with counted_operations(counts):
        await one_send(socket, counter)
    await socket.disconnect(timeout=30)
    return {"sends": sends, "counts": counts, "costs": unit_costs(provider)}


@contextmanager
def counted_operations(counts: Counter[str]) -> Iterator[None]:
    """Count what is done to metrics, by kind, in this block."""
    from prometheus_client import Counter as CounterMetric, Gauge, Histogram

    with ExitStack() as patches:
        for kind, methods in ((CounterMetric, ("inc",)), (Gauge, ("inc", "dec", "set")), (Histogram, ("observe",))):
            for method in methods:
                patches.enter_context(patch.object(kind, method, _count_calls(kind, method, counts)))
        yield


def _count_calls(kind: Any, method: str, counts: Counter[str]) -> Callable[..., None]:
    real = getattr(kind, method)

    def count(self: Any, *arguments: Any) -> None:
        counts[kind.__name__.lower()] += 1
        real(self, *arguments)

    return count


def unit_costs(provider: Any) -> dict[str, float]:
    """Return the CPU microseconds of single things, the least of a few rounds, because the machine may be busy."""
    from telemetry import families, spans

    def span() -> None:
        with spans.step_span(1):
            pass

    def line() -> None:
        structlog.get_logger("bench").info("run_ended", outcome="done", error="", epoch=1, model_calls=2, tokens=2547, duration_ms=176)

    costs = {
        "counter": _least_us(lambda: families.MODEL_CALLS.labels("a", "b", "ok").inc()),
        "gauge": _least_us(lambda: families.SOCKETS.labels("chat").inc()),
        "histogram": _least_us(lambda: families.DB_WAIT.labels("default").observe(0.002)),
        "line": _least_us(line),
        "span, off": _least_us(span),
    }
    with with_traces(provider):
        costs["span, sent"] = _least_us(span, after=provider.force_flush)
    return costs


def _least_us(thing: Callable[[], object], *, after: Callable[[], object] = lambda: None) -> float:
    samples = []
    for _ in range(5):
        began = time.process_time()
        for _ in range(OPERATIONS):
            thing()
        after()
        samples.append((time.process_time() - began) / OPERATIONS * 1e6)
    return min(samples)


def work(blocks: int, cookie: str, collector: str) -> None:
    # Values in files, as with a port, at which nothing listens; and more messages than one member may send.
    os.environ |= {"METRICS_PORT": "1", "LOG_FORMAT": "json", "API_CHATS_PER_MINUTE": "0"}
    django.setup()
    sys.stdout.buffer.write(orjson.dumps(asyncio.run(rounds(blocks, cookie, collector))))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.telemetry")
    parser.add_argument("--blocks", type=int, default=10, help=f"of {BLOCK} sends, for each mode")
    parser.add_argument("--work", nargs=2, metavar=("COOKIE", "COLLECTOR"), help="for the process that is measured")
    options = parser.parse_args()
    if options.work:
        work(options.blocks, *options.work)
        return
    with running_collector() as collector:
        results = asyncio.run(measure(options.blocks, collector))
    base = statistics.median(results["sends"]["nothing"])
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    for name, sends in results["sends"].items():
        pairs = [after - before for after, before in zip(sends, results["sends"]["nothing"], strict=True)]
        print(f"{name:<20} {statistics.median(sends):6.2f} ms   {statistics.median(pairs) / base:+.1%} (median of the pairs)")
    print(", ".join(f"{name} {cost_us:.1f} us" for name, cost_us in results["costs"].items()))
    metrics_us = sum(count * results["costs"][name] for name, count in results["counts"].items())
    print(f"a send: {results['counts']}, {metrics_us:.0f} us, {metrics_us / base / 10:.2f} %")


async def measure(blocks: int, collector: str) -> dict[str, Any]:
    from bench.measure import Load
    from bench.stack.processes import running_stack
    from bench.systems import ModelServerClient, answer_as

    with running_stack(members=1, pinned=False) as stack:
        await answer_as(Load(chats=1, tokens=3, tokens_per_s=20, first_token_s=0.1), ModelServerClient(stack.double_url))
        output = stack.run_module("bench.telemetry", "--blocks", str(blocks), "--work", stack.cookies[0], collector)
        results: dict[str, Any] = orjson.loads(output)
        return results


@contextmanager
def running_collector() -> Iterator[str]:
    """A collector in a process of its own; gives its address."""
    process = subprocess.Popen([sys.executable, "-c", COLLECTOR], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    main()
