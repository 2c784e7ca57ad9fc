"""What one send costs all processes of Parley together, as on a small machine: web, PostgreSQL, Valkey, worker and beat.

The lean relay's sends are measured in turns with Parley's, on the same core and the same PostgreSQL. Milliseconds differ from machine to
machine, so Parley's figure over the relay's says more. Nothing is stopped meanwhile: what each process uses when nobody sends is subtracted.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from uuid import uuid4

import psutil

from bench.clients import Chat
from bench.measure import Load
from bench.stack.processes import BenchStack
from bench.systems import LeanRelay, ModelServerClient, Parley, System, answer_as

PAUSE_S = 0.4  # until the run is stored, and short tasks of the worker are done
WARM_UP_SENDS = 5
TURN_SENDS = 10  # sends of one system before the other's turn
SETTLE_S = 3.0
IDLE_WINDOWS, IDLE_WINDOW_S = 20, 0.5
RELAY = "lean relay"
ANSWER = Load(chats=1, tokens=3, tokens_per_s=20, first_token_s=0.15)  # late enough to tell apart what comes before the first token


@dataclass(frozen=True, slots=True, kw_only=True)
class SendCpu:
    """Milliseconds of CPU of each process for one send with an answer of three tokens, less what it uses while a socket is open and idle."""

    before_first_token_ms: Mapping[str, float]
    in_all_ms: Mapping[str, float]

    @property
    def total_before_first_token_ms(self) -> float:
        return sum(self.before_first_token_ms.values())

    @property
    def total_ms(self) -> float:
        return sum(self.in_all_ms.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Means of a turn of each system, one right after the other, into a conversation of each that grows."""

    parley: SendCpu
    lean_relay: SendCpu  # of the relay and PostgreSQL

    @property
    def times_before_first_token(self) -> float:
        return self.parley.total_before_first_token_ms / self.lean_relay.total_before_first_token_ms

    @property
    def times_in_all(self) -> float:
        return self.parley.total_ms / self.lean_relay.total_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeSend:
    """Means of `sends` sends, into new conversations of half as many (see `typical`)."""

    sends: int
    new: SendCpu  # into a new conversation, whose title the worker asks of the model
    existing: Turn  # into one conversation
    turns: tuple[Turn, ...]  # those whose mean is `existing`
    idle_ms_per_s: Mapping[str, float]
    warm_mb: float  # proportional set size of all processes right after the warm-up's chats, with all their connections


