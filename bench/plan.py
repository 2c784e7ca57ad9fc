"""The whole benchmark: what is run, in which order, and what is kept of it."""

from __future__ import annotations

import asyncio
import os
import platform
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import orjson

from bench.measure import Load, Round, cpu_s, measured_round
from bench.script import DoubleScript
from bench.stack import BenchStack, resident_mb
from bench.systems import DirectHttp, DirectSdk, Parley, System

CHATS_PER_MEMBER = 5
PAUSE_S = 0.3  # between rounds: runs are finished and stored after their last token


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`paced`, `full_speed`: loads. `sends`: messages of the send cost. `sockets`: idle ones that are opened to weigh them."""

    server: str
    rounds: int
    paced: tuple[Load, ...]
    full_speed: tuple[Load, ...]
    sends: int
    sockets: int

    @property
    def members(self) -> int:
        """How many members share the chats: a member may only have some answers at once."""
        return -(-max(load.chats for load in (*self.paced, *self.full_speed)) // CHATS_PER_MEMBER)


@dataclass(frozen=True, slots=True, kw_only=True)
class SendCost:
    """`cpu_ms`: of the web process for one send with an answer of three tokens, socket included; the other fields count inside one (bench.sends)."""

    cpu_ms: float
    statements_before_first_token: float
    statements: float
    transactions_before_first_token: float
    transactions: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Resident megabytes of the web process; `sockets_cpu`: the part of a core that idle sockets cost."""

    idle_mb: float
    after_mb: float
    sockets: int
    sockets_mb: float
    sockets_cpu: float


@dataclass(slots=True, kw_only=True)
class Results:
    """Everything of one run. Load averages are over one minute, before and after."""

    server: str
    started_at: str
    machine: str
    cores: int
    load_average: tuple[float, float] = (0.0, 0.0)
    rounds: list[Round] = field(default_factory=list)
    send: SendCost | None = None
    memory: Memory | None = None


async def carried_out(plan: Plan, stack: BenchStack) -> Results:
    """Run the plan against a running stack. Raises MeasureError."""
    results = Results(
        server=plan.server,
        started_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        machine=f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
    )
    load_before = os.getloadavg()[0]
    script = DoubleScript(stack.double_url)
    systems = await _warmed_up(stack, script)
    results.send = await _send_cost(plan.sends, stack, script)
    for load in (*plan.paced, *plan.full_speed):
        results.rounds += await _rounds(plan.rounds, load, systems, stack, script)
    results.memory = await _memory(plan.sockets, stack)
    results.load_average = (load_before, os.getloadavg()[0])
    return results


async def _warmed_up(stack: BenchStack, script: DoubleScript) -> Sequence[System]:
    """The systems, each with its connections open and its caches filled; the direct ones make the call that Parley makes."""
    load = Load(chats=10, tokens=20, sends=3, tokens_per_s=200)
    await _answer_as(load, script)
    parley = Parley(stack)
    await _one_round(parley, load, stack)
    call = await script.last_call()
    direct: list[System] = [DirectHttp(stack.double_url, call), DirectSdk(stack.double_url, call)]
    for system in direct:
        await _one_round(system, load, stack)
    return [*direct, parley]


async def _rounds(count: int, load: Load, systems: Sequence[System], stack: BenchStack, script: DoubleScript) -> list[Round]:
    """Rounds of all systems in turns, so that the machine's drift meets all alike."""
    rounds = []
    for number in range(count):
        turn = number % len(systems)
        for system in (*systems[turn:], *systems[:turn]):
            await _answer_as(load, script)
            rounds.append(await _one_round(system, load, stack))
            print(f"  {load.kind}, {load.chats} chats, round {number + 1} of {count}: {system.name}", flush=True)
    return rounds


async def _one_round(system: System, load: Load, stack: BenchStack) -> Round:
    async with AsyncExitStack() as connections:
        chats = await system.chats(load.chats, connections)
        await asyncio.sleep(PAUSE_S)
        found = await measured_round(system.name, chats, load, stack)
        await asyncio.sleep(PAUSE_S)
    return found


async def _answer_as(load: Load, script: DoubleScript) -> None:
    await script.set_answer(tokens=load.tokens, tokens_per_s=load.tokens_per_s, first_token_s=load.first_token_s)


async def _send_cost(count: int, stack: BenchStack, script: DoubleScript) -> SendCost:
    # So late and so slow that what is done before the first token, and after it, is told apart.
    await _answer_as(Load(chats=1, tokens=3, tokens_per_s=20, first_token_s=0.1), script)
    counted = orjson.loads(await asyncio.to_thread(stack.run_module, "bench.sends", str(count), stack.cookies[0]))
    async with AsyncExitStack() as connections:
        (chat,) = await Parley(stack).chats(1, connections)
        await asyncio.sleep(PAUSE_S)
        before = cpu_s(stack.web)
        for _ in range(count):
            async for _ in chat.answer():
                pass
        await asyncio.sleep(PAUSE_S)
        cpu_ms = (cpu_s(stack.web) - before) / count * 1000
    return SendCost(cpu_ms=cpu_ms, **{name: counted[name] for name in SendCost.__slots__ if name != "cpu_ms"})


async def _memory(count: int, stack: BenchStack) -> Memory:
    after_mb = resident_mb(stack.web)
    async with AsyncExitStack() as connections:
        await Parley(stack).chats(count, connections)
        await asyncio.sleep(PAUSE_S)
        cpu_before, began = cpu_s(stack.web), time.perf_counter()
        await asyncio.sleep(3)
        cpu = (cpu_s(stack.web) - cpu_before) / (time.perf_counter() - began)
        sockets_mb = resident_mb(stack.web) - after_mb
    return Memory(idle_mb=stack.idle_mb, after_mb=after_mb, sockets=count, sockets_mb=sockets_mb, sockets_cpu=cpu)
