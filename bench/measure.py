"""Measures one round: some chats of one system under one load, observed from outside."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import psutil

from bench.clients import Chat, MeasureError
from bench.recorder import ChatTimer, Recorder, Snapshot
from bench.stack.processes import BenchStack, resident_mb

MAX_CHATS_AT_ONCE = 100  # chats that start within a second; loads with more chats measure only streaming
PAUSE_S = 1.0  # between the messages of a chat: nobody sends the next one while the work after the last answer still runs
STARTS_PER_S = 20  # for more chats: slow enough to leave the web process time for those that already stream
ROUND_S = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """How many chats send how many messages, and how fast their answers arrive."""

    chats: int
    tokens: int  # of each answer
    sends: int = 1  # messages per chat, one after another
    tokens_per_s: float | None = None  # of each answer; None: as fast as it is read, and all answers begin when every chat has asked
    first_token_s: float = 0.0
    block: int = 1  # tokens written together

    @property
    def start_within_s(self) -> float:
        return 1.0 if self.chats <= MAX_CHATS_AT_ONCE else self.chats / STARTS_PER_S

    @property
    def window(self) -> tuple[int, int]:
        """How many chats must have begun when the rates' window opens, and how many must have ended when it closes."""
        return (self.chats, 1) if self.tokens_per_s else (1, self.chats)

    @property
    def kind(self) -> str:
        if not self.tokens_per_s:
            return "full speed"
        return "paced" if self.block == 1 else "fast"


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The results of one round. Percentiles are over its sends (first token) or its tokens (relay).

    The rates of a paced load count the time while all chats stream: from the last chat's first token to the first chat's end. At full speed
    they count everything from the first token to the last end. They are nan when there was no such time. CPU is in cores. In rounds of the
    bare relay, the web process's figures are the relay's.
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
    valkey_cpu: float
    postgres_cpu: float
    web_mb: float
    together_p50_ms: float  # age of the tokens in that time
    together_p95_ms: float
    lag_growth_ms: float  # how much older the median token is in the last quarter of that time than in its first
    errors: tuple[str, ...]

    @property
    def others_cpu(self) -> float:
        """Cores that everything except the system under test used."""
        return self.client_cpu + self.double_cpu + self.valkey_cpu + self.postgres_cpu


async def measure_round(system: str, chats: Sequence[Chat], load: Load, stack: BenchStack, *, webs: Sequence[psutil.Process] = ()) -> Round:
    """Let every chat send its messages, with starts spread over the load's time; return the results.

    `webs`: the processes under test, if they are not the stack's. Refused sends are among the round's errors. Raises MeasureError when all
    were refused, and TimeoutError after ROUND_S.
    """
    processes = webs or [stack.relay if system == "relay" else stack.web]
    recorder = Recorder(*load.window, lambda tokens: _probe(tokens, stack, processes))
    try:
        async with asyncio.timeout(ROUND_S), asyncio.TaskGroup() as tasks:
            for number, chat in enumerate(chats):
                tasks.create_task(_run_chat(chat, load, load.start_within_s * number / load.chats, recorder))
    except ExceptionGroup as group:
        raise group.exceptions[0] from None
    if not recorder.arrivals:
        raise MeasureError(recorder.errors[0])
    return _round(system, load, recorder)


async def _run_chat(chat: Chat, load: Load, delay_s: float, recorder: Recorder) -> None:
    if load.tokens_per_s:
        await asyncio.sleep(delay_s)
    talk = ChatTimer(recorder)
    try:
        for number in range(load.sends):
            if number and load.tokens_per_s:
                await asyncio.sleep(PAUSE_S)
            talk.message_sent()
            await chat.ask(talk.text_received)
    except MeasureError as error:
        recorder.chat_failed(str(error), had_begun=talk.has_begun)
    else:
        recorder.chat_ended()


def _round(system: str, load: Load, recorder: Recorder) -> Round:
    start, end = recorder.window()
    # The rates are unknown when one chat ended before the last one began.
    seconds = end.at_s - start.at_s if end.at_s > start.at_s else nan
    tokens = max(end.tokens - start.tokens, 1) if end.at_s > start.at_s else nan
    used_s = [after - before for before, after in zip(start.cpu_s, end.cpu_s, strict=True)]
    web, client, double, valkey, postgres = (process_cpu_s / seconds for process_cpu_s in used_s)
    ages_ms, together_ms = recorder.ages_ms(), recorder.ages_between_ms(start.at_s, end.at_s)
    return Round(
        system=system,
        kind=load.kind,
        chats=load.chats,
        first_token_p50_ms=percentile(recorder.first_tokens_ms, 50),
        first_token_p95_ms=percentile(recorder.first_tokens_ms, 95),
        relay_p50_ms=percentile(ages_ms, 50),
        relay_p95_ms=percentile(ages_ms, 95),
        tokens_per_s=tokens / seconds,
        web_cpu_s_per_1000=used_s[0] / tokens * 1000,
        web_cpu=web,
        client_cpu=client,
        double_cpu=double,
        valkey_cpu=valkey,
        postgres_cpu=postgres,
        web_mb=end.web_mb,
        together_p50_ms=percentile(together_ms, 50),
        together_p95_ms=percentile(together_ms, 95),
        lag_growth_ms=lag_growth_ms(together_ms),
        errors=tuple(recorder.errors),
    )


def _probe(tokens: int, stack: BenchStack, webs: Sequence[psutil.Process]) -> Snapshot:
    used_s = (sum(map(cpu_s, webs)), time.process_time(), cpu_s(stack.double), tree_cpu_s(stack.valkey), tree_cpu_s(stack.postgres))
    return Snapshot(time.monotonic(), tokens, used_s, sum(map(resident_mb, webs)))


def cpu_s(process: psutil.Process) -> float:
    """Return the CPU seconds that the process has used, user and system; in steps of 10 ms on Linux."""
    times = process.cpu_times()
    return times.user + times.system


def tree_cpu_s(process: psutil.Process) -> float:
    """Return the CPU seconds of a server and its child processes, including those that ended."""
    times = process.cpu_times()
    return times.children_user + times.children_system + cpu_s(process) + sum(map(cpu_s, process.children(recursive=True)))


def lag_growth_ms(ages_ms: Sequence[float]) -> float:
    """Return how much the median age grew, from ages in order of arrival; 0.0 when there are too few."""
    quarter = len(ages_ms) // 4
    return percentile(ages_ms[-quarter:], 50) - percentile(ages_ms[:quarter], 50) if quarter else 0.0


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the value that `percent` of the values do not exceed (nearest rank); nan when there are none."""
    sorted_values = sorted(values) or [nan]
    return sorted_values[max(0, -(-len(sorted_values) * percent // 100) - 1)]