async def whole_send(count: int, stack: BenchStack, script: ModelServerClient) -> WholeSend:
    """Send messages one after another into new conversations, then `count` each into one conversation of Parley and of the lean relay."""
    await answer_as(ANSWER, script)
    warm_mb = proportional_mb(stack)
    with stack.lean_relay() as relay:
        meter = CpuMeter({**stack.processes, RELAY: relay.process})
        parley, lean_relay = Parley(stack, str(uuid4())), LeanRelay(relay, str(uuid4()))
        for system in (parley, lean_relay):
            await _sends(WARM_UP_SENDS, system, meter)
        new = await _sends(count // 2, Parley(stack), meter)
        turns = await _turns(count // TURN_SENDS, parley, lean_relay, meter)
        idle_ms_per_s = await _idle(parley, lean_relay, meter)  # last, when the worker has written all titles
    parleys_ms = {name: idle_ms_per_s[name] for name in stack.processes}
    relays_ms = {name: idle_ms_per_s[name] for name in (RELAY, "PostgreSQL")}
    return WholeSend(
        sends=count,
        new=_mean(new, parleys_ms),
        existing=Turn(
            parley=_mean(list(chain(*(ours for ours, _ in turns))), parleys_ms),
            lean_relay=_mean(list(chain(*(theirs for _, theirs in turns))), relays_ms),
        ),
        turns=tuple(Turn(parley=_mean(ours, parleys_ms), lean_relay=_mean(theirs, relays_ms)) for ours, theirs in turns),
        idle_ms_per_s=idle_ms_per_s,
        warm_mb=warm_mb,
    )


@dataclass(frozen=True, slots=True)
class CpuTimes:
    """Seconds of CPU of each process by a moment or in a time, and the seconds of the clock."""

    clock_s: float
    cpu_s: Mapping[str, float]

    def __sub__(self, earlier: CpuTimes) -> CpuTimes:
        return CpuTimes(self.clock_s - earlier.clock_s, {name: seconds - earlier.cpu_s[name] for name, seconds in self.cpu_s.items()})


Sends = Sequence[tuple[CpuTimes, CpuTimes]]  # what each send used before its first token, and in all


class CpuMeter:
    """Adds up what processes and their children used. Of a child that has ended, what it had used when it was last seen still counts."""

    def __init__(self, processes: Mapping[str, psutil.Process]) -> None:
        self._processes = processes
        self._seen_s: dict[str, dict[int, float]] = {name: {} for name in processes}

    def read(self) -> CpuTimes:
        for name, process in self._processes.items():
            for member in _family(process):
                with suppress(psutil.NoSuchProcess):
                    self._seen_s[name][member.pid] = _run_s(member)
        return CpuTimes(time.monotonic(), {name: sum(seconds_by_pid.values()) for name, seconds_by_pid in self._seen_s.items()})


async def _idle(parley: System, lean_relay: System, meter: CpuMeter) -> dict[str, float]:
    """Return the milliseconds of CPU that each process uses in a second in which nobody sends, with sockets open as in the sends."""
    async with AsyncExitStack() as connections:
        for system in (parley, lean_relay):
            await system.chats(1, connections)
        await asyncio.sleep(SETTLE_S)
        windows = [await _window(meter) for _ in range(IDLE_WINDOWS)]
    return {name: typical([window.cpu_s[name] / window.clock_s * 1000 for window in windows]) for name in windows[0].cpu_s}


async def _window(meter: CpuMeter) -> CpuTimes:
    began = meter.read()
    await asyncio.sleep(IDLE_WINDOW_S)
    return meter.read() - began


def typical(values: Sequence[float]) -> float:
    """Return the mean without the lowest and the highest tenth.

    What the worker does once a minute takes as long as several sends, and falls into one of them or into an idle window.
    """
    tenth = len(values) // 10
    return statistics.fmean(sorted(values)[tenth : len(values) - tenth])


async def _turns(count: int, parley: System, lean_relay: System, meter: CpuMeter) -> list[tuple[Sends, Sends]]:
    """Let the two systems send in turns, each over one socket that stays open."""
    async with AsyncExitStack() as connections:
        (ours,), (theirs,) = [await system.chats(1, connections) for system in (parley, lean_relay)]
        return [(await _turn(ours, meter), await _turn(theirs, meter)) for _ in range(count)]


async def _turn(chat: Chat, meter: CpuMeter) -> Sends:
    """Send a message that does not count, and those of the turn.

    What the other system left to do falls into the first one, and what it leaves itself into the next, as in a longer series.
    """
    await _one_send(chat, meter)
    return [await _one_send(chat, meter) for _ in range(TURN_SENDS)]


async def _sends(count: int, system: System, meter: CpuMeter) -> Sends:
    """Send `count` messages over one socket."""
    async with AsyncExitStack() as connections:
        (chat,) = await system.chats(1, connections)
        return [await _one_send(chat, meter) for _ in range(count)]


async def _one_send(chat: Chat, meter: CpuMeter) -> tuple[CpuTimes, CpuTimes]:
    at_first: list[CpuTimes] = []

    def note_first_text(text: str) -> None:
        if not at_first:
            at_first.append(meter.read())

    began = meter.read()
    await chat.ask(note_first_text)
    await asyncio.sleep(PAUSE_S)
    return at_first[0] - began, meter.read() - began


def _mean(sends: Sends, idle_ms_per_s: Mapping[str, float]) -> SendCpu:
    before, in_all = (
        {name: typical([times.cpu_s[name] * 1000 - idle_ms * times.clock_s for times in column]) for name, idle_ms in idle_ms_per_s.items()}
        for column in zip(*sends, strict=True)
    )
    return SendCpu(before_first_token_ms=before, in_all_ms=in_all)


def _run_s(process: psutil.Process) -> float:
    """Return the seconds for which the process's living threads ran: to the nanosecond where the kernel tells (Linux)."""
    try:
        threads = list(Path(f"/proc/{process.pid}/task").iterdir())
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9
    except (OSError, ValueError):
        times = process.cpu_times()
        return float(times.user + times.system)


def _family(process: psutil.Process) -> list[psutil.Process]:
    return [process, *process.children(recursive=True)]


def proportional_mb(stack: BenchStack) -> float:
    """Return the memory of all processes, each with its share of what it shares with others (PSS; resident where the system has none)."""
    processes = [member for process in stack.processes.values() for member in _family(process)]
    infos = [process.memory_full_info() for process in processes]
    return sum(float(getattr(info, "pss", info.rss)) for info in infos) / 1e6
