"""The whole benchmark: what is run, in which order, and what is stored of it."""

from __future__ import annotations

import asyncio
import os
import platform
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import psutil

from bench.costs import PAUSE_S, Growth, Memory, SendCost, TwoProcesses, growth, memory, send_cost, two_processes
from bench.measure import Load, Round, measure_round
from bench.stack.processes import BenchStack, resident_mb
from bench.systems import BareRelay, DirectHttp, DirectSdk, ModelServerClient, Parley, System, answer_as
from bench.whole_stack import WholeSend, proportional_mb, whole_send

CHATS_PER_MEMBER = 5
SDK_TOKENS = 20_000  # the SDK reads only 5,000 a second
PARTS = ("send", "paced", "full", "sockets", "growth", "two")
WHOLE_PARTS = ("send", "paced")
WARM_UP = Load(chats=10, tokens=20, sends=3, tokens_per_s=200)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a benchmark runs."""

    rounds: int
    paced: tuple[Load, ...]
    full_speed: tuple[Load, ...]
    fast: Load
    shared: Load  # load of one web process, and of each of two
    sends: int  # messages for the cost of a send
    sockets: int  # idle sockets that are opened to measure their memory
    parts: tuple[str, ...] = PARTS  # names in PARTS
    whole: bool = False  # all processes of Parley share one core, worker and beat included

    @property
    def members(self) -> int:
        """How many members share the chats, since a member may only have a few answers at once."""
        loads = [WARM_UP, *(self.paced if "paced" in self.parts else ()), *self.full_speed, self.fast]
        return -(-max(2 * self.shared.chats if "two" in self.parts else 0, *(load.chats for load in loads)) // CHATS_PER_MEMBER)


@dataclass(slots=True, kw_only=True)
class Results:
    """All results of one benchmark."""

    started_at: str
    machine: str
    cores: str
    other_cores: int  # cores that everything except the system under test shares
    warm_mb: float = 0.0  # resident megabytes of the web process after the warm-up
    idle_mb: float = 0.0  # proportional set size of all processes before the first chat, measured for the whole stack alone
    load_average: tuple[float, float] = (0.0, 0.0)  # over one minute, before and after
    rounds: list[Round] = field(default_factory=list)
    send: SendCost | None = None
    memory: Memory | None = None
    growth: Growth | None = None
    two_processes: TwoProcesses | None = None
    whole: bool = False
    whole_send: WholeSend | None = None


async def run_plan(plan: Plan, stack: BenchStack) -> Results:
    """Run the plan against a running stack. Raises MeasureError."""
    results = Results(
        started_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        machine=f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        cores=str(stack.cores),
        other_cores=stack.cores.count - (1 if stack.cores.web else 0),
        whole=plan.whole,
    )
    load_before = os.getloadavg()[0]
    script = ModelServerClient(stack.double_url)
    if plan.whole:
        results.idle_mb = proportional_mb(stack)
    systems = await _warm_up_systems(stack, script)
    results.warm_mb = resident_mb(stack.web)
    if "send" in plan.parts:
        if plan.whole:
            results.whole_send = await whole_send(plan.sends, stack, script)
        else:
            results.send = await send_cost(plan.sends, stack, script)
    for load in (*(plan.paced if "paced" in plan.parts else ()), *((*plan.full_speed, plan.fast) if "full" in plan.parts else ())):
        results.rounds += await _rounds(plan.rounds, load, systems, stack, script)
    if "sockets" in plan.parts:
        results.memory = await memory(plan.sockets, stack)
    if "growth" in plan.parts:
        results.growth = await growth(plan.sends, stack, script)
    if "two" in plan.parts:
        results.two_processes = await two_processes(plan.shared, plan.full_speed[-1], plan.rounds, stack, script)
    results.load_average = (load_before, os.getloadavg()[0])
    return results


async def _warm_up_systems(stack: BenchStack, script: ModelServerClient) -> Sequence[System]:
    """Return the systems, with open connections and filled caches. The direct systems make the same call as Parley."""
    load = WARM_UP
    await answer_as(load, script)
    parley = Parley(stack)
    await _one_round(parley, load, stack)
    call = await script.last_call()
    direct: list[System] = [DirectHttp(stack.double_url, call), BareRelay(stack.relay_url, call), DirectSdk(stack.double_url, call)]
    for system in direct:
        await _one_round(system, load, stack)
    return [*direct, parley]


async def _rounds(count: int, load: Load, systems: Sequence[System], stack: BenchStack, script: ModelServerClient) -> list[Round]:
    """Run rounds of all systems in turns, so that changes of the machine's speed affect all in the same way."""
    rounds = []
    if load.chats * load.tokens > SDK_TOKENS:
        systems = [system for system in systems if not isinstance(system, DirectSdk)]
    for number in range(count):
        turn = number % len(systems)
        for system in (*systems[turn:], *systems[:turn]):
            await answer_as(load, script)
            rounds.append(await _one_round(system, load, stack))
            print(f"  {load.kind}, {load.chats} chats, round {number + 1} of {count}: {system.name}", flush=True)
    return rounds


async def _one_round(system: System, load: Load, stack: BenchStack) -> Round:
    async with AsyncExitStack() as connections:
        chats = await system.chats(load.chats, connections)
        await asyncio.sleep(PAUSE_S)
        measurement = await measure_round(system.name, chats, load, stack, webs=_processes_under_test(system, stack))
        await asyncio.sleep(PAUSE_S)
    return measurement


def _processes_under_test(system: System, stack: BenchStack) -> Sequence[psutil.Process]:
    """Return the processes whose CPU counts as the web process's: with the whole stack, worker and beat too."""
    return () if isinstance(system, BareRelay) else (stack.web, *stack.background.values())
