"""`python -m bench.live_writers`: how long a key of one writer takes to the pages of the others, with many in one document.

The web process and its sockets are real. A writer here does what the page does (frontend/src/artifacts/live): a key goes out at once, and
what is typed within the next GAP_S, or until that is acknowledged, goes together. Some of the writers read along as well: they take over
what comes, and note when each key is in their text. The time from there to the screen is the browser's, and not in the figures. Each writer types at a place of their own.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import time
from base64 import b64decode, b64encode
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

import httpx2
import orjson
import psutil
import uvloop
from pycrdt import Doc, Text, merge_updates
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from bench.stack.processes import BenchStack, running_stack
from bench.stack.seed import SLUG

GAP_S: Final = 0.06
CURSOR_S: Final = 0.2
FIRST_CHARACTER: Final = 0x4E00  # each key types another character, so that it can be told from all others
WARM_UP_S: Final = 3.0
SETTLE_S: Final = 2.0  # in which readers get the last changes
LINE: Final = "A line of a document that many people write at the same time, at places of their own.\n"
GOAL_MS: Final = 100.0


@dataclass(slots=True)
class Keys:
    """When each key was typed, and how long it took to each reader. Seconds."""

    typed_at: dict[str, float] = field(default_factory=dict)
    delays_s: list[float] = field(default_factory=list)
    acknowledged_s: list[float] = field(default_factory=list)

    def new(self) -> str:
        character = chr(FIRST_CHARACTER + len(self.typed_at))
        self.typed_at[character] = time.perf_counter()
        return character

    def measure_delays(self, text: str) -> None:
        now = time.perf_counter()
        self.delays_s += [now - self.typed_at[character] for character in text if character in self.typed_at]


class Writer:
    """One page. `place`: the share of the text before its cursor."""

    def __init__(self, socket: ClientConnection, keys: Keys, *, place: float, reads: bool) -> None:
        self._socket, self._keys, self._place, self._reads = socket, keys, place, reads
        self._doc: Doc[Any] = Doc()
        self._text = self._doc.get("content", type=Text)
        self._is_remote = False
        self._waiting: list[bytes] = []
        self._sent_at: dict[int, float] = {}  # of what is not acknowledged, by its number
        self._numbers = count()
        self._joined = asyncio.Event()
        self.frames_read = self.updates_read = 0
        self._doc.observe(self._on_change)

    async def read(self) -> None:
        """Read until the socket is closed."""
        async for message in self._socket:
            self.frames_read += 1
            self._take(orjson.loads(message))

    async def join(self) -> None:
        await self._send(type="join", document=None, seq=0)
        await self._joined.wait()

    def count_for(self, keys: Keys) -> None:
        """From now on note everything there."""
        self._keys, self.frames_read, self.updates_read = keys, 0, 0

    async def settle(self) -> None:
        """Wait until everything is acknowledged."""
        while self._sent_at or self._waiting:  # noqa: ASYNC110  an event would have to be kept by all who add and take away
            await asyncio.sleep(GAP_S)

    async def type(self, keys_per_s: float, until: float) -> None:
        """Type until this time, with the rhythm of a person, and send what the page sends."""
        at = int(len(self._text) * self._place)
        send_task = asyncio.create_task(self._send_changes())
        cursor_task = asyncio.create_task(self._send_cursors())
        while time.perf_counter() < until:
            await asyncio.sleep(random.uniform(0.5, 1.5) / keys_per_s)
            key = self._keys.new()
            self._text.insert(at, key)
            at += len(key.encode())
        await self.settle()
        for task in (send_task, cursor_task):
            task.cancel()

    async def _send_changes(self) -> None:
        while True:
            if self._waiting and not self._sent_at:
                content, self._waiting = merge_updates(*self._waiting), []
                number = next(self._numbers)
                self._sent_at[number] = time.perf_counter()
                await self._send(type="update", id=number, document=self._document, content=b64encode(content).decode())
                await asyncio.sleep(GAP_S)
            else:
                await asyncio.sleep(0.001)

    async def _send_cursors(self) -> None:
        while True:
            await asyncio.sleep(CURSOR_S)
            if self._sent_at:
                continue
            place = {"tname": "content", "assoc": 0}
            await self._send(type="cursor", cursor={"anchor": place, "head": place})

    async def _send(self, **frame: Any) -> None:
        await self._socket.send(orjson.dumps(frame).decode())

    def _take(self, frame: dict[str, Any]) -> None:
        match frame["type"]:
            case "joined":
                self._document = frame["document"]
                self._apply(frame["updates"])
                if self._reads:
                    self._text.observe(self._on_text)
                self._joined.set()
            case "update":
                self.updates_read += 1
                if self._reads:
                    self._apply([frame["content"]])
            case "ack":
                self._keys.acknowledged_s.append(time.perf_counter() - self._sent_at.pop(frame["id"]))
            case "error":
                raise AssertionError(frame)

    def _apply(self, updates: list[str]) -> None:
        self._is_remote = True
        for update in updates:
            self._doc.apply_update(b64decode(update))
        self._is_remote = False

    def _on_change(self, event: Any) -> None:
        if not self._is_remote:
            self._waiting.append(event.update)

    def _on_text(self, event: Any) -> None:
        if self._is_remote:
            self._keys.measure_delays("".join(part["insert"] for part in event.delta if "insert" in part))


@dataclass(frozen=True, slots=True)
class Page:
    """A signed-in member's calls."""

    stack: BenchStack
    cookie: str

    def call(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        with httpx2.Client(base_url=self.stack.url, trust_env=False, timeout=60.0, headers={"Cookie": self.cookie}) as client:
            client.get(f"/o/{SLUG}/").raise_for_status()  # sets the CSRF cookie
            token = client.cookies["parley_csrf"]
            headers = {"Cookie": f"{self.cookie}; parley_csrf={token}", "X-CSRFToken": token, "Origin": self.stack.origin}
            answer = client.post(f"/o/{SLUG}/api/{path}", json=body, headers=headers).raise_for_status()
        payload: dict[str, Any] = answer.json()
        return payload

    def find_reader(self, name: str) -> dict[str, Any]:
        with httpx2.Client(base_url=self.stack.url, trust_env=False, timeout=60.0, headers={"Cookie": self.cookie}) as client:
            readers: list[dict[str, Any]] = (
                client.get(f"/o/{SLUG}/api/shares/readers/", params={"q": name}).raise_for_status().json()["items"]
            )
        return {key: next(item for item in readers if item["name"] == name)[key] for key in ("kind", "id")}


def document_for(stack: BenchStack, *, members: int, size: int) -> str:
    """Make a document that all members may edit. Return its id."""
    owner = Page(stack, stack.cookies[0])
    conversation = owner.call("conversations/", {"title": "Writers"})["id"]
    content = LINE * (size // len(LINE))
    document = owner.call(f"conversations/{conversation}/artifacts/", {"title": "Writers", "kind": "text", "content": content})["id"]
    readers = [owner.find_reader(f"Member {number}") for number in range(1, members)]
    share = {"audience": "named", "readers": readers, "right": "edit", "follows": True}
    owner.call("shares/", {"of": "artifact", "targetId": document, **share})
    return str(document)


async def measure(stack: BenchStack, arguments: argparse.Namespace) -> str:
    document = await asyncio.to_thread(document_for, stack, members=arguments.members, size=arguments.kilobytes * 1000)
    address = f"{stack.url.replace('http', 'ws', 1)}/o/{SLUG}/ws/live/{document}/"
    warm_up, keys = Keys(), Keys()
    async with AsyncExitStack() as sockets:
        writers = []
        for number in range(arguments.writers):
            cookie = stack.cookies[number % arguments.members]
            opening = connect(address, additional_headers={"Cookie": cookie}, origin=Origin(stack.origin), proxy=None, max_size=None)
            socket = await sockets.enter_async_context(opening)
            writers.append(Writer(socket, warm_up, place=(number + 0.5) / arguments.writers, reads=number < arguments.readers))
        async with asyncio.TaskGroup() as group:  # a refusal ends the measurement
            read_tasks = [group.create_task(writer.read()) for writer in writers]
            await asyncio.gather(*(writer.join() for writer in writers))
            await _type(writers, arguments.keys_per_s, WARM_UP_S)
            start_cpu_s, began = _cpu_s(stack), time.perf_counter()
            for writer in writers:
                writer.count_for(keys)
            await _type(writers, arguments.keys_per_s, arguments.seconds)
            duration_s, busy = time.perf_counter() - began, {name: used_s - start_cpu_s[name] for name, used_s in _cpu_s(stack).items()}
            for task in read_tasks:
                task.cancel()
    return _report(arguments, writers, keys, duration_s, busy)


async def _type(writers: list[Writer], keys_per_s: float, seconds: float) -> None:
    until = time.perf_counter() + seconds
    await asyncio.gather(*(writer.type(keys_per_s, until) for writer in writers))
    await asyncio.sleep(SETTLE_S)


def _report(arguments: argparse.Namespace, writers: list[Writer], keys: Keys, duration_s: float, busy: dict[str, float]) -> str:
    key_count, arrival_count = len(keys.typed_at), len(keys.delays_s)
    cuts = statistics.quantiles(keys.delays_s, n=100)
    acknowledgement_cuts = statistics.quantiles(keys.acknowledged_s, n=100)
    updates = statistics.fmean(writer.updates_read for writer in writers) / duration_s
    frames = statistics.fmean(writer.frames_read for writer in writers) / duration_s
    load = psutil.getloadavg()[0]
    return "\n".join(
        [
            f"{arguments.writers} writers, {arguments.kilobytes} kB, {key_count} keys, {arrival_count} arrivals at {arguments.readers} readers",
            f"key to another page: p50 {cuts[49] * 1000:.0f} ms, p95 {cuts[94] * 1000:.0f} ms, p99 {cuts[98] * 1000:.0f} ms (goal: p95 {GOAL_MS:.0f} ms)",
            f"sent to acknowledged: p50 {acknowledgement_cuts[49] * 1000:.0f} ms, p95 {acknowledgement_cuts[94] * 1000:.0f} ms",
            f"a page reads {frames:.0f} frames/s, {updates:.0f} of them changes; load of the machine {load:.1f}",
            "cores: " + ", ".join(f"{name} {seconds / duration_s:.2f}" for name, seconds in busy.items()),
        ]
    )


def _cpu_s(stack: BenchStack) -> dict[str, float]:
    """Return the seconds of CPU of each process with its children, and of this one without."""
    seconds_by_name = {name: _run_s(process, *process.children(recursive=True)) for name, process in stack.processes.items()}
    return {"clients": _run_s(psutil.Process()), **seconds_by_name}


def _run_s(*processes: psutil.Process) -> float:
    return sum(times.user + times.system for times in (process.cpu_times() for process in processes))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--writers", type=int, default=20)
    parser.add_argument("--members", type=int, help="whose pages these are (default: a member for each)")
    parser.add_argument("--readers", type=int, default=3, help="writers that read along and measure (default: 3)")
    parser.add_argument("--kilobytes", type=int, default=100)
    parser.add_argument("--keys-per-s", type=float, default=5.0, help="of each writer (default: 5, a quick typist)")
    parser.add_argument("--seconds", type=float, default=20.0)
    arguments = parser.parse_args()
    arguments.members = arguments.members or arguments.writers
    with running_stack(members=arguments.members) as stack:
        print(uvloop.run(measure(stack, arguments)))


if __name__ == "__main__":
    main()
