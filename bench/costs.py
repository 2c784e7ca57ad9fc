"""Costs of single things, measured outside the rounds: a send, idle sockets, long histories and lists, a second web process."""

from __future__ import annotations

import asyncio
import statistics
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from itertools import chain

import orjson

from bench.measure import Load, Round, cpu_s, measure_round
from bench.stack.processes import BenchStack, resident_mb
from bench.stack.seed import SLUG
from bench.systems import ModelServerClient, Parley, answer_as

PAUSE_S = 0.3  # between rounds, because runs are finished and stored after their last token
MESSAGES, CONVERSATIONS = 5000, 10_000
SEARCH = "?q=matter%209"


@dataclass(frozen=True, slots=True, kw_only=True)
class SendCost:
    """The cost of one send with an answer of three tokens. All but `cpu_ms` are counted inside a process (bench.send_cost)."""

    cpu_ms: float  # of the web process, socket included
    cpu_ms_before_first_token: float
    statements_before_first_token: float
    statements: float
    transactions_before_first_token: float
    transactions: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Resident megabytes of the web process."""

    idle_mb: float
    after_mb: float
    sockets: int
    sockets_mb: float
    sockets_cpu: float  # share of a core that idle sockets cost


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCost:
    """One GET inside the application, without a server: median milliseconds, statements and bytes of the answer."""

    ms: float
    cpu_ms: float
    statements: float
    size_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """A conversation of `messages` compared with one of ten, and a list of `conversations`.

    `send_..._ms`: CPU of the web process for one send, by a clock with steps of 10 ms.
    """

    messages: int
    conversations: int
    send_long_ms: float
    send_long_cold_ms: float  # the first send, which reads the whole branch
    send_short_ms: float
    open_long: PageCost
    open_short: PageCost
    list: PageCost
    search: PageCost


@dataclass(slots=True)
class TwoProcesses:
    """Rounds through one web process with its own core, and through two, the second on the cores of everything else.

    In paced rounds two processes have twice the chats; at full speed they share the chats of one.
    """

    paced_one: list[Round] = field(default_factory=list)
    paced_two: list[Round] = field(default_factory=list)
    full_one: list[Round] = field(default_factory=list)
    full_two: list[Round] = field(default_factory=list)


async def send_cost(count: int, stack: BenchStack, script: ModelServerClient) -> SendCost:
    # Late and slow enough to tell apart the work before and after the first token.
    await answer_as(Load(chats=1, tokens=3, tokens_per_s=20, first_token_s=0.1), script)
    counts = orjson.loads(await asyncio.to_thread(stack.run_module, "bench.send_cost", str(count), stack.cookies[0]))
    async with AsyncExitStack() as connections:
        (chat,) = await Parley(stack).chats(1, connections)
        await asyncio.sleep(PAUSE_S)
        before = cpu_s(stack.web)
        for _ in range(count):
            await chat.ask(_ignore_text)
        await asyncio.sleep(PAUSE_S)
        cpu_ms = (cpu_s(stack.web) - before) / count * 1000
    return SendCost(cpu_ms=cpu_ms, **{name: counts[name] for name in SendCost.__slots__ if name != "cpu_ms"})


async def memory(count: int, stack: BenchStack) -> Memory:
    after_mb = resident_mb(stack.web)
    async with AsyncExitStack() as connections:
        await Parley(stack).chats(count, connections)
        await asyncio.sleep(PAUSE_S)
        cpu_before, began = cpu_s(stack.web), time.perf_counter()
        await asyncio.sleep(3)
        cpu = (cpu_s(stack.web) - cpu_before) / (time.perf_counter() - began)
        sockets_mb = resident_mb(stack.web) - after_mb
    return Memory(idle_mb=stack.idle_mb, after_mb=after_mb, sockets=count, sockets_mb=sockets_mb, sockets_cpu=cpu)


async def growth(count: int, stack: BenchStack, script: ModelServerClient) -> Growth:
    conversation_ids = orjson.loads(
        await asyncio.to_thread(stack.run_module, "bench.long_histories", "make", str(MESSAGES), str(CONVERSATIONS))
    )
    opening = [f"/o/{SLUG}/api/conversations/{conversation_ids[name]}/" for name in ("long", "short")]
    listing = [f"/o/{SLUG}/api/conversations/", f"/o/{SLUG}/api/conversations/{SEARCH}"]
    open_costs = await _pages(count, stack, stack.cookies[0], opening)
    list_costs = await _pages(count, stack, stack.cookies[1], listing)
    await answer_as(Load(chats=1, tokens=3, tokens_per_s=200, first_token_s=0.02), script)
    # first, so that the process is warm for the long one's first send
    _, send_short_ms = await _sends_into(conversation_ids["short"], count, stack)
    send_long_cold_ms, send_long_ms = await _sends_into(conversation_ids["long"], count, stack)
    return Growth(
        messages=MESSAGES,
        conversations=CONVERSATIONS,
        send_long_ms=send_long_ms,
        send_long_cold_ms=send_long_cold_ms,
        send_short_ms=send_short_ms,
        open_long=open_costs[0],
        open_short=open_costs[1],
        list=list_costs[0],
        search=list_costs[1],
    )


async def _pages(count: int, stack: BenchStack, cookie: str, paths: list[str]) -> list[PageCost]:
    output = await asyncio.to_thread(stack.run_module, "bench.long_histories", "get", str(count), cookie, *paths)
    return [PageCost(**figures) for figures in orjson.loads(output)]


async def _sends_into(conversation_id: str, count: int, stack: BenchStack) -> tuple[float, float]:
    """Return the CPU of the first send, and the mean of later ones."""
    async with AsyncExitStack() as connections:
        (chat,) = await Parley(stack, conversation_id).chats(1, connections)
        costs = []
        for _ in range(count + 2):
            before = cpu_s(stack.web)
            await chat.ask(_ignore_text)
            await asyncio.sleep(PAUSE_S)  # until the run has released its conversation
            costs.append((cpu_s(stack.web) - before) * 1000)
    return costs[0], statistics.mean(costs[2:])  # the clock has steps of 10 ms, so a median would be one of them


def _ignore_text(_: str) -> None:
    """Ignore the text: only the cost of the answer is measured."""


async def two_processes(paced: Load, full: Load, rounds: int, stack: BenchStack, script: ModelServerClient) -> TwoProcesses:
    comparison = TwoProcesses()
    with stack.second_web() as second:
        for _ in range(rounds):
            await answer_as(paced, script)
            comparison.paced_one.append(await _shared_round(paced, [stack]))
            comparison.paced_two.append(await _shared_round(replace(paced, chats=2 * paced.chats), [stack, second]))
            await answer_as(full, script)
            comparison.full_one.append(await _shared_round(full, [stack]))
            comparison.full_two.append(await _shared_round(full, [stack, second]))
    return comparison


async def _shared_round(load: Load, webs: list[BenchStack]) -> Round:
    async with AsyncExitStack() as connections:
        shares = [await Parley(web).chats(load.chats // len(webs), connections) for web in webs]
        await asyncio.sleep(PAUSE_S)
        measurement = await measure_round("parley", list(chain(*shares)), load, webs[0], webs=[web.web for web in webs])
        await asyncio.sleep(PAUSE_S)
    return measurement
