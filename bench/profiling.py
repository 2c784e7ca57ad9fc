"""Profile of the web process, sampled with py-spy: `python -m bench --profile out.txt`.

py-spy is not a dependency; install it where needed (`pip install py-spy`). The sampled stacks are stored in the collapsed format of flame
graphs, in one file for the streams and one for the sends.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from asyncio.subprocess import PIPE, STDOUT
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import psutil

from bench.clients import Chat, MeasureError
from bench.measure import Load, cpu_s
from bench.stack.processes import BenchStack
from bench.systems import ModelServerClient, Parley, answer_as

SAMPLES_PER_S = 100
SAMPLE_S = 6.0
SETTLE_S = 2.0  # after the last start, until its send is over
STREAMS = Load(chats=50, tokens=600, tokens_per_s=50, first_token_s=0.1)
SENDS = Load(chats=5, tokens=3, tokens_per_s=200)
MEMBERS = 10
LOOP, REST = "event loop itself", "the rest"
# Path prefixes of each area. The innermost function with a matching path counts, and the first matching area.
AREAS: Mapping[str, tuple[str, ...]] = {
    "model's socket and HTTP client": ("security/egress/", "httpx2/", "httpcore2/", "h11/"),
    "adapter, SDK, engine, journal": ("agents/", "google/", "pydantic/", "chat/runs/", "chat/storage/call_"),
    "event log and Redis": (
        "chat/stream/log_",
        "chat/stream/event_log",
        "chat/stream/delta_merging",
        "chat/storage/leases",
        "tenants/redis",
        "redis/",
    ),
    "hub, Channels, socket server": (
        "chat/stream/hub",
        "chat/api/run_streams",
        "chat/api/consumers",
        "chat/api/member_socket",
        "chat/api/sse",
        "channels",
        "uvicorn/",
        "websockets/",
    ),
    "database": ("django/db/", "psycopg", "tenants/", "chat/models", "chat/storage/run_writes", "chat/conversations/"),
    "the send's other code": ("chat/", "admin_config/", "security/", "files/", "artifacts/", "django/", "asgiref/"),
}
# Threads that wait for work or for the database, which py-spy treats as busy.
# The functions that start a program are at the root of every stack.
_WAITING = re.compile(r"\((?:threading|queue|selectors|concurrent/futures/thread)\.py:\d+\)$|^Connection\.wait \(psycopg/")
_ROOTS = ("uvicorn/main", "uvicorn/server", "uvicorn/_compat", "uvicorn/__main__")


async def profile_web(stack: BenchStack, out: Path) -> str:
    """Sample 50 paced streams, then sends; return the shares as text. Raises MeasureError when py-spy is missing or may not attach."""
    script = ModelServerClient(stack.double_url)
    texts = []
    for name, load in (("streams", STREAMS), ("sends", SENDS)):
        await answer_as(load, script)
        async with AsyncExitStack() as connections:
            chats = await Parley(stack).chats(load.chats, connections)
            work = asyncio.create_task(_streams(chats) if load is STREAMS else _sends(chats))
            await asyncio.sleep(STREAMS.start_within_s + SETTLE_S)
            file = out.with_stem(f"{out.stem}-{name}")
            before_s = cpu_s(stack.web)
            await _sample(stack.web.pid, file)
            cores = (cpu_s(stack.web) - before_s) / SAMPLE_S
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
        texts.append(_text(name, cores, file))
    return "\n".join(texts)


async def _streams(chats: Iterable[Chat]) -> None:
    async with asyncio.TaskGroup() as tasks:
        for number, chat in enumerate(chats):
            tasks.create_task(_ask_after(STREAMS.start_within_s * number / STREAMS.chats, chat))


async def _sends(chats: Iterable[Chat]) -> None:
    async with asyncio.TaskGroup() as tasks:
        for chat in chats:
            tasks.create_task(_ask_repeatedly(chat))


async def _ask_after(delay_s: float, chat: Chat) -> None:
    await asyncio.sleep(delay_s)
    await chat.ask(_ignore_text)


async def _ask_repeatedly(chat: Chat) -> None:
    while True:
        await chat.ask(_ignore_text)


def _ignore_text(_: str) -> None:
    """Ignore the text: only the web process is profiled."""


async def _sample(pid: int, out: Path) -> None:
    if not (spy := shutil.which("py-spy")):
        raise MeasureError("py-spy is not installed: `pip install py-spy`, or put it on the PATH.")
    options = ["--pid", str(pid), "--rate", str(SAMPLES_PER_S), "--duration", f"{SAMPLE_S:.0f}", "--format", "raw", "--output", str(out)]
    process = await asyncio.create_subprocess_exec(spy, "record", *options, stdout=PIPE, stderr=STDOUT)
    with suppress(psutil.Error):  # the web process is paused while py-spy, which samples it, waits for a core
        psutil.Process(process.pid).nice(-10)
    output, _ = await process.communicate()
    if process.returncode:
        raise MeasureError(f"py-spy could not sample the web process: {output.decode().strip()}")


def _text(name: str, cores: float, file: Path) -> str:
    with file.open() as lines:
        counts = shares(lines)
    total = sum(counts.values()) or 1
    rows = [f"  {count / total:6.1%}  {area}" for area, count in counts.most_common()]
    worth = cores * SAMPLE_S * SAMPLES_PER_S
    head = f"{name}: {cores:.2f} cores of the web process; {total:,} samples, its CPU time is worth {worth:,.0f}; stacks: {file}"
    return "\n".join(["", head, *rows])


def shares(lines: Iterable[str]) -> Counter[str]:
    """Return the number of samples by area. `lines`: collapsed stacks, outermost function first, each with its count."""
    counts: Counter[str] = Counter()
    for line in lines:
        stack, _, count = line.rpartition(" ")
        frames = stack.split(";")
        if not _WAITING.search(frames[-1]):
            counts[area_of([frame.rpartition("(")[2] for frame in frames])] += int(count)
    return counts


def area_of(places: list[str]) -> str:
    """Return the area of a stack, given each function's file, outermost first."""
    for place in reversed(places):
        if not place.startswith(_ROOTS) and (area := next(_areas_at(place), None)):
            return area
    return LOOP if any(place.startswith(("asyncio/", "uvloop/", *_ROOTS)) for place in places) else REST


def _areas_at(place: str) -> Iterator[str]:
    return (area for area, prefixes in AREAS.items() if place.startswith(prefixes))
