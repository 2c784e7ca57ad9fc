"""One round: some chats of one system under one load, measured from outside."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import nan

import psutil

from bench.stack import BenchStack
from bench.stamps import LENGTH, ages_ms
from bench.systems import Chat

STARTED_WITHIN_A_SECOND = 100  # chats; more of them start at the same rate as 50 do, since what is asked of 200 is how they stream


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """`sends`: messages a chat sends, one after the other. `tokens_per_s`: of each answer; None: as fast as it is read."""

    chats: int
    tokens: int
    sends: int = 1
    tokens_per_s: float | None = None
    first_token_s: float = 0.0

    @property
    def start_within_s(self) -> float:
        return 1.0 if self.chats <= STARTED_WITHIN_A_SECOND else self.chats / 50

    @property
    def kind(self) -> str:
        return "paced" if self.tokens_per_s else "full speed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What one round gave. Percentiles are over its sends (first token) or its tokens (relay).

    The rates of a paced load count the time while all chats stream: from the last one's first token to the first one's end. At full
    speed they count everything from the first token to the last end; nan when there was no such time. CPU is in cores.
    """

    system: str
    kind: str
    chats: int
    first_token_p50_ms: float
    first_token_p95_ms: float
    relay_p50_ms: float
    relay_p95_ms: float
    tokens_per_s: float
    web_cpu_s_per_1000: float
    web_cpu: float
    client_cpu: float
    double_cpu: float


@dataclass(frozen=True, slots=True)
class Probe:
    """Counters at one moment."""

    at_s: float
    tokens: int
    web_s: float
    client_s: float
    double_s: float


@dataclass(slots=True)
class Recorder:
    """Collects a round while it runs. The rates' window opens when `open_at` chats have their first token and closes when `close_at` ended."""

    open_at: int
    close_at: int
    probe: Callable[[int], Probe]
    first_tokens_ms: list[float] = field(default_factory=list)
    ages_ms: list[float] = field(default_factory=list)
    tokens: int = 0
    started: int = 0
    ended: int = 0
    opened: Probe | None = None
    closed: Probe | None = None

    def chat_started(self) -> None:
        self.started += 1
        if self.started == self.open_at:
            self.opened = self.probe(self.tokens)

    def chat_ended(self) -> None:
        self.ended += 1
        if self.ended == self.close_at:
            self.closed = self.probe(self.tokens)

    def received(self, text: str) -> None:
        self.tokens += len(text) // LENGTH
        self.ages_ms += ages_ms(text, time.monotonic_ns())


async def measured_round(system: str, chats: Sequence[Chat], load: Load, stack: BenchStack) -> Round:
    """Let every chat send its messages, the chats' starts spread over the load's time. Raises MeasureError, and TimeoutError after a minute."""
    window = (load.chats, 1) if load.tokens_per_s else (1, load.chats)
    recorder = Recorder(*window, _prober(stack))
    try:
        async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
            for number, chat in enumerate(chats):
                tasks.create_task(_talk(chat, load, load.start_within_s * number / load.chats, recorder))
    except ExceptionGroup as group:
        raise group.exceptions[0] from None
    return _round(system, load, recorder)


async def _talk(chat: Chat, load: Load, delay_s: float, recorder: Recorder) -> None:
    if load.tokens_per_s:
        await asyncio.sleep(delay_s)
    for number in range(load.sends):
        sent = time.perf_counter()
        waiting = True
        async for text in chat.answer():
            if waiting:
                waiting = False
                recorder.first_tokens_ms.append((time.perf_counter() - sent) * 1000)
                if number == 0:
                    recorder.chat_started()
            recorder.received(text)
    recorder.chat_ended()


def _round(system: str, load: Load, recorder: Recorder) -> Round:
    opened, closed = recorder.opened, recorder.closed
    assert opened, "every chat had an answer"
    assert closed, "every chat came to an end"
    # Nothing can be said of the rates when one chat had ended before the last one began.
    seconds = closed.at_s - opened.at_s if closed.at_s > opened.at_s else nan
    tokens = max(closed.tokens - opened.tokens, 1) if closed.at_s > opened.at_s else nan
    return Round(
        system=system,
        kind=load.kind,
        chats=load.chats,
        first_token_p50_ms=percentile(recorder.first_tokens_ms, 50),
        first_token_p95_ms=percentile(recorder.first_tokens_ms, 95),
        relay_p50_ms=percentile(recorder.ages_ms, 50),
        relay_p95_ms=percentile(recorder.ages_ms, 95),
        tokens_per_s=tokens / seconds,
        web_cpu_s_per_1000=(closed.web_s - opened.web_s) / tokens * 1000,
        web_cpu=(closed.web_s - opened.web_s) / seconds,
        client_cpu=(closed.client_s - opened.client_s) / seconds,
        double_cpu=(closed.double_s - opened.double_s) / seconds,
    )


def _prober(stack: BenchStack) -> Callable[[int], Probe]:
    return lambda tokens: Probe(time.perf_counter(), tokens, cpu_s(stack.web), time.process_time(), cpu_s(stack.double))


def cpu_s(process: psutil.Process) -> float:
    """CPU seconds that the process has used, user and system; in steps of 10 ms on Linux."""
    times = process.cpu_times()
    return times.user + times.system


def percentile(values: Sequence[float], percent: int) -> float:
    """The value that `percent` of the values do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
